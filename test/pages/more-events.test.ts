import { deepEqual, equal, match } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { onDay, serviceForTests } from '../support/service.ts'

const service = serviceForTests({ site_name: 'Kilvara' }, { fill })

const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)

async function titlesOf(slug: string, list: 'at-venue' | 'alike'): Promise<string[]> {
  const { status, body } = await service.page(`/event/${slug}/`)
  equal(status, 200)
  const [, section = ''] =
    new RegExp(`<section class="further" aria-labelledby="${list}">(.*?)</section>`, 's').exec(body) ?? []
  return [...section.matchAll(/<strong>(.*?)<\/strong>/g)].map(([, title = '']) =>
    title.replaceAll(/<[^>]+>/g, ''),
  )
}

async function fill(): Promise<void> {
  const hall = await service.create('/venues', { venue: 'Hall' })
  const barn = await service.create('/venues', { venue: 'Barn' })
  const secret = await service.create('/organizers', { organizer: 'Secret', status: 'private' })
  const choir = await service.create('/organizers', { organizer: 'Choir' })
  const at = (title: string, days: number, more: object = {}) =>
    service.event({ title, ...onDay(day(days), '20:00', '22:00'), ...more })
  const likeIt = { categories: ['Music'], tags: ['jazz'], organizer: choir.id }
  await at('Subject', 3, { venue: hall.id, ...likeIt })
  await at('Past', -3, { venue: hall.id, ...likeIt })
  await at('Draft', 4, { venue: hall.id, status: 'draft', ...likeIt })
  await at('Private', 4, { venue: hall.id, status: 'private', ...likeIt })
  await at('Hidden', 4, { venue: hall.id, hide_from_listings: true, ...likeIt })
  await at('Trashed', 4, { venue: hall.id, ...likeIt }).then(({ id }) => service.remove(`/events/${id}`))
  await at('Here next', 5, { venue: hall.id })
  await at('Here weekly', 4, { venue: hall.id, recurrence: 'RRULE:FREQ=WEEKLY;COUNT=8' })
  for (let i = 0; i < 5; i++) await at(`Here ${i}`, 20 + i, { venue: hall.id })
  await at('Subject', 5, { venue: hall.id, ...likeIt })
  await at('All alike', 60, { venue: barn.id, ...likeIt })
  await at('By its tag', 40, { tags: ['jazz'] })
  await at('By category', 30, { categories: ['Music'] })
  for (let i = 0; i < 6; i++) await at(`Other music ${i}`, 70 + i, { categories: ['Music'] })
  await at('Of nothing', 8)
  await at('By a secret', 9, { organizer: secret.id })
  await at('Another by a secret', 10, { organizer: secret.id })
}

describe('below an event stand', () => {
  test('the next ones at its venue, once for each series', async () => {
    deepEqual(await titlesOf('subject', 'at-venue'), ['Here weekly', 'Here next', 'Here 0', 'Here 1'])
    deepEqual((await titlesOf(`here-weekly-${day(4)}`, 'at-venue')).slice(0, 2), ['Subject', 'Here next'])
  })

  test('what is still on with its last day, and places read in their own direction', async () => {
    const venue = await service.create('/venues', { venue: 'دار الثقافة', city: 'Bonn' })
    const long = { start_date: `${day(-2)} 10:00`, end_date: `${day(6)} 18:00` }
    await service.event({ title: 'Still on', venue: venue.id, tags: ['only two'], ...long })
    const other = { ...onDay(day(3), '20:00', '22:00'), tags: ['only two'] }
    const { slug } = await service.event({ title: 'Beside it', ...other })
    const { body } = await service.page(`/event/${slug}/`)
    const [card = ''] = /<li[^>]*><a href="\/event\/still-on\/">.*?<\/li>/.exec(body) ?? []
    match(card, /<small>Until [^<]+<\/small>/)
    match(card, /<bdi>دار الثقافة<\/bdi>, <bdi>Bonn<\/bdi>/)
  })

  test('those that share the most with it, then the soonest', async () => {
    deepEqual(await titlesOf('subject', 'alike'), ['All alike', 'By its tag', 'By category', 'Other music 0'])
  })

  test('none of an event without venue and terms, none by an organizer hidden from strangers', async () => {
    for (const slug of ['of-nothing', 'by-a-secret'])
      deepEqual([await titlesOf(slug, 'at-venue'), await titlesOf(slug, 'alike')], [[], []])
  })
})
