import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { after, before, describe, test } from 'node:test'
import type { MediaStore } from '../../src/store/media/media-store.ts'
import { openMediaStore } from '../../src/store/media/open-media-store.ts'
import { BUCKET, type Conditions, type S3Server, startS3 } from '../support/s3.ts'
import { contentOf, keepsPromises } from './store-promises.ts'

const bytes = Buffer.from('an image')
const unavailable = { name: 'Problem', code: 'rest_unavailable', details: { retryAfter: 1 } }

function nobody(error: Error): never {
  throw error
}

test('what speaks S3 is loaded only for a store that needs it', async () => {
  const { cache } = createRequire(import.meta.url)
  const isLoaded = () => Object.keys(cache).some((path) => path.includes('client-s3'))
  await import('../../src/app.ts')
  await openMediaStore('file:/nowhere', nobody)
  equal(isLoaded(), false)
  await openMediaStore('s3://images?endpoint=http://127.0.0.1:1', () => undefined)
  equal(isLoaded(), true)
})

const kinds: Record<Conditions, string> = {
  kept: 'that knows conditional writes',
  ignored: 'that ignores conditions',
  refused: 'that refuses conditions',
}

for (const [conditions, described] of Object.entries(kinds) as [Conditions, string][]) {
  describe(`a store ${described}`, () => {
    let s3: S3Server
    let store: MediaStore
    before(async () => {
      s3 = await startS3(conditions)
      store = await openMediaStore(s3.place('town/calendar'), nobody)
    })
    after(() => s3.close())

    keepsPromises(() => store)

    test('keeps its files below its prefix', async () => {
      deepEqual(
        await s3.names(),
        ['gone', 'never', 'poster', 'wanted'].map((name) => `town/calendar/2026/11/${name}.png`),
      )
    })

    test('restores a file whatever its name holds', async () => {
      await store.restore('2026/11/gone.png', Buffer.from('carried'), 'image/png')
      await store.restore('2026/12/new.png', Buffer.from('carried, too'), 'image/png')
      equal(await contentOf(store, '2026/11/gone.png'), 'carried')
      equal(await contentOf(store, '2026/12/new.png'), 'carried, too')
    })
  })
}

