import { deepEqual, equal, match, notEqual, ok } from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { parse } from 'csv-parse/sync'
import ICAL from 'ical.js'
import { eventFields } from '../../src/base/fields/event-fields.ts'
import {
  eventMembers,
  type RareColumn,
  rareFields,
  seriesMembers,
  venueFacts,
} from '../../src/base/fields/event-members.ts'
import type { FieldData } from '../../src/base/fields/field.ts'
import { organizerFields, venueFields } from '../../src/base/fields/linked-fields.ts'
import { type LinkedField, type Member, namesWith, type WithValue } from '../../src/base/fields/member.ts'
import { carriedFields } from '../../src/calendar/history/record-states.ts'
import { publishDue } from '../../src/calendar/series/series-upkeep.ts'
import { itemsOf } from '../../src/features/imports/shown-records.ts'
import { PLACED_LINKED_FIELDS } from '../../src/features/pages/linked-view.ts'
import type { PLACED_FIELDS } from '../../src/features/pages/shared-facts.ts'
import { registerExportCommand } from '../../src/features/transfer/export.ts'
import { call } from '../support/assistant.ts'
import { openGround } from '../support/command-ground.ts'
import { runCommand } from '../support/commands.ts'
import { exampleOf } from '../support/example-values.ts'
import { withoutLinkedData } from '../support/linked-data.ts'
import { uploadPicture } from '../support/pictures.ts'
import { type Answer, onDay, serviceForTests } from '../support/service.ts'

type Shown = Record<string, unknown>

const WINDOW = 'start_date=2027-01-01&end_date=2027-12-31'
const members = Object.entries<Member>(eventMembers)
const names = (has: (member: Member, name: string) => boolean) =>
  members.flatMap(([name, member]) => (has(member, name) ? [name] : [])).sort()
const keys = (value: object) => Object.keys(value).sort()

const OF_COLLAPSED = 'next_occurrences'
const LISTED = names(({ lists }, name) => !lists && name !== OF_COLLAPSED)
const OF_SERIES = [...new Set([...names(({ series }) => series === true), ...keys(seriesMembers)])].sort()

function examplesOf(fields: Readonly<Record<string, LinkedField>>, set: readonly string[]): Shown {
  const shown = Object.entries(fields).filter(
    ([name, { csv, page }]) => !set.includes(name) && (csv === true || page === true),
  )
  return Object.fromEntries(shown.map(([name, { kind }]) => [name, exampleOf(name, kind)]))
}

const service = serviceForTests({ mcp: 'read' })
let event: Answer['body']

before(async () => {
  await service.ready
  const image = await uploadPicture(service, 1200, 900)
  const made = await service.event({
    ...Object.fromEntries(rareFields().map(({ name }) => [name, exampleOf(name, eventFields[name].kind)])),
    title: 'Summer concert',
    description: '<p>Music until late</p>',
    excerpt: 'Music in short',
    slug: 'summer-concert',
    timezone: 'Europe/Berlin',
    ...onDay('2027-06-05', '20:15:00', '23:45:00'),
    image,
    cost: '12',
    website: 'https://example.org/concert',
    show_map: true,
    show_map_link: true,
    sticky: true,
    featured: true,
    event_status: 'postponed',
    event_status_reason: 'Too much rain',
    sign_language: 'gsg',
    attendance: 'mixed',
    online_url: 'https://meet.example/room-7?pwd=x',
    online_shown: 'before:15',
    categories: ['Concerts'],
    tags: ['Open air'],
    venue: {
      ...examplesOf(venueFields, PLACED_LINKED_FIELDS.venue),
      ...{
        venue: 'Town hall',
        address: 'Main Street 1',
        city: 'Kilvara',
        stateprovince: 'Alto',
        zip: '12345',
      },
      ...{
        country: 'Portugal',
        geo_lat: 53,
        geo_lng: -8,
        phone: '+351 1',
        website: 'https://example.org/hall',
      },
      ...{ description: 'By the river', image },
      ...Object.fromEntries(venueFacts.map((fact) => [fact, true])),
    },
    organizer: [
      {
        ...examplesOf(organizerFields, PLACED_LINKED_FIELDS.organizer),
        ...{ organizer: 'Music club', email: 'club@example.org', phone: '+351 2', image },
        ...{ website: 'https://example.org/club', description: 'Since 1901' },
      },
    ],
    recurrence: 'RRULE:FREQ=WEEKLY;COUNT=2',
  })
  event = (await service.get(`/events/${made.id}`)).body
  equal(event.online_url, undefined)
  await publishDue(service.app.database, Date.parse('2027-06-05T18:00:00Z'))
  event = (await service.get(`/events/${made.id}`)).body
})
const feed = async (format: string) =>
  String(await (await fetch(`${service.base}/events?format=${format}&${WINDOW}`)).text())
