import type { EventStatus, eventFields } from '../../base/fields/event-fields.ts'
import { flag, readInteger, text } from '../../base/fields/kinds.ts'
import { limits } from '../../base/fields/limits.ts'
import type { JsonRecord } from '../../base/foreign-json.ts'
import { parametersOf } from '../../base/text/urls.ts'
import { defineFields, type Fields } from '../../calendar/declare/resource.ts'
import type { eventFilters } from '../../calendar/events/event-filters.ts'
import { events, resourceNamed, type ServedResource } from '../../calendar/resources.ts'
import { type AssistantText, assistantText } from './assistant-texts.ts'

export const MOST_RECORDS = 25
const RECORDS = 10

type Asks = 'list' | 'read' | 'create' | 'update'

/** A tool, whose arguments are parameters of the REST API. */
export interface AssistantTool {
  name: string
  about: AssistantText
  asks: Asks
  served: ServedResource
  args: Fields
  always?: JsonRecord
}

const WRITING = defineFields({
  dry_run: {
    kind: flag,
    about: assistantText('false writes it; true says what would be written, and writes nothing'),
    default: true,
  },
  idempotency_key: {
    kind: text,
    about: assistantText(
      'A key of your choice for this one act: sent again with it, nothing is written twice',
    ),
    within: limits.idempotencyKey,
  },
})

const PLACE = ['geoloc_lat', 'geoloc_lng', 'geoloc_radius'] as const
const PAGE = ['page', 'per_page'] as const
/** Fields not offered: about the look of pages and lists, or about authorship. */
const LEFT_TO_PEOPLE: readonly (keyof typeof eventFields)[] = [
  ...([
    'author',
    'date',
    'date_utc',
    'slug',
    'excerpt',
    'image',
    'image_alt',
    'image_decorative',
    'show_map',
  ] as const),
  ...(['show_map_link', 'hide_from_listings', 'sticky', 'featured', 'online_label', 'online_shown'] as const),
]
/** Filters not offered: replaced by others in fewer words, or for programs that keep copies. */
const LEFT_TO_PROGRAMS: readonly (keyof typeof eventFilters)[] = [
  ...([
    'starts_before',
    'starts_after',
    'ends_before',
    'ends_after',
    'strict_dates',
    'search',
    'modified_after',
  ] as const),
  ...([
    'status',
    'geoloc',
    'bbox',
    'include',
    'post_parent',
    'hide_subsequent_recurrences',
    'ticketed',
  ] as const),
]

const venues = resourceNamed('venue')
const categories = resourceNamed('category')
const { fields, addresses } = events.resource
const byId = picked(addresses.id, ['id'])

const readingTools: readonly AssistantTool[] = [
  {
    name: 'get_event',
    about: 'Shows one event by its id or its slug, with its description.',
    asks: 'read',
    served: events,
    args: { ...byId, ...picked(addresses.slug ?? {}, ['slug']) },
  },
  {
    name: 'list_categories',
    about: 'Lists the categories of events, with the slugs that filters and events take.',
    asks: 'list',
    served: categories,
    args: picked(categories.filters, ['search', 'parent', 'hide_empty', ...PAGE]),
  },
  {
    name: 'list_venues',
    about: 'Lists venues, with the ids that filters and events take.',
    asks: 'list',
    served: venues,
    args: picked(venues.filters, ['search', 'only_with_upcoming', ...PLACE, ...PAGE]),
  },
  {
    name: 'search_events',
    about:
      'Finds events. Dates are by the clock of {zone} and may be said in words, such as tomorrow or next \
friday. Without a date it finds what is still to come. Answers hold up to {most} events; page asks for the \
next ones.',
    asks: 'list',
    served: events,
    args: {
      ...picked(events.filters, ['words']),
      ...without(events.filters, [...LEFT_TO_PROGRAMS, ...PAGE]),
      ...picked(events.filters, PAGE),
    },
  },
  {
    name: 'when_is',
    about:
      'Says when something takes place next: the coming dates of events with these words, or of a series by \
its id (post_parent), by the clock of {zone}.',
    asks: 'list',
    served: events,
    args: picked(events.filters, ['words', 'post_parent', 'venue', 'categories', ...PAGE]),
  },
]

