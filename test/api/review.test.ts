import { deepEqual, equal, fail, ok, rejects } from 'node:assert/strict'
import { test } from 'node:test'
import { Problem } from '../../src/base/problems.ts'
import { changeMany } from '../../src/features/desk/change-many.ts'
import { waitingTerms } from '../../src/features/desk/review/linked-drafts.ts'
import { saveForm } from '../../src/features/desk/review/merge-edits.ts'
import {
  listInbox,
  listSentBack,
  proposalsAbout,
  proposeChange,
  publishPending,
  publishProposal,
  sendBackPending,
  sendBackProposal,
  withdrawProposal,
} from '../../src/features/desk/review/review.ts'
import { createRecord, updateRecord } from '../../src/features/desk/save-form.ts'
import { callerContext, servedAt } from '../support/caller-context.ts'
import { assertNone, pluck } from '../support/lists.ts'
import { day, serviceForTests } from '../support/service.ts'

const service = serviceForTests()
const events = servedAt('events')
const code = (expected: string) => (error: unknown) => error instanceof Problem && error.code === expected
const context = (login: 'admin' | 'editor' | 'author' | 'contributor') => callerContext(service, login)

type Proposing = Parameters<typeof proposeChange>

async function propose(by: Proposing[0], id: number, version: number, values: Proposing[3]['values']) {
  const proposed = await proposeChange(by, events, id, { values, version })
  return 'proposal' in proposed && proposed.proposal ? proposed.proposal : fail('nothing is proposed')
}

async function published(title: string): Promise<{ id: number; version: number }> {
  const { id } = await createRecord(await context('contributor'), events, {
    title,
    ...day,
    status: 'pending',
  })
  const done = await publishPending(await context('editor'), id)
  ok('saved' in done)
  return done.saved
}

const eventOf = async (id: number) => (await service.get(`/events/${id}`, 'editor')).body

test('a contributor’s change of a published event waits, the page stays; REST refuses it', async () => {
  const { id, version } = await published('Old title')
  const contributor = await context('contributor')
  await rejects(updateRecord(contributor, events, id, { title: 'New' }), code('rest_forbidden'))
  equal((await service.put(`/events/${id}`, { title: 'New' }, 'contributor')).status, 403)
  const form = {
    values: { title: 'New title', featured: '0', description: '<p>x</p><iframe src="//e"></iframe>' },
    version,
  }
  const proposed = await proposeChange(contributor, events, id, form, 'Please')
  ok('proposal' in proposed && proposed.proposal)
  equal((await eventOf(id)).title, 'Old title')
  const editor = await context('editor')
  const { items, counts } = await listInbox(editor, 50)
  const item = items.find(({ record }) => record === id)
  deepEqual(
    [item?.what, item?.title, item?.note, item?.author.name],
    ['proposal', 'Old title', 'Please', 'contributor'],
  )
  ok(counts.proposals >= 1)
  const [about] = await proposalsAbout(editor, events, id)
  deepEqual(Object.keys(about?.values ?? {}).sort(), ['description', 'title'])
  const done = await publishProposal(editor, proposed.proposal)
  ok('saved' in done)
  const now = await eventOf(id)
  deepEqual([now.title, now.description.includes('iframe')], ['New title', false])
  const { body } = await service.get(`~/wp-json/kalends/v1/events/${id}/history`, 'admin')
  deepEqual([body.history[0].login, body.history[0].client], ['editor', 'proposal of contributor'])
})

test('nobody proposes what they may change themselves, or what is of others', async () => {
  const { id, version } = await published('Mine alone')
  const form = { values: { title: 'x' }, version }
  for (const login of ['author', 'editor'] as const)
    await rejects(proposeChange(await context(login), events, id, form), code('rest_forbidden'))
  const bad = { values: { start_date: 'never', author: 1 }, version }
  await rejects(proposeChange(await context('contributor'), events, id, bad), code('rest_invalid_param'))
})