async function exported(): Promise<Answer['body']> {
  const file = join(service.config.data, 'export.json')
  const words = ['export', '--start-date', '2027-01-01', '--output', file]
  const { code } = await runCommand(
    (program) => registerExportCommand(program, () => openGround(service), []),
    words,
  )
  equal(code, 0)
  return JSON.parse(await readFile(file, 'utf8'))
}

const first = (list: Shown[]) => list.find(({ id }) => id === event.id)

test('an event read by itself has every member', () => {
  deepEqual(
    keys(event),
    names((_member, name) => name !== OF_COLLAPSED),
  )
})

test('lists, NDJSON and exports show the same values, but for what the table leaves out', async () => {
  const shown = withoutLinkedData(event)
  const path = `/events?${WINDOW}`
  const lists = [await service.get(path), await service.get(path), await service.get(path, 'admin')]
  const lines = (await feed('ndjson')).trim().split('\n')
  for (const list of [
    ...lists.map(({ body }) => body.events),
    lines.map((line) => JSON.parse(line)),
    (await exported()).events,
  ]) {
    const found = first(list)
    deepEqual(keys(found ?? {}), LISTED)
    deepEqual(found, shown)
  }
  const collapsed = await service.get(`${path}&collapse=series`)
  deepEqual(keys(collapsed.body.events[0]), [...LISTED, OF_COLLAPSED].sort())
})

test('the interface description has every member, and requires those that every event has', async () => {
  const { Event, Series } = (await service.get('/doc')).body.components.schemas
  deepEqual(keys(Event.properties), keys(eventMembers))
  deepEqual(
    [...Event.required].sort(),
    names(({ rare }) => rare === undefined),
  )
  deepEqual(keys(Series.properties), OF_SERIES)
})

test('a table has a filled cell for each member that is not left out', async () => {
  const [row = {}]: Record<string, string>[] = parse(await feed('csv'), { columns: true })
  const linked = Object.entries<LinkedField>({ ...venueFields, ...organizerFields })
  for (const [name, { csv }] of linked)
    if (typeof csv !== 'object') notEqual(row[csv === true ? name : csv] ?? '', '', name)
  for (const [name, { csv }] of members) {
    if (typeof csv === 'object') ok(!(name in row), name)
    else notEqual(row[csv === true ? name : csv] ?? '', '', name)
  }
})

test('an item of JSON Feed has each member that is not left out', async () => {
  const { items } = JSON.parse(await feed('jsonfeed'))
  const [{ _kalends: own, ...item }] = items
  for (const [name, { feed, rare }] of members) {
    if (typeof feed === 'object') ok(!(name in own), name)
    else {
      const place = feed === true ? name : feed
      const [, below] = place.split('_kalends.')
      notEqual(rare !== undefined ? own[name] : below ? own[below] : item[place], undefined, name)
    }
  }
})

