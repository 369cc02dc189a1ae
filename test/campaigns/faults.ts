// Puts faults into the sources, one at a time, and counts which of them the tests find.
//   npm run faults -- [--seed N] [--count N] [--found FILE] [--list]
// The faults are drawn by the seed over the functions of FOLDERS. A test file is tried on a fault only if it
// runs the faulty place, which coverage says; the first file that fails has found the fault. `--found` keeps
// the results and continues them. Faults in what speaks with PostgreSQL need a server in TEST_POSTGRES.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  cpSync,
  existsSync,
  globSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { type Node, parse } from 'acorn'
import { makeTemplateFiles, SERVER, TEMPLATE_FOLDER } from '../support/database.ts'
import { fillTemplate } from '../support/service.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
/** Moves the clock as runs of the tests do. */
const CLOCK = new URL('../support/clock.js', import.meta.url).href

const FOLDERS = ['src/base', 'src/calendar', 'src/store', 'src/features/feeds', 'src/features/imports']
const SLOW = /^test\/(campaigns|client|fuzz|house)\/|browser|interrupted|screens|flows|every-/
/** The most time of a test file, in ms. A fault may make it wait for ever. */
const TIMEOUT_MS = 90_000

export interface Fault {
  file: string
  function: string
  at: number
  end: number
  text: string
}

const nameOf = ({ file, function: name, at, text }: Fault) => `${file}:${at} ${name} → ${text}`

const OPPOSITE: Readonly<Record<string, string>> = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '===': '!==',
  '!==': '===',
  '+': '-',
  '-': '+',
  '*': '/',
  '/': '*',
  '&&': '||',
  '||': '&&',
  '??': '&&',
}

// biome-ignore lint/suspicious/noExplicitAny: nodes of acorn are read by their type's own members.
type AnyNode = Node & Record<string, any>

const isNode = (value: unknown): value is AnyNode =>
  typeof value === 'object' && value !== null && 'type' in value

function childrenOf(node: AnyNode): AnyNode[] {
  return Object.values(node).flat().filter(isNode)
}

function faultsAt(node: AnyNode, source: string): Pick<Fault, 'at' | 'end' | 'text'>[] {
  const { type, start, end } = node
  const replaced = (at: number, until: number, text: string) => [{ at, end: until, text }]
  if (type === 'BinaryExpression' || type === 'LogicalExpression') {
    const opposite = OPPOSITE[node.operator]
    const at = source.indexOf(node.operator, node.left.end)
    return opposite === undefined ? [] : replaced(at, at + node.operator.length, opposite)
  }
  if (type === 'UnaryExpression' && node.operator === '!') return replaced(start, start + 1, '')
  if (type === 'ConditionalExpression' || type === 'IfStatement') {
    const { test } = node
    return replaced(test.start, test.end, `!(${source.slice(test.start, test.end)})`)
  }
  if (type === 'Literal' && typeof node.value === 'boolean') return replaced(start, end, String(!node.value))
  if (type === 'Literal' && typeof node.value === 'number')
    return replaced(start, end, String(node.value + 1))
  if (type === 'ReturnStatement' && node.argument)
    return replaced(node.argument.start, node.argument.end, 'undefined')
  return []
}

const FUNCTIONS = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression'])

function listFaults(file: string): Fault[][] {
  const source = stripTypeScriptTypes(readFileSync(join(root, file), 'utf8'))
  const lists: Fault[][] = []
  const visit = (node: AnyNode, name: string, inside: Fault[] | undefined) => {
    const own = FUNCTIONS.has(node.type) && inside === undefined ? [] : inside
    if (own && own !== inside) lists.push(own)
    const called = node.id?.name ?? node.key?.name ?? name
    if (own) own.push(...faultsAt(node, source).map((fault) => ({ file, function: called, ...fault })))
    for (const child of childrenOf(node)) visit(child, own ? name || called : called, own)
  }
  visit(parse(source, { ecmaVersion: 'latest', sourceType: 'module' }) as AnyNode, '', undefined)
  return lists.filter((list) => list.length > 0)
}

function below(limit: number, text: string): number {
  return createHash('sha256').update(text).digest().readUInt32BE() % limit
}

export function drawFaults(seed: number, count: number): Fault[] {
  const files = globSync(
    FOLDERS.map((folder) => `${folder}/**/*.ts`),
    { cwd: root },
  ).sort()
  const functions = files.flatMap(listFaults)
  let drawn = 0
  const pick = <T>(list: readonly T[]): T => list[below(list.length, `${seed}:${drawn++}`)] as T
  return Array.from({ length: count }, () => pick(pick(functions)))
}

