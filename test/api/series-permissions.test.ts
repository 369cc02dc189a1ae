import { deepEqual, equal, ok } from 'node:assert/strict'
import { before, test } from 'node:test'
import { type Answer, onDay, serviceForTests } from '../support/service.ts'
import {
  CALLERS,
  MAKERS,
  OWNERS,
  type Owner,
  PATHS,
  type SeriesCell,
  STATUSES,
  type Status,
  seriesCells,
} from './permission-table.ts'

interface Planted {
  owner: Owner
  status: Status
  series: number
  ids: readonly number[]
}

const SERIES = '~/wp-json/kalends/v1/series'
const YEAR = 2027
const course = {
  title: 'Course',
  ...onDay(`${YEAR}-03-01`, '10:00:00', '11:00:00'),
  recurrence: 'RRULE:FREQ=DAILY;COUNT=3',
}

const service = serviceForTests({ timezone: 'Europe/Berlin' })
const planted: Planted[] = []

before(async () => {
  await service.ready
  for (const owner of OWNERS) for (const status of STATUSES) planted.push(await plant(owner, status))
})
async function plant(owner: Owner, status: Status): Promise<Planted> {
  const date = status === 'future' ? { date: `${YEAR}-02-01 00:00:00` } : {}
  const first = status === 'trash' ? 'publish' : status
  const sent = { ...course, ...date, status: first, author: service.userIds[owner] }
  const { post_parent: series } = await service.create(PATHS.event, sent)
  const path = `/events?post_parent=${series}&start_date=2000-01-01&end_date=2100-01-01&status=${first}`
  const { body } = await service.get(path, 'admin')
  const ids = body.events.map(({ id }: { id: number }) => id)
  equal(ids.length, 3)
  if (status === 'trash') equal((await service.remove(`${SERIES}/${series}`)).status, 200)
  return { owner, status, series, ids }
}

const isRead = ({ method }: SeriesCell) => ['GET', 'HEAD', 'OPTIONS'].includes(method)

async function ask(
  { caller, method, addressed, way }: SeriesCell,
  { series, ids }: Planted,
  text: string,
): Promise<Answer> {
  const isSeries = addressed === 'series'
  const path = isSeries ? `${SERIES}/${series}` : `${PATHS.event}/${ids[1]}`
  const scope = isSeries ? {} : { recurrence_scope: addressed }
  const isChange = !['GET', 'HEAD', 'OPTIONS', 'DELETE'].includes(method)
  const sent = isChange ? { description: text, ...scope } : undefined
  const query = new URLSearchParams({
    ...(method === 'DELETE' ? scope : {}),
    ...(way === 'query' ? { _method: method } : {}),
  })
  const headers = way === 'header' ? { 'x-http-method-override': method } : {}
  return service.request(caller, way === 'itself' ? method : 'POST', `${path}?${query}`, sent, headers)
}

function nameOf({ caller, method, way, addressed, status, owner }: SeriesCell): string {
  return `${caller} ${method} by ${way}, ${addressed}, ${status} of ${owner}`
}

function assertAnswer(cell: SeriesCell, answer: Answer): void {
  const where = nameOf(cell)
  equal(answer.status, cell.answer.status, `${where}: ${JSON.stringify(answer.body)}`)
  const isRemoved = cell.method === 'DELETE' && answer.status === 200
  if (!isRemoved) equal(answer.headers.get('allow'), cell.allow, where)
  if (cell.method !== 'HEAD' && cell.answer.code !== undefined)
    equal(answer.body.code, cell.answer.code, where)
}

async function snapshot(): Promise<unknown> {
  const { read } = service.app.database
  const all = planted.map(({ series }) => series)
  return {
    series: await read.selectFrom('series').selectAll().where('id', 'in', all).orderBy('id').execute(),
    events: await read.selectFrom('events').selectAll().where('series', 'in', all).orderBy('id').execute(),
  }
}

const cells = seriesCells()
const refused = cells.filter((cell) => isRead(cell) || cell.answer.status !== 200)
const allowed = cells.filter((cell) => !isRead(cell) && cell.answer.status === 200)

test(`${refused.length} cells: reading series follows the table, and a refusal changes nothing`, async () => {
  const before = await snapshot()
  for (const cell of refused) {
    const found = planted.find(({ owner, status }) => owner === cell.owner && status === cell.status)
    ok(found)
    assertAnswer(cell, await ask(cell, found, 'Not to be written'))
  }
  deepEqual(await snapshot(), before)
})

function reachedBy({ addressed, status }: SeriesCell): number[] {
  if (addressed === 'this') return [1]
  return addressed === 'following' && status !== 'trash' ? [1, 2] : [0, 1, 2]
}

test(`${allowed.length} cells: changes and removals follow the table and reach their scope`, async () => {
  const kept = new Map<string, Planted>()
  for (const [number, cell] of allowed.entries()) {
    const { caller, owner, status, addressed, method } = cell
    // The requests of one scope share a series until one of them deletes it.
    const group = [caller, owner, status, addressed].join()
    const found = kept.get(group) ?? (await plant(owner, status))
    if (method === 'DELETE') kept.delete(group)
    else kept.set(group, found)
    const text = `Change ${number}.`
    assertAnswer(cell, await ask(cell, found, text))
    const rows = await service.app.database.read
      .selectFrom('events')
      .selectAll()
      .where('id', 'in', found.ids)
      .orderBy('id')
      .execute()
    const isReached = (row: { status: string; description: string }) =>
      method === 'DELETE' ? row.status === 'trash' : row.description.includes(text)
    const reached = rows.flatMap((row) => (isReached(row) ? [found.ids.indexOf(row.id)] : []))
    deepEqual(reached, reachedBy(cell), nameOf(cell))
    if (method !== 'DELETE')
      ok(
        rows.every((row) => row.status === status),
        nameOf(cell),
      )
  }
})

test(`${CALLERS.length * 5} cells: a missing series, also made there, is refused by rule 25.4`, async () => {
  for (const caller of CALLERS) {
    const denied = caller === 'anonymous' ? 401 : 403
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      const answer = await service.request(caller, method, `${SERIES}/987654`, { title: 'X' })
      equal(answer.status, MAKERS.record.includes(caller) ? 404 : denied, `${caller} ${method}`)
    }
    equal((await service.post(SERIES, course, caller)).status, 404, caller)
  }
})
