import { isUrl } from '../../base/text/urls.ts'
import { utcToWall } from '../../base/text/zones.ts'
import { findSeriesByIds } from '../../calendar/events/event-store.ts'
import { ownFields } from '../../calendar/events/recurrence-present.ts'
import { type RecordState, readStates } from '../../calendar/history/record-states.ts'
import { scheduleOf, TIMES, whenAt } from '../../calendar/series/series-schedule.ts'
import type { EventRow, ImportItemColumns, SeriesRow } from '../../store/storage/schema.ts'
import { DAY, oldPath } from '../pages/origins.ts'
import { findUidHolders, type UidHolder } from './already-here.ts'
import { type ImportRun, isSeen, type Origin, remember } from './import-run.ts'
import { findHeads, findItems, findNumbered, findOccurrencesAt } from './import-store.ts'
import { whenOf } from './shown-records.ts'
import {
  comparedOf,
  type Fingerprints,
  fieldsOf,
  fingerprintsOf,
  type ItemKind,
  isOlder,
  itemKey,
  type KnownItem,
  knownItem,
  numberedIdentity,
  numberIn,
  type Plan,
  planItem,
  readFingerprints,
  type SourceItem,
  standsAlone,
  TEXTS,
} from './source-item.ts'
import { likeOthers, referencesOf } from './write-item.ts'

export interface PlannedItem {
  item: SourceItem
  prints: Fingerprints
  digest: string
  known: ImportItemColumns | undefined
  place: Place | undefined
  reset: RecordState
  state: RecordState | undefined
  /**
   * `twin`: an earlier item has its identity. `older`: a later revision is stored. `leave out`: new and
   * private. `pass over`: another record has its UID.
   */
  plan:
    | Plan
    | { act: 'twin' }
    | { act: 'older' }
    | { act: 'leave out' }
    | { act: 'pass over'; holder: UidHolder }
  /** Set if a record in the trash has the UID: the new record gets another. */
  isUidTaken?: boolean
}

interface Plans {
  same: { item: SourceItem; record: number | undefined }[]
  planned: PlannedItem[]
}

/** Compares items with what the source sent last, and with the records here. */
export async function planItems(
  run: ImportRun,
  kind: ItemKind,
  items: readonly SourceItem[],
): Promise<Plans> {
  const { source, context } = run
  const same = await findSame(run, kind, items)
  const others = items.filter((item) => !same.has(item))
  await lookUpLinks(run, others)
  const identities = [...new Set(others.map(({ identity }) => identity))]
  const rows = source === undefined ? [] : await findItems(context.db, source, kind, identities)
  const known = new Map(rows.map((row) => [itemKey(kind, row.identity, row.occurrence), row]))
  const places = await findPlaces(run, others)
  const compared = await Promise.all(
    others.map((item) => {
      const key = itemKey(kind, item.identity, item.occurrence)
      return compare(run, item, known.get(key), places.get(key))
    }),
  )
  const changed = compared.flatMap((one) => (one.isSame ? [] : (recordOf(one) ?? [])))
  const states = await readStates(context.db, kind, changed)
  const planned = compared.map(({ isSame, ...one }): PlannedItem => {
    const state = states.get(recordOf(one) ?? 0)
    return { ...one, state, plan: isSame ? { act: 'nothing' } : planOf(run, { ...one, state }) }
  })
  const settled = planned.flatMap(({ item, known, plan }) =>
    plan.act === 'nothing' ? [{ item, record: known?.record }] : [],
  )
  const changes = planned.filter(({ plan }) => plan.act !== 'nothing')
  return {
    same: [...[...same].map(([item, record]) => ({ item, record })), ...settled],
    planned: await withHolders(run, kind, changes),
  }
}

