import { ok } from 'node:assert/strict'
import { fc } from './rounds.ts'
import type { Reader, TestService } from './service.ts'

export const PATHS = ['categories', 'tags', 'venues', 'organizers', 'events'] as const
export type Path = (typeof PATHS)[number]

export const WORDS = 'lantern Harbour harbour-side Crème jazz JAZZ ärger market mark x1'.split(' ')

export const POINTS = [
  [40.7, -74],
  [40.72, -74.01],
  [41.5, -73],
  [48.1, 11.6],
  [-17.7, 179.9],
  [-17.8, -179.9],
] as const

export interface Write {
  path: Path
  as: Reader
  pick: number | undefined
  isRemoval: boolean
  fields: Readonly<Record<string, unknown>>
}

interface Picked {
  of: Path
  numbers: readonly number[]
}

const isPicked = (value: unknown): value is Picked =>
  typeof value === 'object' && value !== null && 'numbers' in value

const text = fc
  .array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 3 })
  .map((words) => words.join(' '))
const termName = fc
  .tuple(text, fc.constantFrom('', '', "'", '’s', ' &amp; co', ' [2027]'))
  .map(([words, signs]) => words + signs)
const picked = (of: Path, most: number): fc.Arbitrary<Picked> =>
  fc.array(fc.nat(20), { maxLength: most }).map((numbers) => ({ of, numbers }))
const status = fc.oneof(
  { weight: 5, arbitrary: fc.constant('publish') },
  { weight: 2, arbitrary: fc.constantFrom('draft', 'pending', 'private', 'future') },
)
const at = (from: number, to: number) =>
  fc
    .tuple(fc.integer({ min: from, max: to }), fc.integer({ min: 0, max: 23 }))
    .map(
      ([day, hour]) =>
        new Date(Date.now() + day * 86_400_000).toISOString().slice(0, 11) + `${hour}`.padStart(2, '0'),
    )
    .map((moment) => `${moment.replace('T', ' ')}:30:00`)

const times = fc
  .tuple(fc.oneof(at(-60, 800), at(-2, 9)), fc.integer({ min: 1, max: 70 }), fc.integer({ min: 0, max: 5 }))
  .map(([start, hours, chance]) => ({
    start_date: start,
    end_date: new Date(Date.parse(`${start.replace(' ', 'T')}Z`) + hours * 3_600_000)
      .toISOString()
      .slice(0, 19),
    all_day: chance === 0,
  }))

const point = fc
  .option(fc.constantFrom(...POINTS), { nil: undefined })
  .map((found) => (found ? { geo_lat: found[0], geo_lng: found[1] } : { geo_lat: '', geo_lng: '' }))

const fact = fc.constantFrom(undefined, true, true, false, '')

const fieldsOf: Record<Path, fc.Arbitrary<Readonly<Record<string, unknown>>>> = {
  events: fc
    .tuple(
      fc.record({
        title: text,
        description: text,
        excerpt: text,
        status,
        date: at(-400, -1),
        featured: fc.boolean(),
        captions: fact,
        cost: fc.constantFrom('', '0', 'Free', 'Eintritt frei', '0 – 10', '5 €'),
        attendance: fc.constantFrom('', 'in_person', 'online', 'mixed'),
        sign_language: fc.constantFrom(undefined, 'bfi', ''),
        event_status: fc.constantFrom('scheduled', 'scheduled', 'canceled', 'postponed', ''),
        sticky: fc.boolean(),
        hide_from_listings: fc.integer({ min: 0, max: 9 }).map((chance) => chance === 0),
        venue: picked('venues', 1),
        organizer: picked('organizers', 2),
        categories: picked('categories', 2),
        tags: picked('tags', 2),
        recurrence: fc.constantFrom(
          undefined,
          undefined,
          undefined,
          '',
          'RRULE:FREQ=DAILY;COUNT=3',
          'RRULE:FREQ=WEEKLY;COUNT=4',
        ),
      }),
      times,
    )
    .map(([own, when]) => ({ ...own, ...when })),
  venues: fc
    .tuple(
      fc.record({
        venue: text,
        description: text,
        city: text,
        status,
        date: at(-400, -1),
        step_free: fact,
        lift: fact,
      }),
      point,
    )
    .map(([own, where]) => ({ ...own, ...where })),
  organizers: fc.record({ organizer: text, description: text, status, date: at(-400, -1) }),
  categories: fc.record({ name: termName, description: text, parent: picked('categories', 1) }),
  tags: fc.record({ name: termName, description: text }),
}

export function anyWrite(path: Path, choice: fc.Arbitrary<number | undefined>): fc.Arbitrary<Write> {
  return fc.record({
    path: fc.constant(path),
    as: fc.constantFrom<Reader>('admin', 'editor', 'author', 'author', 'contributor'),
    pick: choice,
    isRemoval: fc.integer({ min: 0, max: 4 }).map((chance) => chance === 0),
    fields: fieldsOf[path],
  })
}

export interface Calendar {
  service: TestService
  ids: Record<Path, number[]>
}

/** Makes a write. The service may refuse it, but must not fail with a 5xx status. */
export async function makeWrite({ service, ids }: Calendar, write: Write): Promise<void> {
  const { path, pick, isRemoval, as } = write
  const id = pick === undefined ? undefined : ids[path][pick % ids[path].length]
  const fields = Object.fromEntries(
    Object.entries(write.fields).map(([name, value]) => [
      name,
      isPicked(value) ? idsOf(ids, value, name) : value,
    ]),
  )
  const mayMakeTerms = path === 'categories' || path === 'tags' ? 'editor' : as
  const answer =
    id === undefined
      ? await service.post(`/${path}`, fields, mayMakeTerms)
      : isRemoval
        ? await service.remove(`/${path}/${id}`, as)
        : await service.post(`/${path}/${id}`, fields, as)
  ok(answer.status < 500, JSON.stringify(answer.body))
  if (answer.status === 201) ids[path].push(answer.body.id)
}

function idsOf(ids: Calendar['ids'], { of, numbers }: Picked, name: string): unknown {
  const known = numbers.flatMap((number) => ids[of][number % Math.max(1, ids[of].length)] ?? [])
  return name === 'parent' ? (known[0] ?? 0) : known
}
