import { deepEqual, ok, rejects } from 'node:assert/strict'
import { test } from 'node:test'
import { Problem } from '../../src/base/problems.ts'
import { createRecord } from '../../src/features/desk/save-form.ts'
import { callerContext, servedAt } from '../support/caller-context.ts'
import { day, serviceForTests } from '../support/service.ts'

const service = serviceForTests()
const events = servedAt('events')
const code = (expected: string) => (error: unknown) => error instanceof Problem && error.code === expected

function comparable(body: object): unknown {
  const own = new Set('id global_id global_id_lineage url rest_url slug website json_ld _links'.split(' '))
  const members = Object.entries(body).filter(
    ([name]) => !own.has(name) && !/modified|date_utc|^date$/.test(name),
  )
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
    const sent = await service.event(values, login)
    const [saved, posted] = [
      await service.get(`/events/${id}`, login),
      await service.get(`/events/${sent.id}`, login),
    ]
    deepEqual(comparable(saved.body), comparable(posted.body), login)
    ok(saved.headers.get('etag')?.includes(`.v${id}.${version}"`))
  }
})

test('a venue or organizer that goes while an event is written is refused as unknown', async () => {
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
    await rejects(making, code('rest_invalid_param'))
  }
})