const writingTools: readonly AssistantTool[] = [
  {
    name: 'cancel_event',
    about:
      'Marks an event as canceled; it stays listed, with the reason. Nothing is written unless dry_run is \
false: show first what it would be.',
    asks: 'update',
    served: events,
    args: { ...byId, ...picked(fields, ['event_status_reason']), ...WRITING },
    always: { event_status: 'canceled' satisfies EventStatus },
  },
  {
    name: 'create_event',
    about:
      'Adds an event. Dates are by the clock of {zone} and may be said in words. Nothing is written unless \
dry_run is false: show first what it would be.',
    asks: 'create',
    served: events,
    args: { ...without(fields, [...LEFT_TO_PEOPLE, 'recurrence_scope']), ...WRITING },
  },
  {
    name: 'update_event',
    about:
      'Changes what is sent of an event, and leaves the rest. Nothing is written unless dry_run is false: \
show first what it would be.',
    asks: 'update',
    served: events,
    args: { ...byId, ...without(fields, LEFT_TO_PEOPLE), ...WRITING },
  },
]

export function toolsFor(mayWrite: boolean): readonly AssistantTool[] {
  return mayWrite
    ? [...readingTools, ...writingTools].sort((one, other) => (one.name < other.name ? -1 : 1))
    : readingTools
}

function picked(fields: Fields, names: readonly string[]): Fields {
  return Object.fromEntries(
    names.map((name) => {
      const field = fields[name]
      if (!field) throw new Error(`there is no field ${name}`)
      return [name, field]
    }),
  )
}

function without(fields: Fields, names: readonly string[]): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)))
}

export function requiredIn({ asks, args }: AssistantTool): string[] {
  if (asks === 'update') return Object.keys(byId)
  return asks === 'create' ? Object.keys(args).filter((name) => args[name]?.required) : []
}

export const isWriting = ({ asks }: AssistantTool) => asks === 'create' || asks === 'update'

/** False, so that the call writes, only for the JSON `false`; undefined for values that do not mean true. */
export function isDryRun({ dry_run: sent }: JsonRecord): boolean | undefined {
  if (sent === false) return false
  return (sent ?? true) === true || flag.read(sent) || undefined
}

/** A REST request; `path` is below the namespace. */
export interface AskedOfRest {
  method: 'GET' | 'POST' | 'PATCH'
  path: string
  fields: JsonRecord
}

/** Makes a REST request from a call; undefined if the call names no record. */
export function askedOfRest(tool: AssistantTool, sent: JsonRecord): AskedOfRest | undefined {
  const { asks, served, always } = tool
  const { path } = served.resource
  const { id, slug, dry_run: _dry, idempotency_key: _key, ...others } = sent
  if (asks === 'list') {
    const { per_page: size, ...filters } = others
    const query = { ...filters, per_page: sizeOf(size), ...(served === events && comingOf(filters)) }
    return { method: 'GET', path: `/${path}?${parametersOf(texts(query)).slice(1)}`, fields: {} }
  }
  if (asks === 'create') return { method: 'POST', path: `/${path}`, fields: { ...others, ...always } }
  const address = (id ?? null) === null ? slugPath(slug) : idPath(id)
  if (address === undefined) return undefined
  return {
    method: asks === 'read' ? 'GET' : 'PATCH',
    path: `/${path}${address}`,
    fields: { ...others, ...always },
  }
}

/** Default filters: without dates, events not yet over; with only an end, events that begin from today on. */
function comingOf({ start_date: start, end_date: end, when }: JsonRecord): JsonRecord {
  if ((start ?? when ?? null) !== null) return {}
  return (end ?? null) === null ? { ends_after: 'now', strict_dates: true } : { start_date: 'today' }
}

function idPath(id: unknown): string | undefined {
  const number = readInteger(id)
  return number === undefined || number < 1 ? undefined : `/${number}`
}

const slugPath = (slug: unknown) =>
  typeof slug === 'string' && slug !== '' ? `/by-slug/${encodeURIComponent(slug.toWellFormed())}` : undefined

/** Clamps the number to `MOST_RECORDS`, as the REST API does. */
const sizeOf = (size: unknown) =>
  Number(textOf(size ?? RECORDS)) > MOST_RECORDS ? MOST_RECORDS : (size ?? RECORDS)

/** Turns values into texts; the parser reports those that cannot be. */
function texts(values: JsonRecord): JsonRecord {
  const textsOf = (value: unknown) => (Array.isArray(value) ? value.map(textOf).join(',') : textOf(value))
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => (value === null ? [] : [[name, textsOf(value)]])),
  )
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))
