import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { cp, mkdtemp, readdir, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { stepNames } from '../../src/store/storage/migrate.ts'

const kernelSteps = stepNames([])

export const TYPES = 'npm run types'

/** A section of docs/recipes.md that a test follows: each block of code, by the sentence above it. */
export interface Recipe {
  title: string
  steps: Step[]
  omissions: Omission[]
  /** The first lines of code blocks whose sentence says nothing that can be done. */
  unmarked: string[]
}

export interface Step {
  /** The number of the step in the list; commands stand outside of it and have none. */
  name: string
  text: string
  does: { what: 'create' | 'after' | 'in'; file: string; anchor: string } | { what: 'run' }
}

export interface Omission {
  title: string
  without: string
  /** The check that gives the messages: `npm run types`, or the path of a test. */
  from: string
  /** Lines that must be printed; `…` matches any text. */
  lines: string[]
}

export function readRecipes(page: string): Recipe[] {
  return page
    .split(/^## /m)
    .filter((section) => section.startsWith('Add a'))
    .map(readRecipe)
}

const CHANGE = /In `([^`]+)`, (after|at the end of) `([^`]+)`:$/
const CREATE = /New file `([^`]+)`:$/
const RUN = /Then run:$/
const OMISSION = /Without step (\d+), `([^`]+)` says:$/

function readRecipe(section: string): Recipe {
  const title = section.split('\n')[0] ?? ''
  const recipe: Recipe = { title, steps: [], omissions: [], unmarked: [] }
  let name = ''
  const blocks = section.matchAll(/((?:^.+\n)+)\n^( *)```[^\n]*\n([\s\S]*?)^ *```$/gm)
  for (const [, paragraph = '', indent = '', block = ''] of blocks) {
    const sentence = paragraph.replace(/\s+/g, ' ').trim()
    name = indent === '' ? '' : (/^(\d+)\. /.exec(sentence)?.[1] ?? name)
    const text = block.replace(new RegExp(`^${indent}`, 'gm'), '').trimEnd()
    readBlock(recipe, name, sentence, text)
  }
  return recipe
}

function readBlock(recipe: Recipe, name: string, sentence: string, text: string): void {
  const { title, steps, omissions, unmarked } = recipe
  const change = CHANGE.exec(sentence)
  const [, created] = CREATE.exec(sentence) ?? []
  const [, without, from] = OMISSION.exec(sentence) ?? []
  if (change) {
    const [, file = '', where, anchor = ''] = change
    steps.push({ name, text, does: { what: where === 'after' ? 'after' : 'in', file, anchor } })
  } else if (created) steps.push({ name, text, does: { what: 'create', file: created, anchor: '' } })
  else if (without && from) omissions.push({ title, without, from, lines: text.split('\n') })
  else if (RUN.test(sentence)) steps.push({ name, text, does: { what: 'run' } })
  else unmarked.push(text.split('\n')[0] ?? '')
}

export interface Copy {
  folder: string
  before: Map<string, string | undefined>
  migration: string
}

const NOT_COPIED = ['.git', 'node_modules', 'data', 'dist', 'coverage']

export async function copySources(root: string): Promise<Copy> {
  const folder = await mkdtemp(join(tmpdir(), 'kalends-recipes-'))
  const entries = await readdir(root)
  for (const name of entries.filter((entry) => !NOT_COPIED.includes(entry)))
    await cp(join(root, name), join(folder, name), {
      recursive: true,
      filter: (path) => !path.endsWith('node_modules'),
    })
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
  const last = Math.max(...kernelSteps.map((name) => Number(name.slice(0, 4))))
  return { folder, before: new Map(), migration: String(last + 1).padStart(4, '0') }
}

export async function removeCopy({ folder }: Copy): Promise<void> {
  await rm(folder, { recursive: true, force: true })
}

export async function follow(
  copy: Copy,
  recipes: readonly Recipe[],
  omitted: readonly Omission[],
): Promise<void> {
  restore(copy)
  const isOmitted = (title: string, name: string) =>
    omitted.some((omission) => omission.title === title && omission.without === name)
  const steps = recipes.flatMap(({ title, steps }) => steps.filter(({ name }) => !isOmitted(title, name)))
  for (const step of steps) changeFile(copy, step)
  if (omitted.length === 0) await runLines(copy, linesToRun(steps))
}

function linesToRun(steps: readonly Step[]): string[] {
  const lines = steps.flatMap(({ does, text }) => (does.what === 'run' ? text.split('\n') : []))
  return lines.filter((line, at) => lines.lastIndexOf(line) === at)
}

function restore({ folder, before }: Copy): void {
  for (const [file, text] of before) {
    if (text === undefined) rmSync(join(folder, file), { force: true })
    else writeFileSync(join(folder, file), text)
  }
}

function changeFile(copy: Copy, { does, text }: Step): void {
  if (does.what === 'run') return
  const file = numbered(copy, does.file)
  const path = join(copy.folder, file)
  const old = existsSync(path) ? readFileSync(path, 'utf8') : undefined
  if (!copy.before.has(file)) copy.before.set(file, old)
  if ((old === undefined) !== (does.what === 'create'))
    throw new Error(`docs/recipes.md: ${file} is ${old === undefined ? 'not there' : 'there already'}`)
  const change = { create: () => `${text}\n`, after: putAfter, in: putIn }[does.what]
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, numbered(copy, change(old ?? '', does, text)))
}

function numbered({ migration }: Copy, text: string): string {
  return text.replaceAll('NNNN', migration)
}

interface Place {
  file: string
  anchor: string
}

function putAfter(old: string, place: Place, text: string): string {
  const at = old.lastIndexOf(place.anchor)
  if (at === -1) throw missing(place)
  const end = old.indexOf('\n', at) + 1
  return `${old.slice(0, end)}${text}\n${old.slice(end)}`
}

function putIn(old: string, place: Place, text: string): string {
  const at = old.indexOf(place.anchor)
  if (at === -1 || old.indexOf(place.anchor, at + 1) !== -1) throw missing(place)
  const start = at + place.anchor.length
  const end = closingBracket(old, start)
  const inside = old.slice(start, end).trimEnd()
  return (
    `${old.slice(0, start)}${inside}` +
    `${inside === '' || inside.endsWith(',') ? '' : ','}\n${text}\n${old.slice(end)}`
  )
}

function missing({ file, anchor }: Place): Error {
  return new Error(`docs/recipes.md: ${file} does not have "${anchor}" in one place`)
}

function closingBracket(source: string, start: number): number {
  const pieces =
    /'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\[\s\S])*`|\/\/.*|\/\*[\s\S]*?\*\/|[[({]|[\])}]/g
  pieces.lastIndex = start
  let depth = 1
  for (let piece = pieces.exec(source); piece; piece = pieces.exec(source)) {
    if ('[({'.includes(piece[0])) depth++
    else if ('])}'.includes(piece[0])) depth--
    if (depth === 0) return piece.index
  }
  return source.length
}

async function runLines(copy: Copy, lines: readonly string[]): Promise<void> {
  const { scripts } = JSON.parse(readFileSync(join(copy.folder, 'package.json'), 'utf8'))
  for (const line of lines) {
    const known = line.replace(/npm run ([\w-]+)/g, (_, name: string) => scripts[name]).replaceAll('npx ', '')
    // One process runs all the test files.
    const whole = known.replace('node --test ', 'node --test --test-isolation=none ')
    const plain = whole.replace(/ \.$/, ` docs ${[...copy.before.keys()].join(' ')}`)
    const { code, output } = await runIn(copy, 'sh', ['-ec', plain])
    if (code !== 0) throw new Error(`${line}\n${output}`)
  }
}

export function runIn(
  { folder }: Copy,
  command: string,
  words: readonly string[],
): Promise<{ code: number; output: string }> {
  const path = `${join(folder, 'node_modules/.bin')}${delimiter}${process.env.PATH}`
  // With this variable, the inner test runner would report to the outer one instead of printing.
  const { NODE_TEST_CONTEXT: _, ...environment } = process.env
  // GOGC: the type checker ends before collecting garbage, a fifth of its time, would pay.
  const env = { ...environment, PATH: path, NO_COLOR: '1', GOGC: 'off', ROUND_TRIP_EVENTS: '10' }
  const options = { cwd: folder, env, maxBuffer: 1e8 }
  return new Promise((resolve) => {
    execFile(command, words, options, (error, stdout, stderr) => {
      resolve({ code: error ? Number(error.code ?? 1) : 0, output: `${stdout}\n${stderr}` })
    })
  })
}

/**
 * Groups omissions to try together: all that the type checker reports, then one per recipe of those that
 * tests report, since a test stops at the first.
 */
export function roundsOf(recipes: readonly Recipe[]): Omission[][] {
  const all = recipes.flatMap(({ omissions }) => omissions)
  const tested = recipes.map(({ omissions }) => omissions.filter(({ from }) => from !== TYPES))
  const count = Math.max(...tested.map(({ length }) => length))
  const rounds = Array.from({ length: count }, (_, round) =>
    tested.flatMap((omissions) => omissions[round] ?? []),
  )
  return [all.filter(({ from }) => from === TYPES), ...rounds]
}

export function unsaid(lines: readonly string[], output: string): string[] {
  return lines.filter((line) => {
    const parts = line
      .trim()
      .split('…')
      .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    return !new RegExp(parts.join('.*')).test(output)
  })
}