/** Passes over new items whose UID a record has; if that is trashed, the item is written with another UID. */
async function withHolders(
  run: ImportRun,
  kind: ItemKind,
  planned: readonly PlannedItem[],
): Promise<PlannedItem[]> {
  const made = planned.flatMap(({ item, plan }) => (plan.act === 'create' ? [item] : []))
  const holders = await findUidHolders(run, kind, made)
  return planned.map((one) => {
    const holder = holders.get(one.item)
    if (!holder) return one
    return holder.isTrashed ? { ...one, isUidTaken: true } : { ...one, plan: { act: 'pass over', holder } }
  })
}

export function recordOf({ known, place }: Pick<PlannedItem, 'known' | 'place'>): number | undefined {
  return known?.record ?? place?.record
}

/** Compares an item with what its source sent last; of an occurrence, fields that differ from its series. */
async function compare(
  run: ImportRun,
  told: SourceItem,
  row: ImportItemColumns | undefined,
  place: Place | undefined,
): Promise<Omit<PlannedItem, 'state' | 'plan'> & { isSame: boolean }> {
  const { db, now } = run.context
  const item = place ? ownPart(told, place, now) : told
  const { prints: own, digest } = item.ahead ?? comparedOf(item)
  // A row of another record is left over from a series created anew.
  const known = place && row?.record !== place.record ? undefined : row
  const isSame = known !== undefined && isAsLastSent(run, item, digest, known)
  const before = place && known && !isSame ? readFingerprints(known.written) : {}
  const dropped = Object.keys(before).filter((name) => !(name in own) && before[name] !== place?.shared[name])
  const like: RecordState = place && dropped.length > 0 ? await likeOthers(db, place.series, place.start) : {}
  const reset = Object.fromEntries(dropped.flatMap((name) => (name in like ? [[name, like[name]]] : [])))
  const again = Object.fromEntries(Object.keys(reset).map((name) => [name, place?.shared[name] ?? '']))
  return { item, prints: { ...own, ...again }, digest, known, place, reset, isSame }
}

function planOf(
  run: ImportRun,
  { item, prints, known, place, state }: Omit<PlannedItem, 'plan'>,
): PlannedItem['plan'] {
  const { conflicts } = run.options
  if (known && isOlder(item, known, conflicts)) return { act: 'older' }
  const isNext = known && isLater(item, known)
  if (known && !isNext && standsAlone(item.kind) && isSeen(run.seen, known.record)) return { act: 'twin' }
  const before = known ? knownItem(known, state) : place && knownOccurrence(place, state)
  const isGone = before !== undefined && (!before.now || before.isTrashed)
  const { pictures: _pictures, ...others } = prints
  // A record removed here does not come back for new pictures alone.
  const told = isGone && planItem(others, before, conflicts).act === 'nothing' ? others : prints
  const plan = planItem(told, before, conflicts)
  if (plan.act === 'create' && !run.options.private && item.values.status === 'private')
    return { act: 'leave out' }
  // A later revision or a new address of the page is stored even if no field has changed.
  const isNoted = isNext || (known && known.page !== pageOf(run, item))
  return plan.act === 'nothing' && isNoted ? { act: 'update', fields: [], kept: [] } : plan
}

/** What is known of an occurrence first described now: fields overridden here count as changed here. */
function knownOccurrence({ own, series }: Place, state: RecordState | undefined): KnownItem {
  const now = state && fingerprintsOf(state)
  const others = Object.entries(now ?? {}).filter(([name]) => !own.includes(name))
  const kept = { ...Object.fromEntries(others), status: series.status }
  return { written: {}, lastSeen: kept, now, isTrashed: state?.status === 'trash' }
}

type Head = Pick<ImportItemColumns, 'digest' | 'sequence' | 'page'>

/** True if the first item is a later revision than the second; false if the source has no revisions. */
export const isLater = ({ sequence }: Pick<SourceItem, 'sequence'>, than: Pick<SourceItem, 'sequence'>) =>
  sequence !== undefined && than.sequence !== undefined && sequence > than.sequence

export const pageOf = ({ origin, context: { site } }: ImportRun, item: SourceItem) =>
  keptPage(origin, item, site.url)

function isAsLastSent(run: ImportRun, item: SourceItem, digest: string, known: Head): boolean {
  return known.digest === digest && !isLater(item, known) && known.page === pageOf(run, item)
}

