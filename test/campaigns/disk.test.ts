import { deepEqual, equal, ok } from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { pluck } from '../support/lists.ts'
import { drawPng } from '../support/pictures.ts'
import { type SentAnswer, type ServiceProcess, startServiceProcess } from '../support/processes.ts'
import { makeCalendar, onDay } from '../support/service.ts'
import { until } from '../support/waiting.ts'
import { exchange } from './exchange.ts'
import { type Disk, refusingDisk, smallDisk } from './failing-disks.ts'
import { findContradictions, findMissingFiles, type Row } from './stored-records.ts'

const WINDOW = 'start_date=2031-01-01&end_date=2031-12-31'
const REFUSED = 30

const eventNamed = (title: string) => ({
  title,
  description: `${title} `.repeat(500),
  ...onDay('2031-05-01', '20:00:00', '22:00:00'),
  venue: { venue: `Hall of ${title}` },
  tags: [`tag of ${title}`],
})

interface Ground {
  service: ServiceProcess
  port: number
  folder: string
  kept: Map<number, string>
  image: Uint8Array
}

async function open(t: TestContext, disk: Disk): Promise<Ground> {
  const { folder } = disk
  await makeCalendar(`sqlite:${join(folder, 'kalends.sqlite')}`)
  const service = await startServiceProcess({ data: folder }, disk.before)
  t.after(() => service.end('SIGKILL'))
  const image = await drawPng(300, 200, 'red')
  return { service, port: Number(new URL(service.base).port), folder, kept: new Map(), image }
}

async function create({ service, kept }: Ground, title: string): Promise<SentAnswer> {
  const answer = await service.send('admin', 'POST', '/events', eventNamed(title))
  if (answer.status === 201) kept.set(answer.body.id, title)
  return answer
}

function upload({ port, image }: Ground, name: string) {
  const headers = { 'content-type': 'image/png', 'content-disposition': `attachment; filename="${name}.png"` }
  return exchange(port, { as: 'admin', method: 'POST', path: '/wp-json/wp/v2/media', body: image, headers })
}

function assertRefused({ status, body }: Pick<SentAnswer, 'status' | 'body'>, what: string): void {
  ok(status === 507 || status === 503, `${what} was answered ${status} ${JSON.stringify(body)}`)
  equal(typeof body.code, 'string')
  equal(typeof body.message, 'string')
  equal(body.data.status, status)
}

async function assertWritesRefused(ground: Ground): Promise<void> {
  let refused = 0
  await until(async () => (await create(ground, 'The last')).status !== 201, 'the disk takes everything')
  for (let i = 0; i < REFUSED; i++) {
    const answer = await create(ground, `Refused ${i}`)
    if (answer.status === 201) continue
    refused += 1
    assertRefused(answer, 'a create')
  }
  ok(refused > REFUSED / 2, `${refused} of ${REFUSED} were refused`)
  const [id = 0] = ground.kept.keys()
  const text = 'Longer than there is room. '.repeat(5000)
  assertRefused(
    await ground.service.send('admin', 'PUT', `/events/${id}`, { description: text }),
    'an update',
  )
  const uploaded = await upload(ground, 'refused')
  assertRefused({ status: uploaded.status, body: uploaded.body }, 'an upload')
}

async function assertReadsGoOn({ service, port, kept }: Ground): Promise<void> {
  const { status, body } = await service.send('anonymous', 'GET', `/events?${WINDOW}&per_page=1`)
  deepEqual([status, body.total], [200, kept.size])
  equal((await service.send('anonymous', 'GET', `/events?${WINDOW}&search=first`)).status, 200)
  const [id = 0] = kept.keys()
  equal((await service.send('admin', 'GET', `/events/${id}`)).status, 200)
  equal((await service.send('admin', 'GET', '/venues')).status, 200)
  equal((await exchange(port, { as: 'anonymous', method: 'GET', path: '/healthz' })).status, 200)
}

const readyStatus = async ({ port }: Ground) =>
  (await exchange(port, { as: 'anonymous', method: 'GET', path: '/readyz' })).status

async function assertKept({ folder, kept }: Ground): Promise<void> {
  const file = new DatabaseSync(join(folder, 'kalends.sqlite'), { readOnly: true })
  try {
    const ask = async (sql: string) => file.prepare(sql).all() as Row[]
    const damage = await ask('pragma integrity_check')
    deepEqual(pluck(damage, 'integrity_check'), ['ok'])
    deepEqual(await findContradictions(ask), [])
    deepEqual(await findMissingFiles(ask, join(folder, 'media')), [])
    const rows = await ask('select id, title from events order by id')
    deepEqual(new Map(rows.map(({ id, title }) => [Number(id), String(title)])), kept)
    const venues = await ask('select venue from venues order by id')
    deepEqual(
      venues.map(({ venue }) => venue),
      [...kept.values()].map((title) => `Hall of ${title}`),
    )
  } finally {
    file.close()
  }
}

async function withstand(t: TestContext, disk: Disk): Promise<void> {
  t.after(() => disk.remove())
  const ground = await open(t, disk)
  const pid = Number(ground.service.child.pid)
  for (let i = 0; i < 5; i++) equal((await create(ground, `The first ${i}`)).status, 201)
  equal((await upload(ground, 'first')).status, 201)

  disk.refuse(pid)
  await assertWritesRefused(ground)
  await assertReadsGoOn(ground)
  equal(await readyStatus(ground), 503)

  disk.allow(pid)
  const ms = await until(
    async () => (await create(ground, 'After all')).status === 201,
    'it does not recover',
  )
  t.diagnostic(`writes again ${Math.round(ms)} ms after there was room`)
  equal((await upload(ground, 'after')).status, 201)
  equal(await readyStatus(ground), 200)
  await assertReadsGoOn(ground)
  await assertKept(ground)
}

for (const [what, make] of [
  ['a full disk', () => smallDisk(24)],
  ['a disk that nothing can be written to', refusingDisk],
] as const) {
  test(`on ${what} writes are 507 or 503, reads go on, and all is well once there is room`, async (t) => {
    const disk = make()
    if (typeof disk === 'string') t.skip(disk)
    else await withstand(t, disk)
  })
}
