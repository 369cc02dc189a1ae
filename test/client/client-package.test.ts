// The package for its users: packed, installed into an empty folder, and used there.
import { deepEqual, equal, fail, match, ok, rejects } from 'node:assert/strict'
import { execFile } from 'node:child_process'
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import clientPackage from '../../client/package.json' with { type: 'json' }
import rootPackage from '../../package.json' with { type: 'json' }

const run = promisify(execFile)
const root = fileURLToPath(new URL('../..', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'kalends-client-package-'))
const stranger = join(folder, 'stranger')
const installed = join(stranger, 'node_modules/@kalends/client')
const compiler = join(root, 'node_modules/typescript/bin/tsc')

const MOST_BYTES = 4096

after(() => rmSync(folder, { recursive: true, force: true }))

before(async () => {
  // Builds a copy, since other tests read the sources at the same time.
  const copy = join(folder, 'client')
  cpSync(join(root, 'client'), copy, {
    recursive: true,
    filter: (path) => !/[/\\](dist|node_modules)$/.test(path),
  })
  for (const beside of ['openapi', 'tsconfig.json', 'LICENSE', 'node_modules'])
    symlinkSync(join(root, beside), join(folder, beside))
  const env = { ...process.env, PATH: `${join(root, 'node_modules/.bin')}:${process.env.PATH}` }
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', folder], { cwd: copy, env })
  const [{ filename }] = JSON.parse(stdout.slice(stdout.indexOf('[\n')))
  mkdirSync(installed, { recursive: true })
  await run('tar', ['-xzf', join(folder, filename), '--strip-components=1', '-C', installed])
})

async function compile(name: string, text: string, options: object = {}): Promise<void> {
  const compilerOptions = {
    target: 'ES2022',
    lib: ['ES2023', 'DOM', 'DOM.Iterable'],
    types: [],
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    module: 'NodeNext',
    jsx: 'react-jsx',
    noEmit: true,
    ...options,
  }
  writeFileSync(join(stranger, 'package.json'), '{"type":"module"}')
  writeFileSync(join(stranger, name), text)
  writeFileSync(join(stranger, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: [name] }))
  await run(process.execPath, [compiler, '--singleThreaded', '-p', stranger]).catch(({ stdout }) =>
    fail(stdout),
  )
}

const USE = `
import { connect, createKalends, etagOf, get, isProblem, KalendsProblem, moments, verifyWebhook }
  from '@kalends/client'
import type { Change, Event, Kalends, ProblemCode, Venue } from '@kalends/client'
import { kalendsLoader } from '@kalends/client/astro'

const url = 'https://calendar.example/wp-json/tribe/events/v1'
const calendar: Kalends = createKalends({ url, token: 'kal_1', store: new Map() })
const { events, total } = await calendar.events.list({ categories: ['music', 7], per_page: 5, free: true })
const titles: string[] = events.map((event) => event.title + event.titleHtml + event.id)
for await (const { venue, tags } of calendar.events.all({ when: 'weekend' })) {
  const place: string | undefined = Array.isArray(venue) ? venue[0]?.venue : venue.venueHtml
  console.log(place, tags[0]?.name, tags[0]?.nameHtml)
}
const event: Event = await calendar.events.get(12)
await calendar.events.update(event.id, { title: 'Spring Ball' }, { ifMatch: etagOf(event), signal:
  AbortSignal.timeout(9) })
await calendar.events.create({ ...event, title: 'A copy' }, { key: 'mine' })
await calendar.venues.create({ venue: 'Hall' }).catch((error: unknown) => {
  if (isProblem(error, 'rest_invalid_param')) console.log(error.status, error.data.params)
  if (error instanceof KalendsProblem) console.log(error.retryAfter, error.key)
})
const one: Venue = await get(connect({ url }), 'venues', 'hall')
for await (const change of calendar.changes('token', { kinds: ['event'] })) {
  const told: Change = change
  if (change.action === 'upsert' && change.kind === 'event') console.log(change.record.title, told)
}
const written = await calendar.batch([{ path: 'venues', body: { venue: 'Hall' } }], { isAllOrNone: true })
const code: ProblemCode = 'timeout'
const { id } = await calendar.media.upload(new File([], 'a.png'), { alt_text: 'A' })
const { data } = await verifyWebhook<Event>(new Request(url), 'whsec_')
const name: string | undefined = data.record?.title
const loader = kalendsLoader({ url, query: { tags: ['jazz'] } })
console.log(titles, total, one, written[0]?.problem?.code, code, id, name, loader.name, moments(event))
// @ts-expect-error There is no such parameter.
await calendar.events.list({ nonsense: 1 })
// @ts-expect-error Titles are texts.
await calendar.events.create({ title: 1, start_date: '2027-01-01', end_date: '2027-01-01' })
// @ts-expect-error An event has a title.
await calendar.events.create({ start_date: '2027-01-01', end_date: '2027-01-01' })
// @ts-expect-error There is no such code.
isProblem(1, 'nonsense')
`

