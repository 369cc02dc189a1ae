import { foldedText } from '../../base/text/long-texts.ts'
import { formatUtc } from '../../base/text/moments.ts'
import { type WantedWord, wantedWords } from '../../base/text/stems.ts'
import { utcToWall } from '../../base/text/zones.ts'
import { TOMBSTONE_DAYS } from '../../store/storage/pruning.ts'
import type { OrganizerRow, VenueRow, WithdrawnEvent, WithdrawnEventRow } from '../../store/storage/schema.ts'
import { findTermsNamed } from '../../store/storage/search/find-words.ts'
import type { Context } from '../declare/context.ts'
import { anyCoordinates } from '../linked/linked-filters.ts'
import { findLinkedByIds } from '../linked/linked-store.ts'
import { organizerRules } from '../linked/organizer.ts'
import { venueRules } from '../linked/venue.ts'
import { findIdsByEntries } from '../terms/term-store.ts'
import {
  type AroundEvents,
  type EventFilter,
  type EventGround,
  type EventsQuery,
  eventFilters,
  eventParts,
  eventSearch,
  eventWords,
  type FilteredEvent,
  type MeantWord,
} from './event-filters.ts'
import { UNSENT } from './event-rules.ts'
import { type KeptColumns, readWithdrawn } from './withdrawn-store.ts'

/**
 * The withdrawn events that a query would find if they had stayed public, some at a time. They are not in the table of events, so each is tested
 * by the plain meaning of the filters. Only their titles are kept, so a search looks in titles alone.
 */
export async function* findWithdrawn(query: EventsQuery, ground: EventGround): AsyncGenerator<WithdrawnEvent[]> {
  const { context } = ground
  let around: AroundEvents | undefined
  for await (const rows of readWithdrawn(context.db, formatUtc(context.now - TOMBSTONE_DAYS * 86_400_000))) {
    around ??= await readAround(query, ground)
    const loaded = await loadAsBefore(context, rows)
    yield rows.filter((_, at) => isFound(loaded[at], query, around))
  }
}


function isFound(event: FilteredEvent | undefined, query: EventsQuery, around: AroundEvents | undefined): boolean {
  if (!event || !around) return false
  return (
    Object.values(eventParts).every((part) => part.accepts(event, query, around)) &&
    (query.search === undefined || eventSearch.accepts(query.search, event)) &&
    (query.words === undefined || query.words.trim() === '' || eventWords.accepts(event, around)) &&
    Object.entries(query).every(([name, value]) => {
      const filter = filters[name]
      return value === undefined || !filter || filter.part !== undefined || filter.accepts(event, value, around)
    })
  )
}

async function readAround(query: EventsQuery, ground: EventGround): Promise<AroundEvents> {
  const { db } = ground.context
  const [category, tag, isLocated] = await Promise.all([
    findIdsByEntries(db, 'category', query.categories ?? []),
    findIdsByEntries(db, 'tag', query.tags ?? []),
    anyCoordinates(ground.context),
  ])
  const terms = { category: new Set(category), tag: new Set(tag) }
  return { ...ground, terms, isLocated, words: await readWords(query, ground) }
}

/** Reads the words as they were written besides the corrected ones: a withdrawn event may have been the last one with a word as it was written. */
async function readWords({ words = '' }: EventsQuery, { context }: EventGround): Promise<MeantWord[][]> {
  const found = await eventWords.find(words, context)
  const read = async (word: WantedWord) => ({ ...word, terms: await findTermsNamed(context.db, word) })
  const written = wantedWords(words)
  return Promise.all((found?.words ?? []).map((word, at) => Promise.all([word, written[at] ?? word].map(read))))
}

/** Loads withdrawn events with the values that the public saw last, and with those of their links that still exist. */
async function loadAsBefore(context: Context, rows: readonly WithdrawnEventRow[]): Promise<FilteredEvent[]> {
  const { db } = context
  const venueIds = rows.map((row) => idsIn(row.venues))
  const organizerIds = rows.map((row) => idsIn(row.organizers))
  const [venues, organizers] = await Promise.all([
    findLinkedByIds<VenueRow>(db, venueRules, [...new Set(venueIds.flat())]),
    findLinkedByIds<OrganizerRow>(db, organizerRules, [...new Set(organizerIds.flat())]),
  ])
  return rows.map((row, at) => ({
    row: rowAsBefore(context, row),
    links: {
      venues: (venueIds[at] ?? []).flatMap((id) => venues.get(id) ?? []),
      organizers: (organizerIds[at] ?? []).flatMap((id) => organizers.get(id) ?? []),
      terms: idsIn(row.terms),
    },
  }))
}

function idsIn(json: string): number[] {
  return JSON.parse(json)
}

/** The columns that an older version did not keep. */
const UNKNOWN = { ...UNSENT, author: 0, slug: '', date: '', date_utc: '', dated: 0, status: 'publish', trusted: 0 }

/** The row that the event had, with its title alone to search in. It was changed when it was withdrawn. */
function rowAsBefore({ site }: Context, withdrawn: WithdrawnEventRow): FilteredEvent['row'] {
  const { event: id, uid, title, start_date, end_date, utc_start_date, utc_end_date } = withdrawn
  const { timezone, all_day, featured, event_status, withdrawn_utc: modified_utc } = withdrawn
  const times = { start_date, end_date, utc_start_date, utc_end_date, timezone, all_day }
  const kept: Partial<KeptColumns> = JSON.parse(withdrawn.kept)
  const modified = utcToWall(modified_utc, site.timezone)
  const search = foldedText(title)
  return { ...UNKNOWN, ...kept, ...times, featured, event_status, id, uid, search, modified, modified_utc }
}
