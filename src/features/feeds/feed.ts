import { setImmediate as nextTurn } from 'node:timers/promises'
import { showInTurn } from '../../base/text/long-texts.ts'
import { addDays, dayOf, wallNow } from '../../base/text/moments.ts'
import type { Context } from '../../calendar/declare/context.ts'
import type { Found } from '../../calendar/declare/operations.ts'
import type { RawValues } from '../../calendar/declare/parse.ts'
import { type LoadedEvent, windowFilters } from '../../calendar/events/event-filters.ts'
import { eventOperations } from '../../calendar/events/events.ts'
import type { Format } from '../../http/format.ts'
import type { WithdrawnEvent } from '../../store/storage/schema.ts'
import { showOrLeaveOut } from '../../store/storage/unshowable.ts'
import { type EventFacts, factsOf, textsOfFacts } from './event-facts.ts'

// Makes feeds of events in any format: their address and defaults, and their bytes, written some events at a
// time.

/** The description of a feed as a whole. */
export interface FeedHead {
  title: string
  /** The page for people. */
  home: string
  /** The address of the feed itself. */
  self: string
  /** A tag of BCP 47, such as `de`. */
  language: string
  /** The zone of the site. */
  timezone: string
}

/** A feed while it is written: the texts of its parts. */
interface FeedText {
  head: string
  /** Called with the ids of events before these are read. */
  before?: (ids: readonly number[]) => Promise<void>
  /**
   * Returns the events to write in place of the found ones: a series, for example, is written once in place
   * of its occurrences.
   */
  choose?: (loaded: readonly LoadedEvent[]) => Promise<readonly LoadedEvent[]>
  event: (facts: EventFacts) => string
  /** The text between two events. */
  between: string
  /** Writes an event that is public no longer; feeds without this leave such events out. */
  withdrawn?: (row: WithdrawnEvent) => string
  tail: () => string
}

/** A format of feeds, and how it is written. */
export interface FeedKind extends Pick<Format, 'name' | 'extension' | 'mediaType' | 'title'> {
  /** Begins a feed. `query` is the query of the list, and `ids` are those of the events that it found. */
  begin: (context: Context, head: FeedHead, query: URLSearchParams, ids: readonly number[]) => FeedText
}

/**
 * Days that feeds reach back where no date is asked for, so that past events do not vanish from the calendars
 * of subscribers at once.
 */
const DAYS_BACK = 90

/**
 * Returns true for a list that says when its events are, by dates or by their ids. `strict_dates` says how
 * dates are meant.
 */
export const saysWhen = (sent: RawValues): boolean =>
  [...windowFilters, 'include'].some((name) => name !== 'strict_dates' && sent[name] !== undefined)

/** Makes the representation of all that a list finds as a feed. */
export function feedFormat(kind: FeedKind): Format {
  const { begin, ...named } = kind
  const { name, mediaType, extension } = named
  const type = /^(?:text\/|application\/.*xml)/.test(mediaType) ? `${mediaType}; charset=utf-8` : mediaType
  return {
    ...named,
    extent: 'window',
    lists: ['events'],
    byAccept: 'redirect',
    withDefaults: reachBack,
    showList: async (context, _served, found, self) => ({
      status: 200,
      headers: { 'Content-Type': type, 'Content-Disposition': `inline; filename="events.${extension}"` },
      body: undefined,
      shown: {
        format: name,
        bytes: chunksOf(
          context,
          found,
          begin(context, feedHead(context, selfOf(context, kind, self)), queryOf(self), found.ids),
        ),
      },
    }),
  }
}

function reachBack({ site, now }: Context, raw: RawValues): RawValues {
  if (saysWhen(raw)) return raw
  return { ...raw, start_date: addDays(dayOf(wallNow(site.timezone, now)), -DAYS_BACK) }
}

/** Returns the address of a feed: all events in this format, with the filters of the list. */
function selfOf({ site }: Context, { extension }: FeedKind, list: string): string {
  const query = list.includes('?') ? list.slice(list.indexOf('?') + 1).split('&') : []
  const filters = query.filter((pair) => pair !== '' && !pair.startsWith('format='))
  return `${site.url}/events.${extension}${filters.length === 0 ? '' : `?${filters.join('&')}`}`
}

function queryOf(list: string): URLSearchParams {
  return new URLSearchParams(list.includes('?') ? list.slice(list.indexOf('?') + 1) : '')
}

function feedHead({ site }: Context, self: string): FeedHead {
  return { title: site.name, home: `${site.url}/`, self, language: site.language, timezone: site.timezone }
}

/** The number of events that are loaded together: few enough that no other request waits for them long. */
const AT_ONCE = 50

/**
 * Writes the bytes of a feed. Each event is shown as it is when its turn comes; events that are gone by then
 * are left out.
 */
async function* chunksOf(context: Context, found: Found, text: FeedText): AsyncGenerator<Buffer> {
  yield Buffer.from(text.head)
  let between = ''
  for (let at = 0; at < found.ids.length; at += AT_ONCE) {
    const part: Found = { ...found, ids: found.ids.slice(at, at + AT_ONCE) }
    await text.before?.(part.ids)
    const loaded = await eventOperations.load(context, part as Found<never>)
    const events = await writeEvents(context, text.choose ? await text.choose(loaded) : loaded, text)
    if (events.length > 0) yield Buffer.from(between + events.join(text.between))
    if (events.length > 0) between = text.between
    await nextTurn()
  }
  yield* withdrawnChunks(found, text)
  yield Buffer.from(text.tail())
}

async function* withdrawnChunks({ ids, withdrawn }: Found, text: FeedText): AsyncGenerator<Buffer> {
  if (!text.withdrawn || !withdrawn) return
  const present = new Set(ids)
  for await (const rows of withdrawn()) {
    const gone = rows.filter(({ event }) => !present.has(event))
    const written = gone.map(text.withdrawn).join('')
    if (written !== '') yield Buffer.from(written)
    await nextTurn()
  }
}

async function writeEvents(
  context: Context,
  loaded: readonly LoadedEvent[],
  text: FeedText,
): Promise<string[]> {
  const written = await showInTurn(
    loaded,
    ({ row }) => textsOfFacts(context, row),
    ({ row, links }) =>
      showOrLeaveOut(context, 'event', row.id, () => text.event(factsOf(context, row, links))),
  )
  return written.filter((event) => event !== undefined)
}
