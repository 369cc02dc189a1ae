import { NEVER } from '../fields/kinds.ts'
import { fold } from '../text/fold.ts'
import { addDays } from '../text/moments.ts'
import { type ColumnMeaning, rareCells } from './csv-columns.ts'
import { linkedItem, numberedIdentity, partsOfPlace } from './named-items.ts'
import { type SourceEntry, type SourceItem, scheduled } from './source-item.ts'
import { type DateOrder, readTableDate, readTableTime } from './table-dates.ts'

/** The cells of a row by the meanings of their columns; missing columns have no cell. */
export interface CsvRow {
  at: string
  cells: ReadonlyMap<ColumnMeaning, string>
}

/** Columns whose cells are used unchanged. */
const PLAIN = ['description', 'excerpt', 'website', 'slug', 'timezone'] as const
const FLAGS = ['featured', 'sticky', 'hide_from_listings', 'show_map', 'show_map_link'] as const

const isYes = (cell: string | undefined) => /^(?:1|y|yes|true|on|x|ja|wahr|oui|vrai|sí|si|verdadero)$/i.test(cell ?? '')

/** The event of a row, after its venue, organizers and terms. */
export function* eventOfRow(row: CsvRow, order: DateOrder): Generator<SourceEntry> {
  const { at, cells } = row
  const title = cells.get('title') ?? ''
  const times = timesOf(cells, order)
  if (title === '') yield { at, reason: 'It has no title.' }
  else if (typeof times === 'string') yield { at, reason: `${title}: ${times}` }
  else {
    const { unread, ...read } = times
    if (unread !== undefined)
      yield { at, reason: `${title}: The end "${unread}" cannot be read, so only its start is in.`, isPart: true }
    const linked = linkedOf(row)
    yield* linked
    yield eventItem(row, title, read, linked)
  }
}

interface Times {
  all_day: boolean
  start_date: string
  end_date: string
}

/** The times of a row, with the end that cannot be read where there is one, or why it has none. */
function timesOf(cells: CsvRow['cells'], order: DateOrder): (Times & { unread?: string }) | string {
  const written = cells.get('start_date') ?? ''
  const start = readTableDate(written, order)
  if (!start) return written === '' ? 'It has no start.' : `The start "${written}" is not a date.`
  const [from, ending, to] = [cells.get('start_time') ?? '', cells.get('end_date') ?? '', cells.get('end_time') ?? '']
  const startTime = start.time ?? readTableTime(from)
  if (from !== '' && startTime === undefined) return `The time "${from}" is not a time of day.`
  const end = ending === '' ? { day: start.day, time: undefined } : readTableDate(ending, order)
  const endTime = end?.time ?? readTableTime(to)
  const isRead = end !== undefined && (to === '' || endTime !== undefined)
  const unread = isRead ? {} : { unread: `${ending} ${to}`.trim() }
  const lastDay = isRead ? end.day : start.day
  const isAllDay = cells.has('all_day') ? isYes(cells.get('all_day')) : startTime === undefined
  if (isAllDay) return { all_day: true, start_date: start.day, end_date: lastDay, ...unread }
  const first = startTime ?? '00:00:00'
  const last = (isRead ? endTime : undefined) ?? first
  // An evening that ends after midnight.
  const day = ending === '' && last < first ? addDays(lastDay, 1) : lastDay
  return { all_day: false, start_date: `${start.day} ${first}`, end_date: `${day} ${last}`, ...unread }
}

/** The venue and the organizer of a row in a table of those, `names` being the names of the rows before. One name with two addresses is two of them. */
export function* linkedOfRow({ at, cells }: CsvRow, names: Set<string>): Generator<SourceEntry> {
  const kinds = (['venue', 'organizer'] as const).filter((kind) => cells.get(kind))
  if (kinds.length === 0) yield { at, reason: 'It has no name.' }
  for (const kind of kinds) {
    const cell = (meaning: ColumnMeaning, plain: ColumnMeaning) => cells.get(meaning) || cells.get(plain) || ''
    const details = {
      ...(kind === 'venue' ? placeOf(cells) : personOf(cells)),
      description: cell(`${kind}_description`, 'description'),
      website: cell(`${kind}_website`, 'website'),
    }
    const item = linkedItem(kind, cells.get(kind) ?? '', details, at)
    if (!item) continue
    const [name = ''] = item.identity.split('\n')
    const places = fold([cells.get('address'), cells.get('zip'), cells.get('city')].join(' '))
    const identity = cells.get('identity') || (names.has(`${kind} ${name}`) ? `${name}\n${places}` : name)
    names.add(`${kind} ${name}`)
    yield { ...item, identity, image: cell(`${kind}_image`, 'image') }
  }
}

