import { LANGUAGES } from '../../base/config.ts'
import { rareFields } from '../../base/fields/event-members.ts'
import { organizerFields, venueFields } from '../../base/fields/linked-fields.ts'
import { type Tabled, tabled } from '../../base/fields/member.ts'
import { fold } from '../../base/text/characters.ts'
import { readMoment } from '../../base/text/moments.ts'
import { ImportError, message } from './import-messages.ts'

/**
 * Names of our export, The Events Calendar, Google and Outlook, and common words, ordered by language. A name
 * of several meanings takes the first that no other column has.
 */
const COLUMNS = {
  identity: 'id, event id, post id',
  uid: '',
  title: `event name, event title, name, what, programme, program, act, summary, subject, was, quoi, qué,
    titel, betreff, bezeichnung, veranstaltung, titre, objet,
    nom, événement, título, asunto, nombre, evento`,
  description: `event description, post content, details, content, text, about, info, notes, beschreibung,
    inhalt, contenu,
    texte, descripción, contenido, texto`,
  excerpt: 'event excerpt, post excerpt, kurzbeschreibung, auszug, extrait, résumé, extracto, resumen',
  start_date: `event start date, start, date, day, when, dtstart, begin, starts, tag, wann, jour, quand,
    día, cuándo, beginnt am, beginn, startdatum, datum, anfang, début,
    date de début, date début, fecha de comienzo, fecha de inicio, fecha inicio, inicio, fecha`,
  start_time: `event start time, time, starts, start, from, beginnt um, beginn, von, startzeit, uhrzeit,
    zeit, début, heure de début, heure début,
    heure, comienzo, hora de comienzo, hora de inicio, hora inicio, hora`,
  end_date: `event end date, end, last day, dtend, endet am, ende, enddatum, fin, date de fin, date fin,
    fecha de finalización,
    fecha de fin, fecha fin`,
  end_time: `event end time, ends, end, until, to, bis, endet um, ende, endzeit, fin, heure de fin,
    heure fin, finalización, hora de finalización,
    hora de fin, hora fin`,
  timezone: 'event time zone, event timezone, time zone, tz, zeitzone, fuseau horaire, zona horaria',
  all_day: `all day event, event all day, allday, ganztägiges ereignis, ganztägig, journée entière,
    toute la journée,
    todo el día, día completo`,
  status: 'event status, post status, statut',
  date_utc: '',
  date_local: '',
  private: 'privat, privé, privado',
  sensitivity: 'vertraulichkeit, critère de diffusion, confidencialidad',
  url: '',
  cost: `event cost, price, prices, admission, entry, preis, eintritt, kosten, prix, tarif, entrée, precio,
    coste,
    entrada`,
  currency: 'event currency symbol, currency symbol, währung, devise, moneda',
  website: `event website, event url, link, web, tickets,  webseite, internetseite, site web, site internet,
    lien, sitio web,
    página web, enlace`,
  image: 'event featured image, featured image, picture, photo, bild, foto, photo, imagen',
  slug: '',
  featured: 'feature event, featured event, event featured',
  sticky: 'sticky in month view, event sticky in month view',
  image_decorative: '',
  hide_from_listings: `hide from event listings, hide event from listings, hide from listings,
    event hide from listings`,
  show_map: 'event show map',
  show_map_link: 'event show map link',
  categories: `event category, event categories, category, type, genre, terms, art, kategorien, kategorie,
    rubrik, catégories,
    catégorie, rubrique, categorías, categoría`,
  tags: `event tags, event tag, tag, schlagwörter, schlagworte, schlagwort, étiquettes, étiquette, mots clés,
    etiquetas, etiqueta`,
  venue: `venue name, event venue name, event venue, location name, location, place, where, hall, room,
    wo, saal, raum, où, dónde, veranstaltungsort, spielort, ort, lieu, emplacement,
    salle, ubicación, lugar, recinto, sala`,
  address: 'venue address, location address, street, straße, anschrift, adresse, rue, dirección, calle',
  address_more: 'venue address 2, address 2',
  city: 'venue city, location town, town, stadt, ort, ville, commune, ciudad, localidad',
  country: 'venue country, location country, land, pays, país',
  state: 'venue state, venue state province, location state, bundesland, région, estado',
  province: 'venue province, location region, provincia',
  zip: `venue zip, venue postal code, location postcode, postal code, plz, postleitzahl, code postal,
    código postal`,
  venue_phone: 'venue phone',
  venue_website: 'venue website',
  venue_description: 'venue description',
  venue_image: 'venue featured image',
  latitude: 'venue latitude, location latitude, lat, geo lat',
  longitude: 'venue longitude, location longitude, lng, lon, geo lng',
  organizer: `organizer name, event organizer name, event organizer, organizers, event organizers,
    organiser, organisers,
    who, host, wer, qui, quién, veranstalter,
    organisateur, organisateurs, organizador, organizadores`,
  organizer_ids: 'event organizer names or ids, event organizer ids, organizer ids, organizer id',
  organizer_email: 'organizer email',
  organizer_phone: 'organizer phone',
  organizer_website: 'organizer website',
  organizer_description: 'organizer description',
  organizer_image: 'organizer featured image',
} as const

