import { deepEqual, equal, notEqual, rejects } from 'node:assert/strict'
import { test } from 'node:test'
import { Problem } from '../../src/base/problems.ts'
import { countUses, mergeRecords } from '../../src/features/desk/merge-records.ts'
import { createRecord } from '../../src/features/desk/save-form.ts'
import { callerContext, servedAt } from '../support/caller-context.ts'
import { pluck } from '../support/lists.ts'
import { day, serviceForTests } from '../support/service.ts'

const service = serviceForTests()
const events = servedAt('events')
const context = (login: 'admin' | 'editor' | 'author') => callerContext(service, login)
const code = (expected: string) => (error: unknown) => error instanceof Problem && error.code === expected
const bodyOf = async (path: string) => (await service.get(path, 'editor')).body
const ids = (list: unknown) => (Array.isArray(list) ? list : [list]).map(({ id }: { id: number }) => id)

for (const [path, kind, name, field] of [
  ['/venues', 'venue', 'venue', 'venue'],
  ['/organizers', 'organizer', 'organizer', 'organizer'],
  ['/categories', 'category', 'name', 'categories'],
  ['/tags', 'tag', 'name', 'tags'],
] as const)
  test(`of two in ${path} that are the same one is made, which all events and series then have`, async () => {
    const editor = await context('editor')
    const isTerm = kind === 'category' || kind === 'tag'
    const served = servedAt(path.slice(1))
    const made = async (title: string) => (await createRecord(editor, served, { [name]: title })).id
    const [from, into, other] = [
      await made(`Twin ${kind}`),
      await made(`Twin ${kind} 2`),
      await made(`Other ${kind}`),
    ]
    const event = async (links: number[], more = {}) =>
      (await createRecord(editor, events, { title: 'x', ...day, [field]: links, ...more })).id
    const [alone, both, first] = [
      await event([from]),
      await event([other, into, from]),
      await event([from, other]),
    ]
    const draft = await event([from], { status: 'draft' })
    const date = await event([from], { title: `Repeats ${kind}`, recurrence: 'FREQ=WEEKLY;COUNT=3' })
    deepEqual(
      [...(await countUses(editor.db, kind, [from, into, other, 9999]))],
      [
        [from, 7],
        [into, 1],
        [other, 2],
        [9999, 0],
      ],
    )
    const old = (await bodyOf(`${path}/${from}`)).slug
    deepEqual(await mergeRecords(editor, served, from, into), { events: 7, into })
    const has = async (id: number) => ids((await bodyOf(`/events/${id}`))[field])
    const inOrder = (list: number[]) => (isTerm ? list.toSorted() : list)
    deepEqual(await has(alone), [into])
    deepEqual(inOrder(await has(both)), inOrder([other, into]))
    deepEqual(inOrder(await has(first)), inOrder([into, other]))
    deepEqual(await has(draft), [into])
    equal((await service.get(`/events?search=Repeats&start_date=2020-01-01&${field}=${into}`)).body.total, 3)
    const { body: series } = await service.get(
      `~/wp-json/kalends/v1/series/${(await bodyOf(`/events/${date}`)).post_parent}`,
      'editor',
    )
    deepEqual(ids(series[field]), [into])
    deepEqual(
      [...(await countUses(editor.db, kind, [from, into]))],
      [
        [from, 0],
        [into, 7],
      ],
    )
    if (isTerm) {
      equal((await bodyOf(`${path}/${into}`)).count, 6)
      equal((await service.get(`${path}/${from}`)).status, 400)
    } else equal((await bodyOf(`${path}/${from}`)).status, 'trash')
    const history = await bodyOf(`~/wp-json/kalends/v1/events/${alone}/history`)
    deepEqual(pluck(history.history[0].changes, 'member', 'former'), [[field, isTerm ? [] : [from]]])
    const page = await service.get(
      `~/${kind === 'category' || kind === 'tag' ? `events/${kind}` : kind}` + `/${old}/`,
      'anonymous',
      { accept: 'text/html' },
    )
    notEqual(page.status, 410, 'the old address leads on')
  })

test('categories below one that goes come below the other, unless it lies below them', async () => {
  const editor = await context('editor')
  const categories = servedAt('categories')
  const made = async (name: string, parent = 0) =>
    (await createRecord(editor, categories, { name, parent })).id
  const from = await made('Musik')
  const [jazz, into] = [await made('Jazz', from), await made('Music')]
  await mergeRecords(editor, categories, from, into)
  equal((await bodyOf(`/categories/${jazz}`)).parent, into)
  const deep = await made('Deep', jazz)
  await mergeRecords(editor, categories, into, deep)
  deepEqual(
    [(await bodyOf(`/categories/${deep}`)).parent, (await bodyOf(`/categories/${jazz}`)).parent],
    [jazz, 0],
  )
})

test('who may not change others’ events merges nothing; nothing goes into itself or the trash', async () => {
  const [editor, author] = [await context('editor'), await context('author')]
  const venues = servedAt('venues')
  const [one, two] = [
    (await createRecord(author, venues, { venue: 'One' })).id,
    (await createRecord(author, venues, { venue: 'Two' })).id,
  ]
  await rejects(mergeRecords(author, venues, one, two), code('rest_forbidden'))
  await rejects(mergeRecords(editor, venues, one, one), code('rest_invalid_param'))
  await service.remove(`/venues/${two}`, 'editor')
  await rejects(mergeRecords(editor, venues, one, two), code('rest_invalid_param'))
})

test('more events than one write takes are all moved', async () => {
  const editor = await context('editor')
  const venues = servedAt('venues')
  const [one, two] = [
    (await createRecord(editor, venues, { venue: 'Full' })).id,
    (await createRecord(editor, venues, { venue: 'Full too' })).id,
  ]
  for (let i = 0; i < 130; i += 1)
    await createRecord(editor, events, { title: `Of many ${i}`, ...day, venue: one })
  equal((await mergeRecords(editor, venues, one, two)).events, 130)
  deepEqual(
    [...(await countUses(editor.db, 'venue', [one, two]))],
    [
      [one, 0],
      [two, 130],
    ],
  )
})
