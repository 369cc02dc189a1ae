import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Problem } from '../../src/base/problems.ts'
import { createRecord, removeRecord, untrashRecord, updateRecord } from '../../src/calendar/editing/save-record.ts'
import { callerContext, servedAt } from '../support/caller-context.ts'
import { openGround } from '../support/command-ground.ts'
import { day, startService, type TestService } from '../support/service.ts'

let service: TestService
before(async () => {
  service = await startService()
})
after(() => service.close())

const events = servedAt('events')
const code = (expected: string) => (error: unknown) => error instanceof Problem && error.code === expected

/** Removes what differs between any two records. */
function comparable(body: object): unknown {
  const own = new Set([
    'id',
    'global_id',
    'global_id_lineage',
    'url',
    'rest_url',
    'slug',
    'website',
    'json_ld',
    '_links',
  ])
  const members = Object.entries(body).filter(([name]) => !own.has(name) && !/modified|date_utc|^date$/.test(name))
  return JSON.parse(JSON.stringify(Object.fromEntries(members)))
}

test('a record saved without a request reads as one that REST has made of the same values', async () => {
  const values = {
    title: 'Saved <b>here</b>',
    ...day,
    description: '<p>x</p><script>1</script>',
    cost: '5',
    tags: 'New',
  }
  for (const login of ['admin', 'editor', 'author', 'contributor'] as const) {
    const context = await callerContext(service, login)
    const { id, version } = await createRecord(context, events, values)
    const sent = await service.create('/events', values, login)
    const [saved, posted] = [await service.get(`/events/${id}`, login), await service.get(`/events/${sent.id}`, login)]
    assert.deepEqual(comparable(saved.body), comparable(posted.body), login)
    assert.ok(saved.headers.get('etag')?.includes(`.v${id}.${version}"`))
  }
})

test('each faulty field is named, and rights come before look-ups', async () => {
  const editor = await callerContext(service, 'editor')
  await assert.rejects(
    createRecord(editor, events, { title: 'x', start_date: 'never', end_date: 'nowhen' }),
    (error) => error instanceof Problem && Object.keys(error.details.params ?? {}).join() === 'start_date,end_date',
  )
  const subscriber = await callerContext(service, 'subscriber')
  await assert.rejects(createRecord(subscriber, events, { title: 'x', ...day, venue: 999_999 }), code('rest_forbidden'))
  await assert.rejects(updateRecord(subscriber, events, 999_999, { title: 'x' }), code('rest_forbidden'))
  await assert.rejects(updateRecord(editor, events, 999_999, { title: 'x' }), code('rest-event-not-found'))
})

test('a double press makes one event, also when both presses are under way at once', async () => {
  const context = await callerContext(service, 'author')
  const press = () => createRecord(context, events, { title: 'Once', ...day }, 'key-of-the-form')
  const [one, two] = await Promise.all([press(), press()])
  assert.equal(one.id, two.id)
  assert.equal((await press()).id, one.id)
  const other = createRecord(context, events, { title: 'Twice', ...day }, 'key-of-the-form')
  await assert.rejects(other, code('rest_idempotency_key_reused'))
  const { body } = await service.get('/events?search=Once&start_date=2020-01-01', 'author')
  assert.equal(body.total, 1)
})

test('of two saves of one version the first is kept and the second refused, whichever process does them', async () => {
  const context = await callerContext(service, 'editor')
  const { id, version } = await createRecord(context, events, { title: 'Contested', ...day })
  const { database } = await openGround(service)
  const elsewhere = { ...context, db: database.read, write: database.write }
  const save = (title: string, by = context) => updateRecord(by, events, id, { title }, version)
  const results = await Promise.allSettled([
    save('One'),
    save('Two', elsewhere),
    save('Three'),
    save('Four', elsewhere),
  ])
  await database.close()
  assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 1)
  for (const result of results)
    if (result.status === 'rejected') assert.ok(code('rest_precondition_failed')(result.reason))
  const saved = results.find((result) => result.status === 'fulfilled')
  assert.ok(saved && saved.value.version > version)
  await updateRecord(context, events, id, { title: 'Four' }, saved.value.version)
})

test('what comes out of the trash has the status from before', async () => {
  const context = await callerContext(service, 'editor')
  for (const status of ['private', 'pending', 'publish']) {
    const { id } = await createRecord(context, events, { title: `Back ${status}`, ...day, status })
    await assert.rejects(untrashRecord(context, events, id), code('rest_precondition_failed'))
    const { version } = await removeRecord(context, events, id)
    await assert.rejects(untrashRecord(context, events, id, version - 1), code('rest_precondition_failed'))
    await untrashRecord(context, events, id, version)
    assert.equal((await service.get(`/events/${id}`, 'editor')).body.status, status)
  }
})

test('a venue or organizer that goes while an event is written is refused as one that never was', async () => {
  const context = await callerContext(service, 'editor')
  for (const [kind, table] of [
    ['venue', 'venues'],
    ['organizer', 'organizers'],
  ] as const) {
    const { id } = await createRecord(context, servedAt(table), { [kind]: `Gone ${kind}` })
    const write: typeof context.write = async (work) => {
      await context.write((tx) => tx.deleteFrom(table).where('id', '=', id).execute())
      return context.write(work)
    }
    const making = createRecord({ ...context, write }, events, { title: 'Linked', ...day, [kind]: id })
    await assert.rejects(making, code('rest_invalid_param'))
  }
})
