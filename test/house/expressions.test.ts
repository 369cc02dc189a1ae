import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { readConfig, siteOf } from '../../src/base/config.ts'
import { namespaceRoutes, routeFinder } from '../../src/serve/http/routes.ts'
import { tokensOf } from '../support/source-tokens.ts'

// A regular expression that backtracks takes quadratic time or worse, so one request with a long text would stop the service.

const root = fileURLToPath(new URL('../../src', import.meta.url))

/** Files that start something when they are imported. */
const RUNNING = ['main.ts', 'workers.ts', 'base/text/text-thread.ts', 'store/storage/sqlite/reader-thread.ts']

const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => path.endsWith('.ts') && !path.endsWith('.d.ts'))

/** Expressions that are slow on long texts but only get short ones, with the reason. */
const ON_SHORT_TEXTS: Readonly<Record<string, string>> = {
  '/\\/+$/': 'addresses in settings',
  '/^[-_]+|[-_]+$/g': 'the name of a file, cut to eighty characters',
}

/** Every expression of the sources by its text. */
const expressions = new Map<string, RegExp>()

function collect(expression: RegExp): void {
  expressions.set(String(expression), expression)
}

/** Collects the expressions written in the sources. */
function collectWritten(): void {
  for (const file of files) {
    for (const { kind, text } of tokensOf(readFileSync(`${root}/${file}`, 'utf8'))) {
      if (kind !== 'expression') continue
      const end = text.lastIndexOf('/')
      collect(new RegExp(text.slice(1, end), text.slice(end + 1)))
    }
  }
}

/** Collects the expressions that the sources build when they are imported, and those of the routes. */
async function collectMade(): Promise<void> {
  const Plain = globalThis.RegExp
  const Watched = new Proxy(Plain, {
    construct: (target, args: [string, string?], made) => {
      const expression = Reflect.construct(target, args, made)
      // Expressions made by packages are not tested.
      if (/\/src\//.test(new Error().stack?.split('\n')[2] ?? '')) collect(expression)
      return expression
    },
  })
  globalThis.RegExp = Watched
  try {
    for (const file of files.filter((path) => !RUNNING.includes(path)))
      await import(`${pathToFileURL(`${root}/${file}`).href}?again`)
    routeFinder(namespaceRoutes(siteOf(readConfig({}, {}), 80)))
  } finally {
    globalThis.RegExp = Plain
  }
}

const CLASSES: Readonly<Record<string, string>> = {
  s: ' \n',
  d: '1',
  w: 'a',
  S: 'a',
  D: 'a',
  W: '-',
  n: '\n',
  t: '\t',
  r: '\r',
  b: '',
}
const PROPERTIES: readonly (readonly [RegExp, string])[] = [
  [/^(L|Lu|Script=Latin)/, 'Aé'],
  [/^M/, '\u0315'],
  [/^N/, '1'],
  [/^Sc/, '€'],
  [/^(P|S|Z|E)/, '-'],
]
/** Parts of hostile texts for every expression. */
const USUAL = ['a', ' ', '\n', '<', '"']
const MOST_SIGNS = 14

/** Returns a few characters that parts of an expression match, and some that they do not. */
function signsOf(source: string): string[] {
  const signs = new Set<string>()
  for (const [, property, unicode, byte, escaped, plain] of source.matchAll(
    /\\[pP]\{([^}]+)\}|\\u\{?([0-9a-f]{4,6})\}?|\\x([0-9a-f]{2})|\\(.)|([^\\()[\]{}*+?|^$.])/giu,
  )) {
    const code = unicode ?? byte
    const known = property && PROPERTIES.find(([name]) => name.test(property))?.[1]
    const text = code
      ? String.fromCodePoint(Number.parseInt(code, 16))
      : (known ?? (escaped && (CLASSES[escaped] ?? escaped)) ?? plain ?? '')
    for (const sign of text) if (signs.size < MOST_SIGNS) signs.add(sign)
  }
  for (const sign of USUAL) signs.add(sign)
  return [...signs]
}