function eventItem({ at, cells }: CsvRow, title: string, times: Times, linked: readonly SourceItem[]): SourceItem {
  const values: Record<string, unknown> = { title, ...times }
  for (const name of PLAIN) if (cells.has(name)) values[name] = cells.get(name)
  for (const name of FLAGS) if (cells.has(name)) values[name] = isYes(cells.get(name))
  for (const { name, read } of rareCells) if (cells.has(name)) values[name] = read(cells.get(name))
  if (!cells.has('website') && cells.has('url')) values.website = cells.get('url')
  const { link } = partsOfPlace(cells.get('venue') ?? '')
  if (link !== '' && !values.website) values.website = link
  Object.assign(values, publicationOf(cells))
  if (cells.has('cost')) values.cost = costOf(cells)
  const of = (kind: SourceItem['kind']) => linked.flatMap((item) => (item.kind === kind ? [item.identity] : []))
  const links = {
    ...(cells.has('venue') && { venue: of('venue') }),
    ...((cells.has('organizer') || cells.has('organizer_ids')) && {
      organizer: [...of('organizer'), ...idsIn(cells.get('organizer_ids') ?? '').map(numberedIdentity)],
    }),
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
    page: cells.get('url') ?? '',
  }
}

/** What calendars say of events that anybody may see. */
const OPEN = /^(?:|normal|public|publique|público|öffentlich|default|standard)$/i

/** The status of a row: that of its column, or else private where another column says so. */
function publicationOf(cells: CsvRow['cells']): Readonly<Record<string, string>> {
  const status = cells.get('status')?.toLowerCase() ?? ''
  const date = cells.get('date_utc') ?? ''
  const dated = date === '' || date === NEVER ? undefined : date
  if (status !== '') return { ...(dated !== undefined && { date_utc: dated }), ...scheduled(status, dated) }
  if (!cells.has('private') && !cells.has('sensitivity')) return {}
  return { status: isYes(cells.get('private')) || !OPEN.test(cells.get('sensitivity') ?? '') ? 'private' : 'publish' }
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
  const [first, ...others] = listOf(partsOfPlace(cell('venue')).place, /\|/)
  const organizers = listOf(cell('organizer') || namesAmong(cell('organizer_ids')), /\|/)
  const terms = (meaning: 'categories' | 'tags') => listOf(cell(meaning), cell(meaning).includes('|') ? /\|/ : /[,;]/)
  return [
    linkedItem('venue', first ?? '', placeOf(cells), at),
    ...others.map((name) => linkedItem('venue', name, {}, at)),
    ...organizers.map((name, index) => linkedItem('organizer', name, index === 0 ? personOf(cells) : {}, at)),
    ...terms('categories').map((name) => linkedItem('category', name, {}, at)),
    ...terms('tags').map((name) => linkedItem('tag', name, {}, at)),
  ].filter((item) => item !== undefined)
}

/** The ids of organizers in a cell that has ids or names. */
function idsIn(cell: string): string[] {
  return /^\d{1,9}(?:[\s,;|]{1,5}\d{1,9}){0,100}$/.test(cell) ? cell.split(/[\s,;|]{1,5}/) : []
}

const namesAmong = (cell: string) => (idsIn(cell).length > 0 ? '' : cell)

/** The details of the venue of a row. Coordinates only count as pairs. */
function placeOf(cells: CsvRow['cells']): Record<string, string> {
  const cell = (meaning: ColumnMeaning) => cells.get(meaning) ?? ''
  const [latitude, longitude] = [cell('latitude'), cell('longitude')]
  return {
    address: [cell('address'), cell('address_more')].filter(Boolean).join(', '),
    city: cell('city'),
    country: cell('country'),
    state: cell('state'),
    province: cell('province'),
    zip: cell('zip'),
    phone: cell('venue_phone'),
    website: cell('venue_website'),
    ...(latitude !== '' && longitude !== '' && { geo_lat: latitude, geo_lng: longitude }),
  }
}

/** The details of the first organizer of a row. */
function personOf(cells: CsvRow['cells']): Record<string, string> {
  const cell = (meaning: ColumnMeaning) => cells.get(meaning) ?? ''
  return { email: cell('organizer_email'), phone: cell('organizer_phone'), website: cell('organizer_website') }
}
