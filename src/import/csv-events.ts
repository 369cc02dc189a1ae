import type { ColumnMeaning } from './csv-columns.ts'
import { linkedItem } from './named-items.ts'
import type { SourceEntry, SourceItem } from './source-item.ts'
import { type DateOrder, readTableDate, readTableTime } from './table-dates.ts'

/** The cells of a row by the meanings of their columns; missing columns have no cell. */
export interface CsvRow {
  at: string
  cells: ReadonlyMap<ColumnMeaning, string>
}

/** Columns whose cells are used unchanged. */
const PLAIN = ['description', 'excerpt', 'website', 'slug', 'timezone'] as const
const FLAGS = ['featured', 'sticky', 'hide_from_listings', 'show_map', 'show_map_link'] as const

const isYes = (cell: string | undefined) => /^(?:1|y|yes|true|on|x|ja|oui|sí|si)$/i.test(cell ?? '')

/** The event of a row, after its venue, organizers and terms. */
export function* eventOfRow(row: CsvRow, order: DateOrder): Generator<SourceEntry> {
  const { at, cells } = row
  const title = cells.get('title') ?? ''
  const times = timesOf(cells, order)
  if (title === '') yield { at, reason: 'It has no title.' }
  else if (typeof times === 'string') yield { at, reason: `${title}: ${times}` }
  else {
    const linked = linkedOf(row)
    yield* linked
    yield eventItem(row, title, times, linked)
  }
}

interface Times {
  all_day: boolean
  start_date: string
  end_date: string
}

/** The times of a row, or why it has none. */
function timesOf(cells: CsvRow['cells'], order: DateOrder): Times | string {
  const written = cells.get('start_date') ?? ''
  const start = readTableDate(written, order)
  if (!start) return written === '' ? 'It has no start.' : `The start "${written}" is not a date.`
  const ending = cells.get('end_date') || start.day
  const end = readTableDate(ending, order)
  if (!end) return `The end "${ending}" is not a date.`
  const [from, to] = [cells.get('start_time') ?? '', cells.get('end_time') ?? '']
  const startTime = start.time ?? readTableTime(from)
  const endTime = end.time ?? readTableTime(to)
  if (from !== '' && startTime === undefined) return `The time "${from}" is not a time of day.`
  if (to !== '' && endTime === undefined) return `The time "${to}" is not a time of day.`
  const isAllDay = cells.has('all_day') ? isYes(cells.get('all_day')) : startTime === undefined
  if (isAllDay) return { all_day: true, start_date: start.day, end_date: end.day }
  const first = startTime ?? '00:00:00'
  return { all_day: false, start_date: `${start.day} ${first}`, end_date: `${end.day} ${endTime ?? first}` }
}

function eventItem({ at, cells }: CsvRow, title: string, times: Times, linked: readonly SourceItem[]): SourceItem {
  const values: Record<string, unknown> = { title, ...times }
  for (const name of PLAIN) if (cells.has(name)) values[name] = cells.get(name)
  for (const name of FLAGS) if (cells.has(name)) values[name] = isYes(cells.get(name))
  const status = cells.get('status')
  if (status) values.status = status.toLowerCase()
  if (cells.has('cost')) values.cost = costOf(cells)
  const of = (kind: SourceItem['kind']) => linked.flatMap((item) => (item.kind === kind ? [item.identity] : []))
  const links = {
    ...(cells.has('venue') && { venue: of('venue') }),
    ...(cells.has('organizer') && { organizer: of('organizer') }),
    ...(cells.has('categories') && { categories: of('category') }),
    ...(cells.has('tags') && { tags: of('tag') }),
  }
  const uid = cells.get('uid') || undefined
  const identity = uid ?? (cells.get('identity') || `${title}\n${times.start_date}`)
  const image = cells.get('image')
  return {
    kind: 'event',
    identity,
    occurrence: '',
    at,
    name: title,
    values,
    links,
    image,
    ...(uid !== undefined && { uid }),
  }
}

/** Prices separated by `|`; a bare number gets the currency sign. */
function costOf(cells: CsvRow['cells']): string[] {
  const sign = cells.get('currency') ?? ''
  const prices = listOf(cells.get('cost'), /\|/)
  return prices.map((price) => (sign !== '' && /^[\d.,]+$/.test(price) ? `${sign}${price}` : price))
}

function listOf(cell = '', between: RegExp): string[] {
  return cell
    .split(between)
    .map((entry) => entry.trim())
    .filter(Boolean)
}

function linkedOf({ at, cells }: CsvRow): SourceItem[] {
  const cell = (meaning: ColumnMeaning) => cells.get(meaning) ?? ''
  const place = {
    address: cell('address'),
    city: cell('city'),
    country: cell('country'),
    state: cell('state'),
    province: cell('province'),
    zip: cell('zip'),
    phone: cell('venue_phone'),
    website: cell('venue_website'),
    ...placeOf(cell('latitude'), cell('longitude')),
  }
  const person = {
    email: cell('organizer_email'),
    phone: cell('organizer_phone'),
    website: cell('organizer_website'),
  }
  const [first, ...others] = listOf(cell('venue'), /\|/)
  const organizers = listOf(cell('organizer'), /\|/)
  const terms = (meaning: 'categories' | 'tags') => listOf(cell(meaning), cell(meaning).includes('|') ? /\|/ : /[,;]/)
  return [
    linkedItem('venue', first ?? '', place, at),
    ...others.map((name) => linkedItem('venue', name, {}, at)),
    ...organizers.map((name, index) => linkedItem('organizer', name, index === 0 ? person : {}, at)),
    ...terms('categories').map((name) => linkedItem('category', name, {}, at)),
    ...terms('tags').map((name) => linkedItem('tag', name, {}, at)),
  ].filter((item) => item !== undefined)
}

/** Coordinates only count as pairs. */
function placeOf(latitude: string, longitude: string): Record<string, string> {
  return latitude === '' || longitude === '' ? {} : { geo_lat: latitude, geo_lng: longitude }
}