/** Copies what tests need to a new folder, so that faults are never put into the checkout. */
function copyCheckout(): string {
  const copy = mkdtempSync(join(tmpdir(), 'kalends-faults-'))
  const kept = readdirSync(root).filter((name) => !['.git', 'node_modules', 'dist'].includes(name))
  for (const name of kept) cpSync(join(root, name), join(copy, name), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
  return copy
}

function runTest(copy: string, file: string, more: Record<string, string>): Promise<boolean> {
  const env = {
    PATH: process.env.PATH ?? '',
    NODE_OPTIONS: `--import=${CLOCK}`,
    [TEMPLATE_FOLDER]: process.env[TEMPLATE_FOLDER] ?? '',
    ...more,
  }
  const child = spawn(process.execPath, ['--test', '--test-isolation=none', file], {
    cwd: copy,
    env,
    stdio: 'ignore',
    detached: true,
  })
  const timer = setTimeout(() => child.pid && process.kill(-child.pid, 'SIGKILL'), TIMEOUT_MS)
  return new Promise((resolve) =>
    child.once('exit', (code) => {
      clearTimeout(timer)
      resolve(code === 0)
    }),
  )
}

interface Range {
  startOffset: number
  endOffset: number
  count: number
}

interface Coverage {
  result: { url: string; functions: { ranges: Range[] }[] }[]
}

function readCoverage(path: string): Coverage {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return { result: [] }
  }
}

async function findRunFaults(copy: string, test: string, faults: readonly Fault[]): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'kalends-coverage-'))
  const passed = await runTest(copy, test, { NODE_V8_COVERAGE: folder })
  if (!passed) console.log(`${test} fails without a fault, so it finds none.`)
  const run = new Set<string>()
  for (const file of readdirSync(folder)) {
    const { result } = readCoverage(join(folder, file))
    for (const fault of faults) {
      const url = pathToFileURL(join(copy, fault.file)).href
      const ranges = result.filter((script) => script.url === url).flatMap(({ functions }) => functions)
      const around = ranges
        .flatMap(({ ranges: own }) => own)
        .filter(({ startOffset, endOffset }) => startOffset <= fault.at && fault.at < endOffset)
        .sort((a, b) => b.startOffset - a.startOffset || a.endOffset - b.endOffset)
      if ((around[0]?.count ?? 0) > 0) run.add(nameOf(fault))
    }
  }
  rmSync(folder, { recursive: true })
  return passed ? [...run] : []
}

interface Known {
  run: Record<string, string[]>
  found: Record<string, string | null>
}

async function inPairs<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const left = [...items]
  const next = async (): Promise<void> => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item)
  }
  await Promise.all([next(), next()])
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      seed: { type: 'string', default: '20261128' },
      count: { type: 'string', default: '60' },
      found: { type: 'string', default: join(tmpdir(), 'kalends-faults.json') },
      list: { type: 'boolean', default: false },
    },
  })
  const faults = drawFaults(Number(values.seed), Number(values.count))
  if (values.list) return faults.forEach((fault) => void console.log(nameOf(fault)))
  const known: Known = existsSync(values.found)
    ? JSON.parse(readFileSync(values.found, 'utf8'))
    : { run: {}, found: {} }
  const keep = () => writeFileSync(values.found, JSON.stringify(known, undefined, 1))
  const tests = globSync('test/**/*.test.ts', { cwd: root })
    .filter((file) => !SLOW.test(file))
    .sort()
  const templates = mkdtempSync(join(tmpdir(), 'kalends-template-'))
  process.env[TEMPLATE_FOLDER] = templates
  await makeTemplateFiles(templates, fillTemplate)
  const clean = copyCheckout()
  await inPairs(
    tests.filter((file) => known.run[file] === undefined),
    async (file) => {
      known.run[file] = await findRunFaults(clean, file, faults)
      keep()
    },
  )
  rmSync(clean, { recursive: true })
  const order = (file: string) => known.run[file]?.length ?? 0
  await inPairs(
    faults.filter((fault) => known.found[nameOf(fault)] === undefined),
    async (fault) => {
      const name = nameOf(fault)
      const copy = copyCheckout()
      const path = join(copy, fault.file)
      const source = readFileSync(path, 'utf8')
      writeFileSync(path, source.slice(0, fault.at) + fault.text + source.slice(fault.end))
      // Files that run few of the faults are the closest to this one.
      const isPostgres = fault.file.includes('/postgres/')
      const trying = isPostgres
        ? tests.filter((file) => file.startsWith('test/storage/'))
        : tests.filter((file) => known.run[file]?.includes(name)).sort((a, b) => order(a) - order(b))
      const environment = {
        NODE_COMPILE_CACHE: join(tmpdir(), 'kalends-faults-cache'),
        ...(isPostgres && { [SERVER]: process.env[SERVER] ?? '' }),
      }
      known.found[name] = null
      for (const file of trying) {
        if (await runTest(copy, file, environment)) continue
        known.found[name] = file
        break
      }
      console.log(`${known.found[name] ?? `not found by ${trying.length} files`}: ${name}`)
      keep()
      rmSync(copy, { recursive: true })
    },
  )
  rmSync(templates, { recursive: true })
  const found = faults.filter((fault) => known.found[nameOf(fault)] !== null).length
  console.log(`${found} of ${faults.length} faults are found.`)
}

if (import.meta.main) await main()