type NamedColumn = keyof typeof COLUMNS
const ALIASES: Readonly<Partial<Record<string, string>>> = COLUMNS

const unnamed = <Name extends string>(fields: readonly Tabled<Name>[]) =>
  fields.filter(({ name }) => !(name in COLUMNS))

export const otherCells = {
  event: unnamed(rareFields('csv')),
  venue: unnamed(tabled(venueFields)),
  organizer: unnamed(tabled(organizerFields)),
}

export type ColumnMeaning = NamedColumn | (typeof otherCells)[keyof typeof otherCells][number]['name']

export const COLUMN_MEANINGS: readonly ColumnMeaning[] = [
  ...(Object.keys(COLUMNS) as NamedColumn[]),
  ...Object.values(otherCells)
    .flat()
    .map(({ name }) => name),
]

const meanings = Map.groupBy(
  COLUMN_MEANINGS.flatMap((meaning) =>
    [meaning, ...(ALIASES[meaning] ?? '').split(/,\s+/).filter(Boolean)].map((name) => ({
      name: plainName(name),
      meaning,
    })),
  ),
  ({ name }) => name,
)

function plainName(name: string): string {
  return fold(name)
    .replace(/\(s\)/g, 's')
    .replace(/[^\p{L}\p{N}]+/gu, '')
}

const SAID_BY_OTHERS = new Set(['utc_start_date', 'utc_end_date', 'modified_utc'].map(plainName))
const OF_LINKED: readonly (ColumnMeaning | undefined)[] = [
  'venue_description',
  'venue_image',
  'organizer_description',
  'organizer_image',
]

export function isUnread(name: string, meaning: ColumnMeaning | undefined, isOfEvents: boolean): boolean {
  if (meaning === undefined) return name !== '' && !SAID_BY_OTHERS.has(plainName(name))
  return isOfEvents && OF_LINKED.includes(meaning)
}

export function meaningsOf(
  names: readonly string[],
  given: ReadonlyMap<string, ColumnMeaning>,
): (ColumnMeaning | undefined)[] {
  const taken = new Set<ColumnMeaning>(given.values())
  const possible = names.map((name) => new Set(meanings.get(plainName(name))?.map(({ meaning }) => meaning)))
  const columns = names.map((name) => given.get(name))
  // Names with one meaning come first; the others choose from the meanings left.
  for (const most of [1, Number.POSITIVE_INFINITY])
    for (const [at, known] of possible.entries()) {
      const free =
        columns[at] === undefined && known.size <= most && [...known].find((meaning) => !taken.has(meaning))
      if (free) {
        columns[at] = free
        taken.add(free)
      }
    }
  return columns
}

/**
 * The meaning of each column, undefined for an ignored one. A table without events lists venues or
 * organizers.
 * @throws ImportError for a name in `given` that is no column, or without a column of titles or starts
 */
export function readHeader(
  names: readonly string[],
  given: ReadonlyMap<string, ColumnMeaning>,
): (ColumnMeaning | undefined)[] {
  for (const name of given.keys())
    if (!names.includes(name))
      throw new ImportError(
        message('The file has no column {name}; its columns are {columns}.', {
          name,
          columns: names.join(', '),
        }),
      )
  const columns = meaningsOf(names, given)
  const isOfEvents = ['title', 'start_date', 'uid'].some((name) =>
    columns.some((meaning) => meaning === name),
  )
  if (!isOfEvents && (columns.includes('venue') || columns.includes('organizer'))) return columns
  for (const meaning of ['title', 'start_date'] as const)
    if (!columns.includes(meaning))
      throw new ImportError([
        message('No column has the {meaning} of events; name it with --map "Column={meaning}".', { meaning }),
        message('The columns are {columns}.', { columns: names.join(', ') }),
      ])
  return columns
}

