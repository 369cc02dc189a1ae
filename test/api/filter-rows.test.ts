import { deepEqual, equal, ok } from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Problem } from '../../src/base/problems.ts'
import type { Context } from '../../src/calendar/declare/context.ts'
import { parseFields } from '../../src/calendar/declare/parse.ts'
import { anonymous, type Role } from '../../src/calendar/people/caller.ts'
import { resources } from '../../src/calendar/resources.ts'
import { databaseName } from '../support/database.ts'
import { listPlainly, readStored, type Stored } from '../support/filter-model.ts'
import { anyQuestion, type Question, valuesOf } from '../support/filter-values.ts'
import { publicContext } from '../support/public-context.ts'
import { anyWrite, type Calendar, makeWrite, PATHS, type Path } from '../support/random-calendar.ts'
import { fc, isWhole, rounds, SEED } from '../support/rounds.ts'
import { type Answer, type Reader, startService } from '../support/service.ts'

const ROUNDS = rounds(1)
const WRITES = 6
const QUESTIONS = 12

let calendar: Calendar
let shared: Context

before(async () => {
  const service = await startService()
  shared = await publicContext(service.app)
  calendar = { service, ids: { categories: [], tags: [], venues: [], organizers: [], events: [] } }
  await fill()
})
after(() => calendar.service.close())

function contextOf(reader: Reader): Context {
  const { app, userIds } = calendar.service
  const caller =
    reader === 'anonymous' ? anonymous : { id: userIds[reader] ?? 0, login: reader, role: reader as Role }
  return { ...shared, db: app.database.read, caller, now: Date.now() }
}

const sampled = <Value>(values: fc.Arbitrary<Value>, round: number, numRuns: number): Value[] =>
  fc.sample(values, { seed: SEED + round, numRuns })

const MADE: Record<Path, number> = { categories: 7, tags: 4, venues: 8, organizers: 5, events: 45 }

async function fill(): Promise<void> {
  for (const path of PATHS) {
    for (const write of sampled(anyWrite(path, fc.constant(undefined)), 0, MADE[path]))
      await makeWrite(calendar, write)
  }
}

function filtersOf(path: Path) {
  const served = resources.find(({ resource }) => resource.path === path)
  ok(served)
  return served.filters
}

async function askDatabase(path: string): Promise<Answer> {
  const { database } = calendar.service.app
  const { look } = database
  database.look = () => true
  try {
    return await calendar.service.get(path)
  } finally {
    database.look = look
  }
}

interface Outcome {
  isInOrder: boolean
  isLinked: boolean
  hasFound: boolean
}

const MAY_FIND_NOTHING = ['modified_after']

async function check(stored: Stored, path: Path, { query, values }: Question): Promise<Outcome> {
  const { service } = calendar
  const address = `/${path}?${query}`
  const told = `seed ${SEED}: ${address}`
  const asAnybody = await service.get(address)
  const others: [string, Answer][] = [['as subscriber', await service.get(address, 'subscriber')]]
  // Memory answers lists of events only.
  if (path === 'events') {
    others.push(['from the database', await askDatabase(address)])
    others.push(['by the ordinary way', await service.get(`${address}&unknown[]=1`)])
    await compareWhole(stored, { query, values }, told)
  }
  for (const [way, { status, body }] of others) {
    equal(status, asAnybody.status, `${way}, ${told}`)
    deepEqual(body, asAnybody.body, `${way}, ${told}`)
  }
  const answers: [Reader, Answer][] = [
    ['anonymous', asAnybody],
    ['author', await service.get(address, 'author')],
    ['editor', await service.get(address, 'editor')],
  ]
  for (const [reader, answer] of answers) await compare(stored, path, values, reader, answer, told)
  return {
    isInOrder: answers.some(([, { status }]) => status === 200),
    isLinked: answers.some(([, { body }]) => body.next_rest_url !== undefined),
    hasFound: answers.some(([, { body }]) => body.total > 0),
  }
}

async function compare(
  stored: Stored,
  path: Path,
  values: Question['values'],
  reader: Reader,
  answer: Answer,
  told: string,
): Promise<void> {
  deepEqual(shownOf(path, answer), await expectedOf(stored, path, values, reader), `as ${reader}, ${told}`)
  const { next_rest_url: next } = answer.body
  if (next === undefined) return
  const linked = await calendar.service.get(next.slice(calendar.service.base.length), reader)
  const page = new URL(next).searchParams.get('page') ?? ''
  const expected = await expectedOf(stored, path, { ...values, page }, reader)
  deepEqual(shownOf(path, linked), expected, `as ${reader}, ${next} in the answer to ${told}`)
}

async function compareWhole(stored: Stored, { query, values }: Question, told: string): Promise<void> {
  if (values.page !== undefined || values.per_page !== undefined) return
  const { status, body } = await calendar.service.get(`/events?${query}&format=ndjson`)
  const lines =
    typeof body === 'object'
      ? [body]
      : String(body ?? '')
          .match(/.+/g)
          ?.map((line) => JSON.parse(line))
  const shown = status === 200 ? (lines ?? []).map(({ id }) => id) : status
  const context = contextOf('anonymous')
  const expected = await ifInOrder(async () => {
    const parsed = await parseFields(filtersOf('events'), values, context)
    return listPlainly(stored, 'events', parsed, context, 'start')
  })
  deepEqual(shown, expected, `as NDJSON, ${told}`)
}

function shownOf(path: Path, { status, body }: Answer) {
  return status === 200 ? { total: body.total, ids: body[path].map(({ id }: { id: number }) => id) } : status
}

