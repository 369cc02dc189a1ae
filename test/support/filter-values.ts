import {
  attendances,
  collapse,
  eventStatuses,
  timesOfDay,
  whenWord,
} from '../../src/base/fields/event-fields.ts'
import { accessList } from '../../src/base/fields/event-members.ts'
import * as kinds from '../../src/base/fields/kinds.ts'
import type { Context } from '../../src/calendar/declare/context.ts'
import type { Field, Fields } from '../../src/calendar/declare/resource.ts'
import { POINTS, WORDS } from './random-calendar.ts'
import { fc } from './rounds.ts'

export type Written = string | readonly string[]

export interface Named {
  ids: readonly number[]
  terms: readonly { slug: string; name: string }[]
}

const oneOf = (...values: readonly string[]): fc.Arbitrary<Written> => fc.constantFrom(...values)
const listOf = (values: readonly string[]): fc.Arbitrary<Written> =>
  fc.array(fc.constantFrom(...values), { minLength: 1, maxLength: 3 })

const phrases = [
  ...WORDS,
  'lantern jazz',
  '"jazz market"',
  'jazz -market',
  'arg',
  'CREME',
  '-',
  'nowhere',
  'lantenr markets',
]
const orders = ['asc', 'DESC', 'desc', 'name', 'id', 'slug', 'count', 'description', 'parent', 'include']
const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)
const dates = [-70, -30, 0, 10, 60, 200, 400, 900].flatMap((days) => [
  day(days),
  `${day(days)} 12:30:00`,
  `${day(days)}T12:00:00+05:00`,
  String(Math.floor(Date.now() / 1000) + days * 86_400),
])
const latitudes = POINTS.map(([north]) => String(north))
const longitudes = POINTS.map(([, east]) => String(east))

const spelled = (name: string) => [
  name,
  name.toUpperCase(),
  `[${name}`,
  name.replaceAll("'", '’').replaceAll('&amp;', '&'),
  name.replaceAll("'", '&#039;'),
]

const drawn = new Map<unknown, (named: Named) => fc.Arbitrary<Written>>([
  [kinds.count, () => oneOf('1', '2', '3', '5', '20', '0', '1e1')],
  [kinds.untypedMoment, () => oneOf(...dates, 'now', '+3 weeks', 'tomorrow', 'soon')],
  [kinds.switchWord, () => oneOf('true', 'false', '1', 'on', 'no', '0')],
  [kinds.flag, () => oneOf('true', 'false', '1', '0', 'TRUE', 'perhaps')],
  [kinds.upcomingFlag, () => oneOf('true', 'false', '1', '0', 'yes', 'perhaps')],
  [kinds.looseWord, () => oneOf('true', 'false', '1', '0', 'yes', 'perhaps')],
  [kinds.text, ({ terms }) => oneOf(...phrases, ...orders, ...terms.map(({ slug }) => slug))],
  [
    kinds.words,
    () => listOf(['publish', 'publish', 'draft', 'pending', 'private', 'future', 'trash', 'other']),
  ],
  [collapse, () => oneOf('series', 'series', 'all')],
  [accessList, () => listOf(['step_free', 'lift', 'captions', 'sign_language', 'wings'])],
  [whenWord, () => oneOf('now', 'today', 'tonight', 'tomorrow', 'weekend', 'week', 'month', 'soon')],
  [timesOfDay, () => listOf(['morning', 'afternoon', 'evening', 'evening', 'night'])],
  [attendances, () => listOf(['in_person', 'online', 'mixed', 'online', 'absent'])],
  [eventStatuses, () => listOf(['scheduled', 'canceled', 'postponed', 'canceled', 'moved'])],
  [kinds.latitude, () => oneOf(...latitudes, '', '91')],
  [kinds.longitude, () => oneOf(...longitudes, '', '200')],
  [
    kinds.box,
    () =>
      fc.oneof(
        fc
          .tuple(
            oneOf(...longitudes, '-180'),
            oneOf(...latitudes, '-90'),
            oneOf(...longitudes, '180'),
            oneOf(...latitudes, '90'),
          )
          .map((sides) => sides.join(',')),
        oneOf('-180,-90,180,90', '170,-50,-60,70', '1,2,3', '0,91,1,92', '5,9,6,8'),
      ),
  ],
  [kinds.distance, () => oneOf('1', '3.5', '150', '20000', '0')],
  [kinds.ids, ({ ids }) => listOf(ids.map(String))],
  [kinds.recordId, ({ ids }) => oneOf(...ids.map(String))],
  [kinds.parentId, ({ ids }) => oneOf('0', ...ids.map(String))],
  [
    kinds.idsOrSlugs,
    ({ ids, terms }) =>
      listOf([
        ...ids.map(String),
        ...terms.flatMap(({ slug, name }) => [slug, slug.toUpperCase(), ...spelled(name)]),
      ]),
  ],
])

