import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, mock, test } from 'node:test'
import { type App, startApp } from '../../src/app.ts'
import { venues } from '../../src/features/demo/town.ts'
import { testConfig } from '../support/service.ts'

const NOW = Date.UTC(2027, 2, 1, 17)
const EVERYTHING = '/events?start_date=2027-01-01&per_page=100'

let folder: string
let app: App

before(async () => {
  mock.timers.enable({ apis: ['Date'], now: NOW })
  folder = await mkdtemp(join(tmpdir(), 'kalends-demo-'))
  app = await start('first', true)
})

after(async () => {
  await app.stop()
  mock.timers.reset()
  await rm(folder, { recursive: true, force: true })
})

function start(name: string, demo: boolean): Promise<App> {
  return startApp(testConfig(join(folder, name), { page_size_cap: '100' }), { demo })
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
async function get(path: string, headers: Record<string, string> = {}, from = app): Promise<any> {
  const response = await fetch(from.site.base + path, { headers })
  equal(response.status, 200, path)
  return response.json()
}

interface Shown {
  title: string
  start_date: string
  end_date: string
  all_day: boolean
  timezone: string
  status: string
  cost: string
  venue: { geo_lat?: number }
  image: false | Picture
}

interface Picture {
  url: string
  filesize: number
  sizes: Record<string, { url: string; filesize: number }>
}

test('the demo fills an empty database and says so in one sentence', () => {
  match(app.demo ?? '', /^[^.]*\b\d\d events\.$/)
})

test('every image and each of its sizes is served as it is described', async () => {
  const events: Shown[] = (await get(EVERYTHING)).events
  const pictures = new Map(events.flatMap(({ image }) => (image ? [[image.url, image]] : [])))
  ok(pictures.size >= 12, `${pictures.size} images`)
  const files = [...pictures.values()].flatMap((picture) => [picture, ...Object.values(picture.sizes)])
  for (const { url, filesize } of files) {
    const response = await fetch(url)
    equal(response.status, 200, url)
    equal(response.headers.get('content-type'), 'image/jpeg')
    equal((await response.arrayBuffer()).byteLength, filesize, url)
  }
  const sizes = new Set([...pictures.values()].flatMap((picture) => Object.keys(picture.sizes)))
  deepEqual([...sizes].sort(), '1536x1536 2048x2048 large medium medium_large thumbnail'.split(' '))
})

test('browsers load the front page in at most 14,541 bytes with its styles and its script', async () => {
  const load = async (path: string) => {
    const headers = { 'accept-encoding': 'gzip, deflate, br, zstd' }
    const response = await fetch(app.site.url + path, { headers })
    return { body: await response.text(), length: Number(response.headers.get('content-length')) }
  }
  const page = await load('/events/')
  const [styles, script] = [/rel="stylesheet" href="([^"]+)/g, /type="module" src="([^"]+)/g]
  const paths = [styles, script].flatMap((one) => [...page.body.matchAll(one)].map(([, path = '']) => path))
  equal(paths.length, 3)
  const lengths: number[] = []
  for (const path of paths) lengths.push((await load(path)).length)
  ok(!lengths.includes(0))
  // What the page weighed on 27 November 2026, on the second visit.
  ok(lengths.reduce((sum, one) => sum + one, page.length) <= 14_541, `${page.length} + ${lengths}`)
})

test('another database gets the very same at the same time, whatever has been drawn before', async () => {
  const other = await start('second', true)
  try {
    for (const path of [
      EVERYTHING,
      '/venues?per_page=100',
      '/organizers',
      '/categories?per_page=100',
      '/tags',
    ]) {
      const [one, two] = [await get(path), await get(path, {}, other)]
      equal(JSON.stringify(two).replaceAll(other.site.url, app.site.url), JSON.stringify(one), path)
    }
  } finally {
    await other.stop()
  }
})

test('a database that has events is left alone, and the demo says so in one sentence', async () => {
  const { total } = await get(EVERYTHING)
  const files = await readdir(join(folder, 'first', 'media'), { recursive: true })
  await app.stop()
  app = await start('first', true)
  match(app.demo ?? '', /^[^.]*leaves it alone\.$/)
  equal((await get(EVERYTHING)).total, total)
  equal((await get('/venues?per_page=100')).total, Object.keys(venues).length)
  deepEqual(await readdir(join(folder, 'first', 'media'), { recursive: true }), files)
})

test('without the demo a new database stays empty', async () => {
  const plain = await start('plain', false)
  try {
    equal(plain.demo, undefined)
    equal((await get('/events', {}, plain)).total, 0)
  } finally {
    await plain.stop()
  }
})
