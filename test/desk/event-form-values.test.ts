import { deepEqual, equal, ok } from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { Input } from '../../src/base/fields/kinds.ts'
import { event } from '../../src/calendar/events/event.ts'
import { inputOf } from '../../src/features/desk/desk-inputs.ts'
import { sitAtDesk } from '../support/desk.ts'
import { uploadPicture } from '../support/pictures.ts'
import { onDay, type Reader, serviceForTests } from '../support/service.ts'

const VALUES: Readonly<Partial<Record<Input, readonly string[]>>> = {
  line: ['Some words', 'with <b>markup</b> & “signs” ☂'],
  text: [
    'One\nand two',
    '<p>Some <strong>text</strong> &amp; <script>x()</script></p>',
    '<!-- wp:list -->\n<ul><li>a</li></ul>\n<!-- /wp:list -->',
  ],
  email: ['someone@example.org'],
  tel: ['+353 91 1'],
  url: ['https://example.org/a?b=c&d=e'],
  slug: ['a-slug-of-its-own'],
  number: ['12'],
  zone: ['Pacific/Auckland', 'UTC+2'],
  switch: ['1', '0'],
  fact: ['yes', 'no', ''],
}

type Posted = Record<string, string | string[]>
const BY_HAND: Readonly<Record<string, (ids: Ids) => readonly { rest: unknown; form: Posted }[]>> = {
  start_date: () => [
    {
      rest: '2027-05-06 18:15:00',
      form: { start_date: 'Thu May 6 2027', start_time: '6:15pm', end_date: 'May 9 2027', end_time: '12' },
    },
  ],
  end_date: () => [
    { rest: '2027-05-02 01:30:00', form: { end_time: '1:30' } },
    { rest: '2027-05-09 12:00:00', form: { end_date: '9 May 2027', end_time: 'noon', several_days: '1' } },
  ],
  all_day: () => [{ rest: '1', form: { all_day: '1' } }],
  cost: () => [
    { rest: 'Free – €5', form: { cost: 'Free – €5' } },
    { rest: ['5', '7'], form: { cost: ['5', '7'] } },
  ],
  image: ({ image }) => [{ rest: image, form: { image: String(image) } }],
  categories: ({ category }) => [
    { rest: [category], form: { categories: ['', String(category)] } },
    { rest: 'music', form: { new_categories: 'music' } },
  ],
  tags: ({ tag }) => [{ rest: [tag, 'late'], form: { tags: ['', String(tag)], new_tags: 'late' } }],
  venue: ({ venue }) => [{ rest: venue, form: { venue: [String(venue)] } }],
  organizer: ({ organizer }) => [{ rest: [organizer], form: { organizer: ['', String(organizer)] } }],
  recurrence: () => [
    {
      rest: 'RRULE:FREQ=WEEKLY;INTERVAL=2;COUNT=3;BYDAY=SA,SU',
      form: { repeats: 'weekly', repeat_every: '2', repeat_count: '3', repeat_days: ['sa', 'su'] },
    },
    {
      rest: 'RRULE:FREQ=MONTHLY;UNTIL=20271001T000000Z;BYDAY=1SA',
      form: { repeats: 'monthly', repeat_place: 'weekday', repeat_until: 'Sep 30 2027' },
    },
    {
      rest: 'RDATE;TZID=America/New_York:20270701T100000',
      form: { repeats: 'dates', more_dates: '1 July 2027' },
    },
  ],
  author: ({ author }) => [{ rest: author, form: { author: String(author) } }],
  sign_language: () => [{ rest: 'bfi', form: { sign_language: 'bfi' } }],
  online_shown: () => [{ rest: 'before:15', form: { online_shown: 'before:15' } }],
}

const UNASKED = ['date', 'date_utc', 'recurrence_scope']

interface Ids {
  image: number
  category: number
  tag: number
  venue: number
  organizer: number
  author: number
}

const OWN =
  /^(?:id|global_id|global_id_lineage|url|rest_url|json_ld|date|date_utc|modified|modified_utc|post_parent)$/

function differences(one: Record<string, unknown>, other: Record<string, unknown>): unknown {
  const shown = (body: Record<string, unknown>, name: string) =>
    JSON.stringify(body[name], (member, value) => (OWN_IN_SERIES.has(member) ? undefined : value))
      ?.replace(/-[1-9]\d?"$/, '"')
      .replace(/(?:\/event\/|\?post_type).*/, '')
  const names = new Set([...Object.keys(one), ...Object.keys(other)])
  const unlike = [...names].filter((name) => !OWN.test(name) && shown(one, name) !== shown(other, name))
  return Object.fromEntries(unlike.map((name) => [name, [one[name], other[name]]]))
}

const enumOf = (wire: { enum?: readonly string[] }) => wire.enum ?? []

const OWN_IN_SERIES = new Set(['series', 'next_occurrences'])

describe('what the form of an event saves', () => {
  const service = serviceForTests()
  let ids: Ids

  before(async () => {
    ids = {
      image: await uploadPicture(service, 30, 20),
      category: (await service.create('/categories', { name: 'Concerts' })).id,
      tag: (await service.create('/tags', { name: 'outdoors' })).id,
      venue: (await service.create('/venues', { venue: 'Mill' })).id,
      organizer: (await service.create('/organizers', { organizer: 'Choir' })).id,
      author: Number(
        (await service.event({ title: 'By somebody', start_date: '2027-05-01', end_date: '2027-05-01' }))
          .author,
      ),
    }
  })

  const times = onDay('2027-05-01', '10:00:00', '12:00:00')
  const typed = { start_date: '2027-05-01', start_time: '10:00', end_time: '12:00' }

  function casesOf(name: string): readonly { rest: unknown; form: Posted }[] {
    const own = BY_HAND[name]?.(ids)
    if (own) return own
    const field = event.fields[name as keyof typeof event.fields]
    const input = inputOf(field)
    const words =
      input === 'choice'
        ? name === 'status'
          ? ['draft', 'pending', 'private', 'publish']
          : enumOf(field.kind.wire)
        : VALUES[input ?? 'line']
    return (words ?? []).map((value) => ({ rest: value, form: { [name]: value } }))
  }

  for (const role of ['editor', 'author', 'contributor'] as const satisfies readonly Reader[])
    for (const name of Object.keys(event.fields).filter((field) => !UNASKED.includes(field)))
      test(`${role}: ${name} is as REST would have it`, async () => {
        if (name === 'author' && role !== 'editor') return
        const desk = await sitAtDesk(service, role)
        const cases = casesOf(name)
        ok(cases.length > 0, `no value of ${name}`)
        for (const { rest, form } of cases) {
          const title = { title: `About ${name}` }
          const extra =
            name === 'start_date' ? { end_date: '2027-05-09 12:00:00' } : name === 'end_date' ? {} : {}
          const written = await service.post('/events', { ...title, ...times, ...extra, [name]: rest }, role)
          const saved = await desk.post('/desk/events/new', { ...title, ...typed, ...form })
          equal(written.status, 201, JSON.stringify(written.body))
          equal(
            saved.status,
            303,
            `${JSON.stringify(form)} ${/<div class="summary.*?<\/div>/s.exec(String(saved.body))?.[0]}`,
          )
          const id = Number(/events\/(\d+)/.exec(saved.headers.get('location') ?? '')?.[1])
          const [one, other] = await Promise.all([
            service.get(`/events/${written.body.id}`, 'admin'),
            service.get(`/events/${id}`, 'admin'),
          ])
          deepEqual(differences(one.body, other.body), {}, JSON.stringify(form))
        }
      })
})