async function ifInOrder<Expected>(expect: () => Promise<Expected>): Promise<Expected | number> {
  try {
    return await expect()
  } catch (error) {
    if (error instanceof Problem && error.code === 'rest_invalid_param') return 400
    throw error
  }
}

async function expectedOf(stored: Stored, path: Path, values: Question['values'], reader: Reader) {
  const context = contextOf(reader)
  return ifInOrder(async () => {
    const query: { page?: number; per_page?: number } = await parseFields(filtersOf(path), values, context)
    const ids = listPlainly(stored, path, query, context)
    const { page = 1, per_page: asked = 10 } = query
    const size = Math.min(asked, context.site.pageSizeCap)
    const isPastEnd = page > 1 && (page - 1) * size >= ids.length
    if (isPastEnd && path !== 'categories' && path !== 'tags') return 404
    return { total: ids.length, ids: ids.slice((page - 1) * size, page * size) }
  })
}

function anyNames(names: readonly string[]): fc.Arbitrary<readonly string[]> {
  return fc.shuffledSubarray([...names], { minLength: 0, maxLength: 4 })
}

test(`each row of filters means the same to index, database and a plain reading (seed ${SEED})`, async () => {
  for (let round = 1; round <= ROUNDS; round++) {
    const stored = await readStored(calendar.service.app.database.read)
    const named = namedIn(stored)
    for (const path of PATHS) {
      const values = await valuesOf(filtersOf(path), named, contextOf('admin'))
      const names = [...values.keys()]
      const questions = path === 'events' ? QUESTIONS : QUESTIONS / 4
      for (const question of sampled(anyQuestion(values, anyNames(names)), round, questions))
        await check(stored, path, question)
      if (round === 1) for (const name of names) await checkAlone(stored, path, name, values)
    }
    const writes = fc
      .constantFrom(...PATHS, 'events' as const)
      .chain((path) => anyWrite(path, fc.option(fc.nat(60), { nil: undefined })))
    for (const write of sampled(writes, round, WRITES)) await makeWrite(calendar, write)
  }
})

const namedIn = ({ events, terms }: Stored) => ({
  ids: [...PATHS.flatMap((path) => calendar.ids[path]), ...events.flatMap(({ row }) => row.series ?? [])],
  terms: [...terms.values()],
})

const OF_TEXTS = ['search', 'words', 'modified_after']

const once = { skip: databaseName() === 'postgres' && !isWhole && 'npm run test:rest does it' }

test(`calendars hear of each event that a public list loses (seed ${SEED})`, once, async () => {
  const { service } = calendar
  const { database } = service.app
  const stored = await readStored(database.read)
  const values = await valuesOf(filtersOf('events'), namedIn(stored), contextOf('admin'))
  const names = [...values.keys()].filter((name) => !OF_TEXTS.includes(name))
  const alone = names.flatMap((name) => sampled(anyQuestion(values, fc.constant([name])), name.length, 8))
  const questions = [...alone, ...sampled(anyQuestion(values, anyNames(names)), 0, QUESTIONS)]
  const found: { query: string; ids: number[] }[] = []
  for (const { query } of questions) {
    const ids = await listedIds(`/events?${query}&recurrence=expanded`)
    if (ids.length > 0) found.push({ query, ids })
  }
  ok(found.length > names.length)
  const uids = new Map(stored.events.map(({ row }) => [row.id, row.uid]))
  const removed = await database.read
    .selectFrom('events')
    .select('id')
    .where('status', '=', 'publish')
    .execute()
  for (const { id } of removed) await service.remove(`/events/${id}`)
  for (const { query, ids } of found) {
    const { body } = await service.get(`/events?${query}&format=ics&recurrence=expanded`)
    const told = new Set([...String(body).matchAll(/^UID:(.*)\r$/gm)].map(([, uid = '']) => uid))
    const missing = ids.filter((id) => !told.has(uids.get(id) ?? ''))
    deepEqual(missing, [], `seed ${SEED}: ${query}`)
  }
})

async function listedIds(address: string): Promise<number[]> {
  const { status, body } = await calendar.service.get(`${address}&format=ndjson`)
  if (status !== 200) return []
  const lines =
    typeof body === 'object'
      ? [body]
      : (String(body ?? '').match(/.+/g) ?? []).map((line) => JSON.parse(line))
  return lines.map(({ id }) => id)
}

async function checkAlone(
  stored: Stored,
  path: Path,
  name: string,
  values: Awaited<ReturnType<typeof valuesOf>>,
): Promise<void> {
  const others = [...values.keys()].filter((other) => other !== name)
  const names = fc.oneof(
    fc.constant([name]),
    fc.constantFrom(...others).map((other) => [name, other]),
  )
  const questions = sampled(anyQuestion(values, fc.constant([name])), name.length, 3)
  let [isAnswered, hasFound] = [false, false]
  for (const question of [...questions, ...sampled(anyQuestion(values, names), name.length, 100)]) {
    if (isAnswered && hasFound && !questions.includes(question)) return
    const ofOne = { values: { per_page: '1', ...question.values }, query: `per_page=1&${question.query}` }
    const { isInOrder, isLinked, ...found } = await check(stored, path, ofOne)
    if (isInOrder && isLinked) return
    isAnswered ||= isInOrder
    hasFound ||= found.hasFound
  }
  ok(isAnswered, `seed ${SEED}: no value of ${name} of ${path} was in order`)
  ok(
    hasFound || MAY_FIND_NOTHING.includes(name),
    `seed ${SEED}: no value of ${name} of ${path} found anything; do records have it?`,
  )
}