test('a series shows each member that is not left out', async () => {
  const { body } = await service.get(`~/wp-json/kalends/v1/series/${event.post_parent}`, 'admin')
  deepEqual(keys(body), OF_SERIES)
})

test('a calendar file has each member that is not left out', async () => {
  const { body } = await service.get(`/events?format=ics&recurrence=expanded&${WINDOW}`)
  const series = new ICAL.Component(ICAL.parse(await feed('ics'))).getAllSubcomponents('vevent')
  const dates = new ICAL.Component(ICAL.parse(body)).getAllSubcomponents('vevent')
  const component = dates[0]
  const rule = series[0]
  const has = new Set([component, rule].flatMap((one) => one?.getAllProperties().map(({ name }) => name)))
  for (const [name, { ics }] of members) if (typeof ics === 'string') ok(has.has(ics.toLowerCase()), name)
})

test('linked data have each member that is not left out', async () => {
  const [item] = JSON.parse(await feed('jsonld'))['@graph']
  for (const [name, { jsonld }] of members)
    if (typeof jsonld === 'string') notEqual(item[jsonld], undefined, name)
})

test('assistants are told of each member that is not left out', async () => {
  const { structuredContent } = await call(service, 'get_event', { id: event.id })
  const told = structuredContent.event
  for (const [name, { assistants }] of members)
    if (typeof assistants === 'object') ok(!(name in told), name)
    else notEqual(told[assistants === true ? name : assistants], undefined, name)
})

type Labelled = Exclude<RareColumn, (typeof PLACED_FIELDS)[number]>

const ON_PAGE: Readonly<Record<Exclude<WithValue<typeof eventMembers, 'page', true>, Labelled>, RegExp>> = {
  title: /Summer concert/,
  description: /Music until late/,
  excerpt: /Music in short/,
  timezone: /title="Central European Summer Time"/,
  all_day: /<time /,
  start_date: /8:15/,
  end_date: /11:45/,
  image: /srcset=/,
  cost: /12/,
  website: /https:\/\/example\.org\/concert/,
  show_map: /Show on map/,
  show_map_link: /Show on map/,
  event_status: /This event has been postponed\./,
  event_status_reason: /Too much rain/,
  categories: /Concerts/,
  tags: /Open air/,
  venue: /Town hall/,
  organizer: /Music club/,
  recurrence: /Every Saturday, 2 times/,
  url: /rel="canonical"/,
  timezone_abbr: /CEST/,
  captions: /Captions/,
  audio_description: /Audio description/,
  relaxed: /Relaxed performance/,
  easy_language: /Easy language/,
  free_companion: /Free ticket for a companion/,
  sign_language: /Sign language: DGS/,
  image_alt: /alt="Some image_alt"/,
  access_note: /Some access_note/,
  access_contact: /Questions about access: Some access_contact/,
  attendance: /In person and online/,
  online_url: /href="https:\/\/meet\.example\/room-7\?pwd=x"/,
  online_label: /Some online_label/,
  online_shown: /Some online_label/,
}

test('the page for people has each member that is not left out', async () => {
  const page = await (await fetch(event.url)).text()
  for (const [name, shown] of Object.entries(ON_PAGE)) match(page, shown, name)
  assertLabelled(page, eventFields, namesWith(eventFields, 'page', true), Object.keys(ON_PAGE))
})

const HIDDEN = /The link isn’t shown here\./
const ON_SERIES_PAGE: typeof ON_PAGE = {
  ...ON_PAGE,
  timezone: /CEST/,
  online_url: HIDDEN,
  online_label: HIDDEN,
  online_shown: HIDDEN,
}

test('the page of its series has each of them that series have', async () => {
  const { body } = await service.get(`~/wp-json/kalends/v1/series/${event.post_parent}`)
  const page = await (await fetch(body.url)).text()
  const shared: readonly string[] = namesWith(eventMembers, 'series', true)
  for (const [name, shown] of Object.entries(ON_SERIES_PAGE))
    if (shared.includes(name)) match(page, shown, name)
  const named = namesWith(eventFields, 'page', true).filter((name) => shared.includes(name))
  assertLabelled(page, eventFields, named, Object.keys(ON_PAGE))
})

