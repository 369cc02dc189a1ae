import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { publishDue } from '../../src/calendar/series/series-upkeep.ts'
import { day, serviceForTests } from '../support/service.ts'

const service = serviceForTests()

const DUE = '2090-01-01 00:00:00'
const scheduled = { status: 'future', date: DUE }

const KINDS = [
  { path: '/events', fields: (title: string) => ({ title, ...day }) },
  { path: '/venues', fields: (venue: string) => ({ venue }) },
  { path: '/organizers', fields: (organizer: string) => ({ organizer }) },
]

for (const { path, fields } of KINDS)
  test(`the slug of a scheduled record of ${path} is told to nobody by a number (rule 17.3)`, async () => {
    const secret = await service.create(path, { ...fields(`Gala ${path}`), ...scheduled })
    equal(secret.status, 'future')
    const open = await service.create(path, fields(`Gala ${path}`), 'author')
    equal(open.slug, secret.slug)
    const find = async (slug: string) => (await service.get(`${path}/by-slug/${slug}`)).body.id
    equal(await find(open.slug), open.id)
    await publishDue(service.app.database, Date.parse('2090-01-02'))
    const { body: published } = await service.get(`${path}/${secret.id}`)
    deepEqual([published.status, published.slug], ['publish', `${open.slug}-2`])
    equal(await find(published.slug), secret.id)
    equal(await find(open.slug), open.id)
  })

test('a scheduled record that is published by hand gets a slug of its own', async () => {
  const secret = await service.event({ title: 'Premiere', ...day, ...scheduled })
  const open = await service.event({ title: 'Premiere', ...day }, 'author')
  const early = await service.update(`/events/${secret.id}`, {
    status: 'publish',
    date: '2020-01-01 00:00:00',
  })
  deepEqual([open.slug, early.slug, early.status], ['premiere', 'premiere-2', 'publish'])
})

test('a scheduled record takes no slug that a published one has', async () => {
  const open = await service.event({ title: 'Market', ...day })
  const later = await service.event({ title: 'Market', ...day, ...scheduled })
  deepEqual([open.slug, later.slug], ['market', 'market-2'])
})
