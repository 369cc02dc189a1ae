import type { Site } from '../config.ts'
import type { Context } from '../context/context.ts'
import { formatOfFile } from '../formats/formats.ts'
import { idAt, isVisible } from '../records/record-store.ts'
import type { RecordTable, Taxonomy } from '../storage/schema.ts'
import { findTermBySlug } from '../terms/term-store.ts'

/** The events that a feed at an address of its own is of. */
type Scope =
  | { of: 'all' }
  | { of: 'term'; taxonomy: Taxonomy; slug: string }
  | { of: 'event' | 'venue' | 'organizer'; slug: string }

/** A feed at an address of its own, such as `/events/category/music.ics`. */
export interface FeedAddress {
  /** The value of the parameter `format`. */
  format: string
  scope: Scope
  /** The format and the scope, as a key. */
  key: string
  /** The query as sent: the filters of lists. */
  query: string
}

const EVENTS = /^\/events(?:\/(category|tag)((?:\/[^/]+){1,50}?))?(?:\/|\.(\w+))$/
const RECORD = /^\/(event|venue|organizer)\/([^/]+?)(?:\/|\.(\w+))$/
/** A link of the reference to the calendar file of the page it is on. */
const ICAL = /(?:^|&)ical=1(?:&|$)/

/** The feed that an address is of; undefined for all others. Never throws. */
export function readFeedAddress(url: string): FeedAddress | undefined {
  const mark = url.indexOf('?')
  const path = mark === -1 ? url : url.slice(0, mark)
  const query = mark === -1 ? '' : url.slice(mark + 1)
  const [scope, extension] = readScope(path)
  if (!scope) return undefined
  if (extension === undefined)
    return ICAL.test(query) ? { format: 'ics', scope, key: `ics ${path}`, query: query.replace(ICAL, '&') } : undefined
  const format = formatOfFile(extension)
  return format && { format: format.name, scope, key: `${format.name} ${path}`, query }
}

function readScope(path: string): [scope?: Scope, extension?: string | undefined] {
  const events = EVENTS.exec(path)
  if (events) {
    const [, taxonomy, slugs = '', extension] = events
    const slug = decoded(slugs.slice(slugs.lastIndexOf('/') + 1))
    if (taxonomy === 'category' || taxonomy === 'tag') return [{ of: 'term', taxonomy, slug }, extension]
    return [{ of: 'all' }, extension]
  }
  const [, kind, slug = '', extension] = RECORD.exec(path) ?? []
  if (kind !== 'event' && kind !== 'venue' && kind !== 'organizer') return []
  return [{ of: kind, slug: decoded(slug) }, extension]
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

const TABLES: Readonly<Record<'event' | 'venue' | 'organizer', RecordTable>> = {
  event: 'events',
  venue: 'venues',
  organizer: 'organizers',
}
const FILTERS = { event: 'include', venue: 'venue', organizer: 'organizer' } as const

/** The address of the list of all events in the format of a feed. */
export const listOfEvents = ({ format }: FeedAddress, { restRoot, namespace }: Site) =>
  `${restRoot}/${namespace}/events?format=${format}`

/** The address of the list that a feed shows, without its query; undefined for one of something that is not there. */
export async function listOfFeed(address: FeedAddress, site: Site, context: Context): Promise<string | undefined> {
  const { scope } = address
  const list = listOfEvents(address, site)
  if (scope.of === 'all') return list
  if (scope.of === 'term') {
    const term = await findTermBySlug(context.db, scope.taxonomy, scope.slug)
    return term && `${list}&${scope.taxonomy === 'category' ? 'categories' : 'tags'}=${term.id}`
  }
  const table = TABLES[scope.of]
  const id = await idAt(context, table, { slug: scope.slug })
  if (id === undefined || !(await isVisible(context.db, context.caller, table, id))) return undefined
  return `${list}&${FILTERS[scope.of]}=${id}`
}
