import { deepEqual, equal, ok } from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { assertNone } from '../support/lists.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const RULES = 'docs/api.md'
const FOLDERS = ['src', 'test', 'bench', 'docs']
const THIS_TEST = 'test/house/rules.test.ts'

interface Source {
  path: string
  text: string
}

function filesIn(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map(
    (path) => `${folder}/${path}`,
  )
}

function sources(): Source[] {
  const pages = readdirSync(root).filter((path) => path.endsWith('.md'))
  return [...FOLDERS.flatMap(filesIn), ...pages]
    .filter((path) => /\.(ts|md)$/.test(path) && path !== THIS_TEST)
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))
}

function rules(): string[] {
  const page = readFileSync(join(root, RULES), 'utf8')
  return [...page.matchAll(/^<a id="rule-(\d+\.\d+)"><\/a>\*\*(\d+\.\d+)\*\* /gm)].map(
    ([, id = '', number]) => {
      equal(number, id, 'a rule and its anchor have different numbers')
      return id
    },
  )
}

function citedIn(text: string): string[] {
  const citations = text.matchAll(
    /\brules?\s+(?:\*\s+|\/\/\s+)?(\d+\.\d+(?:(?:,\s+|\s+and\s+|\s+to\s+)(?:\*\s+)?\d+\.\d+)*)/gi,
  )
  return [...citations].flatMap(([, numbers = '']) => numbers.match(/\d+\.\d+/g) ?? [])
}

test('the numbers of the rules go up by one within each section', () => {
  const expected: string[] = []
  let [section, at] = [0, 0]
  for (const number of rules()) {
    const [own = 0] = number.split('.').map(Number)
    ;[section, at] = own === section ? [section, at + 1] : [section + 1, 1]
    expected.push(`${section}.${at}`)
  }
  ok(expected.length > 100)
  deepEqual(rules(), expected)
})

test('every rule that is cited stands in docs/api.md', () => {
  const known = new Set(rules())
  const unknown = sources().flatMap(({ path, text }) =>
    citedIn(text)
      .filter((number) => !known.has(number))
      .map((number) => `${path}: rule ${number}`),
  )
  deepEqual(unknown, [])
})

test('no citation leads to a paper outside this repository', () => {
  const outside =
    /\b(?:contract|specification|defects?|appendix),?\s+(?:\*\s+|appendix\s+)?(?:\d|[ABC](?:\.|\b))/i
  const found = sources().flatMap(({ path, text }) =>
    text
      .split('\n')
      .flatMap((line, at) =>
        path !== RULES && outside.test(line) ? [`${path}:${at + 1} ${line.trim()}`] : [],
      ),
  )
  deepEqual(found, [])
})

test('every file that the glossary names is in src', () => {
  const names = new Set(filesIn('src').map((path) => path.split(/[/\\]/).at(-1)))
  const named = [
    ...readFileSync(join(root, 'docs/glossary.md'), 'utf8').matchAll(/^- \*\*.+\*\* \(`([\w.-]+\.ts)`\): /gm),
  ]
  ok(named.length > 30)
  assertNone(
    named.map(([, name = '']) => name),
    (name) => !names.has(name),
  )
})
