import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { Command } from 'commander'
import packageJson from '../../package.json' with { type: 'json' }
import { commandVariables, environmentName, readConfig, settingTable, siteOf } from '../../src/base/config.ts'
import { eventFields } from '../../src/base/fields/event-fields.ts'
import { organizerFields, venueFields } from '../../src/base/fields/linked-fields.ts'
import { Problem } from '../../src/base/problems.ts'
import { eventFilters } from '../../src/calendar/events/event-filters.ts'
import { placedFilters } from '../../src/calendar/linked/linked-filters.ts'
import { problemAnswer } from '../../src/calendar/locales/problem-answers.ts'
import { makeProgram } from '../../src/command-line.ts'
import { attributeFilters } from '../../src/features/pages/page-filters.ts'
import { linkedSpans, writeSpan } from '../../src/features/pages/spans.ts'
import { features } from '../../src/features.ts'
import { problemCodes } from '../../src/http/openapi.ts'
import { assertNone } from '../support/lists.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const SKIPPED = ['node_modules', '.git', 'data', 'dist', 'coverage']

interface Page {
  path: string
  text: string
}

function pagesBelow(folder: string): Page[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return SKIPPED.includes(entry.name) ? [] : pagesBelow(path)
    if (!entry.name.endsWith('.md')) return []
    return [{ path: relative(root, path).replaceAll(sep, '/'), text: readFileSync(path, 'utf8') }]
  })
}

const pages = pagesBelow(root)

function pageOf(path: string): string {
  const page = pages.find((candidate) => candidate.path === path)
  ok(page, `${path} is missing`)
  return page.text
}

function codeOf(text: string): string[] {
  const blocks = [...text.matchAll(/^```[^\n]*\n([\s\S]*?)^```/gm)].flatMap(([, block = '']) =>
    block.split('\n'),
  )
  const spans = text.replace(/^```[\s\S]*?^```/gm, '').matchAll(/`([^`\n]+)`/g)
  return [...blocks, ...[...spans].map(([, span = '']) => span)]
}

function wordsNamed(text: string): string[] {
  const spans = text.replace(/^```[\s\S]*?^```/gm, '').matchAll(/`([^`\n]+)`/g)
  return [...spans].flatMap(([, span = '']) => span.match(/\w+/g) ?? [])
}

test('every npm command in the documents is a script of package.json', () => {
  const known = new Set([...Object.keys(packageJson.scripts), 'ci', 'install', 'exec', 'publish'])
  const unknown = pages.flatMap(({ path, text }) =>
    codeOf(text)
      .flatMap((line) => [...line.matchAll(/\bnpm (?:run )?([a-z][\w:-]*)/g)])
      .filter(([, name = '']) => !known.has(name))
      .map(([command]) => `${path}: ${command}`),
  )
  deepEqual(unknown, [])
})

