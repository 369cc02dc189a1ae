// Counts the lines and files of `src`, the files that requests enter, and those that recipes touch: npm run
// house
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { globSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { Session } from 'node:inspector/promises'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'
import sharp from 'sharp'
import { type App, startApp } from '../src/app.ts'
import { readRecipes } from '../test/support/recipes.ts'
import { credentialsOf, startService, type TestService } from '../test/support/service.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const SOURCES = pathToFileURL(join(root, 'src/')).href

/** The times each request is sent: only files entered every time count, so timers do not matter. */
const TIMES = 3

/** Returns the texts of the sources. Scripts of pages are not TypeScript. */
function readSources(): string[] {
  return globSync('src/**/*.ts', { cwd: root }).map((path) => readFileSync(join(root, path), 'utf8'))
}

/** The ms to wait after an answer until it is cached. */
const AFTERWARDS = 100

/**
 * Returns the files of `src` in which a function runs during `work`. Top-level code, which runs when a file
 * is loaded, does not count.
 */
async function filesEntered(session: Session, work: () => Promise<unknown>): Promise<Set<string>> {
  await session.post('Profiler.takePreciseCoverage')
  await work()
  await sleep(AFTERWARDS)
  const { result } = await session.post('Profiler.takePreciseCoverage')
  const entered = result.filter(({ url, functions }) => {
    const [, ...inner] = functions
    return url.startsWith(SOURCES) && inner.some(({ ranges: [whole] }) => (whole?.count ?? 0) > 0)
  })
  return new Set(entered.map(({ url }) => url.slice(SOURCES.length)))
}

/** Returns the files that a request enters every time. */
async function alwaysEntered(session: Session, { before, ask }: Asked): Promise<Set<string>> {
  let all: Set<string> | undefined
  for (let time = 0; time < TIMES; time++) {
    await before?.(time)
    const entered = await filesEntered(session, () => ask(time))
    all = all?.intersection(entered) ?? entered
  }
  return all ?? new Set()
}

/** A request, and the work before it. */
interface Asked {
  before?: (time: number) => Promise<unknown>
  ask: (time: number) => Promise<unknown>
}

/** Starts a server with one picture. Returns its address and a function that stops it. */
async function servePicture() {
  const picture = await sharp({ create: { width: 40, height: 30, channels: 3, background: 'teal' } })
    .png()
    .toBuffer()
  const server = createServer((_, response) =>
    response.writeHead(200, { 'content-type': 'image/png' }).end(picture),
  )
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return { address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, end: () => server.close() }
}

const DAY = { start_date: '2030-05-01 10:00:00', end_date: '2030-05-01 12:00:00' }

/** The measured requests. */
function requestsTo(service: TestService, other: App, pictures: string): Record<string, Asked> {
  const list = async (path: string) => assert.equal((await service.get(path)).status, 200)
  // Another node writes, so that this one has not seen the event yet.
  const write = async (event: object) => {
    const headers = { ...credentialsOf('admin'), 'content-type': 'application/json' }
    const body = JSON.stringify(event)
    assert.equal((await fetch(`${other.site.base}/events`, { method: 'POST', headers, body })).status, 201)
  }
  let id = 0
  const concert = (time: number) => ({
    ...DAY,
    title: `Concert ${time}`,
    venue: { venue: `Hall ${time}`, city: 'Aldbury' },
    image: `${pictures}/${time}.png`,
  })
  return {
    'a list that is cached': { ask: () => list('/events?start_date=2030-01-01') },
    'a list that is not, of records not seen before': {
      before: (time) => write({ ...concert(time), categories: ['Music'] }),
      ask: (time) => list(`/events?start_date=2030-01-02&per_page=${time + 2}`),
    },
    'all events as NDJSON': { ask: (time) => list(`/events?format=ndjson&start_date=2030-01-0${time + 1}`) },
    'a create with a venue and an image': { ask: (time) => service.create('/events', concert(time + TIMES)) },
    'an update of a title': {
      before: async () => {
        id = Number((await service.create('/events', concert(0))).id)
      },
      ask: async (time) => {
        assert.equal((await service.put(`/events/${id}`, { title: `Recital ${time}` })).status, 200)
      },
    },
  }
}

async function countEntered(): Promise<[request: string, files: Set<string>][]> {
  const service = await startService()
  const other = await startApp({ ...service.config, port: 0 })
  const pictures = await servePicture()
  const session = new Session()
  session.connect()
  try {
    await service.get('/events?start_date=2030-01-01')
    await session.post('Profiler.enable')
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
    const entered: [string, Set<string>][] = []
    for (const [request, asked] of Object.entries(requestsTo(service, other, pictures.address)))
      entered.push([request, await alwaysEntered(session, asked)])
    return entered
  } finally {
    session.disconnect()
    pictures.end()
    await other.stop()
    await service.close()
  }
}

const texts = readSources()
const lines = texts.reduce((sum, text) => sum + text.split('\n').length - 1, 0)
console.log(`${lines} lines of TypeScript in ${texts.length} files of src\n`)

console.log('files entered, with a function that runs')
for (const [request, files] of await countEntered()) {
  const folders = Object.entries(Object.groupBy(files, (file) => dirname(file).split('/')[0] ?? ''))
  const where = folders
    .map(([folder, those]) => `${folder === '.' ? 'src' : folder} ${those?.length}`)
    .join(', ')
  console.log(`${String(files.size).padStart(6)}  ${request}: ${where}`)
  if (process.argv.includes('--verbose')) console.log([...files].sort().join('\n'))
}

console.log('\nfiles that a recipe touches')
for (const { title, steps } of readRecipes(readFileSync(join(root, 'docs/recipes.md'), 'utf8'))) {
  const touched = new Set(steps.flatMap(({ does }) => (does.what === 'run' ? [] : [does.file])))
  console.log(`${String(touched.size).padStart(6)}  ${title}${touched.size === 0 ? ': in words alone' : ''}`)
}
