import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { startLoggedService } from '../support/logged-service.ts'
import { drawPng } from '../support/pictures.ts'
import { type S3Server, startS3 } from '../support/s3.ts'
import { type Answer, startService, type TestService } from '../support/service.ts'

const MEDIA = '~/wp-json/wp/v2/media'

let s3: S3Server
let service: TestService
let direct: TestService

before(async () => {
  s3 = await startS3()
  service = await startService({ media: s3.place('calendar') }, { seesRefusals: true })
  direct = await startService(
    { media: s3.place('calendar'), media_url: `${s3.url}/calendar/` },
    { seesRefusals: true },
  )
})
after(async () => {
  await service.close()
  await direct.close()
  await s3.close()
})

async function upload(to: TestService, name: string): Promise<Answer> {
  const picture = await drawPng(400, 300, 'teal')
  const headers = { 'content-type': 'image/png', 'content-disposition': `attachment; filename="${name}.png"` }
  return to.request('author', 'POST', MEDIA, new Uint8Array(picture), headers)
}

function filesOf({ body }: Answer): { source_url: string; filesize: number }[] {
  return Object.values(body.media_details.sizes)
}

test('an upload and its sizes are kept in the bucket and sent by the service', async () => {
  const answer = await upload(service, 'poster')
  equal(answer.status, 201)
  equal(filesOf(answer).length, 3)
  const kept = await s3.names()
  for (const { source_url, filesize } of filesOf(answer)) {
    ok(source_url.startsWith(`${service.origin}/media/20`), source_url)
    ok(kept.includes(`calendar/${source_url.slice(`${service.origin}/media/`.length)}`), source_url)
    const file = await fetch(source_url)
    deepEqual([file.status, file.headers.get('content-type')], [200, 'image/png'])
    equal(file.headers.get('cache-control'), 'public, max-age=31536000, immutable')
    equal((await file.arrayBuffer()).byteLength, filesize)
  }
})

test('nodes that upload files of one name at once give each a name of its own', async () => {
  const answers = await Promise.all([service, direct, service, direct].map((node) => upload(node, 'wanted')))
  const names = answers.map(({ body }) => body.source_url.match(/wanted(-\w+)?\.png$/)?.[0])
  ok(names.every(Boolean))
  equal(new Set(names).size, answers.length)
})

test('images may be sent by the bucket itself', async () => {
  const answer = await upload(direct, 'direct')
  for (const { source_url, filesize } of filesOf(answer)) {
    ok(source_url.startsWith(`${s3.url}/calendar/20`), source_url)
    const file = await fetch(source_url)
    deepEqual([file.status, file.headers.get('content-type')], [200, 'image/png'])
    equal(file.headers.get('cache-control'), 'public, max-age=31536000, immutable')
    equal((await file.arrayBuffer()).byteLength, filesize)
  }
})

test('the address of an image in the bucket is known for that image', async () => {
  const { body } = await upload(direct, 'known')
  const event = { title: 'With a picture', start_date: '2026-12-01 10:00', end_date: '2026-12-01 11:00' }
  const created = await direct.post('/events', { ...event, image: body.source_url })
  deepEqual([created.status, created.body.image.id], [201, body.id])
  equal(created.body.image.url, body.source_url)
})

test('a removed image is not sent any more, and its names stay taken', async () => {
  const answer = await upload(service, 'gone')
  equal((await service.remove(`${MEDIA}/${answer.body.id}`)).status, 200)
  for (const { source_url } of filesOf(answer)) equal((await fetch(source_url)).status, 404)
  match((await upload(service, 'gone')).body.source_url, /gone-1\.png$/)
})

test('without its store the service says so of images, answers all else, and recovers', async () => {
  const { body: image } = await upload(service, 'outage')
  await s3.halt()
  const refused = await upload(service, 'not-now')
  deepEqual(
    [refused.status, refused.body.code, refused.headers.get('retry-after')],
    [503, 'rest_unavailable', '1'],
  )
  const missing = await fetch(image.source_url)
  deepEqual([missing.status, missing.headers.get('retry-after')], [503, '1'])
  match(await missing.text(), /rest_unavailable/)
  equal((await service.get('/events')).status, 200)
  equal((await service.get(`${MEDIA}/${image.id}`)).status, 200)
  await s3.start()
  equal((await fetch(image.source_url)).status, 200)
  const again = await upload(service, 'not-now')
  deepEqual([again.status, again.body.source_url.endsWith('/not-now.png')], [201, true])
})

test('a store that breaks off within an image ends its answer, and the log says so once', async (t) => {
  const store = createServer((_request, response) => {
    response.writeHead(200, { 'Content-Type': 'image/png', 'Content-Length': '100000' })
    response.write('x'.repeat(50_000))
    setTimeout(() => response.destroy(), 200)
  }).listen(0, '127.0.0.1')
  t.after(() => store.close())
  await once(store, 'listening')
  const { port } = store.address() as AddressInfo
  const folder = await mkdtemp(join(tmpdir(), 'kalends-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const media = `s3://images?endpoint=http://127.0.0.1:${port}`
  const keys = { AWS_ACCESS_KEY_ID: 'x', AWS_SECRET_ACCESS_KEY: 'x' }
  const logged = await startLoggedService({ data: folder, media, log_level: 'error' }, keys)
  t.after(() => logged.end())
  const answer = await fetch(new URL('/media/2026/11/poster.png', logged.base))
  equal(answer.status, 200)
  await rejects(answer.arrayBuffer())
  await logged.end()
  equal(logged.log().length, 1, logged.printed())
  equal(logged.log()[0]?.requestId, answer.headers.get('x-request-id'))
})
