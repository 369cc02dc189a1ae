import { announced } from '../locales/translate.ts'
import { whenInWords } from '../pages/when-in-words.ts'
import type { Status } from '../records/status.ts'
import { recurrenceText } from '../recurrence/recurrence-text.ts'
import { plainText } from '../text/html.ts'
import { dayOf, formatUtc, wallNow } from '../text/moments.ts'
import { type Foreseen, type ImportRun, remember, type VisibleCounts } from './import-run.ts'
import { countStandings } from './import-store.ts'
import { settledOf } from './look-ahead.ts'
import { readStates } from './record-states.ts'
import { keyOf, type SourceItem, standsAlone } from './source-item.ts'
import { isSeriesOver, scheduleIn } from './write-series.ts'

/** The events that a dry run shows. */
const SHOWN = 10

export const foreseesNothing = (): Foreseen => ({ visible: noneVisible(), first: [], venues: new Map() })

const noneVisible = (): VisibleCounts => ({ coming: 0, past: 0, private: 0, waiting: 0 })

function addStanding(visible: VisibleCounts, status: string, isOver: boolean, count = 1): void {
  if (status === 'trash') return
  if (status === 'private') visible.private += count
  else if (status !== 'publish') visible.waiting += count
  else visible[isOver ? 'past' : 'coming'] += count
}

/** What visitors see of everything that a source has here after a run, or of what a dry run has read. */
export async function findVisible({ source, context, foreseen }: ImportRun): Promise<VisibleCounts> {
  if (foreseen) return foreseen.visible
  const visible = noneVisible()
  const rows = source === undefined ? [] : await countStandings(context.db, source, formatUtc(context.now))
  for (const { status, is_over, count } of rows) addStanding(visible, status, Number(is_over) === 1, Number(count))
  return visible
}

/** Counts items that a dry run would leave in the calendar. A series is one, with those of its dates that the source tells of by themselves. */
export function foresee({ context }: ImportRun, { visible }: Foreseen, items: Iterable<SourceItem>): void {
  for (const item of items) {
    const own = standsAlone(item.kind) && item.occurrence === '' ? settledOf(item, context)?.own : undefined
    if (!own) continue
    const isOver =
      item.kind === 'series' ? isSeriesOver(item.values, context.now) : own.utc_end_date < formatUtc(context.now)
    addStanding(visible, own.status, isOver)
  }
}

/** Remembers what a dry run shows of the source. */
export function noteForeseen({ options, foreseen }: ImportRun, item: SourceItem): void {
  if (!foreseen) return
  if (item.kind === 'venue') remember(foreseen.venues, item.identity, item.name)
  const isEvent = standsAlone(item.kind) && item.occurrence === ''
  if (!isEvent || foreseen.first.length >= SHOWN || (!options.private && item.values.status === 'private')) return
  foreseen.first.push(item)
}

/** The first events of the source, each on a line as its page would show it; none but for dry runs. */
export async function previewEvents(run: ImportRun): Promise<string[]> {
  const { foreseen, unread } = run
  const items = (foreseen?.first ?? []).filter(({ identity }) => !unread.has(identity))
  const lines = await Promise.all(items.map(async (item) => showEvent(run, item, await placesOf(run, item))))
  return lines.filter((line) => line !== undefined)
}

const STATUS_WORDS = {
  private: 'Private',
  draft: 'Draft',
  pending: 'Pending review',
  future: 'Scheduled',
} as const satisfies Readonly<Partial<Record<Status, string>>>

function showEvent({ context }: ImportRun, item: SourceItem, places: readonly string[]): string | undefined {
  const { site, say, now } = context
  const own = settledOf(item, context)?.own
  if (!own) return undefined
  const title = announced(site, { event_status: own.event_status ?? 'scheduled' }, plainText(own.title))
  const schedule = item.kind === 'series' ? scheduleIn(item.values, now) : undefined
  const rule = schedule && recurrenceText(schedule.recurrence, schedule.start, site.language, say)
  const when = whenInWords(site, own, dayOf(wallNow(site.timezone, now)))
  const status = Object.entries(STATUS_WORDS).find(([name]) => name === own.status)?.[1] ?? ''
  const parts = [title, when, rule ?? '', ...places, status && say(status)]
  return parts.filter((part) => part !== '').join(' · ')
}

/** The names of the venues of an item: as the source has just told them, or as they are here. */
async function placesOf({ context, foreseen, links }: ImportRun, { links: { venue = [] } }: SourceItem) {
  const known = venue.flatMap((identity) => links.get(keyOf('venue', identity)) ?? [])
  const states = await readStates(context.db, 'venue', known)
  return venue.flatMap((identity) => {
    const here = states.get(links.get(keyOf('venue', identity)) ?? 0)
    const name = foreseen?.venues.get(identity) ?? here?.venue
    return typeof name === 'string' ? [plainText(name)] : []
  })
}