/** Reads `--map`, such as `Column=field`. @throws Error for an unknown field */
export function readMapping(words: readonly string[]): Map<string, ColumnMeaning> {
  const given = words.map((word) => {
    const at = word.lastIndexOf('=')
    const meaning = COLUMN_MEANINGS.find((known) => known === word.slice(at + 1).trim())
    if (at < 1 || !meaning)
      throw new Error(
        `--map takes "Column=field" with a field of ${COLUMN_MEANINGS.join(', ')}, not "${word}".`,
      )
    return [word.slice(0, at).trim(), meaning] as const
  })
  return new Map(given)
}

/** How 3/4/2026 is read: `european` puts the day first, `american` the month. */
export const DATE_ORDERS = ['european', 'american'] as const
export type DateOrder = (typeof DATE_ORDERS)[number]

interface SeenDates {
  dayFirst: number
  monthFirst: number
  ambiguous: number
}

const SLASHED = /^(\d{1,2})\/(\d{1,2})\/(\d{4}|\d{2})(?!\d)/

export function noDates(): SeenDates {
  return { dayFirst: 0, monthFirst: 0, ambiguous: 0 }
}

export function noteDate(seen: SeenDates, text: string): void {
  const [, first = '', second = ''] = SLASHED.exec(text.trim()) ?? []
  if (first === '') return
  if (Number(first) > 12) seen.dayFirst += 1
  else if (Number(second) > 12) seen.monthFirst += 1
  else seen.ambiguous += 1
}

/** @throws ImportError when the dates leave the order open, or contradict each other */
export function orderOf({ dayFirst, monthFirst, ambiguous }: SeenDates): DateOrder {
  if (dayFirst > 0 && monthFirst > 0)
    throw new ImportError([
      message('Some dates have the day first and some the month;'),
      message('say with --dates european or --dates american how to read them.'),
    ])
  if (dayFirst === 0 && monthFirst === 0 && ambiguous > 0)
    throw new ImportError([
      message('The dates may have the day or the month first;'),
      message('say which with --dates european or --dates american.'),
    ])
  return monthFirst > 0 ? 'american' : 'european'
}

let known: ReadonlyMap<string, number> | undefined

/**
 * Month numbers by name, without accents, in every language. Made on first use: every start of the program
 * loads this file.
 */
function months(): ReadonlyMap<string, number> {
  known ??= new Map(
    LANGUAGES.flatMap((language) =>
      (['long', 'short'] as const).flatMap((month) => {
        const { format } = new Intl.DateTimeFormat(language, { month, timeZone: 'UTC' })
        return Array.from(
          { length: 12 },
          (_, at) => [plainMonth(format(Date.UTC(2027, at))), at + 1] as const,
        )
      }),
    ),
  )
  return known
}

function plainMonth(name: string): string {
  return fold(name).replace('.', '')
}

/** `day`: `YYYY-MM-DD`; `time`: `HH:MM:SS` up to 24:00:00; `utc` (RFC 3339) only if a cell has an offset. */
interface TableDate {
  day: string
  time?: string | undefined
  utc?: string | undefined
}

/** RFC 3339; seconds may be missing. */
const WITH_OFFSET = /^\d{4}-\d\d-\d\d[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?) ?(?:Z|[+-]\d\d:?\d\d)$/i

/**
 * Reads a date, possibly with a time. A time with a UTC offset is converted to `zone`; if `zone` is undefined
 * (an all-day event), the digits count.
 */
