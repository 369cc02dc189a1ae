import type { Context } from '../context/context.ts'
import { changeEvent, type LookAtWritten, type PreparedEvent } from '../events/event-rules.ts'
import { type EventLinks, findEventLinks, type KnownLinks, updateEvent } from '../events/event-store.ts'
import { linksOf } from '../events/events.ts'
import { ownFields } from '../events/recurrence-present.ts'
import { occurrenceStarts } from '../recurrence/occurrences.ts'
import type { Recurrence } from '../recurrence/recurrence.ts'
import type { Tx } from '../storage/recording.ts'
import type { EventRow, SeriesRow } from '../storage/schema.ts'
import { renderTitle } from '../text/html.ts'
import { renderedText } from '../text/long-texts.ts'
import { formatUtc } from '../text/moments.ts'
import { slugify } from '../text/slug.ts'
import { addDates } from './change-series.ts'
import { newSeries, type Planned } from './create-series.ts'
import { readSchedule, scheduleOf, startsOf, TIMES, whenAt } from './series-schedule.ts'
import { readShared, type Shared, sharedOf } from './series-shared.ts'
import { findOccurrences, insertSeries, updateSeries } from './series-store.ts'

/** Changes one occurrence, and remembers which of its fields are its own from now on. */
export async function changeOccurrence(
  tx: Tx,
  series: SeriesRow,
  before: EventRow,
  prepared: PreparedEvent,
  context: Context,
  look: LookAtWritten<object>,
): Promise<object> {
  const had = await linksOf(tx, before)
  return changeEvent(tx, before, prepared, context, async (_tx, row, links) => {
    const has = await linksOf(tx, row, links)
    const own = ownNames(series, before, row, Object.keys(prepared.values), had, has)
    const now = own === row.own ? row : { ...row, own }
    if (now !== row) await updateEvent(tx, row, { own }, NO_LINKS)
    if (before.status === 'trash' && row.status !== 'trash') await bringBack(tx, series, row, context)
    return look(tx, now, links)
  })
}

const NO_LINKS = { venues: undefined, organizers: undefined, terms: undefined }

/** The names of the fields whose sent values differ from those of the series; others are as they were. */
function ownNames(
  series: SeriesRow,
  before: EventRow,
  after: EventRow,
  sent: readonly string[],
  had: EventLinks,
  has: EventLinks,
): string {
  const own = new Set(ownFields(before))
  const note = (name: string, isChanged: boolean, isShared: boolean) => {
    if (isShared) own.delete(name)
    else if (isChanged) own.add(name)
  }
  const shared = readShared(series)
  const times = whenAt(scheduleOf(series), before.recurrence_id)
  const common: Partial<EventRow> = { ...shared, ...times }
  const isTimed = TIMES.some((name) => sent.includes(name))
  for (const name of isTimed ? [...new Set([...sent, ...TIMES])] : sent) {
    if (name === 'slug' || !(name in common)) continue
    const column = name as keyof EventRow
    const isBack = name === 'status' && before.status === 'trash'
    note(name, !isBack && !looksAlike(before, after, column), after[column] === common[column])
  }
  for (const name of LINKS) {
    if (!sent.includes(name)) continue
    const [was, is] = [idsOf(had, name), idsOf(has, name)]
    note(name, was !== is, name in SHARED_LINKS && is === sharedIds(shared, name))
  }
  return [...own].sort().join(',')
}

/** Whether a column is the same, or a text that answers show alike: clients send back what they have read. */
function looksAlike(before: EventRow, after: EventRow, column: keyof EventRow): boolean {
  if (before[column] === after[column]) return true
  if (column === 'title')
    return renderTitle(before.title, before.trusted === 1) === renderTitle(after.title, after.trusted === 1)
  if (column !== 'description' && column !== 'excerpt') return false
  return renderedText(before[column], before.trusted === 1) === renderedText(after[column], after.trusted === 1)
}

