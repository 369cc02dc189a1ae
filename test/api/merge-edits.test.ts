import { deepEqual, ok, rejects } from 'node:assert/strict'
import { before, test } from 'node:test'
import { Problem } from '../../src/base/problems.ts'
import type { Context } from '../../src/calendar/declare/context.ts'
import { saveForm } from '../../src/features/desk/review/merge-edits.ts'
import { createRecord, updateRecord } from '../../src/features/desk/save-form.ts'
import { callerContext, servedAt } from '../support/caller-context.ts'
import { pluck } from '../support/lists.ts'
import { fc, rounds, SEED } from '../support/rounds.ts'
import { day, serviceForTests } from '../support/service.ts'

const service = serviceForTests()
let editor: Context
let admin: Context
const events = servedAt('events')
const ids: Record<'venues' | 'organizers' | 'categories', number[]> = {
  venues: [],
  organizers: [],
  categories: [],
}

before(async () => {
  await service.ready
  editor = await callerContext(service, 'editor')
  admin = await callerContext(service, 'admin')
  for (const name of ['One', 'Two', 'Three']) {
    ids.venues.push((await service.create('/venues', { venue: name })).id)
    ids.organizers.push((await service.create('/organizers', { organizer: name })).id)
    ids.categories.push((await service.create('/categories', { name })).id)
  }
})
type Texts = Record<string, string>

const choices: Record<string, () => string[]> = {
  title: () => ['Tea', 'Dance', 'Feast'],
  description: () => ['', '<p>short</p>', `<p>${'long '.repeat(100)}</p>`],
  cost: () => ['', '5', '7.50'],
  featured: () => ['0', '1'],
  venue: () => ['', ...ids.venues.map(String)],
  organizer: () => [
    '',
    `${ids.organizers[0]},${ids.organizers[1]}`,
    `${ids.organizers[1]},${ids.organizers[0]}`,
  ],
  categories: () => ['', String(ids.categories[2]), `${ids.categories[0]},${ids.categories[1]}`],
  start_date: () => ['2027-04-01 10:00', '2027-04-01 11:00'],
  end_date: () => ['2027-04-01 12:00', '2027-04-01 13:00'],
}
const NAMES = Object.keys(choices)
const TIMES = ['start_date', 'end_date']

const edits = fc.dictionary(fc.constantFrom(...NAMES), fc.nat(), { maxKeys: 4 })
const choiceOf = (name: string, at: number) => {
  const all = choices[name]?.() ?? []
  return all[at % all.length] ?? ''
}
const apply = (form: Texts, edit: Record<string, number>): Texts => ({
  ...form,
  ...Object.fromEntries(Object.entries(edit).map(([name, at]) => [name, choiceOf(name, at)])),
})

async function shownForm(id: number): Promise<Texts> {
  const { body } = await service.get(`/events/${id}`, 'editor')
  const list = (value: unknown) =>
    Array.isArray(value) ? value.map((one) => String(one.id)).join() : String(Object(value).id ?? '')
  return {
    title: body.title,
    description: body.description.trim(),
    cost: body.cost_details.values.join(),
    featured: body.featured ? '1' : '0',
    venue: list(body.venue),
    organizer: list(body.organizer),
    categories: body.categories
      .map((one: { id: number }) => one.id)
      .sort((a: number, b: number) => a - b)
      .join(),
    start_date: body.start_date.slice(0, 16),
    end_date: body.end_date.slice(0, 16),
  }
}

const unitOf = (name: string) => (TIMES.includes(name) ? TIMES : [name])

test(`fields changed by one are merged and told, those changed by both conflict (seed ${SEED})`, async () => {
  const first: Texts = Object.fromEntries(NAMES.map((name) => [name, choiceOf(name, 0)]))
  const property = fc.asyncProperty(edits, edits, fc.boolean(), async (theirs, mine, sendsBase) => {
    const made = await createRecord(editor, events, { ...first, ...day })
    const base = await shownForm(made.id)
    const [now, sent] = [apply(base, theirs), apply(base, mine)]
    const other = await saveForm(admin, events, made.id, { values: now, version: made.version })
    ok('saved' in other)
    const form = { values: sent, version: made.version, ...(sendsBase ? { base } : {}) }
    const edited = await saveForm(editor, events, made.id, form)
    const isChanged = (name: string, values: Texts) => unitOf(name).some((one) => values[one] !== base[one])
    const isConflict = (name: string) =>
      isChanged(name, now) && isChanged(name, sent) && unitOf(name).some((one) => now[one] !== sent[one])
    const conflicts = NAMES.filter((name) => isConflict(name) && now[name] !== sent[name])
    deepEqual(
      'conflicts' in edited ? edited.conflicts.map(({ member }) => member).sort() : [],
      conflicts.sort(),
    )
    const merged = Object.fromEntries(
      NAMES.map((name) => [name, isChanged(name, sent) ? sent[name] : now[name]]),
    )
    deepEqual(await shownForm(made.id), conflicts.length > 0 ? now : merged)
    const taken = NAMES.filter((name) => now[name] !== base[name] && !isChanged(name, sent))
    deepEqual(edited.taken.toSorted(), taken.sort())
  })
  await fc.assert(property, { numRuns: rounds(10), seed: SEED })
})

test('a conflict tells what the field was, what was sent, and what the record has', async () => {
  const { id, version } = await createRecord(editor, events, { title: 'Was', ...day })
  await updateRecord(admin, events, id, { title: 'Theirs' })
  const edited = await saveForm(editor, events, id, { values: { title: 'Mine', featured: '1' }, version })
  ok('conflicts' in edited)
  deepEqual(edited.conflicts, [{ member: 'title', base: 'Was', sent: 'Mine', now: 'Theirs' }])
  const decided = await saveForm(editor, events, id, {
    values: { title: 'Mine', featured: '1' },
    version: edited.version,
  })
  ok('saved' in decided)
  deepEqual(decided.changed, ['title', 'featured'])
})