test('of two reviewers the second is told who has decided', async () => {
  const { id, version } = await published('Contested')
  const contributor = await context('contributor')
  const number = await propose(contributor, id, version, { title: 'Better' })
  const both = await Promise.all([
    publishProposal(await context('admin'), number),
    publishProposal(await context('editor'), number),
  ])
  const decided = both.filter((one) => 'decided' in one)
  equal(decided.length, 1)
  const winner = (await service.get(`~/wp-json/kalends/v1/events/${id}/history`, 'admin')).body.history[0]
    .login
  deepEqual([decided[0]?.decided.by, decided[0]?.decided.as], [winner, 'published'])
  const { id: pending } = await createRecord(contributor, events, {
    title: 'Waits',
    ...day,
    status: 'pending',
  })
  const done = await Promise.all([
    publishPending(await context('admin'), pending),
    publishPending(await context('editor'), pending),
  ])
  equal(done.filter((one) => 'saved' in one).length, 1)
  const later = done.find((one) => 'decided' in one)
  const acts = (await service.get(`~/wp-json/kalends/v1/events/${pending}/history`, 'admin')).body.history
  deepEqual([later?.decided.as, later?.decided.by], ['published', acts[0].login])
  equal(acts.filter((act: { action: string }) => act.action === 'publish').length, 1)
})

test('a proposal is merged with what changed since; the reviewer decides what both changed', async () => {
  const { id, version } = await published('Base')
  const contributor = await context('contributor')
  const number = await propose(contributor, id, version, { title: 'Theirs', cost: '5' })
  const editor = await context('editor')
  await updateRecord(editor, events, id, { title: 'Ours', featured: true })
  const undecided = await publishProposal(editor, number)
  ok('conflicts' in undecided)
  deepEqual(undecided.conflicts, [{ member: 'title', base: 'Base', sent: 'Theirs', now: 'Ours' }])
  const values = { title: 'Theirs', cost: '5' }
  const done = await publishProposal(editor, number, { values, version: undecided.version })
  ok('saved' in done)
  const now = await eventOf(id)
  deepEqual([now.title, now.cost, now.featured], ['Theirs', '$5', true])
})

test('what is sent back carries a note that its author sees, until it is sent for review again', async () => {
  const [contributor, editor] = [await context('contributor'), await context('editor')]
  const { id, version } = await createRecord(contributor, events, {
    title: 'Unripe',
    ...day,
    status: 'pending',
  })
  const back = await sendBackPending(editor, id, 'Which hall?')
  ok('saved' in back)
  equal((await eventOf(id)).status, 'draft')
  const [item] = (await listSentBack(contributor)).filter(({ record }) => record === id)
  deepEqual([item?.reply, item?.title], ['Which hall?', 'Unripe'])
  const again = await publishPending(editor, id)
  ok('decided' in again && again.decided.as === 'sent back')
  const saved = await saveForm(contributor, events, id, {
    values: { title: 'Ripe', status: 'pending' },
    version: back.saved.version,
  })
  ok('saved' in saved && version < saved.saved.version)
  assertNone(await listSentBack(contributor), ({ record }) => record === id)
  const done = await published('Also')
  const number = await propose(contributor, done.id, done.version, { title: 'Hm' })
  equal(await sendBackProposal(editor, number, 'Why?'), undefined)
  deepEqual(pluck(await listSentBack(contributor), 'reply'), ['Why?'])
  equal(await withdrawProposal(contributor, number), undefined)
  const late = await publishProposal(editor, number)
  ok('decided' in late && late.decided.as === 'withdrawn')
  await rejects(sendBackPending(editor, id, 'x'.repeat(2001)), code('rest_invalid_param'))
})