/**
 * Finds unchanged items by digest, with few reads and no plan; not occurrences: they depend on the series.
 */
async function findSame(
  run: ImportRun,
  kind: ItemKind,
  items: readonly SourceItem[],
): Promise<Map<SourceItem, number>> {
  if (run.source === undefined) return new Map()
  const whole = items.filter(({ occurrence }) => occurrence === '')
  const heads = await findHeads(run.context.db, run.source, kind, [
    ...new Set(whole.map(({ identity }) => identity)),
  ])
  const known = new Map(heads.map((head) => [head.identity, head]))
  return new Map(
    whole.flatMap((item) => {
      const head = known.get(item.identity)
      const isSame = head && isAsLastSent(run, item, (item.ahead ?? comparedOf(item)).digest, head)
      return isSame ? [[item, head.record] as const] : []
    }),
  )
}

async function lookUpLinks(run: ImportRun, items: readonly SourceItem[]): Promise<void> {
  const { source } = run
  if (source === undefined) return
  const unknown = new Map<ItemKind, Set<string>>()
  for (const item of items) {
    for (const { kind, identity } of referencesOf(item)) {
      if (run.links.has(itemKey(kind, identity))) continue
      const identities = unknown.get(kind) ?? new Set()
      unknown.set(kind, identities.add(identity))
    }
  }
  for (const [kind, identities] of unknown) {
    const numbers = [...identities].flatMap((identity) => numberIn(identity) ?? [])
    const numbered = await findNumbered(run.context.db, source, kind, numbers)
    const rows = [
      ...(await findItems(run.context.db, source, kind, [...identities])),
      ...numbered.map(({ number, record }) => ({ identity: numberedIdentity(number), record })),
    ]
    const states = await readStates(
      run.context.db,
      kind,
      rows.map(({ record }) => record),
    )
    // Records in the trash cannot be linked to; terms have no status.
    for (const { identity, record } of rows)
      if ((states.get(record)?.status ?? 'trash') !== 'trash' || isTerm(kind, states.get(record)))
        remember(run.links, itemKey(kind, identity), record)
  }
}

const isTerm = (kind: ItemKind, state: RecordState | undefined) =>
  state !== undefined && (kind === 'category' || kind === 'tag')

interface Place {
  record: number
  start: string
  series: SeriesRow
  own: readonly string[]
  shared: Fingerprints
}

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
    places.set(itemKey('event', item.identity, item.occurrence), {
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

/** Local start of an occurrence; a mere day means the one that starts on it. */
function startOf(occurrence: string, { timezone, all_day, start_date }: SeriesRow): string {
  if (occurrence.length === 10) return `${occurrence}${all_day === 1 ? ' 00:00:00' : start_date.slice(10)}`
  const wall = utcToWall(occurrence.slice(0, 19).replace('T', ' '), timezone)
  return all_day === 1 ? `${wall.slice(0, 10)} 00:00:00` : wall
}

function ownPart(item: SourceItem, { series, start, shared }: Place, now: number): SourceItem {
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

/** In characters: longer addresses are not stored. */
const LONGEST = 1000

const DAY_AT_END = /-\d{4}-\d\d-\d\d\/?$/

/** The path if the source has moved here, the address if it stays the original. */
function keptPage(origin: Origin, { kind, uid, page = '' }: SourceItem, site: string): string {
  if (origin === '' || page.length > LONGEST) return ''
  if (origin === 'moved') return kind === 'series' ? '' : oldPath(page)
  const isElsewhere = /^https?:/i.test(page) && isUrl(page) && page !== site && !page.startsWith(`${site}/`)
  if (!isElsewhere || !standsAlone(kind)) return ''
  if (kind === 'event') return page
  // A site has a page for each date, so a placeholder replaces the date; a calendar file has one page for
  // all.
  if (DAY_AT_END.test(page)) return page.replace(DAY_AT_END, `-${DAY}/`)
  return uid === undefined ? '' : page
}
