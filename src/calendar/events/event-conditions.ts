import { type ExpressionBuilder, sql } from 'kysely'
import { eventFacts } from '../../base/fields/event-members.ts'
import type { Box } from '../../base/fields/kinds.ts'
import type { EventWindow } from '../../store/memory/event-index-list.ts'
import type { IdSet } from '../../store/storage/id-set.ts'
import type { Tables, Taxonomy } from '../../store/storage/schema.ts'
import { alsoAmong } from '../../store/storage/search/search-index.ts'
import { wholeList } from '../../store/storage/sql-parts.ts'
import { type Circle, withinBox, withinCircle } from '../../store/storage/within.ts'
import type { Context } from '../declare/context.ts'
import { momentAfter, type Status, shownTo, visibleTo } from '../records/record-store.ts'
import { findIdsByEntries } from '../terms/term-store.ts'

type Events = ExpressionBuilder<Tables, 'events'>

interface By {
  context: Context
}

export type Condition = (record: Events) => ReturnType<Events['and']>

/** Events that the caller may see, without those hidden from listings (rule 13.6). */
export function listedTo({ caller }: Context, statuses: readonly Status[]): Condition {
  return (record) =>
    record.and([
      record('events.status', 'in', [...statuses]),
      record('events.hide_from_listings', '=', 0),
      visibleTo(caller, 'events'),
    ])
}

export function withinWindow(window: EventWindow): Condition {
  const bounds = [
    ['start_date', '>=', window.startsAfter === undefined ? window.from : undefined],
    ['start_date', '<=', window.endsBefore === undefined ? window.to : undefined],
    ['start_date', '<', window.startsBefore],
    ['start_date', '>', window.startsAfter],
    ['end_date', '<', window.endsBefore],
    ['end_date', '>', window.endsAfter],
  ] as const
  return (record) =>
    record.and(
      bounds.flatMap(([column, operator, bound]) =>
        bound === undefined ? [] : [record(`events.${column}`, operator, bound)],
      ),
    )
}

/** Events that begin in one of `hours` (0 to 23), without events of whole days. */
export function beginningAt(hours: readonly number[]): Condition {
  const asWritten = hours.map((hour) => String(hour).padStart(2, '0'))
  return (record) =>
    record.and([
      record(sql<string>`substr(events.start_date, 12, 2)`, 'in', asWritten),
      record.or([
        record(sql<string>`substr(events.start_date, 12)`, '<>', '00:00:00'),
        record(sql<string>`substr(events.end_date, 12)`, '<>', '23:59:59'),
      ]),
    ])
}

/** Events with one of the terms, or with a descendant of one. */
export async function inTerms(
  taxonomy: Taxonomy,
  entries: readonly string[],
  { db }: Context,
): Promise<Condition> {
  const list = wholeList(db, await findIdsByEntries(db, taxonomy, entries))
  return (record) =>
    record('events.id', 'in', record.selectFrom('event_terms').select('event').where('term', 'in', list))
}

export function modifiedAfter(value: string | number, { context }: By): Condition {
  return (record) => record('events.modified_utc', '>', momentAfter(value, context))
}

function shownVenues(record: Events, { caller }: Context) {
  return record
    .selectFrom('event_venues')
    .innerJoin('venues', 'venues.id', 'event_venues.venue')
    .select('event')
    .where(shownTo(caller, 'venues'))
}

export function atVenues(ids: readonly number[], { context }: By): Condition {
  const list = wholeList(context.db, ids)
  return (record) =>
    record('events.id', 'in', shownVenues(record, context).where('event_venues.venue', 'in', list))
}

/** Events with all of the access facts, each of the event or of a venue that the caller sees. */
export function withAccess(facts: readonly string[], { context }: By): Condition {
  return (record) =>
    record.and(
      facts.map((fact) => {
        const own = eventFacts.find((known) => known === fact)
        if (own) return own === 'sign_language' ? record(own, '!=', '') : record(`events.${own}`, '=', 1)
        return record(
          'events.id',
          'in',
          shownVenues(record, context).where(sql.ref(`venues.${fact}`), '=', 1),
        )
      }),
    )
}

export function byOrganizers(ids: readonly number[], { context: { db, caller } }: By): Condition {
  return (record) =>
    record(
      'events.id',
      'in',
      record
        .selectFrom('event_organizers')
        .innerJoin('organizers', 'organizers.id', 'event_organizers.organizer')
        .select('event')
        .where('event_organizers.organizer', 'in', wholeList(db, ids))
        .where(shownTo(caller, 'organizers')),
    )
}

export function located(wanted: boolean, context: Context): Condition {
  return (record) => {
    const there = record('events.id', 'in', shownVenues(record, context).where('geo_lat', 'is not', null))
    return wanted ? there : record.not(there)
  }
}

export function atVenueWithin(circle: Circle, context: Context): Condition {
  return (record) =>
    record('events.id', 'in', shownVenues(record, context).where(withinCircle(context.db, circle)))
}

export function atVenueInBox(box: Box, { context }: By): Condition {
  return (record) => record('events.id', 'in', shownVenues(record, context).where(withinBox(box)))
}

export function withIds(ids: readonly number[], { context: { db } }: By): Condition {
  return (record) => record('events.id', 'in', wholeList(db, ids))
}

export function amongEvents(ids: IdSet, all: Condition, { db }: Context): Condition {
  const narrowed = alsoAmong(db, ids)
  return (record) => record.and([narrowed(all(record))])
}

export function firstOfSeries(all: Condition): Condition {
  return (record) => {
    const ranked = record
      .selectFrom('events')
      .where('events.series', 'is not', null)
      .where(all)
      .select([
        'events.id',
        sql<number>`row_number() over (partition by series order by start_date, date, id)`.as('place'),
      ])
    const first = record.selectFrom(ranked.as('ranked')).select('ranked.id').where('ranked.place', '=', 1)
    return record.and([
      all(record),
      record.or([record('events.series', 'is', null), record('events.id', 'in', first)]),
    ])
  }
}
