import type { Random } from '../../bench/random.ts'
import type { Seeded, SeededRecord } from './calendar-seed.ts'
import type { DescribedField, Schema } from './described-operations.ts'

const WORDS = [
  'Autumn',
  'fair',
  'jazz',
  'night',
  'Grüße',
  'market',
  'été',
  'hall',
  '寺',
  'open',
  'air',
  "O'Neil",
  '& co',
]
const MOMENTS = [
  '2027-05-04 19:30:00',
  '2026-11-21',
  '2026-12-24T18:00:00+01:00',
  '2026-11-01T01:30:00-05:00',
  '2027-03-14 02:30:00',
  'now',
  'tomorrow',
  '+3 days',
  1_800_000_000,
  '1999-12-31 23:59:59',
]
const ZONES = ['Europe/Berlin', 'UTC+2', 'America/New_York', '+05:45', 'UTC', '']
const ADDRESSES = ['https://example.org/a?b=c&d=e', 'http://example.org', '']

const RECURRENCES = [
  'RRULE:FREQ=WEEKLY;COUNT=4',
  'RRULE:FREQ=MONTHLY;BYDAY=-1FR;UNTIL=20280101',
  ['RRULE:FREQ=DAILY;INTERVAL=3;COUNT=5', 'RDATE:20270620T100000', 'EXDATE:20270507T193000'],
  { frequency: 'weekly', count: 6, weekdays: ['tu', 'th'] },
  { frequency: 'yearly' },
  '',
  [],
  null,
]

export interface Known {
  seeded: Seeded
  latest: number
}

const COLLECTIONS = [
  ['people', 'people'],
  ['events_cat', 'categories'],
  ['event', 'events'],
  ['series', 'series'],
  ['venue', 'venues'],
  ['organizer', 'organizers'],
  ['categor', 'categories'],
  ['tag', 'tags'],
] as const

function recordsNamed(name: string, { seeded }: Known, random: Random): readonly SeededRecord[] {
  const own = name.replace(/^.*\/v\d\//, '')
  const found = COLLECTIONS.find(([part]) => own.includes(part)) ?? random.pick(COLLECTIONS)
  return seeded[found[1]] ?? []
}

export function knownId(name: string, known: Known, random: Random): number {
  const own = name.startsWith('/desk/people/') ? 1 : 0.75
  return random.chance(own)
    ? random.pick(recordsNamed(name, known, random)).id
    : random.whole(1, known.latest)
}

export function knownSlug(name: string, known: Known, random: Random): string {
  return random.pick(recordsNamed(name, known, random)).slug
}

export function validValue(field: DescribedField, known: Known, random: Random): unknown {
  const { name, schema } = field
  if (name === 'website') return random.pick(ADDRESSES)
  if (name === 'timezone') return random.pick(ZONES)
  if (name === 'author') return random.whole(1, 5)
  if (name === 'image') return random.pick([0, '', 0, '', random.whole(1, known.latest)])
  if (name.startsWith('geo_')) return random.pick(['', '', 52.5])
  if (name === 'per_page') return random.whole(1, 60)
  if (name === 'recurrence') return random.pick<unknown>(RECURRENCES)
  if (name === 'cost') return random.pick<unknown>(['Free', '$10 - $25', 5, ['5', '10'], '', '9 €'])
  if (schema.examples && name.includes('date')) return random.pick(MOMENTS)
  return allowedValue(schema, known, random, name)
}

function allowedValue(schema: Schema, known: Known, random: Random, name: string): unknown {
  if (schema.const !== undefined) return schema.const
  if (schema.enum) return random.pick(schema.enum)
  if (schema.anyOf) return allowedValue(random.pick(schema.anyOf), known, random, name)
  const types =
    typeof schema.type === 'string' ? [schema.type] : (schema.type ?? ['string', 'integer', 'boolean'])
  const type = random.pick(types)
  if (type === 'array') return manyOf(schema.items ?? {}, known, random, name)
  if (type === 'object') return recordOf(schema, known, random)
  return plainValue(type, schema, known, random, name)
}

function plainValue(type: string, schema: Schema, known: Known, random: Random, name: string): unknown {
  if (type === 'null') return null
  if (type === 'boolean') return random.chance(0.5)
  if (type === 'integer') return knownId(name, known, random)
  if (type === 'number') return random.whole(schema.minimum ?? 1, schema.maximum ?? 1000)
  return random.pick([
    '',
    '0',
    `${knownId(name, known, random)}`,
    phrase(random),
    phrase(random),
    phrase(random),
  ])
}

export function phrase(random: Random): string {
  return Array.from({ length: random.whole(1, 5) }, () => random.pick(WORDS)).join(' ')
}

function manyOf(schema: Schema, known: Known, random: Random, name: string): unknown[] {
  return Array.from({ length: random.whole(0, 3) }, () => allowedValue(schema, known, random, name))
}

function recordOf({ properties = {} }: Schema, known: Known, random: Random): object {
  const entries = Object.entries(properties)
  const kept = entries.filter(
    ([name], i) => i === 0 || name === 'venue' || name === 'organizer' || random.chance(0.2),
  )
  return Object.fromEntries(
    kept.map(([name, schema]) => [name, validValue({ name, schema, required: true }, known, random)]),
  )
}

/** Returns a valid value of a required field, so that the request gets past the checks of the others. */
export function requiredValue(field: DescribedField, random: Random): unknown {
  if (field.name === 'start_date') return `2027-0${random.whole(1, 9)}-1${random.whole(0, 9)} 19:00:00`
  if (field.name === 'end_date') return `2027-12-1${random.whole(0, 9)} 21:00:00`
  return `${phrase(random)} ${random.whole(0, 99_999)}`
}
