import packageJson from '../../../package.json' with { type: 'json' }
import type { Context } from '../../calendar/declare/context.ts'
import type { LoadedEvent } from '../../calendar/events/event-filters.ts'
import { eventOperations } from '../../calendar/events/events.ts'
import { isLoggedIn } from '../../calendar/people/caller.ts'
import { contentLine, escapeText } from './content-lines.ts'
import {
  readableRules,
  writeEventComponent,
  writeOverride,
  writeSeriesComponent,
  writeWithdrawnComponent,
} from './event-component.ts'
import { findEventSequences } from './event-sequences.ts'
import { type FeedHead, feedFormat } from './feed.ts'
import { gatherSeries, type WholeSeries } from './whole-series.ts'
import { isZoneName, writeZone, type ZoneRules } from './zone-rules.ts'

/**
 * Writes iCalendar (RFC 5545 and 7986). A VTIMEZONE precedes the first event that needs it. What
 * `gatherSeries` returns replaces occurrences, unless the query asks for these (`recurrence=expanded`, ids).
 */
export const icalendar = feedFormat({
  name: 'ics',
  extension: 'ics',
  mediaType: 'text/calendar',
  title: 'iCalendar',
  begin: (context, head, query, ids) => {
    const listed = new Set(isLoggedIn(context.caller) ? ids : [])
    const zones = new Set<string>()
    const series = new Map<number, WholeSeries | undefined>()
    const isExpanded = query.get('recurrence') === EXPANDED_VALUE || query.has('include')
    const withZones = (component: string, needed: readonly (ZoneRules | undefined)[]) => {
      const missing = needed.filter((rules) => rules !== undefined).filter(({ id }) => !zones.has(id))
      const written = new Map(missing.map((rules) => [rules.id, writeZone(rules)]))
      for (const id of written.keys()) zones.add(id)
      return [...written.values()].join('') + component
    }
    const owners = new Map<string, string>()
    // Records from older versions, or restored from the trash, may share a UID: later ones here get a suffix.
    const uidOf = (owner: string, uid: string) => {
      const first = owners.get(uid) ?? owner
      owners.set(uid, first)
      return first === owner ? uid : `${uid}-${owner}`
    }
    // A series' withdrawn exceptions are not cancelled: its first occurrence may have the UID of the series.
    const excepted = new Set<number>()
    // Sequence numbers are read before the events: one too low only makes programs show a change again, one
    // too high hides a later change.
    const sequences = new Map<number, number>()
    const before = async (ids: readonly number[]) => {
      for (const [id, sequence] of await findEventSequences(context.db, ids)) sequences.set(id, sequence)
    }
    return {
      head: writeCalendarHead(head),
      before,
      ...(isExpanded
        ? {}
        : { choose: (loaded) => chooseSeries(context, { listed, series, excepted, before }, loaded) }),
      event: (facts) => {
        const own = readableRules(facts.row, context.now)
        const found = series.get(facts.series?.id ?? 0)
        const sequence = sequences.get(facts.row.id) ?? 0
        if (!found) {
          const row = { ...facts.row, uid: uidOf(`event-${facts.row.id}`, facts.row.uid) }
          return withZones(writeEventComponent(context, { ...facts, row }, sequence, own), [own])
        }
        const uid = uidOf(`series-${found.series.id}`, found.series.uid)
        const whole = { ...found, series: { ...found.series, uid } }
        const master =
          facts.row.id === whole.model ? writeSeriesComponent(context, facts, sequence, whole) : ''
        const isOwn = whole.overrides.includes(facts.row.id)
        const override = isOwn ? writeOverride(context, facts, sequence, whole, own) : ''
        return withZones(master + override, [whole.rules, override === '' ? undefined : own])
      },
      between: '',
      withdrawn: (row) => {
        if (excepted.has(row.event) || owners.has(row.uid)) return ''
        owners.set(row.uid, '')
        const own = readableRules(row, context.now)
        return withZones(writeWithdrawnComponent(context, row, own), [own])
      },
      tail: () => contentLine('END', 'VCALENDAR'),
    }
  },
})

const EXPANDED_VALUE = 'expanded'
export const EXPANDED = `recurrence=${EXPANDED_VALUE}`

interface ChosenSeries {
  /** Ids of the found events; empty for an anonymous caller, who may see public events only. */
  listed: ReadonlySet<number>
  series: Map<number, WholeSeries | undefined>
  excepted: Set<number>
  before: (ids: readonly number[]) => Promise<void>
}

async function chooseSeries(
  context: Context,
  { listed, series: known, excepted, before }: ChosenSeries,
  loaded: readonly LoadedEvent[],
): Promise<readonly LoadedEvent[]> {
  const chosen: LoadedEvent[] = []
  for (const event of loaded) {
    const { series } = event.links
    if (!series) chosen.push(event)
    else if (!known.has(series.id)) {
      const whole = await gatherSeries(context, series, listed)
      known.set(series.id, whole)
      for (const id of whole?.excepted ?? []) excepted.add(id)
      for (const part of whole ? await loadParts(context, whole, before) : [event]) chosen.push(part)
    } else if (!known.get(series.id)) chosen.push(event)
  }
  return chosen
}

async function loadParts(
  context: Context,
  { model, overrides }: WholeSeries,
  before: ChosenSeries['before'],
): Promise<readonly LoadedEvent[]> {
  const ids = [model, ...overrides.filter((id) => id !== model)]
  await before(ids)
  return eventOperations.load(context, {
    ids,
    total: ids.length,
    page: 1,
    perPage: ids.length,
    effective: '',
  })
}

const REFRESH = 'PT1H'

function writeCalendarHead({ title, home, self, timezone }: FeedHead): string {
  return [
    contentLine('BEGIN', 'VCALENDAR'),
    contentLine('VERSION', '2.0'),
    contentLine('PRODID', `-//Kalends//Kalends ${packageJson.version}//EN`),
    contentLine('CALSCALE', 'GREGORIAN'),
    contentLine('METHOD', 'PUBLISH'),
    contentLine('NAME', escapeText(title)),
    contentLine('X-WR-CALNAME', escapeText(title)),
    // X-WR-TIMEZONE is only for names of the tz database: clients know no others.
    ...(isZoneName(timezone) ? [contentLine('X-WR-TIMEZONE', timezone)] : []),
    contentLine('REFRESH-INTERVAL', REFRESH, { VALUE: 'DURATION' }),
    contentLine('X-PUBLISHED-TTL', REFRESH),
    contentLine('SOURCE', self, { VALUE: 'URI' }),
    contentLine('URL', home, { VALUE: 'URI' }),
  ].join('')
}
