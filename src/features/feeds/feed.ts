import { setImmediate as nextTurn } from 'node:timers/promises'
import { showInTurn } from '../../base/text/long-texts.ts'
import { addDays, dayOf, wallNow } from '../../base/text/moments.ts'
import type { Context } from '../../calendar/declare/context.ts'
import type { FoundRecords } from '../../calendar/declare/operations.ts'
import type { RawValues } from '../../calendar/declare/parse.ts'
import { eventFilters, type LoadedEvent } from '../../calendar/events/event-filters.ts'
import type { WindowQuery } from '../../calendar/events/event-when.ts'
import { eventOperations } from '../../calendar/events/events.ts'
import type { Format } from '../../http/format.ts'
import type { WithdrawnEvent } from '../../store/storage/schema.ts'
import { showOrLeaveOut } from '../../store/storage/unshowable.ts'
import { type EventFacts, factsOf, findNewDates, textsOfFacts } from './event-facts.ts'

export interface FeedHead {
  title: string
  home: string
  self: string
  language: string
  timezone: string
}

interface FeedText {
  head: string
  before?: (ids: readonly number[]) => Promise<void>
  /** Picks the loaded events to write, so that a whole series can replace its occurrences. */
  choose?: (loaded: readonly LoadedEvent[]) => Promise<readonly LoadedEvent[]>
  event: (facts: EventFacts) => string
  between: string
  /** Writes a withdrawn event; if missing, none is written. */
  withdrawn?: (row: WithdrawnEvent) => string
  tail: () => string | Promise<string>
}

export interface FeedKind extends Pick<Format, 'name' | 'extension' | 'mediaType' | 'title'> {
  begin: (context: Context, head: FeedHead, query: URLSearchParams, ids: readonly number[]) => FeedText
}

/** How many days ago a feed without dates begins, so that past events do not vanish at once. */
const DAYS_BACK = 90

/** True if bounds or ids are sent. `strict_dates` alone only says how to compare dates. */
export const saysWhen = (sent: RawValues): boolean =>
  [...windowFilters, 'include'].some((name) => name !== 'strict_dates' && sent[name] !== undefined)

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
      representation: {
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

/** Events written in one event loop turn, few enough not to delay other requests. */
const AT_ONCE = 50

/** Each chunk loads its events only when written, without those that no longer exist. */
async function* chunksOf(context: Context, found: FoundRecords, text: FeedText): AsyncGenerator<Buffer> {
  yield Buffer.from(text.head)
  let between = ''
  for (let at = 0; at < found.ids.length; at += AT_ONCE) {
    const part: FoundRecords = { ...found, ids: found.ids.slice(at, at + AT_ONCE) }
    await text.before?.(part.ids)
    const loaded = await eventOperations.load(context, part as FoundRecords<never>)
    const events = await writeEvents(context, text.choose ? await text.choose(loaded) : loaded, text)
    if (events.length > 0) yield Buffer.from(between + events.join(text.between))
    if (events.length > 0) between = text.between
    await nextTurn()
  }
  yield* withdrawnChunks(found, text)
  yield Buffer.from(await text.tail())
}

async function* withdrawnChunks({ ids, withdrawn }: FoundRecords, text: FeedText): AsyncGenerator<Buffer> {
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
  const later = await findNewDates(
    context,
    loaded.map(({ row }) => row),
  )
  const written = await showInTurn(
    loaded,
    ({ row }) => textsOfFacts(context, row),
    ({ row, links }) =>
      showOrLeaveOut(context, 'event', row.id, () =>
        text.event(factsOf(context, row, links, later.get(row.id))),
      ),
  )
  return written.filter((event) => event !== undefined)
}

export const windowFilters = Object.entries(eventFilters).flatMap(([name, { part }]) =>
  part === 'window' ? [name as keyof WindowQuery] : [],
)