test('a form without a change writes nothing, and leaves texts to those who wrote them', async () => {
  const description = '<p>Line</p>\n<!-- wp:paragraph --><p onclick="x()">More</p>'
  const { id, version } = await createRecord(admin, events, { title: 'Kept', ...day, description })
  const author = await callerContext(service, 'editor')
  const same = {
    title: 'Kept',
    description: description.replaceAll('\n', '\r\n'),
    ...day,
    cost: '',
    venue: '',
  }
  const edited = await saveForm(author, events, id, { values: same, version })
  ok('saved' in edited)
  deepEqual([edited.changed, edited.saved.version], [[], version])
})

test('where the base is not known any more, whatever differs is asked for', async () => {
  const { id, version } = await createRecord(editor, events, { title: 'Was', ...day })
  await updateRecord(admin, events, id, { featured: true })
  const edited = await saveForm(editor, events, id, {
    values: { title: 'Mine', featured: '1' },
    version: version - 1000,
  })
  ok('conflicts' in edited)
  deepEqual(edited.conflicts, [{ member: 'title', base: undefined, sent: 'Mine', now: 'Was' }])
  const shown = { title: 'Was', featured: '0' }
  const known = await saveForm(editor, events, id, {
    values: { title: 'Mine' },
    version: version - 1000,
    base: shown,
  })
  ok('saved' in known)
})

test('two forms sent at the same moment end like two that were sent in turn', async () => {
  const { id, version } = await createRecord(editor, events, { title: 'Was', ...day })
  const all = await Promise.all([
    saveForm(editor, events, id, { values: { title: 'Mine' }, version }),
    saveForm(admin, events, id, { values: { cost: '9' }, version }),
    saveForm(admin, events, id, { values: { featured: '1' }, version }),
  ])
  ok(all.every((edited) => 'saved' in edited))
  const { body } = await service.get(`/events/${id}`)
  deepEqual([body.title, body.cost_details.values, body.featured], ['Mine', ['9'], true])
})

test('a megabyte in a field is refused before anything looks into it, after rights', async () => {
  const contributor = await callerContext(service, 'contributor')
  const { id, version } = await createRecord(contributor, events, { title: 'Small', ...day, status: 'draft' })
  const huge = 'ab,'.repeat(350_000)
  for (const name of ['categories', 'tags', 'venue', 'cost', 'title', 'start_date']) {
    const over = (error: unknown) => error instanceof Problem && error.details.params?.[name]?.why === 'limit'
    await rejects(saveForm(contributor, events, id, { values: { [name]: huge }, version }), over, name)
    await rejects(createRecord(contributor, events, { title: 'x', ...day, [name]: huge }), over, name)
  }
  const subscriber = await callerContext(service, 'subscriber')
  const forbidden = (error: unknown) => error instanceof Problem && error.code === 'rest_forbidden'
  await rejects(saveForm(subscriber, events, id, { values: { tags: huge }, version }), forbidden)
})

test('records of every kind are saved, merged and disputed alike', async () => {
  const { id: date } = await createRecord(editor, events, {
    title: 'Repeats',
    ...day,
    recurrence: 'FREQ=WEEKLY;COUNT=2',
  })
  const { body } = await service.get(`/events/${date}`)
  const { headers } = await service.get(`~/wp-json/kalends/v1/series/${body.post_parent}`, 'editor')
  const sequence = Number(/\.v\d+\.(\d+)"/.exec(headers.get('etag') ?? '')?.[1])
  const made = async (path: string, values: object) => ({
    path,
    ...(await createRecord(editor, servedAt(path), { ...values })),
  })
  const records = [
    {
      ...(await made('venues', { venue: 'Kept', geo_lat: 51.5, geo_lng: 3, show_map: true })),
      name: 'venue',
      same: { geo_lat: '51.50', geo_lng: '3', show_map: '1' },
    },
    {
      ...(await made('organizers', { organizer: 'Kept', phone: '1' })),
      name: 'organizer',
      same: { phone: '1', website: '' },
    },
    { ...(await made('categories', { name: 'Kept' })), name: 'name', same: { parent: '0', description: '' } },
    { ...(await made('tags', { name: 'Kept too' })), name: 'name', same: { description: '' } },
    {
      path: 'series',
      id: Number(body.post_parent),
      version: sequence,
      name: 'title',
      same: { cost: '', venue: '' },
    },
    {
      ...(await made('events', { title: 'Kept', ...day, date: '2026-01-01 10:00:00' })),
      name: 'title',
      same: { date: '2026-01-01 10:00', image: '', author: String(editor.caller.id) },
    },
  ]
  for (const { path, id, version, name, same } of records) {
    const served = servedAt(path)
    const kept = await saveForm(editor, served, id, { values: same, version })
    ok('saved' in kept, path)
    deepEqual(kept.changed, [], path)
    const first = await saveForm(admin, served, id, { values: { [name]: `Theirs ${path}` }, version })
    ok('saved' in first, path)
    const merged = await saveForm(editor, served, id, { values: { ...same, description: 'Mine' }, version })
    ok('saved' in merged, path)
    deepEqual(merged.changed, ['description'], path)
    const disputed = await saveForm(editor, served, id, { values: { [name]: `Mine ${path}` }, version })
    ok('conflicts' in disputed, path)
    deepEqual(pluck(disputed.conflicts, 'member', 'now'), [[name, `Theirs ${path}`]])
  }
})
