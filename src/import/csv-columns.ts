/** The meanings that a column of a table can have. */
export const COLUMN_MEANINGS = [
  'identity',
  'uid',
  'title',
  'description',
  'excerpt',
  'start_date',
  'start_time',
  'end_date',
  'end_time',
  'timezone',
  'all_day',
  'status',
  'cost',
  'currency',
  'website',
  'image',
  'slug',
  'featured',
  'sticky',
  'hide_from_listings',
  'show_map',
  'show_map_link',
  'categories',
  'tags',
  'venue',
  'address',
  'city',
  'country',
  'state',
  'province',
  'zip',
  'venue_phone',
  'venue_website',
  'latitude',
  'longitude',
  'organizer',
  'organizer_email',
  'organizer_phone',
  'organizer_website',
] as const
export type ColumnMeaning = (typeof COLUMN_MEANINGS)[number]

/** Names of columns in lower case, without punctuation: those of our own export, of the reference's tables, and common ones. */
const ALIASES: Readonly<Partial<Record<ColumnMeaning, readonly string[]>>> = {
  identity: ['id', 'event id', 'post id'],
  title: ['event name', 'event title', 'name', 'summary', 'subject'],
  description: ['event description', 'details', 'content'],
  excerpt: ['event excerpt'],
  start_date: ['event start date', 'start', 'date', 'dtstart', 'begin'],
  start_time: ['event start time', 'time'],
  end_date: ['event end date', 'end', 'dtend'],
  end_time: ['event end time'],
  timezone: ['event time zone', 'event timezone', 'time zone', 'tz'],
  all_day: ['all day event', 'event all day', 'allday'],
  status: ['event status', 'post status'],
  cost: ['event cost', 'price'],
  currency: ['event currency symbol', 'currency symbol'],
  website: ['event website', 'event url', 'link'],
  image: ['event featured image', 'featured image'],
  featured: ['feature event', 'featured event', 'event featured'],
  sticky: ['sticky in month view', 'event sticky in month view'],
  hide_from_listings: [
    'hide from event listings',
    'hide event from listings',
    'hide from listings',
    'event hide from listings',
  ],
  show_map: ['event show map'],
  show_map_link: ['event show map link'],
  categories: ['event category', 'event categories', 'category', 'terms'],
  tags: ['event tags', 'event tag', 'tag'],
  venue: ['venue name', 'event venue name', 'event venue', 'location'],
  address: ['venue address', 'street'],
  city: ['venue city'],
  country: ['venue country'],
  state: ['venue state', 'venue state province'],
  province: ['venue province'],
  zip: ['venue zip', 'venue postal code', 'postal code'],
  venue_phone: ['venue phone'],
  venue_website: ['venue website'],
  latitude: ['venue latitude', 'lat', 'geo lat'],
  longitude: ['venue longitude', 'lng', 'lon', 'geo lng'],
  organizer: [
    'organizer name',
    'event organizer name',
    'event organizer names or ids',
    'event organizer',
    'organizers',
    'event organizers',
  ],
  organizer_email: ['organizer email'],
  organizer_phone: ['organizer phone'],
  organizer_website: ['organizer website'],
}

const meanings = new Map<string, ColumnMeaning>(
  COLUMN_MEANINGS.flatMap((meaning) =>
    [meaning, ...(ALIASES[meaning] ?? [])].map((name) => [plainName(name), meaning] as const),
  ),
)

function plainName(name: string): string {
  return name
    .toLowerCase()
    .replace(/\(s\)/g, 's')
    .replace(/[^\p{L}\p{N}]+/gu, '')
}

/**
 * The meaning of each column by its name, undefined for an ignored one; `given` overrides the names.
 * @throws Error with one sentence when a name of `given` is no column, or no column has the titles or starts of events
 */
export function readHeader(
  names: readonly string[],
  given: ReadonlyMap<string, ColumnMeaning>,
): (ColumnMeaning | undefined)[] {
  for (const name of given.keys())
    if (!names.includes(name)) throw new Error(`The file has no column ${name}; its columns are ${names.join(', ')}.`)
  const taken = new Set<ColumnMeaning>(given.values())
  const columns = names.map((name) => {
    const own = given.get(name)
    if (own !== undefined) return own
    const meaning = meanings.get(plainName(name))
    if (meaning === undefined || taken.has(meaning)) return undefined
    taken.add(meaning)
    return meaning
  })
  for (const meaning of ['title', 'start_date'] as const)
    if (!columns.includes(meaning))
      throw new Error(
        `No column has the ${meaning} of events; name it with --map "Column=${meaning}". The columns are ${names.join(', ')}.`,
      )
  return columns
}

/** Parses `--map`. @throws Error with one sentence */
export function readMapping(words: readonly string[]): Map<string, ColumnMeaning> {
  const given = words.map((word) => {
    const at = word.lastIndexOf('=')
    const meaning = COLUMN_MEANINGS.find((known) => known === word.slice(at + 1).trim())
    if (at < 1 || !meaning)
      throw new Error(`--map takes "Column=field" with a field of ${COLUMN_MEANINGS.join(', ')}, not "${word}".`)
    return [word.slice(0, at).trim(), meaning] as const
  })
  return new Map(given)
}