const LINKS = ['venue', 'organizer', 'categories', 'tags'] as const
const SHARED_LINKS = { venue: 'venues', organizer: 'organizers' } as const

function idsOf(links: EventLinks, name: (typeof LINKS)[number]): string {
  const rows = { venue: links.venues, organizer: links.organizers, categories: links.categories, tags: links.tags }
  return rows[name].map(({ id }) => id).join(',')
}

function sharedIds(shared: Shared, name: string): string {
  return name === 'venue' ? shared.venues.join(',') : name === 'organizer' ? shared.organizers.join(',') : ''
}

/** An occurrence that comes back is no exception any more; a date that the rule does not have is added. */
async function bringBack(tx: Tx, series: SeriesRow, row: EventRow, { now }: Context): Promise<void> {
  const { recurrence, start } = scheduleOf(series)
  const at = row.recurrence_id
  const without: Recurrence = { ...recurrence, left: recurrence.left.filter((wall) => wall !== at) }
  const isThere = occurrenceStarts(without, start, at, MOST_BEFORE).includes(at)
  const rules = isThere ? without : { ...without, added: [...without.added, at].sort() }
  const status = series.status === 'trash' ? { status: row.status } : {}
  await updateSeries(tx, series, { ...status, rules: JSON.stringify(rules), modified_utc: formatUtc(now) })
}

/** More dates than a series has before any of its occurrences. */
const MOST_BEFORE = 100_000

/** Makes the date of an occurrence in the trash an exception; a series without any other goes to the trash as well. */
export async function leaveOut(tx: Tx, series: SeriesRow, row: EventRow, { now }: Context): Promise<void> {
  const { recurrence } = scheduleOf(series)
  const left = [...new Set([...recurrence.left, row.recurrence_id])].sort()
  const others = await findOccurrences(tx, series.id)
  const isEmpty = others.every(({ id, status }) => id === row.id || status === 'trash')
  const status = isEmpty ? { status: 'trash' } : {}
  const rules = JSON.stringify({ ...recurrence, left })
  await updateSeries(tx, series, { ...status, rules, modified_utc: formatUtc(now) })
}

/** Changes an event that begins to repeat: it is the first occurrence of a series, which calendars know by the name of the event. */
export async function beginSeries(
  tx: Tx,
  before: EventRow,
  prepared: PreparedEvent,
  recurrence: unknown,
  seriesId: number,
  context: Context,
  look: LookAtWritten<object>,
): Promise<object> {
  return changeEvent(tx, before, prepared, context, async (_tx, row, links) => {
    const planned = planOf(row, recurrence, context)
    const { schedule, starts, until } = planned
    const known = await knownLinks(tx, row, links)
    const slug = row.slug || slugify(row.title)
    const series = newSeries(seriesId, row, slug, schedule, until, known, context)
    const [first = row.start_date, ...others] = starts
    const own = { ...whenAt(schedule, first), series: series.id, recurrence_id: first, own: '' }
    await insertSeries(tx, series)
    await updateEvent(tx, row, own, NO_LINKS)
    await addDates(tx, series, row, schedule, others, sharedOf(row, known))
    return look(tx, { ...row, ...own }, links)
  })
}

function planOf(row: EventRow, recurrence: unknown, { now, site }: Context): Planned {
  const schedule = readSchedule(recurrence, row)
  if (!schedule) throw new Error('an event that begins to repeat has a recurrence')
  return { schedule, ...startsOf(schedule, now, site.seriesMonths) }
}

async function knownLinks(tx: Tx, row: EventRow, links: KnownLinks): Promise<KnownLinks> {
  const found = (await findEventLinks(tx, [row], links)).get(row.id)
  const ids = (rows: readonly { id: number }[] = []) => rows.map(({ id }) => id)
  return {
    venues: ids(found?.venues),
    organizers: ids(found?.organizers),
    terms: [...ids(found?.categories), ...ids(found?.tags)],
    made: links.made,
  }
}