function assertLabelled(
  page: string,
  fields: Readonly<Record<string, FieldData>>,
  names: readonly string[],
  placed: readonly string[],
): void {
  for (const name of names.filter((one) => !placed.includes(one))) {
    const { label, about = '' } = fields[name] ?? {}
    ok(page.includes(`<dt>${label ?? about}</dt>`), name)
  }
}

const ON_VENUE_PAGE: Readonly<Record<(typeof PLACED_LINKED_FIELDS)['venue'][number], RegExp>> = {
  venue: /Town hall/,
  description: /By the river/,
  address: /Main Street 1/,
  city: /Kilvara/,
  country: /Portugal/,
  zip: /12345/,
  phone: /\+351 1/,
  stateprovince: /Alto/,
  website: /https:\/\/example\.org\/hall/,
  image: /srcset=/,
  geo_lat: /mlat=53/,
  geo_lng: /mlon=-8/,
  step_free: /Step-free access/,
  accessible_toilet: /Accessible toilet/,
  accessible_parking: /Accessible parking/,
  lift: /Lift/,
  hearing_loop: /Hearing loop/,
  quiet_space: /Quiet space/,
  assistance_dogs: /Assistance dogs welcome/,
}
const ON_ORGANIZER_PAGE: Readonly<Record<(typeof PLACED_LINKED_FIELDS)['organizer'][number], RegExp>> = {
  organizer: /Music club/,
  description: /Since 1901/,
  phone: /\+351 2/,
  website: /https:\/\/example\.org\/club/,
  email: /club@example\.org/,
  image: /srcset=/,
}

test('the pages of its venue and organizer have each field that is not left out', async () => {
  const pages = [
    [event.venue.url, ON_VENUE_PAGE, venueFields],
    [event.organizer[0].url, ON_ORGANIZER_PAGE, organizerFields],
  ] as const
  for (const [url, placed, fields] of pages) {
    const page = await (await fetch(url)).text()
    for (const [name, shown] of Object.entries(placed)) match(page, shown, name)
    const named = Object.entries<LinkedField>(fields).flatMap(([name, field]) =>
      field.page === true ? [name] : [],
    )
    assertLabelled(page, fields, named, Object.keys(placed))
  }
})

test('an import of an answer takes every field that is carried over', () => {
  const item = [...itemsOf('event', event, '')].at(-1)
  ok(item && 'kind' in item)
  const taken = { ...item.values, ...item.links, image: item.image }
  deepEqual(keys(taken), [...carriedFields(eventFields)].sort())
  for (const [name, value] of Object.entries(taken)) ok(value !== '' && value !== undefined, name)
})

test('of a withdrawn event the columns that are not left out are kept, and its title', async () => {
  await service.remove(`/events/${event.id}`)
  const { read } = service.app.database
  const { kept, ...row } = await read
    .selectFrom('withdrawn_events')
    .selectAll()
    .where('event', '=', event.id)
    .executeTakeFirstOrThrow()
  const columns: Shown = JSON.parse(kept)
  for (const [name, { from, withdrawn }] of members) {
    if (from === 'link') notEqual(row[LINKS[name] ?? 'terms'], '[]', name)
    else equal(name in columns, withdrawn === true, name)
  }
  const acts = await read
    .selectFrom('history')
    .selectAll()
    .where('record', '=', event.id)
    .where('kind', '=', 'event')
    .execute()
  deepEqual(new Set(acts.map(({ name }) => name)), new Set(['Summer concert']))
})

const LINKS: Readonly<Record<string, 'venues' | 'organizers' | 'terms'>> = {
  venue: 'venues',
  organizer: 'organizers',
}
