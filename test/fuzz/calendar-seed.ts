import type { FuzzedService } from './fuzzed-service.ts'
import { exchange, type Line } from './http-exchange.ts'
import type { Member } from './planned-request.ts'

const DAY = { start_date: '2027-05-04 19:30:00', end_date: '2027-05-04 21:00:00' }

function recordsOf(): [collection: string, members: Record<string, unknown>][] {
  const terms = ['Music', 'Fair', 'Jazz', 'Children'].flatMap((name): [string, object][] => [
    ['categories', { name }],
    ['tags', { name: `${name} tag` }],
  ])
  const linked = ['Hall', 'Park', 'Fair'].flatMap((name, i): [string, object][] => [
    [
      'venues',
      { venue: name, city: 'Berlin', geo_lat: 52.5 + i, geo_lng: 13.4, description: 'A place\n\nto be' },
    ],
    ['organizers', { organizer: `${name} friends`, email: 'friends@example.org' }],
  ])
  const events = ['publish', 'publish', 'publish', 'draft', 'pending', 'private', 'future', 'trash'].map(
    (status, i): [string, object] => [
      'events',
      {
        ...DAY,
        title: `Jazz night ${i}`,
        status,
        description: 'An evening\n\nof <b>music</b>',
        cost: '$5 - $10',
        venue: { venue: i % 2 === 0 ? 'Hall' : 'Park' },
        organizer: { organizer: 'Hall friends' },
        categories: ['Music'],
        tags: ['Jazz tag'],
        ...(status === 'future' ? { date: '2030-01-01 00:00:00' } : {}),
      },
    ],
  )
  const repeating = { ...DAY, title: 'Choir', recurrence: 'RRULE:FREQ=WEEKLY;COUNT=8' }
  return [...linked, ...terms, ...events, ['events', repeating]] as [string, Record<string, unknown>][]
}

export type Seeded = Readonly<Record<string, readonly SeededRecord[]>>

export interface SeededRecord {
  path: string
  id: number
  slug: string
}

export async function seedCalendar(service: FuzzedService, line: Line): Promise<Seeded> {
  const seeded: Record<string, SeededRecord[]> = {}
  for (const [collection, members] of recordsOf()) {
    const path = `${service.basePath}/${collection}`
    const entries: Member[] = Object.entries(members)
    const body = { kind: 'members', encoding: 'json', members: entries } as const
    const { answer } = await exchange(line, {
      as: 'admin',
      method: 'POST',
      path,
      query: [],
      headers: {},
      body,
    })
    if (answer?.status !== 201) throw new Error(`${collection} could not be seeded: ${answer?.body}`)
    const { id, slug, post_parent: series } = JSON.parse(String(answer.body))
    seeded[collection] = [...(seeded[collection] ?? []), { path: `${path}/${id}`, id, slug }]
    if (series)
      seeded.series = [{ path: `${service.restRoot}/kalends/v1/series/${series}`, id: series, slug }]
  }
  return seeded
}

export function touchedPaths(seeded: Seeded): string[] {
  return Object.values(seeded).flatMap((records) => records.slice(0, 1).map(({ path }) => path))
}