/** Returns the literal beginning of an expression, such as `<a`. */
function beginningOf(source: string): string {
  return /^\^?((?:[^\\()[\]{}*+?|^$.]|\\[^a-z0-9])*)(?![*+?{])/i.exec(source)?.[1]?.replaceAll('\\', '') ?? ''
}

function hostileParts(source: string): string[] {
  const signs = signsOf(source)
  const parts = new Set(signs)
  const few = signs.slice(0, 10)
  for (const first of few) for (const second of few) parts.add(first + second)
  const beginning = beginningOf(source)
  if (beginning !== '') {
    parts.add(beginning)
    for (const sign of signs) parts.add(beginning + sign)
  }
  return [...parts]
}

/** Returns the ms of processor time of replacing all matches in a text, the least of some tries. */
function timeOf(expression: RegExp, text: string, times = 1): number {
  let least = Number.POSITIVE_INFINITY
  for (let i = 0; i < times; i++) {
    const start = process.threadCpuUsage()
    text.replace(expression, '')
    const { user, system } = process.threadCpuUsage(start)
    least = Math.min(least, (user + system) / 1000)
  }
  return least
}

const LENGTH = 3000
/** The ms above which growth is measured. Linear expressions stay far below. */
const SUSPICIOUS = 1
/** The growth for a text four times as long: 4 is linear, 16 quadratic. */
const GROWTH = 9

/** Returns a text on which an expression takes more than linear time, or undefined. */
function slowText(expression: RegExp): string | undefined {
  const { source, flags } = expression
  const global = new RegExp(source, `${flags.replace('g', '')}g`)
  const beginning = beginningOf(source)
  const texts = (part: string, length: number) => {
    const repeated = part.repeat(Math.max(1, Math.floor(length / part.length)))
    return [`${beginning}${repeated}\u0001`, `a${repeated}b\nc`, `a${repeated}`]
  }
  for (const part of hostileParts(source)) {
    for (const [at, short] of texts(part, 22).entries()) {
      if (timeOf(global, short) > 10 && timeOf(global, short, 3) > 10) return short
      const text = texts(part, LENGTH)[at] ?? ''
      if (timeOf(global, text) < SUSPICIOUS || timeOf(global, text, 3) < SUSPICIOUS) continue
      const longer = texts(part, LENGTH * 4)[at] ?? ''
      if (timeOf(global, longer, 3) > timeOf(global, text, 3) * GROWTH) return text.slice(0, 40)
    }
  }
  return undefined
}

collectWritten()
await collectMade()

test('the expressions of the sources are found, written down and put together', () => {
  assert.ok(expressions.size > 150, `${expressions.size} expressions`)
  const all = [...expressions.keys()]
  for (const known of ['/\\n\\s*\\n/', '<[!?][^<>]*>', 'noon|midday', '\\/events\\/(?<id>\\d+)'])
    assert.ok(
      all.some((text) => text.includes(known)),
      `none has ${known}`,
    )
  assert.deepEqual(
    Object.keys(ON_SHORT_TEXTS).filter((text) => !expressions.has(text)),
    [],
  )
})

test('expressions that go back and forth are recognised', () => {
  for (const slow of [/[ \t]*\n[ \t]*/g, /-+$/, /(a+)+$/, /^(\w+\s?)*$/, /<b(\s|[^>])*>/, /\s+[^\s>]/])
    assert.notEqual(slowText(slow), undefined, String(slow))
  for (const quick of [/a+/g, /^\s*x/, /\p{M}{31}/u]) assert.equal(slowText(quick), undefined, String(quick))
})

test('every expression of the sources takes time that grows with the length of the text alone', () => {
  const slow = [...expressions.values()].flatMap((expression) => {
    const text = slowText(expression)
    return text === undefined || Object.hasOwn(ON_SHORT_TEXTS, String(expression))
      ? []
      : [`${expression} on ${JSON.stringify(text)}…`]
  })
  assert.deepEqual(slow, [])
})