export async function valuesOf(
  fields: Fields,
  named: Named,
  context: Context,
): Promise<ReadonlyMap<string, fc.Arbitrary<Written>>> {
  const values = new Map<string, fc.Arbitrary<Written>>()
  for (const [name, field] of Object.entries(fields))
    values.set(name, await valuesFor(name, field, named, context))
  return values
}

async function valuesFor(
  name: string,
  field: Field,
  named: Named,
  context: Context,
): Promise<fc.Arbitrary<Written>> {
  const draw = drawn.get(field.kind)
  if (!draw) throw new Error(`test/support/filter-values.ts draws no values of the kind of ${name}`)
  if (!field.lookUp) return draw(named)
  const isAccepted = async (value: unknown) => (await field.lookUp?.(value, context)) === true
  const ids = await only(named.ids, (id) => isAccepted(String(id)))
  const terms = await only(named.terms, ({ slug }) => isAccepted(slug))
  if (ids.length === 0) return draw(named)
  return fc.oneof({ weight: 12, arbitrary: draw({ ids, terms }) }, { weight: 1, arbitrary: draw(named) })
}

async function only<Value>(
  values: readonly Value[],
  test: (value: Value) => Promise<boolean>,
): Promise<Value[]> {
  const verdicts = await Promise.all(values.map(test))
  return values.filter((_, i) => verdicts[i])
}

type Spelling = (name: string, value: string) => string

const encoded = (text: string) => encodeURIComponent(text)
const escaped = (text: string) =>
  [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')

const spellings: readonly Spelling[] = [
  (name, value) => `${name}=${encoded(value)}`,
  (name, value) => `${name}=${encoded(value).replaceAll('%20', '+')}`,
  (name, value) => `${name}=${escaped(value)}`,
  (name, value) => `${escaped(name)}=${encoded(value)}`,
  // Of repeated keys, the last value counts.
  (name, value) => `${name}=zzz&${name}=${encoded(value)}`,
]

const listSpellings: readonly ((name: string, values: readonly string[]) => string)[] = [
  (name, values) => `${name}=${values.map(encoded).join(',')}`,
  (name, values) => `${name}=${encoded(values.join(','))}`,
  (name, values) => `${escaped(name)}=${values.map(encoded).join('%2C')}`,
  (name, values) => values.map((value) => `${name}=${encoded(value)}`).join('&'),
  (name, values) => values.map((value) => `${name}[]=${encoded(value)}`).join('&'),
  (name, values) => values.map((value) => `${name}%5B%5D=${encoded(value)}`).join('&'),
  (name, values) => values.map((value, i) => `${name}[${i}]=${encoded(value)}`).join('&'),
]

export interface Question {
  values: Readonly<Record<string, Written>>
  query: string
}

export function anyQuestion(
  values: ReadonlyMap<string, fc.Arbitrary<Written>>,
  names: fc.Arbitrary<readonly string[]>,
): fc.Arbitrary<Question> {
  return names
    .chain((chosen) =>
      fc.tuple(
        ...chosen.map((name) =>
          fc.tuple(fc.constant(name), values.get(name) ?? fc.constant(''), fc.nat(), fc.boolean()),
        ),
      ),
    )
    .map((parameters) => ({
      values: Object.fromEntries(parameters.map(([name, value]) => [name, value])),
      query: parameters
        .map(([name, value, spelling, isPlain]) => spell(name, value, isPlain ? 0 : spelling))
        .join('&'),
    }))
}

function spell(name: string, value: Written, spelling: number): string {
  if (typeof value === 'string') return spellings[spelling % spellings.length]?.(name, value) ?? ''
  return listSpellings[spelling % listSpellings.length]?.(name, value) ?? ''
}