test('whoever installs it finds its types, as a strict compiler and a bundler look for them', async () => {
  await compile('use.ts', USE)
  await compile('use.ts', USE, { module: 'ESNext', moduleResolution: 'bundler' })
})

test('the types of the element fit React', async () => {
  const react = join(stranger, 'node_modules/react')
  mkdirSync(react, { recursive: true })
  const types = `export interface HTMLAttributes<T> { className?: string | undefined; lang?:
    string | undefined; children?: unknown; of?: T }
export type DetailedHTMLProps<E extends HTMLAttributes<T>, T> = E & { key?: string }
export namespace JSX { interface IntrinsicElements { a: HTMLAttributes<Element> & { href:
  string } } interface Element { of: string } }
`
  writeFileSync(
    join(react, 'package.json'),
    '{"name":"react","exports":{".":"./index.js","./jsx-runtime":"./index.js"}}',
  )
  writeFileSync(join(react, 'index.js'), '')
  writeFileSync(join(react, 'index.d.ts'), types)
  const use = `import type {} from '@kalends/client/react'
export const page = <kalends-events view="month" category="music" limit={5} lang="de">
  <a href="/">All</a>
</kalends-events>
// @ts-expect-error There is no such view.
export const wrong = <kalends-events view="year" />
`
  await compile('page.tsx', use)
})

test('it holds what it needs and nothing else: no sources, tests or paths, and its licence', () => {
  const files = globSync('**/*.*', { cwd: installed }).sort()
  deepEqual(
    files.filter((file) => !/^dist\/\w+\.(js|d\.ts)$/.test(file)),
    ['README.md', 'package.json', 'react.d.ts'],
  )
  ok(existsSync(join(installed, 'LICENSE')))
  for (const file of files) ok(!readFileSync(join(installed, file), 'utf8').includes(dirname(root)), file)
  const installation: Record<string, unknown> = clientPackage
  deepEqual([installation.dependencies, installation.peerDependencies], [undefined, undefined])
  ok(!rootPackage.files.includes('client'), 'the service is installed without it')
})

test('its version is that of the interface', () => {
  match(clientPackage.version, /^1\./)
  equal(readFileSync(join(root, 'openapi/en.json'), 'utf8').match(/events\/v(\d+)/)?.[1], '1')
})

test('it is small, minified and compressed, and smaller where less of it is used', async () => {
  const { build } = createRequire(import.meta.url)('esbuild')
  const bytesOf = async (names: string) => {
    const stdin = { contents: `export ${names} from '@kalends/client'`, resolveDir: stranger }
    const { outputFiles } = await build({
      stdin,
      bundle: true,
      minify: true,
      format: 'esm',
      write: false,
      target: 'es2022',
    })
    return gzipSync(outputFiles[0].contents, { level: 9 }).length
  }
  const all = await bytesOf('*')
  ok(all <= MOST_BYTES, `${all} bytes`)
  const calendar = await bytesOf('{ createKalends, isProblem }')
  ok(calendar < all - 500, `${calendar} bytes`)
  const one = await bytesOf('{ connect, get }')
  ok(one < 2300, `${one} bytes`)
})

test('the loader of Astro fills a collection, and takes away what is gone', async () => {
  const { kalendsLoader } = await import(join(installed, 'dist/astro.js'))
  let events = [1, 2].map((id) => ({ id, title: 'A &amp; B', description: `<p>${id}</p>` }))
  let isDown = false
  const fetch = async () =>
    isDown ? new Response('', { status: 503 }) : Response.json({ events, total_pages: 1 })
  const entries = new Map<string, { data: { title: string }; digest: string; rendered: { html: string } }>()
  const context = {
    store: {
      keys: () => [...entries.keys()],
      set: ({
        id,
        ...entry
      }: {
        id: string
        data: { title: string }
        digest: string
        rendered: { html: string }
      }) => {
        entries.set(id, entry)
        return true
      },
      delete: (id: string) => void entries.delete(id),
    },
    parseData: async ({ data }: { data: object }) => data,
    generateDigest: (data: object) => JSON.stringify(data),
  }
  const { name, load } = kalendsLoader({ url: 'https://calendar.example/wp-json/tribe/events/v1', fetch })
  equal(name, 'kalends')
  await load(context)
  deepEqual([...entries.keys()], ['1', '2'])
  deepEqual([entries.get('1')?.data.title, entries.get('1')?.rendered.html], ['A & B', '<p>1</p>'])
  isDown = true
  await rejects(load(context), { status: 503 })
  equal(entries.size, 2)
  isDown = false
  events = events.slice(1)
  await load(context)
  deepEqual([...entries.keys()], ['2'])
})