export function readTableDate(
  text: string,
  order: DateOrder,
  zone: string | undefined,
): TableDate | undefined {
  const trimmed = text.trim()
  const [, time] = WITH_OFFSET.exec(trimmed) ?? []
  if (time !== undefined) {
    const moment = readMoment(zone === undefined ? trimmed.slice(0, 11) + time : trimmed, zone ?? 'UTC', 0)
    return (
      moment && {
        day: moment.wall.slice(0, 10),
        time: moment.wall.slice(11),
        utc: moment.utc && `${moment.utc.replace(' ', 'T')}Z`,
      }
    )
  }
  for (const { pattern, parts } of FORMS) {
    const found = pattern.exec(trimmed)
    if (!found) continue
    const { year, month, day } = parts(found, order)
    const date = dayOf(year, month, day)
    const rest = trimmed.slice(found[0].length).replace(/^(?:[T,\s]|at\b)+/i, '')
    const time = rest === '' ? undefined : readTableTime(rest)
    return date === undefined || (rest !== '' && time === undefined) ? undefined : { day: date, time }
  }
  return undefined
}

type Parts = (found: RegExpExecArray, order: DateOrder) => { year: number; month: number; day: number }

const monthOf = (name = '') =>
  months().get(plainMonth(name)) ?? months().get(plainMonth(name).slice(0, 3)) ?? 0
/** Two digits mean 1970 to 2069. */
const yearOf = (year = '') => Number(year) + (year.length > 2 ? 0 : Number(year) < 70 ? 2000 : 1900)
const dayFirst: Parts = ([, day, month, year]) => ({
  year: yearOf(year),
  month: Number(month),
  day: Number(day),
})
const dayAndName: Parts = ([, day, month, year]) => ({
  year: yearOf(year),
  month: monthOf(month),
  day: Number(day),
})

/**
 * Forms of dates. A year of four digits may be first; else with slashes the table's order holds, and with
 * dots or dashes the day is first.
 */
const FORMS: readonly { pattern: RegExp; parts: Parts }[] = [
  {
    pattern: /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?!\d)/,
    parts: ([, year, month, day]) => ({ year: Number(year), month: Number(month), day: Number(day) }),
  },
  {
    pattern: SLASHED,
    parts: ([, first, second, year], order) =>
      order === 'european'
        ? { year: yearOf(year), month: Number(second), day: Number(first) }
        : { year: yearOf(year), month: Number(first), day: Number(second) },
  },
  { pattern: /^(\d{1,2})[-.](\d{1,2})[-.](\d{4}|\d{2})(?!\d)/, parts: dayFirst },
  { pattern: /^(\d{1,2})-(\p{L}{3,12})\.?-(\d{4}|\d{2})(?!\d)/u, parts: dayAndName },
  {
    pattern: new RegExp(
      '^(?:\\p{L}{2,10}\\.?,?\\s+)?(\\d{1,2})(?:st|nd|rd|th|er|\\.)?\\s+' +
        '(?:de\\s+)?(\\p{L}{3,12})\\.?,?\\s+(?:de\\s+)?(\\d{4}|\\d{2})(?!\\d)',
      'iu',
    ),
    parts: dayAndName,
  },
  {
    pattern: /^(?:[a-z]{3,9},?\s+)??([a-z]{3,9})\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(\d{4})(?!\d)/i,
    parts: ([, month, day, year]) => ({ year: Number(year), month: monthOf(month), day: Number(day) }),
  },
]

function dayOf(year: number, month: number, day: number): string | undefined {
  const date = new Date(Date.UTC(year, month - 1, day))
  const isReal = month >= 1 && month <= 12 && date.getUTCDate() === day
  return isReal ? date.toISOString().slice(0, 10) : undefined
}

/** Reads `19:30`, `19.30`, `19h30`, `19 Uhr`, `7:30 PM`, `7pm` and `24:00` as `HH:MM:SS`. */
export function readTableTime(text: string): string | undefined {
  const [, hour, minute = '00', second = '00', half] =
    /^(\d{1,2})(?:[:.h](\d\d))?(?::(\d\d))?\s*(?:uhr|h|([ap])?\.?\s?(?:m\.?)?)$/i.exec(text.trim()) ?? []
  if (hour === undefined) return undefined
  const hours =
    half === undefined ? Number(hour) : (Number(hour) % 12) + (half.toLowerCase() === 'p' ? 12 : 0)
  const isEndOfDay = hours === 24 && Number(minute) + Number(second) === 0
  if ((hours > 23 && !isEndOfDay) || Number(minute) > 59 || Number(second) > 59) return undefined
  return `${String(hours).padStart(2, '0')}:${minute}:${second}`
}
