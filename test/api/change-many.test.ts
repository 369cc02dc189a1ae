import { deepEqual, equal, ok, rejects } from 'node:assert/strict'
import { before, test } from 'node:test'
import { type BulkAction, changeMany, undoMany } from '../../src/features/desk/change-many.ts'
import { createRecord, removeRecord, updateRecord } from '../../src/features/desk/save-form.ts'
import { callerContext, servedAt } from '../support/caller-context.ts'
import { day, serviceForTests } from '../support/service.ts'

const service = serviceForTests()
let venue: number
let categories: number[]
before(async () => {
  await service.ready
  venue = (await service.create('/venues', { venue: 'Hall' })).id
  categories = []
  for (const name of ['A', 'B', 'C']) categories.push((await service.create('/categories', { name })).id)
})
const events = servedAt('events')
const context = (login: 'admin' | 'editor' | 'author' | 'contributor') => callerContext(service, login)
const outcomes = (rows: readonly { outcome: string }[]) => rows.map(({ outcome }) => outcome)

async function make(
  count: number,
  values: object = {},
  as: 'editor' | 'author' | 'contributor' = 'editor',
): Promise<number[]> {
  const by = await context(as)
  const ids: number[] = []
  for (let i = 0; i < count; i += 1)
    ids.push((await createRecord(by, events, { title: `Event ${i}`, ...day, ...values })).id)
  return ids
}

const LEFT = /^modified|^date|json_ld|^_|counts?$/

async function reading(id: number): Promise<unknown> {
  const { body } = await service.get(`/events/${id}`, 'admin')
  return JSON.parse(
    JSON.stringify(body, (name, value) => (LEFT.test(name) || name === 'count' ? undefined : value)),
  )
}

const actions: [
  name: string,
  action: BulkAction,
  check: (body: ReturnType<typeof Object>) => unknown,
  is: unknown,
][] = [
  ['draft', { do: 'draft' }, (body) => body.status, 'draft'],
  ['trash', { do: 'trash' }, (body) => body.status, 'trash'],
  ['terms', { do: 'link', field: 'categories', add: [], remove: [] }, (body) => body.categories.length, 1],
  ['link', { do: 'link', field: 'venue', add: [], remove: [], replaces: true }, (body) => body.venue, []],
  [
    'announce',
    { do: 'announce', event_status: 'canceled', reason: 'Rain' },
    (body) => [body.event_status, body.event_status_reason],
    ['canceled', 'Rain'],
  ],
  [
    'move',
    { do: 'move', days: 1, hours: -2 },
    (body) => [body.start_date, body.end_date],
    ['2027-04-02 08:00:00', '2027-04-02 10:00:00'],
  ],
]

for (const [name, action, check, is] of actions)
  test(`many events at once: ${name}, and one press takes it all back`, async () => {
    const ids = await make(3, { venue, categories: categories.slice(0, 2), cost: '5' })
    const editor = await context('editor')
    const done: BulkAction =
      action.do === 'link' && action.field === 'categories'
        ? { ...action, add: categories.slice(1, 2), remove: categories.slice(0, 1) }
        : action
    const had = await Promise.all(ids.map(reading))
    const { rows, undo } = await changeMany(editor, events, ids, done)
    deepEqual(
      rows.map(({ id, outcome, title }) => [id, outcome, title]),
      ids.map((id, i) => [id, 'done', `Event ${i}`]),
    )
    for (const id of ids) deepEqual(check((await service.get(`/events/${id}`, 'admin')).body), is)
    ok(undo)
    equal(await undoMany(await context('admin'), undo), undefined, 'it is good for whoever got it')
    const back = await undoMany(editor, undo)
    deepEqual(outcomes(back ?? []), ['done', 'done', 'done'])
    deepEqual(await Promise.all(ids.map(reading)), had)
    equal(await undoMany(editor, undo), undefined)
  })

test('each row is told by itself: what is refused, missing, or so already costs no other', async () => {
  const [own = 0] = await make(1, {}, 'author')
  const [others = 0] = await make(1)
  const [secret = 0] = await make(1, { status: 'private' })
  const [draft = 0] = await make(1, { status: 'draft' }, 'author')
  const author = await context('author')
  const { rows } = await changeMany(author, events, [own, others, secret, 99_999, draft, own], {
    do: 'draft',
  })
  deepEqual(
    rows.map(({ id, outcome, problem, title }) => [id, outcome, problem?.code, title]),
    [
      [own, 'done', undefined, 'Event 0'],
      [others, 'refused', 'rest_forbidden', 'Event 0'],
      [secret, 'refused', 'rest_forbidden', ''],
      [99_999, 'refused', 'rest-event-not-found', ''],
      [draft, 'unchanged', undefined, 'Event 0'],
    ],
  )
})

