import { equal, notEqual, ok } from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { Agent, get, type IncomingMessage } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { brotliCompressSync, brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { findChromium, startChromium } from '../support/chromium.ts'
import { rounds } from '../support/rounds.ts'
import { day, memoryFilled, onDay, serviceForTests, startService } from '../support/service.ts'

const BROWSER = 'gzip, deflate, br, zstd'
const EVENTS = 60
const agent = new Agent({ keepAlive: true })

const service = serviceForTests()
const events: number[] = []

before(async () => {
  await service.ready
  for (let i = 0; i < 12; i++)
    await service.post('/categories', { name: `Kind ${i}`, description: 'Of “this” kind. '.repeat(i) })
  for (let i = 0; i < EVENTS; i++) {
    const { status, body } = await service.post('/events', {
      title: `${['Abend mit Chor', 'Soirée', '音楽の夕べ', 'أمسية', 'Evening'][i % 5]} ${i}`,
      description: `<p>${
        i % 7 === 0 ? '' : 'A text of some length, with “quotes” and ünïcode. '.repeat(i % 30)
      }</p>`,
      ...onDay(`2027-0${1 + (i % 9)}-${10 + (i % 18)}`, '10:00:00', '12:00:00'),
      venue: { venue: `Hall ${i % 6}`, city: 'Kilvara' },
      categories: [i % 12, (i * 5) % 12].map((kind) => `kind-${kind}`),
      tags: i % 4 === 0 ? [] : [`tag ${i % 9}`],
    })
    equal(status, 201)
    events.push(body.id)
  }
  await memoryFilled(service)
})
after(() => agent.destroy())

async function take(
  path: string,
  encoding?: string,
  base = service.base,
): Promise<{ encoding: string; sent: Buffer }> {
  const headers = encoding === undefined ? {} : { 'accept-encoding': encoding }
  const response = await new Promise<IncomingMessage>((resolve, reject) =>
    get(base + path, { agent, headers }, resolve).on('error', reject),
  )
  const sent = await buffer(response)
  equal(response.statusCode, 200, path)
  equal(Number(response.headers['content-length'] ?? sent.length), sent.length)
  return { encoding: response.headers['content-encoding'] ?? 'identity', sent }
}

const DECODERS: Readonly<Record<string, (sent: Buffer) => Buffer>> = {
  zstd: zstdDecompressSync,
  br: brotliDecompressSync,
  gzip: gunzipSync,
}

function decoded({ encoding, sent }: { encoding: string; sent: Buffer }): string {
  return (DECODERS[encoding]?.(sent) ?? sent).toString()
}

async function ask(
  path: string,
  encoding?: string,
): Promise<{ encoding: string; sent: Buffer; plain: string }> {
  const answer = await take(path, encoding)
  return { ...answer, plain: decoded(answer) }
}

const run = promisify(execFile)
const GUNZIP = `import gzip,sys,urllib.request as u
asked=u.Request(sys.argv[1],headers={"Accept-Encoding":"gzip"})
sys.stdout.buffer.write(gzip.decompress(u.urlopen(asked).read()))`
const READERS: readonly [string, readonly string[]][] = [
  ['curl', ['-s', '--compressed']],
  ['python3', ['-c', GUNZIP]],
]

let asked = 0
function newList(i: number): string {
  asked++
  const filter = [`categories=kind-${i % 12}`, `tags=tag-${i % 9}`, 'page=2', 'order=desc', 'featured=false'][
    i % 5
  ]
  const second =
    `${String(asked % 24).padStart(2, '0')}:` +
    `${String((asked >> 3) % 60).padStart(2, '0')}:${String(asked % 60).padStart(2, '0')}`
  return (
    `/events?start_date=2026-12-01 ${second}` + `&strict_dates=true&per_page=${5 + (i % 20)}&${filter}`
  ).replaceAll(' ', '%20')
}

describe('compressed answers', () => {
  test('are the bytes of plain ones, however often asked for, while counts change', async () => {
    const times = new Map<string, number>()
    for (let i = 0; i < rounds(60); i++) {
      const path = newList(i)
      for (const encoding of ['gzip', BROWSER, 'gzip', BROWSER, 'br', 'gzip;q=0.5, br;q=0, zstd;q=0']) {
        const one = await ask(path, encoding)
        const { plain } = await ask(path, 'identity')
        equal(one.plain, plain, `${path} for ${encoding}`)
        notEqual(one.encoding, 'identity')
        ok(one.sent.length < one.plain.length)
        times.set(one.encoding, (times.get(one.encoding) ?? 0) + 1)
      }
      const id = events[(i * 7) % EVENTS]
      const body =
        i % 3 === 0
          ? { categories: [`kind-${i % 12}`] }
          : i % 3 === 1
            ? { tags: [`tag ${i % 9}`, 'more'] }
            : { title: `Anew ${i}` }
      if (i % 2 === 0) equal((await service.post(`/events/${id}`, body)).status, 200)
    }
    for (const encoding of Object.keys(DECODERS)) ok((times.get(encoding) ?? 0) >= rounds(60), encoding)
  })

  test('of lists that stay the same but for counts and totals have the present ones', async () => {
    const paths = [5, 9, 14].map(
      (most) => `/events?start_date=2026-12-01&end_date=2029-01-01&per_page=${most}`,
    )
    for (let i = 0; i < 40; i++) {
      const { status } = await service.post('/events', {
        title: `Later ${i}`,
        ...onDay('2028-06-01', '10:00:00', '12:00:00'),
        categories: i % 3 === 0 ? [] : [`kind-${i % 12}`],
        tags: i % 5 === 0 ? [] : [`tag ${i % 9}`, `tag ${(i * 4) % 9}`],
      })
      equal(status, 201)
      for (const path of paths) {
        const { plain } = await ask(path, i % 2 === 0 ? 'gzip' : BROWSER)
        equal(plain, (await ask(path, 'identity')).plain)
      }
    }
  })

  test('are read by curl and by Python as by Node', async (t) => {
    for (const [name, args] of READERS) {
      for (let i = 0; i < 4; i++) {
        const path = newList(i)
        const read = await run(name, [...args, service.base + path]).catch((error) => error)
        if (read.code === 'ENOENT') return t.skip(`${name} is not installed`)
        equal(read.stdout, (await ask(path, 'identity')).plain)
      }
    }
  })

  test('are read by Chromium as by Node, new, kept, and written on', async (t) => {
    const program = findChromium()
    if (program === undefined) return t.skip('no Chromium is installed; Debian has it as chromium')
    await using chromium = await startChromium(program)

    const tab = await chromium.open()
    await tab.goTo(service.base)
    const paths = Array.from({ length: 20 }, (_, i) => newList(i))
    for (let round = 0; round < 4; round++) {
      for (const path of paths) {
        const fetched =
          `fetch(${JSON.stringify(service.base + path)}, { ` +
          `cache: 'no-store' }).then((answer) => answer.text())`
        equal(await tab.evaluate(fetched), (await ask(path, 'identity')).plain, path)
      }
      await service.post('/events', {
        title: `Last ${round}`,
        ...onDay('2028-07-01', '10:00:00', '12:00:00'),
        categories: [`kind-${round}`, `kind-${round + 5}`],
      })
    }
  })

  test('are as small as can be where they never change, for their first reader too', async () => {
    const { body } = await service.get('~/')
    const [path = ''] = /\/assets\/calendar[^"]*\.css/.exec(String(body)) ?? []
    const first = await (
      await fetch(service.origin + path, { headers: { 'accept-encoding': 'identity' } })
    ).text()
    const compressed = await new Promise<IncomingMessage>((resolve, reject) =>
      get(service.origin + path, { agent, headers: { 'accept-encoding': BROWSER } }, resolve).on(
        'error',
        reject,
      ),
    )
    equal(compressed.headers['content-encoding'], 'br')
    equal((await buffer(compressed)).length, brotliCompressSync(first).length)
  })

  test('go to those who take them alone, whatever they say of it', async () => {
    const taken: [string | undefined, string][] = [
      [undefined, 'identity'],
      ['', 'identity'],
      ['identity', 'identity'],
      ['gzip;q=0', 'identity'],
      ['gzip; q=0.000, identity', 'identity'],
      ['x-gzip-not', 'identity'],
      ['zstd', 'zstd'],
      ['zstd;q=0, br', 'br'],
      ['deflate', 'identity'],
      ['*', 'identity'],
      ['*;q=0', 'identity'],
      ['gzip, *;q=0', 'gzip'],
      [`${'gzip;q=0,'.repeat(900)}br;q=0`, 'identity'],
      ['gzip, deflate, br', 'br'],
      [BROWSER, 'zstd'],
      ['GZIP', 'gzip'],
      ['gzip;q=0.001', 'gzip'],
      ['br;q=0, gzip', 'gzip'],
      [`${'x,'.repeat(3000)}gzip`, 'gzip'],
    ]
    for (const [accepted, encoding] of taken) {
      const path = newList(1)
      for (let i = 0; i < 4; i++) equal((await ask(path, accepted)).encoding, encoding, String(accepted))
    }
  })
})

describe('a list of long texts that nobody has asked for before', () => {
  test('is compressed whether its event loop does it or a thread', async () => {
    await using own = await startService()
    const description = randomBytes(45_000).toString('hex')
    for (let i = 0; i < 8; i++) await own.event({ title: `Long ${i}`, description, ...day })
    await memoryFilled(own)
    for (const encoding of Object.keys(DECODERS)) {
      for (const size of [1, 2, 6, 8]) {
        const path = `/events?per_page=${size}&start_date=2027-01-01`
        const answer = await take(path, encoding, own.base)
        equal(answer.encoding, encoding)
        equal(decoded(answer), decoded(await take(path, undefined, own.base)))
      }
    }
  })
})
