import { eventFields } from './event-fields.ts'
import type { Columns } from './field.ts'
import { factOfAccess, type Kind, someOf } from './kinds.ts'
import { venueFields } from './linked-fields.ts'
import {
  address,
  arrayOf,
  asColumn,
  dateTime,
  emptyList,
  everywhere,
  globalIdSchema,
  id,
  type Member,
  type NamesIn,
  namesWith,
  record,
  repetition,
  type Schema,
  saidBy,
  schemaRef,
  string,
  type Tabled,
  type WithValue,
} from './member.ts'

export const venueFacts = namesWith(venueFields, 'kind', factOfAccess)

export const eventFacts = [...namesWith(eventFields, 'kind', factOfAccess), 'sign_language'] as const

export const accessFacts: readonly string[] = [...venueFacts, ...eventFacts]

export const accessList = someOf(accessFacts)

export function factsIn<Fact extends string>(
  record: Readonly<Partial<Record<Fact, unknown>>>,
  facts: readonly Fact[],
): Fact[] {
  return facts.filter((fact) => Boolean(record[fact]))
}

const { recurrence_scope: _scope, ...shownFields } = eventFields
const details = (name: string) => ({ ...saidBy(name), schema: schemaRef('DateDetails') })
const WITH_OFFSET = { not: 'times have their offset or their zone' }
const inUtc = {
  ...everywhere,
  schema: dateTime,
  feed: WITH_OFFSET,
  assistants: WITH_OFFSET,
  series: WITH_OFFSET,
  page: WITH_OFFSET,
} as const
const NUMBERED = { not: 'id has it' }

/**
 * The members of an event in responses: the fields, and members that clients cannot set (rule 5.1).
 * `event-present.ts` decides their order.
 */
export const eventMembers = {
  ...shownFields,
  id: {
    ...everywhere,
    schema: id,
    feed: { not: 'its UID stays the same elsewhere' },
    page: { not: 'url names it' },
  },
  global_id: { ...saidBy('id'), schema: globalIdSchema },
  global_id_lineage: { ...saidBy('id'), schema: arrayOf(globalIdSchema) },
  modified: { ...saidBy('modified_utc'), from: 'column', schema: dateTime, withdrawn: true },
  modified_utc: {
    ...everywhere,
    schema: dateTime,
    feed: 'date_modified',
    ics: 'LAST-MODIFIED',
    jsonld: 'mainEntityOfPage',
    assistants: { not: 'assistants ask when events take place' },
    page: { not: 'readers of events ask when they take place' },
  },
  url: {
    ...everywhere,
    from: 'computed',
    schema: address,
    ics: 'URL',
    jsonld: 'url',
    withdrawn: { not: 'it is made of columns' },
  },
  rest_url: { ...saidBy('id'), schema: address, feed: '_kalends.rest_url', series: true },
  start_date_details: details('start_date'),
  end_date_details: details('end_date'),
  utc_start_date: inUtc,
  utc_start_date_details: details('utc_start_date'),
  utc_end_date: inUtc,
  utc_end_date_details: details('utc_end_date'),
  timezone_abbr: { ...saidBy('timezone'), schema: string, page: true },
  cost_details: { ...saidBy('cost'), schema: schemaRef('CostDetails'), series: true },
  custom_fields: { ...saidBy('an empty list'), schema: emptyList },
  json_ld: {
    ...saidBy('the format jsonld'),
    rare: true,
    schema: schemaRef('LinkedData'),
    lists: { not: 'the format jsonld has it' },
  },
  post_parent: { ...saidBy('recurrence'), rare: true, schema: id, assistants: 'series', series: NUMBERED },
  next_occurrences: {
    ...saidBy('a collapsed list'),
    rare: true,
    schema: arrayOf(
      record({
        id,
        start_date: dateTime,
        end_date: dateTime,
        utc_start_date: dateTime,
        utc_end_date: dateTime,
        rest_url: address,
      }),
    ),
  },
} as const satisfies Readonly<Record<string, Member>>

export type EventMembers = typeof eventMembers

/** Members of a series that events lack or have in another form (docs/series.md). */
export const seriesMembers = {
  recurrence: repetition,
  written_until: { type: ['string', 'null'] },
  created_utc: dateTime,
  occurrences: record({ total: { type: 'integer', minimum: 0 }, rest_url: address }),
} as const satisfies Readonly<Record<string, Schema>>

export type SeriesMember = NamesIn<EventMembers, 'series'> | keyof typeof seriesMembers

export type RareColumn = WithValue<EventMembers, 'rare', unknown> & WithValue<EventMembers, 'from', 'column'>

interface RareField extends Tabled<RareColumn> {
  by: RareColumn
}

const isRare = (name: keyof typeof eventFields): name is RareColumn =>
  'rare' in eventFields[name] && eventFields[name].from === 'column'
const rareColumns = (Object.keys(eventFields) as (keyof typeof eventFields)[]).filter(isRare)

/** Fields that responses leave out if field `by` is empty; with `place`, only those that this place shows. */
export function rareFields(
  place: 'csv' | 'feed' | 'assistants' | 'series' | 'page' | 'rare' = 'rare',
): readonly RareField[] {
  return rareColumns.flatMap((name) => {
    const { kind, ...member }: Member & { kind: Pick<Kind<unknown>, 'read' | 'show' | 'blank'> } =
      eventFields[name]
    if (typeof member[place] === 'object') return []
    const by = member.rare === true ? name : (member.rare as RareColumn)
    return [{ name, by, read: kind.read, show: kind.show ?? asColumn, blank: kind.blank }]
  })
}

export function showRare(
  rare: readonly RareField[],
  row: Partial<Columns<typeof eventFields>>,
): Partial<Record<RareColumn, unknown>> | undefined {
  let shown: Partial<Record<RareColumn, unknown>> | undefined
  for (const { name, by, show } of rare) {
    if (row[by] === eventFields[by].kind.blank) continue
    shown ??= {}
    shown[name] = show(row[name])
  }
  return shown
}