test('what others have changed since the press stays when it is taken back', async () => {
  const [first = 0, second = 0] = await make(2)
  const editor = await context('editor')
  const { undo = '' } = await changeMany(editor, events, [first, second], {
    do: 'announce',
    event_status: 'canceled',
    reason: 'Rain',
  })
  await updateRecord(await context('admin'), events, first, { title: 'Renamed', event_status: 'postponed' })
  deepEqual(outcomes((await undoMany(editor, undo)) ?? []), ['done', 'done'])
  const { body } = await service.get(`/events/${first}`)
  deepEqual([body.title, body.event_status], ['Renamed', 'postponed'])
  equal((await service.get(`/events/${second}`)).body.event_status, undefined)
})

test('an hour kept on the wall does so over a change of clocks; whole days move by days', async () => {
  const [timed = 0] = await make(1, { start_date: '2027-03-13 20:00:00', end_date: '2027-03-13 22:00:00' })
  const [whole = 0] = await make(1, { start_date: '2027-03-13', end_date: '2027-03-13', all_day: true })
  const editor = await context('editor')
  await changeMany(editor, events, [timed, whole], { do: 'move', days: 1, hours: 0 })
  const { body } = await service.get(`/events/${timed}`)
  deepEqual([body.start_date, body.utc_start_date], ['2027-03-14 20:00:00', '2027-03-15 00:00:00'])
  equal((await service.get(`/events/${whole}`)).body.start_date, '2027-03-14 00:00:00')
  const { rows } = await changeMany(editor, events, [whole], { do: 'move', days: 0, hours: 3 })
  deepEqual(outcomes(rows), ['refused'])
})

test('what is in the trash is restored with the status it had, or deleted for good', async () => {
  const ids = await make(3, { status: 'private' })
  const editor = await context('editor')
  const early = await changeMany(editor, events, ids, { do: 'erase' })
  deepEqual(outcomes(early.rows), ['refused', 'refused', 'refused'])
  await changeMany(editor, events, ids, { do: 'trash' })
  await changeMany(editor, events, ids.slice(0, 1), { do: 'restore' })
  equal((await service.get(`/events/${ids[0]}`, 'editor')).body.status, 'private')
  const { rows, undo } = await changeMany(editor, events, ids.slice(1), { do: 'erase' })
  deepEqual([outcomes(rows), undo], [['done', 'done'], undefined])
  equal((await service.get(`/events/${ids[1]}`, 'editor')).status, 404)
  const contributor = await context('contributor')
  await removeRecord(editor, events, ids[0] ?? 0)
  deepEqual(outcomes((await changeMany(contributor, events, ids, { do: 'erase' })).rows), [
    'refused',
    'refused',
    'refused',
  ])
})

test('of a series the chosen dates change, or all of it if asked; both are undone', async () => {
  const editor = await context('editor')
  const { id } = await createRecord(editor, events, {
    title: 'Weekly',
    ...day,
    recurrence: 'FREQ=WEEKLY;COUNT=4',
  })
  const found = async () =>
    (await service.get('/events?search=Weekly&start_date=2020-01-01&status=publish,draft,trash', 'editor'))
      .body.events
  const ids = (await found()).map((event: { id: number }) => event.id)
  equal(ids.length, 4)
  const had = await Promise.all(ids.map(reading))
  for (const action of [
    { do: 'announce', event_status: 'canceled', reason: '' },
    { do: 'trash' },
    { do: 'draft' },
    { do: 'move', days: 0, hours: 1 },
    { do: 'link', field: 'categories', add: categories, remove: [] },
  ] satisfies BulkAction[])
    for (const scope of ['this', 'all'] as const) {
      const chosen = ids.slice(1, 3)
      const { rows, undo = '' } = await changeMany(editor, events, chosen, { ...action, scope })
      deepEqual(outcomes(rows), ['done', scope === 'all' ? 'unchanged' : 'done'], `${action.do} ${scope}`)
      const now = await Promise.all(ids.map(reading))
      const changed = ids.filter(
        (_id: number, at: number) => JSON.stringify(now[at]) !== JSON.stringify(had[at]),
      )
      deepEqual(
        changed.filter((one: number) => scope === 'all' || chosen.includes(one)).length,
        scope === 'all' ? 4 : 2,
        `${action.do} ${scope}`,
      )
      const back = await undoMany(editor, undo)
      ok(
        back?.every(({ outcome }) => outcome === 'done'),
        JSON.stringify([action, scope, back]),
      )
      deepEqual(await Promise.all(ids.map(reading)), had, `${action.do} ${scope}`)
    }
  ok(id)
})

test('a thousand at once are done, and one more is refused before anything is', async () => {
  const ids = await make(120)
  const editor = await context('editor')
  const { rows } = await changeMany(editor, events, ids, { do: 'draft' })
  ok(rows.every(({ outcome }) => outcome === 'done'))
  await rejects(
    changeMany(
      editor,
      events,
      Array.from({ length: 1001 }, (_, i) => i + 1),
      { do: 'draft' },
    ),
  )
})
