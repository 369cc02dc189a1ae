import { findSeriesByIds } from '../events/event-store.ts'
import { ownFields } from '../events/recurrence-present.ts'
import { scheduleOf, TIMES, whenAt } from '../series/series-schedule.ts'
import { findOccurrencesAt } from '../series/series-store.ts'
import type { EventRow, SeriesRow } from '../storage/schema.ts'
import { utcToWall } from '../text/zones.ts'
import { type Fingerprints, fingerprintsOf, readFingerprints } from './fingerprints.ts'
import type { ImportRun } from './import-run.ts'
import { findItems } from './import-store.ts'
import { whenOf } from './item-times.ts'
import { fieldsOf, keyOf, type SourceItem, TEXTS } from './source-item.ts'

/** The occurrence of a series here that an item of the source describes. */
export interface Place {
  /** Id of the occurrence. */
  record: number
  /** Its original start, a wall time of the series. */
  start: string
  series: SeriesRow
  /** The own fields of the occurrence here. */
  own: readonly string[]
  /** The values of the source for the whole series. */
  shared: Fingerprints
}

/** The occurrences here for these items, by key; an item without a series, or at a date that the series does not have, has none. */
export async function findPlaces(
  { source, context: { db } }: Pick<ImportRun, 'source' | 'context'>,
  items: readonly Pick<SourceItem, 'kind' | 'identity' | 'occurrence'>[],
): Promise<Map<string, Place>> {
  const places = new Map<string, Place>()
  const asked = items.filter(({ kind, occurrence }) => kind === 'event' && occurrence !== '')
  if (source === undefined || asked.length === 0) return places
  const known = await findItems(db, source, 'series', [...new Set(asked.map(({ identity }) => identity))])
  const toldOf = new Map(known.map((item) => [item.identity, item]))
  const rows = await findSeriesByIds(
    db,
    known.map(({ record }) => record),
  )
  const wanted = asked.flatMap((item) => {
    const told = toldOf.get(item.identity)
    const series = told && rows.get(told.record)
    return series ? [{ item, series, told, start: startOf(item.occurrence, series) }] : []
  })
  const found = await occurrencesOf(db, wanted)
  for (const { item, series, told, start } of wanted) {
    const row = found.get(`${series.id} ${start}`)
    if (!row) continue
    const shared = readFingerprints(told.written)
    places.set(keyOf('event', item.identity, item.occurrence), {
      record: row.id,
      start,
      series,
      own: ownFields(row),
      shared,
    })
  }
  return places
}

type Occurrence = Pick<EventRow, 'id' | 'series' | 'recurrence_id' | 'own'>

async function occurrencesOf(
  db: ImportRun['context']['db'],
  wanted: readonly { series: SeriesRow; start: string }[],
): Promise<Map<string, Occurrence>> {
  if (wanted.length === 0) return new Map()
  const rows = await findOccurrencesAt(
    db,
    [...new Set(wanted.map(({ series }) => series.id))],
    [...new Set(wanted.map(({ start }) => start))],
  )
  return new Map(rows.map((row) => [`${row.series} ${row.recurrence_id}`, row]))
}

/** An original start as the series here has it. In a series with times, a day means the occurrence that starts on it. */
function startOf(occurrence: string, { timezone, all_day, start_date }: SeriesRow): string {
  if (occurrence.length === 10) return `${occurrence}${all_day === 1 ? ' 00:00:00' : start_date.slice(10)}`
  const wall = utcToWall(occurrence.slice(0, 19).replace('T', ' '), timezone)
  return all_day === 1 ? `${wall.slice(0, 10)} 00:00:00` : wall
}

/** An item reduced to the own fields of its occurrence. */
export function ownPart(item: SourceItem, { series, start, shared }: Place, now: number): SourceItem {
  const prints = fingerprintsOf(fieldsOf(item))
  const isTimed = hasOwnTimes(item, series, start, now)
  const isOwn = ([name]: [string, unknown]) =>
    TIMES.some((time) => time === name) ? isTimed : prints[name] !== shared[name]
  return {
    ...item,
    values: Object.fromEntries(Object.entries(item.values).filter(isOwn)),
    links: Object.fromEntries(Object.entries(item.links).filter(isOwn)),
    image: isOwn(['image', item.image]) ? item.image : undefined,
    pictures: [...TEXTS, 'pictures'].some((name) => isOwn([name, undefined])) ? item.pictures : undefined,
    ahead: undefined,
  }
}

function hasOwnTimes({ values }: SourceItem, series: SeriesRow, start: string, now: number): boolean {
  const when = whenOf(values, now)
  const like = whenAt(scheduleOf(series), start)
  return !when || TIMES.some((name) => when[name] !== like[name])
}
