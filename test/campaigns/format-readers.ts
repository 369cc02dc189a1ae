import { parse as parseCsv } from 'csv-parse/sync'
import { XMLParser } from 'fast-xml-parser'
import ICAL from 'ical.js'

export interface ReadEvent {
  url: string
  uid?: string
  title: string
  start: string
  end: string
  text?: string
}

export const readers: Readonly<Record<string, (text: string) => ReadEvent[]>> = {
  ics: readCalendar,
  rss: readRss,
  atom: readAtom,
  json: (text) => (JSON.parse(text) as { items: JsonItem[] }).items.map(fromItem),
  csv: readCsv,
  jsonld: (text) => (JSON.parse(text) as { '@graph': LinkedEvent[] })['@graph'].map(fromLinked),
}

const instant = (iso: string) => (iso.length === 10 ? iso : `${new Date(iso).toISOString().slice(0, 19)}Z`)

const dayBefore = (day: string) => new Date(Date.parse(day) - 86_400_000).toISOString().slice(0, 10)

function readCalendar(text: string): ReadEvent[] {
  const calendar = new ICAL.Component(ICAL.parse(text))
  for (const zone of calendar.getAllSubcomponents('vtimezone'))
    ICAL.TimezoneService.register(new ICAL.Timezone(zone))
  return calendar.getAllSubcomponents('vevent').map((event) => {
    const time = (name: string) => {
      const value = event.getFirstPropertyValue(name)
      if (!(value instanceof ICAL.Time)) return undefined
      return value.isDate ? value.toString() : instant(new Date(value.toUnixTime() * 1000).toISOString())
    }
    const start = time('dtstart') ?? ''
    const end = time('dtend') ?? start
    return {
      url: String(event.getFirstPropertyValue('url')),
      uid: String(event.getFirstPropertyValue('uid')),
      title: String(event.getFirstPropertyValue('summary') ?? ''),
      start,
      end: end.length === 10 && end > start ? dayBefore(end) : end,
      text: String(event.getFirstPropertyValue('description') ?? ''),
    }
  })
}

const xml = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: '@',
  trimValues: false,
  parseTagValue: false,
  htmlEntities: true,
  isArray: (name) => name === 'item' || name === 'entry' || name === 'link',
  processEntities: { enabled: true, maxTotalExpansions: 10_000_000, maxExpandedLength: 1_000_000_000 },
})

interface XmlEvent {
  title: string
  link: unknown[]
  guid?: { '#text': string }
  id?: string
  'ev:startdate': string
  'ev:enddate': string
}

const fromXml = (event: XmlEvent, url: string, uid: string): ReadEvent => ({
  url,
  uid,
  title: event.title,
  start: instant(event['ev:startdate']),
  end: instant(event['ev:enddate']),
})

const asHtml = (item: XmlEvent): XmlEvent => ({
  ...item,
  title: item.title.replaceAll('&lt;', '<').replaceAll('&amp;', '&'),
})

function readRss(text: string): ReadEvent[] {
  const { rss } = xml.parse(text) as { rss: { channel: { item?: XmlEvent[] } } }
  return (rss.channel.item ?? []).map((item) =>
    fromXml(asHtml(item), String(item.link[0]), item.guid?.['#text'] ?? ''),
  )
}

function readAtom(text: string): ReadEvent[] {
  const { feed } = xml.parse(text) as { feed: { entry?: XmlEvent[] } }
  return (feed.entry ?? []).map((entry) => {
    const links = entry.link as { '@rel': string; '@href': string }[]
    const url = links.find((link) => link['@rel'] === 'alternate')?.['@href'] ?? ''
    return fromXml(entry, url, (entry.id ?? '').replace('urn:uuid:', ''))
  })
}

interface JsonItem {
  id: string
  url: string
  title: string
  _kalends: { start: string; end: string }
}

const fromItem = ({ id, url, title, _kalends: { start, end } }: JsonItem): ReadEvent => ({
  url,
  uid: id,
  title,
  start: instant(start),
  end: instant(end),
})

function readCsv(text: string): ReadEvent[] {
  const rows: Record<string, string>[] = parseCsv(text, { columns: true })
  const read = (cell = '') => (cell.startsWith("'") ? cell.slice(1) : cell)
  return rows.map((row) => {
    const time = (edge: string) =>
      row.all_day === 'true'
        ? String(row[`${edge}_date`]).slice(0, 10)
        : instant(`${row[`utc_${edge}_date`]?.replace(' ', 'T')}Z`)
    return {
      url: String(row.url),
      uid: String(row.uid),
      title: read(row.title),
      start: time('start'),
      end: time('end'),
      text: read(row.description),
    }
  })
}

interface LinkedEvent {
  identifier: string
  url: string
  name: string
  startDate: string
  endDate: string
  description?: string
}

const fromLinked = ({ identifier, url, name, startDate, endDate, description }: LinkedEvent): ReadEvent => ({
  url,
  uid: identifier,
  title: name,
  start: instant(startDate),
  end: instant(endDate),
  text: description ?? '',
})