/** The command lines of `kalends` in blocks, without what a shell does with them. */
function commandsOf(text: string): string[][] {
  const blocks = [...text.matchAll(/^ *```[^\n]*\n([\s\S]*?)^ *```/gm)].map(([, block = '']) => block)
  const lines = blocks.flatMap((block) => block.replaceAll(/\\\n/g, ' ').split('\n'))
  return lines.flatMap((line) => {
    const start = /^(?:sudo |--preserve-env=\w+ |[A-Z_]+='[^']*' |npx |\.\/)*kalends (?=[a-z])/.exec(
      line,
    )?.[0]
    if (start === undefined) return []
    const [command = ''] = line.slice(start.length).split(/ +#| {2,}| [>|&]|$/)
    const words = [...command.matchAll(/(?:[^\s'"]|'[^']*'|"[^"]*")+/g)]
    return [words.map(([word]) => word.replaceAll(/^['"]|['"]$/g, ''))]
  })
}

async function unknownIn(words: readonly string[]): Promise<string[]> {
  let command = await makeProgram(words, {}, new Command('kalends'))
  let rest = [...words]
  for (;;) {
    const found = command.commands.find((sub) => sub.name() === rest[0])
    if (!found) break
    command = found
    rest = rest.slice(1)
  }
  const { operands, unknown } = command.parseOptions(rest)
  const { registeredArguments } = command
  const missing = registeredArguments.slice(operands.length).filter(({ required }) => required)
  const isMore = !registeredArguments.at(-1)?.variadic && operands.length > registeredArguments.length
  return [...unknown, ...missing.map((argument) => `<${argument.name()}>`), ...(isMore ? operands : [])]
}

test('every command of kalends in the documents is one, with its options and arguments', async () => {
  const found = pages.flatMap(({ path, text }) => commandsOf(text).map((words) => ({ path, words })))
  ok(found.length > 40)
  for (const { path, words } of found)
    deepEqual(await unknownIn(words), [], `${path}: kalends ${words.join(' ')}`)
})

test('relative links lead to files, and to headings that are there', () => {
  const broken = pages.flatMap(({ path, text }) =>
    [...text.matchAll(/\]\(([^)\s]+)\)/g)]
      .map(([, target = '']) => target)
      .filter((target) => !/^[a-z]+:/.test(target) && !leadsSomewhere(path, target))
      .map((target) => `${path}: ${target}`),
  )
  deepEqual(broken, [])
})

function leadsSomewhere(from: string, target: string): boolean {
  const [path = '', heading] = target.split('#')
  const file = path === '' ? join(root, from) : join(root, dirname(from), path)
  if (!existsSync(file)) return false
  return heading === undefined || headingsOf(readFileSync(file, 'utf8')).includes(heading)
}

function headingsOf(text: string): string[] {
  const headings = [...text.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )
  return [...headings, ...[...text.matchAll(/<a id="([\w.-]+)">/g)].map(([, name = '']) => name)]
}

test('every document is reached by links from the README', () => {
  const reached = new Set<string>()
  const follow = (path: string) => {
    if (reached.has(path) || !path.endsWith('.md')) return
    reached.add(path)
    for (const [, target = ''] of pageOf(path).matchAll(/\]\(([^)\s#:]+)(?:#[^)]*)?\)/g)) {
      const file = join(dirname(path), target).replaceAll(sep, '/')
      if (pages.some((page) => page.path === file)) follow(file)
    }
  }
  follow('README.md')
  assertNone(
    pages.map(({ path }) => path),
    (path) => !reached.has(path),
  )
})

const sources = readdirSync(join(root, 'src'), { recursive: true, withFileTypes: true }).map(
  ({ parentPath, name }) => relative(join(root, 'src'), join(parentPath, name)).replaceAll(sep, '/'),
)

test('the map of ARCHITECTURE.md has every folder of src, and the files that it names are there', () => {
  const page = pageOf('ARCHITECTURE.md')
  const [map = ''] = /^## Map$[\s\S]*?^## /m.exec(page) ?? []
  const folders = sources.filter((path) => /^\w+\/\w+$/.test(path))
  const absent = folders.filter((path) => !new RegExp(`\\b${path.split('/')[1]}/`).test(map))
  ok(folders.length > 20)
  deepEqual(absent, [])
  const named = [...page.matchAll(/`([\w-]+\/[\w-]+)`/g)].map(([, path = '']) => path)
  const missing = named.filter((path) => !sources.some((source) => `/${source}`.endsWith(`/${path}.ts`)))
  ok(named.length > 30)
  deepEqual(missing, [])
})

test('the glossary explains each word once', () => {
  const words = [...pageOf('docs/glossary.md').matchAll(/^- \*\*(.+?)\*\* \(`\w[\w.-]+\.ts`\): /gm)].map(
    ([, word]) => word,
  )
  ok(words.length > 30 && words.length <= 60, `${words.length} words`)
  deepEqual(
    words.filter((word, at) => words.indexOf(word) !== at),
    [],
  )
})

test('every setting that a document names exists', () => {
  const known = new Set<string>([
    ...Object.keys(settingTable(features)).map(environmentName),
    ...commandVariables(features),
  ])
  const unknown = pages.flatMap(({ path, text }) =>
    [...text.matchAll(/\bKALENDS_[A-Z_]+\b/g)]
      .filter(([name]) => !known.has(name))
      .map(([name]) => `${path}: ${name}`),
  )
  deepEqual(unknown, [])
})

test('docs/api.md and docs/series.md tell of every field and filter that is ours', () => {
  const told = new Set(['docs/api.md', 'docs/series.md'].flatMap((path) => wordsNamed(pageOf(path))))
  const declared = [eventFields, venueFields, organizerFields, eventFilters, placedFilters]
  const own = declared.flatMap((table) =>
    Object.entries<object>(table).flatMap(([name, entry]) => ('unlisted' in entry ? [name] : [])),
  )
  ok(own.length > 20)
  const untold = own.filter((name) => !told.has(name))
  deepEqual(untold, [], `without a word in docs/api.md: ${untold.join(', ')}`)
})

test('client/react.d.ts has each attribute of <kalends-events>, docs/embed.md those but filters', () => {
  const element = readFileSync(join(root, 'src/features/pages/assets/embed.js'), 'utf8')
  const [, own = ''] = /observedAttributes = \[(.+?), \.\.\.FILTERS/.exec(element) ?? []
  const attributes: string[] = own.match(/\w+/g) ?? []
  const told = wordsNamed(pageOf('docs/embed.md'))
  assertNone(attributes, (name) => !told.includes(name))
  const types: string[] =
    readFileSync(join(root, 'client/react.d.ts'), 'utf8').match(/(?<=^ {2})\w+(?=\?:)/gm) ?? []
  // React has the language of every element.
  const all = [...attributes, ...attributeFilters.keys()].filter((name) => name !== 'lang')
  const untyped = all.filter((name) => !types.includes(name))
  deepEqual(untyped, [], `without a type in client/react.d.ts: ${untyped.join(', ')}`)
  equal(types.length, all.length, 'client/react.d.ts has attributes that the element lacks')
})

test('docs/pages.md has the address of every view', () => {
  const table = codeOf(pageOf('docs/pages.md'))
  const site = siteOf(readConfig({}, {}, []), 80)
  const views = linkedSpans(site, { view: 'list' }, '2030-05-01').map(
    ({ span }) => `/events/${writeSpan(span)}`,
  )
  ok(views.length > 3)
  const untold = views.filter((path) => !table.includes(path))
  deepEqual(untold, [], `without a row in docs/pages.md: ${untold.join(', ')}`)
})

test('docs/api.md lists every problem code with its status, and no other', () => {
  const rows = [...pageOf('docs/api.md').matchAll(/^- (\d{3}) ((?:`[\w-]+`(?:, )?)+): /gm)]
  const listed = Object.fromEntries(
    rows.flatMap(
      ([, status, codes = '']) => codes.match(/[\w-]+/g)?.map((code) => [code, Number(status)]) ?? [],
    ),
  )
  const actual = Object.fromEntries(
    problemCodes.map((code) => [code, problemAnswer(new Problem(code), 'en', true).status]),
  )
  deepEqual(listed, actual)
})

test('every promise of docs/reliability.md names a test that is there', () => {
  const rows = pageOf('docs/reliability.md')
    .split('\n')
    .filter((line) => /^\|.*\|.*\|$/.test(line) && line.includes('`test/'))
  const named = rows.flatMap((row) =>
    [...row.matchAll(/`(test\/[\w/.-]+\.ts)`/g)].map(([, path = '']) => path),
  )
  ok(rows.length >= 20 && named.length >= rows.length, `${rows.length} promises name ${named.length} tests`)
  assertNone(named, (path) => !existsSync(join(root, path)))
})

test('decision records have a number each and say context, decision and consequences', () => {
  const records = pages
    .filter(({ path }) => /^docs\/decisions\/\d{4}-/.test(path))
    .sort((a, b) => (a.path < b.path ? -1 : 1))
  const numbers = records.map(({ path }) =>
    Number(path.slice('docs/decisions/'.length, 'docs/decisions/'.length + 4)),
  )
  ok(records.length > 0)
  equal(new Set(numbers).size, numbers.length)
  for (const { path, text } of records) {
    for (const heading of ['Context', 'Decision', 'Consequences']) {
      match(text, new RegExp(`^## ${heading}$`, 'm'), `${path} has no ${heading}`)
    }
  }
})

test('no document names a folder of somebody’s machine or leaves something to be done', () => {
  const marks = new RegExp(
    ['/(?:home|Users|root|work)/', ['TO', 'DO'].join(''), ['FIX', 'ME'].join('')].join('|'),
  )
  const found = pages.flatMap(({ path, text }) =>
    text.split('\n').flatMap((line, at) => (marks.test(line) ? [`${path}:${at + 1} ${line.trim()}`] : [])),
  )
  deepEqual(found, [])
})

test('no source file names a folder of somebody’s machine or leaves something to be done', () => {
  const marks = new RegExp(
    [
      `['"\`]/(?:home|Users|root|work)/`,
      `\\b${['TO', 'DO'].join('')}\\b`,
      `\\b${['FIX', 'ME'].join('')}\\b`,
    ].join('|'),
  )
  const found = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' }).filter(
    (path) => path.endsWith('.ts') && marks.test(readFileSync(join(root, 'src', path), 'utf8')),
  )
  deepEqual(found, [])
})
