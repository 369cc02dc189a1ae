import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Problem } from '../../src/base/problems.ts'
import type { Context } from '../../src/calendar/declare/context.ts'
import { parseFields, type RawValues } from '../../src/calendar/declare/parse.ts'
import { resources } from '../../src/calendar/resources.ts'
import { publicContext } from '../support/public-context.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService

before(async () => {
  service = await startService()
})

after(() => service.close())

/** Makes the context of a request by the administrator. */
async function contextOf({ app, userIds }: TestService): Promise<Context> {
  const caller = { id: userIds.admin ?? 0, login: 'admin', role: 'administrator' } as const
  return { ...(await publicContext(app)), db: app.database.read, caller }
}

/** Prepares a create from sent values. Returns the write for a transaction. */
async function prepared(path: string, sent: RawValues, context: Context) {
  const served = resources.find(({ resource }) => resource.path === path)
  assert.ok(served)
  const { create } = served.operations
  const values = await create.prepare(context, await parseFields(served.resource.fields, sent, context))
  return (tx: Parameters<typeof create.write>[0]) => create.write(tx, values, context)
}

const slugsOf = async (path: string) =>
  (await service.get(`/${path}?status=publish`, 'admin')).body[path].map(({ slug }: { slug: string }) => slug).sort()

const concert = (title: string): RawValues => ({
  title,
  start_date: '2030-05-01 20:00:00',
  end_date: '2030-05-01 22:00:00',
  venue: { venue: `Hall of the ${title}` },
})

test('several writes share a transaction', async () => {
  const context = await contextOf(service)
  const writes = [
    await prepared('events', concert('Octet'), context),
    await prepared('organizers', { organizer: 'Octet Society' }, context),
    await prepared('events', concert('Nonet'), context),
  ]
  await service.app.database.write(async (tx) => {
    for (const write of writes) await write(tx)
  })
  assert.deepEqual(await slugsOf('organizers'), ['octet-society'])
  for (const slug of ['octet', 'nonet']) assert.equal((await service.get(`/events/by-slug/${slug}`)).status, 200)
})

test('when one of them is refused, nothing of the others stays', async () => {
  const context = await contextOf(service)
  const good = await prepared('events', concert('Sextet'), context)
  const tag = await prepared('tags', { name: 'Strings' }, context)
  await assert.rejects(
    service.app.database.write(async (tx) => {
      await good(tx)
      await tag(tx)
      await tag(tx)
    }),
    (error) => error instanceof Problem && error.code === 'term_exists',
  )
  assert.deepEqual((await service.get('/tags?hide_empty=false', 'admin')).body.tags, [])
  assert.equal((await service.get('/events/by-slug/sextet')).status, 400)
  assert.equal((await service.get('/venues/by-slug/hall-of-the-sextet')).status, 400)
})
