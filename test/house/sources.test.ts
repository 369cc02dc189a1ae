import { deepEqual, equal, ok } from 'node:assert/strict'
import { globSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, posix } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

// What no linter says of the sources; the linters are told in biome.json, knip.json and the folder lint.

const root = fileURLToPath(new URL('../../src/', import.meta.url))

const COMMENTS = /^\s*\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm
const DECLARED = /^(export )?(?:async )?(function|const|class|interface|type)\b\*? (\w+)/gm

const sources = globSync('**/*.ts', { cwd: root }).map((file) => {
  const path = file.replaceAll('\\', '/')
  const text = readFileSync(`${root}${path}`, 'utf8').replaceAll(COMMENTS, '')
  const declared = [...text.matchAll(DECLARED)].map(([, exported, kind, name = '']) => ({
    path,
    kind,
    name,
    isExported: exported !== undefined,
  }))
  return { path, text, declared }
})

function having(text: RegExp, isIn: (path: string) => boolean): string[] {
  return sources.filter((source) => isIn(source.path) && text.test(source.text)).map(({ path }) => path)
}

test('the language of declarations and the machinery below it name no resource', () => {
  const isBelow =
    /^(?:base\/text|calendar\/declare|store\/media)\/|^base\/fields\/(?:field|kinds|limits)\.ts$/
  const named = /'(?:events?|venues?|organizers?|categor(?:y|ies))'/
  deepEqual(
    having(named, (path) => isBelow.test(path)),
    [],
  )
})

test('only storage knows which database answers; settings, start-up, backups and doctor may name one', () => {
  const isStart = /^(?:base\/config|app|command-line|main)\.ts$/
  const mayKnow = /^store\/storage\/|^features\/(?:transfer|doctor|sync\/changed-since)/
  const named = /\bisPostgres\b|['"`(]\s*(?:sqlite|postgres(?:ql)?)\b/i
  deepEqual(
    having(named, (path) => !isStart.test(path) && !mayKnow.test(path)),
    [],
  )
})

test('http asks stores, and so does what writes pages and feeds: it has no SQL', () => {
  const written = /\.(?:selectFrom|insertInto|updateTable|deleteFrom)\(|\bsql(?:<\w+>)?`/
  const shown = new Set(having(/\bhtml`|\bxmlElement\(|: Format = \{/, () => true))
  deepEqual(
    having(
      written,
      (path) => /^http\//.test(path) || (/^features\/(?:pages|feeds)\//.test(path) && shown.has(path)),
    ),
    [],
  )
})

test('threads that read the database load no query builder, which takes 11 MB', () => {
  const loaded = new Set(['store/storage/sqlite/reader-thread.ts'])
  for (const path of loaded) {
    const text = sources.find((source) => source.path === path)?.text ?? ''
    for (const [, name = ''] of text.matchAll(
      /^(?:import|export)\s(?!type\s)(?:[^'";]*?\sfrom\s)?'([^']+)'/gm,
    ))
      loaded.add(name.startsWith('.') ? posix.join(dirname(path), name) : name)
  }
  ok(loaded.has('store/storage/sqlite/sqlite-connection.ts'))
  equal(loaded.has('kysely'), false)
})

test('a file can be asked for by its name alone', () => {
  const files = Map.groupBy(sources, ({ path }) => basename(path))
  deepEqual(
    [...files].filter(([, same]) => same.length > 1).map(([name]) => name),
    [],
  )
})

const declared = sources.flatMap((source) => source.declared)

function tooMany(found: typeof declared, most: number): string[] {
  return [...Map.groupBy(found, ({ name }) => name)]
    .map(([name, places]) => {
      const files = new Set(places.map(({ path }) => path.replaceAll(/sqlite|postgres/g, 'database')))
      return { name, files: [...files] }
    })
    .filter(({ files }) => files.length > most)
    .map(({ name, files }) => `${name}: ${files.join(', ')}`)
}

test('an exported name means one thing: it is exported from one file', () => {
  deepEqual(
    tooMany(
      declared.filter(({ isExported }) => isExported),
      1,
    ),
    [],
  )
})

test('the name of a function says what it does: at most three files have one of the same name', () => {
  const isUp = (path: string, name: string) => name === 'up' && path.startsWith('store/storage/migrations/')
  const functions = declared.filter(({ kind, name, path }) => kind === 'function' && !isUp(path, name))
  ok(functions.length > 1000)
  deepEqual(tooMany(functions, 3), [])
})

test('every folder of features has its line in src/features.ts', () => {
  const list = readFileSync(new URL('../../src/features.ts', import.meta.url), 'utf8')
  const folders = readdirSync(new URL('../../src/features/', import.meta.url))
  const unlisted = folders.filter((name) => !list.includes(`'./features/${name}/`))
  deepEqual(unlisted, [], `without a line in src/features.ts: ${unlisted.join(', ')}`)
})

test('no line of the sources, tests and tools is longer than 110 columns', () => {
  const files = globSync('{bench,bin,client,lint,openapi,packaging,src,test}/**/*.{ts,js,cjs}', {
    cwd: `${root}..`,
    exclude: (path) => path.endsWith('node_modules'),
  })
  const long = files.flatMap((file) =>
    readFileSync(`${root}../${file}`, 'utf8')
      .split('\n')
      .flatMap((line, at) => (line.length > 110 && [...line].length > 110 ? [`${file}:${at + 1}`] : [])),
  )
  ok(files.length > 1000)
  deepEqual(long, [])
})
