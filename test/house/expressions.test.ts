import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { readConfig, siteOf } from '../../src/base/config.ts'
import { namespaceRoutes, routeFinder } from '../../src/serve/http/routes.ts'
import { tokensOf } from '../support/source-tokens.ts'

// An expression that goes back and forth over a text takes the square of its length, or worse: one request with a long text stops the service.

const root = fileURLToPath(new URL('../../src', import.meta.url))

/** Files that do something when they are imported. */
const RUNNING = ['main.ts', 'workers.ts', 'base/text/text-thread.ts', 'store/storage/sqlite/reader-thread.ts']

const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => path.endsWith('.ts') && !path.endsWith('.d.ts'))

/** Expressions that are slow on long texts and see none, each with why. */
const ON_SHORT_TEXTS: Readonly<Record<string, string>> = {
  '/\\/+$/': 'addresses in settings',
  '/^[-_]+|[-_]+$/g': 'the name of a file, cut to eighty characters',
}

/** By how they are written: every expression of the sources. */
const expressions = new Map<string, RegExp>()

function collect(expression: RegExp): void {
  expressions.set(String(expression), expression)
}

/** The expressions that the sources write down. */
function collectWritten(): void {
  for (const file of files) {
    for (const { kind, text } of tokensOf(readFileSync(`${root}/${file}`, 'utf8'))) {
      if (kind !== 'expression') continue
      const end = text.lastIndexOf('/')
      collect(new RegExp(text.slice(1, end), text.slice(end + 1)))
    }
  }
}

/** The expressions that the sources put together when they are imported, and those of the routes. */
async function collectMade(): Promise<void> {
  const Plain = globalThis.RegExp
  const Watched = new Proxy(Plain, {
    construct: (target, args: [string, string?], made) => {
      const expression = Reflect.construct(target, args, made)
      // What packages make is their own affair.
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
/** What hostile texts are made of whatever the expression is. */
const USUAL = ['a', ' ', '\n', '<', '"']
const MOST_SIGNS = 14

/** A few characters that parts of an expression match, and some that they do not. */
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

/** The letters and signs that an expression begins with as they stand, such as `<a`. */
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

/** Milliseconds of this thread that it takes to find everything in a text, at the least of a few times. */
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
/** Milliseconds above which growth is looked at: linear expressions take a small part of them. */
const SUSPICIOUS = 1
/** For four times the text: linear is four, the square sixteen. */
const GROWTH = 9

/** A text on which an expression takes more than linear time; undefined when none is found. */
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