describe('a store in a bucket', () => {
  let s3: S3Server
  before(async () => {
    s3 = await startS3()
  })
  after(() => s3.close())

  test('lets one of many nodes have a name', async () => {
    const nodes = await Promise.all(Array.from({ length: 8 }, () => openMediaStore(s3.place(), nobody)))
    const won = await Promise.all(
      nodes.map((node, i) => node.put('a.png', Buffer.from(`node ${i}`), 'image/png')),
    )
    equal(won.filter(Boolean).length, 1)
    const [any] = nodes
    equal(any && (await contentOf(any, 'a.png')), `node ${won.indexOf(true)}`)
  })

  test('reads names that no image has as missing, and neither writes nor removes them', async () => {
    const store = await openMediaStore(s3.place('inner'), nobody)
    const names = await s3.names()
    for (const key of [
      '../a.png',
      '',
      '/',
      '2026/../../a.png',
      '2026//a.png',
      '.hidden.png',
      'a.png?b',
      'a.png\n',
    ]) {
      equal(await store.read(key), undefined, key)
      await rejects(store.put(key, bytes, 'image/png'), /no key of a media file/)
      await rejects(store.remove(key), /no key of a media file/)
    }
    deepEqual(await s3.names(), names)
  })

  test('that is down says so without anything secret, and works again when it is back', async () => {
    const reports: Error[] = []
    const store = await openMediaStore(s3.place('outage'), (error) => reports.push(error))
    await store.put('before.png', bytes, 'image/png')
    await s3.halt()
    await rejects(store.put('after.png', bytes, 'image/png'), unavailable)
    await rejects(store.read('before.png'), unavailable)
    await rejects(store.remove('before.png'), unavailable)
    await s3.start()
    equal(await contentOf(store, 'before.png'), 'an image')
    equal(await store.put('after.png', bytes, 'image/png'), true)
    // A connection that was open when the store went down is reset, and a new one refused: each is told once.
    const told = reports.map(({ message }) => message.replace(BUCKET, 'BUCKET'))
    ok(told.length > 0)
    deepEqual(told, [...new Set(told)])
    for (const one of told) match(one, /^The media store s3:\/\/BUCKET fails: ECONN(REFUSED|RESET)\.$/)
  })

  test('that lacks a region or credentials is reported by what to set', async (t) => {
    const { AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: key, AWS_REGION: region } = process.env
    const kept = { AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: key, AWS_REGION: region }
    t.after(() => {
      for (const [name, value] of Object.entries(kept)) if (value !== undefined) process.env[name] = value
      delete process.env.AWS_EC2_METADATA_DISABLED
    })
    for (const name of Object.keys(kept)) delete process.env[name]
    process.env.AWS_EC2_METADATA_DISABLED = 'true'
    const told = (address: string) =>
      new Promise<string>((resolve) => openMediaStore(address, ({ message }) => resolve(message)))
    match(await told('s3://bucket'), /fails: no region is named \(AWS_REGION\)\.$/)
    match(
      await told('s3://bucket?region=eu-central-1'),
      /fails: there are no credentials \(AWS_ACCESS_KEY_ID/,
    )
  })

  test('that is not there or does not let one in is reported at once, by name and without keys', async () => {
    const reports: string[] = []
    const next = () => new Promise<string>((resolve) => waiting.push(resolve))
    const waiting: ((message: string) => void)[] = []
    const report = ({ message }: Error) => {
      reports.push(message)
      waiting.shift()?.(message)
    }
    const wrongBucket = next()
    await openMediaStore(s3.place().replace(BUCKET, 'elsewhere'), report)
    equal(await wrongBucket, 'The media store s3://elsewhere fails: NoSuchBucket (404).')
    process.env.AWS_SECRET_ACCESS_KEY = 'a wrong secret'
    const wrongKey = next()
    await openMediaStore(s3.place(), report)
    match(await wrongKey, /^The media store s3:\/\/images fails: SignatureDoesNotMatch \(403\)\.$/)
    process.env.AWS_SECRET_ACCESS_KEY = 'S3RVER'
    equal(reports.length, 2)
  })

  test('that accepts connections and never answers is given up after its time', async () => {
    const silent = createServer().listen(0, '127.0.0.1')
    const sockets = new Set<{ destroy: () => void }>()
    silent.on('connection', (socket) => sockets.add(socket.on('error', () => undefined)))
    await once(silent, 'listening')
    const address = silent.address()
    const port = typeof address === 'object' && address ? address.port : 0
    const { parseS3Address, s3MediaStore } = await import('../../src/store/media/s3-store.ts')
    const limits = { connect: 100, idle: 200, answer: 300, put: 300 }
    const store = s3MediaStore(
      parseS3Address(`s3://b1?endpoint=http://127.0.0.1:${port}`),
      () => undefined,
      limits,
    )
    await rejects(store.read('a.png'), unavailable)
    await rejects(store.restore('a.png', bytes, 'image/png'), unavailable)
    for (const socket of sockets) socket.destroy()
    silent.close()
  })
})

describe('the address of a store', () => {
  test('names bucket, prefix, endpoint and region', async () => {
    const { parseS3Address } = await import('../../src/store/media/s3-store.ts')
    deepEqual(parseS3Address('s3://images/town/calendar/?endpoint=https://s3.example.org:9000&region=eu-1'), {
      bucket: 'images',
      prefix: 'town/calendar/',
      endpoint: 'https://s3.example.org:9000',
      region: 'eu-1',
    })
    deepEqual(parseS3Address('s3://images'), {
      bucket: 'images',
      prefix: '',
      endpoint: undefined,
      region: undefined,
    })
  })

  test('that is none is refused in a sentence that repeats nothing of it', async () => {
    const wrong = (
      's3:// s3://secret_Bucket s3://secret//up s3://images/?endpoint=secret ' +
      's3://images?endpoint=ftp://secret s3://images?secret=1 s3://images:80/secret ' +
      's3://key:secret@images s3://images?endpoint=https://key:secret@s3.example.org'
    ).split(' ')
    for (const address of wrong) {
      await rejects(
        openMediaStore(address, nobody),
        ({ message }: Error) =>
          message.startsWith('An S3-compatible store is written') && !message.includes('secret'),
        address,
      )
    }
  })
})
