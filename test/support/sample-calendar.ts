import { equal } from 'node:assert/strict'
import type { Db } from '../../src/store/storage/database.ts'
import { drawPng } from './pictures.ts'
import type { TestService } from './service.ts'
import { onDay } from './service.ts'

export async function fillCalendar(service: TestService): Promise<void> {
  const dates = onDay('2026-12-01', '17:00:00', '19:00:00')
  const upload = async (name: string) => {
    const picture = await drawPng(400, 300, 'teal')
    const headers = {
      'content-type': 'image/png',
      'content-disposition': `attachment; filename="${name}.png"`,
    }
    return (
      await service.request('author', 'POST', '~/wp-json/wp/v2/media', new Uint8Array(picture), headers)
    ).body.id
  }
  const image = await upload('lantern')
  await upload('unused')
  const events = [
    {
      title: 'Lantern walk',
      ...dates,
      cost: '$5 – 10',
      ...{ captions: true, relaxed: false, sign_language: 'bfi', access_note: 'Ring twice' },
      ...{ attendance: 'mixed', online_url: 'https://meet.example/walk', online_shown: 'before:15' },
      venue: {
        venue: 'Mühle “Süd”',
        city: 'Aldbury',
        geo_lat: 51.8,
        geo_lng: -0.6,
        step_free: true,
        lift: false,
      },
    },
    {
      title: 'Lantern walk',
      ...dates,
      timezone: 'Asia/Tokyo',
      image,
      categories: ['Families', '子供'],
      tags: ['light'],
    },
    {
      title: '<b>提灯</b> & more',
      ...dates,
      all_day: true,
      organizer: [{ organizer: 'Ann' }, { organizer: 'Bob' }],
    },
    { title: 'A draft', ...dates, status: 'draft' },
    { title: 'Private', ...dates, status: 'private', description: '<p>Not for all</p>' },
    { title: 'Later', ...dates, date: '2099-01-01 00:00:00', status: 'future' },
  ]
  for (const event of events) equal((await service.post('/events', event)).status, 201)
  await addSeries(service)
  const { body: trashed } = await service.post('/events', { title: 'Trashed', ...dates })
  equal((await service.remove(`/events/${trashed.id}`)).status, 200)
  equal((await service.remove(`~/wp-json/wp/v2/media/${await upload('gone')}`)).status, 200)
}

export async function addSeries(service: TestService): Promise<void> {
  const dates = onDay('2026-12-01', '17:00:00', '19:00:00')
  const recurrence = ['RRULE:FREQ=WEEKLY;COUNT=6', 'RDATE:20261203T170000']
  const first = await service.event({
    title: 'Lantern class',
    ...dates,
    categories: ['Families'],
    recurrence,
  })
  const path = `/events?post_parent=${first.post_parent}&start_date=2026-01-01&end_date=2028-01-01`
  const { events } = (await service.get(path)).body
  await service.update(`/events/${events[1].id}`, { title: 'Lantern class for all' })
  await service.update(`/events/${events[2].id}`, onDay('2026-12-08', '18:30', '20:00'))
  equal((await service.remove(`/events/${events[3].id}`)).status, 200)
}

export async function countEvents(read: Db): Promise<{ all: number; kept: number; published: number }> {
  const rows = await read.selectFrom('events').select('status').execute()
  const kept = rows.filter(({ status }) => status !== 'trash')
  return {
    all: rows.length,
    kept: kept.length,
    published: kept.filter(({ status }) => status === 'publish').length,
  }
}
