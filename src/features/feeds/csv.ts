import { type EventMembers, type RareColumn, rareFields } from '../../base/fields/event-members.ts'
import { organizerFields, venueFields } from '../../base/fields/linked-fields.ts'
import { type LinkedField, type NamesIn, type Tabled, tabled } from '../../base/fields/member.ts'
import { plainText } from '../../base/text/html.ts'
import type { EventFacts } from './event-facts.ts'
import { feedFormat } from './feed.ts'

type WriteCell = (facts: EventFacts) => string

/** The columns in their order. `|` separates entries of a cell; within a name, `|` is written `\|`. */
const cells = {
  id: ({ row }) => String(row.id),
  uid: ({ row }) => row.uid,
  title: ({ title }) => title,
  start_date: ({ row }) => row.start_date,
  end_date: ({ row }) => row.end_date,
  timezone: ({ row }) => row.timezone,
  all_day: ({ row }) => String(row.all_day === 1),
  utc_start_date: ({ row }) => row.utc_start_date,
  utc_end_date: ({ row }) => row.utc_end_date,
  status: ({ row }) => row.status,
  featured: ({ row }) => String(row.featured === 1),
  venue: ({ venues }) => inOneCell(venues.map(({ venue }) => plainText(venue))),
  address: ({ venues }) => venues[0]?.address ?? '',
  zip: ({ venues }) => venues[0]?.zip ?? '',
  city: ({ venues }) => venues[0]?.city ?? '',
  country: ({ venues }) => venues[0]?.country ?? '',
  latitude: ({ venues }) => String(venues[0]?.geo_lat ?? ''),
  longitude: ({ venues }) => String(venues[0]?.geo_lng ?? ''),
  organizer: ({ organizers }) => inOneCell(organizers.map(({ organizer }) => plainText(organizer))),
  // Importers split a cell without `|` at commas and semicolons, so a single term with these gets a `|`.
  terms: ({ terms }) => `${inOneCell(terms)}${terms.length === 1 && /[,;]/.test(terms.join()) ? '|' : ''}`,
  cost: ({ row }) => (JSON.parse(row.cost) as string[]).join('|'),
  website: ({ row }) => row.website,
  url: ({ url }) => url,
  image: ({ image }) => image?.url ?? '',
  description: ({ text }) => text,
  modified_utc: ({ modified }) => modified,
  event_status: ({ row }) => row.event_status,
  event_status_reason: ({ row }) => plainText(row.event_status_reason),
  date_utc: ({ row }) => row.date_utc,
  date_local: ({ row }) => row.date,
} satisfies Record<Exclude<NamesIn<EventMembers, 'csv'>, RareColumn>, WriteCell> & Record<string, WriteCell>

/** Joins names with `|`. A space after a final `\` keeps it from escaping the `|`. */
function inOneCell(names: readonly string[]): string {
  return names.map((name) => name.replaceAll('|', '\\|').replace(/\\$/, '\\ ')).join('|')
}

type Shown = Readonly<Record<string, unknown>> | undefined
type Column = [name: string, write: WriteCell]

const columnsOf = (
  fields: readonly Tabled[],
  known: readonly (keyof typeof cells)[],
  recordOf: (facts: EventFacts) => Shown,
) =>
  fields
    .filter(({ name }) => !known.some((one) => one === name))
    .map(
      ({ name, show, blank }): Column => [
        name,
        (facts) => {
          const kept = recordOf(facts)?.[name]
          return kept === undefined || kept === blank ? '' : plainText(String(show(kept) ?? ''))
        },
      ],
    )

const namedColumnsOf = (
  fields: Readonly<Record<string, LinkedField>>,
  recordOf: (facts: EventFacts) => Shown,
) =>
  Object.entries(fields).flatMap(([name, { csv }]): Column[] =>
    typeof csv === 'string' && !(csv in cells)
      ? [[csv, (facts) => String(recordOf(facts)?.[name] ?? '')]]
      : [],
  )

/** The columns in `cells`, then rare event fields, then the fields of the first venue and organizer. */
const COLUMNS = distinct([
  ...Object.entries(cells),
  ...columnsOf(rareFields('csv'), ['event_status', 'event_status_reason'], ({ row }) => row),
  ...columnsOf(
    tabled(venueFields),
    ['venue', 'address', 'zip', 'city', 'country'],
    ({ venues }) => venues[0],
  ),
  ...columnsOf(tabled(organizerFields), ['organizer'], ({ organizers }) => organizers[0]),
  ...namedColumnsOf(venueFields, ({ venues }) => venues[0]),
  ...namedColumnsOf(organizerFields, ({ organizers }) => organizers[0]),
])

function distinct(columns: readonly Column[]): readonly Column[] {
  const names = new Set<string>()
  for (const [name] of columns) {
    if (names.has(name)) throw new Error(`Two columns of the table of events are called ${name}.`)
    names.add(name)
  }
  return columns
}

/** Writes CSV (RFC 4180): a header line, then one record per event. */
export const csv = feedFormat({
  name: 'csv',
  extension: 'csv',
  mediaType: 'text/csv',
  begin: () => ({
    head: `${COLUMNS.map(([name]) => name).join(',')}\r\n`,
    event: writeLine,
    between: '',
    tail: () => '',
  }),
})

function writeLine(facts: EventFacts): string {
  return `${COLUMNS.map(([, write]) => writeCell(write(facts))).join(',')}\r\n`
}

/**
 * Cells that a spreadsheet could run as formulas get a `'` in front; so do those that begin with `'`, so that
 * importers can remove it without loss.
 */
const FORMULA = /^[=+\-@\t\r']/
const NUMBER = /^-?\d+(?:\.\d+)?$/

function writeCell(text: string): string {
  const cell = FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell
}