test('an event brings its new venue, organizer and terms along', async () => {
  const [contributor, editor] = [await context('contributor'), await context('editor')]
  const values = {
    title: 'With all',
    ...day,
    status: 'pending',
    venue: { venue: 'New hall' },
    organizer: [{ organizer: 'New club' }],
    categories: ['Brand new', 'Second'],
    tags: 'fresh',
  }
  const { id, version } = await createRecord(contributor, events, values)
  const before = await eventOf(id)
  deepEqual([before.venue.status, before.categories, before.tags], ['draft', [], []])
  deepEqual(await waitingTerms(editor, [{ id, author: contributor.caller.id }]), [
    { categories: ['Brand new', 'Second'], tags: ['fresh'] },
  ])
  const edited = await saveForm(contributor, events, id, { values: { categories: ['Brand new'] }, version })
  ok('saved' in edited)
  equal(edited.saved.version, version)
  const done = await publishPending(editor, id)
  ok('saved' in done)
  deepEqual(pluck(done.linkedDrafts, 'kind', 'name'), [
    ['venue', 'New hall'],
    ['organizer', 'New club'],
  ])
  const { body } = await service.get(`/events/${id}`)
  const names = (terms: { name: string }[]) => terms.map(({ name }) => name)
  deepEqual(
    [body.venue.venue, body.organizer[0].organizer, names(body.categories), names(body.tags)],
    ['New hall', 'New club', ['Brand new'], ['fresh']],
  )
})

test('all dates of a series are published together, and one stands for them in the inbox', async () => {
  const contributor = await context('contributor')
  const { id } = await createRecord(contributor, events, {
    title: 'Weekly',
    ...day,
    status: 'pending',
    recurrence: 'FREQ=WEEKLY;COUNT=4',
  })
  const own = await listInbox(contributor, 50)
  equal(own.items.filter(({ title }) => title === 'Weekly').length, 1)
  ok('saved' in (await publishPending(await context('editor'), id)))
  equal((await service.get('/events?search=Weekly&start_date=2020-01-01')).body.total, 4)
})

test('pages of the inbox hold each thing once, the oldest first', async () => {
  const contributor = await context('contributor')
  for (let i = 0; i < 5; i += 1) {
    await createRecord(contributor, events, { title: `Queue ${i}`, ...day, status: 'pending' })
    const { id, version } = await published(`Kept ${i}`)
    await proposeChange(contributor, events, id, { values: { title: `Kept ${i}!` }, version })
  }
  const editor = await context('editor')
  const { items: all } = await listInbox(editor, 100)
  const paged: typeof all = []
  for (let after: Parameters<typeof listInbox>[2]; ; ) {
    const { items, next } = await listInbox(editor, 3, after)
    paged.push(...items)
    if (!next) break
    after = next
  }
  deepEqual(paged, all)
  ok(all.length >= 10)
  const times = all.map(({ since_utc }) => since_utc)
  deepEqual(times, times.toSorted())
})

test('it brings them along as well when it is published by its form, or with many', async () => {
  const [contributor, editor] = [await context('contributor'), await context('editor')]
  for (const by of ['form', 'many'] as const) {
    const values = {
      ...{ title: by, ...day, status: 'pending' },
      ...{ venue: { venue: `Hall of ${by}` }, categories: [`Kind of ${by}`], tags: `Sign of ${by}` },
    }
    const { id, version } = await createRecord(contributor, events, values)
    if (by === 'many') await changeMany(editor, events, [id], { do: 'publish' })
    else await saveForm(editor, events, id, { values: { status: 'publish', tags: '' }, version })
    const { body } = await service.get(`/events/${id}`)
    const names = (terms: { name: string }[]) => terms.map(({ name }) => name)
    deepEqual(
      [body.venue.venue, names(body.categories), names(body.tags)],
      [`Hall of ${by}`, [`Kind of ${by}`], by === 'many' ? [`Sign of ${by}`] : []],
    )
    deepEqual(await waitingTerms(editor, [{ id, author: contributor.caller.id }]), [
      { categories: [], tags: [] },
    ])
  }
})
