import { escapeHtml } from '../../base/text/html.ts'
import type { Context } from '../../calendar/declare/context.ts'
import {
  describeWhen,
  type EventFacts,
  isoTime,
  meetingPlaces,
  organizersOf,
  placeOf,
} from './event-facts.ts'
import { type FeedHead, feedFormat } from './feed.ts'
import { emptyElement, xmlElement } from './xml.ts'

const TTL_MINUTES = '60'

/** Writes RSS 2.0 with the elements of the RSS event module. */
export const rss = feedFormat({
  name: 'rss',
  extension: 'rss',
  mediaType: 'application/rss+xml',
  title: 'RSS',
  begin: (context, head) => ({
    head: writeRssHead(head),
    event: (facts) => writeItem(context, facts),
    between: '',
    tail: () => '</channel>\n</rss>\n',
  }),
})

function writeRssHead({ title, home, self, language }: FeedHead): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom" \
xmlns:content="http://purl.org/rss/1.0/modules/content/" \
xmlns:ev="http://purl.org/rss/1.0/modules/event/">
<channel>
${xmlElement('title', titleOf(title))}
${xmlElement('link', home)}
${xmlElement('description', htmlOf(title))}
${xmlElement('language', language)}
${xmlElement('ttl', TTL_MINUTES)}
${emptyElement('atom:link', { href: self, rel: 'self', type: 'application/rss+xml' })}
`
}

/** Plain text as HTML, since feed readers take descriptions for HTML. */
function htmlOf(text: string): string {
  return escapeHtml(text).replaceAll('\n', '<br>\n')
}

/** Escapes only what looks like markup: some feed readers take titles for plain text, others for HTML. */
function titleOf(text: string): string {
  return text.replace(/<(?=[a-z/!?])|&(?=#?\w+;)/gi, escapeHtml)
}

/** `pubDate` is the publication date, not the event's, since feed readers hide items dated in the future. */
function writeItem(context: Context, facts: EventFacts): string {
  const { row, image, venues } = facts
  const when = describeWhen(context, row)
  const [venue] = venues
  const described = [...facts.news, when, ...meetingPlaces(facts), facts.text].filter((part) => part !== '')
  const lines = [
    '<item>',
    xmlElement('title', titleOf(facts.heading)),
    xmlElement('link', facts.url),
    xmlElement('guid', row.uid, { isPermaLink: 'false' }),
    xmlElement('pubDate', new Date(`${row.date_utc.replace(' ', 'T')}Z`).toUTCString()),
    xmlElement('description', htmlOf(described.join('\n\n'))),
    ...(facts.html === '' ? [] : [xmlElement('content:encoded', facts.html)]),
    ...facts.terms.map((term) => xmlElement('category', term)),
    ...(image
      ? [emptyElement('enclosure', { url: image.url, length: String(image.filesize), type: image.mime_type })]
      : []),
    xmlElement('ev:startdate', isoTime(row, 'start')),
    xmlElement('ev:enddate', isoTime(row, 'end')),
    ...(venue ? [xmlElement('ev:location', placeOf(venue))] : []),
    ...organizersOf(facts)
      .slice(0, 1)
      .map((name) => xmlElement('ev:organizer', name)),
    '</item>\n',
  ]
  return lines.join('\n')
}
