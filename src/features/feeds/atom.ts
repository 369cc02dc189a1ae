import { isUuid } from '../../base/text/characters.ts'
import type { Context } from '../../calendar/declare/context.ts'
import {
  describeWhen,
  type EventFacts,
  isoTime,
  meetingPlaces,
  organizersOf,
  placeOf,
  rfc3339,
} from './event-facts.ts'
import { findLastWithdrawal } from './event-sequences.ts'
import { type FeedHead, feedFormat } from './feed.ts'
import { emptyElement, xmlElement } from './xml.ts'

/** Writes an Atom feed (RFC 4287). `updated`, its latest change or withdrawal, comes last. */
export const atom = feedFormat({
  name: 'atom',
  extension: 'atom',
  mediaType: 'application/atom+xml',
  title: 'Atom',
  begin: (context, head) => {
    let latest = NEVER_CHANGED
    const note = (time: string) => {
      if (time > latest) latest = time
    }
    return {
      head: writeAtomHead(head),
      event: (facts) => {
        note(facts.modified)
        return writeEntry(context, facts)
      },
      between: '',
      // Writes nothing, but may change the feed's `updated`.
      withdrawn: ({ withdrawn_utc }) => {
        note(withdrawn_utc)
        return ''
      },
      tail: async () => {
        note(await findLastWithdrawal(context.db))
        return `${xmlElement('updated', rfc3339(latest))}\n</feed>\n`
      },
    }
  },
})

const NEVER_CHANGED = '1970-01-01 00:00:00'

function writeAtomHead({ title, home, self, language }: FeedHead): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xmlns:ev="http://purl.org/rss/1.0/modules/event/" xml:lang="${
    language
  }">
${xmlElement('id', self)}
${xmlElement('title', title)}
${emptyElement('link', { href: home, rel: 'alternate', type: 'text/html' })}
${emptyElement('link', { href: self, rel: 'self', type: 'application/atom+xml' })}
`
}

function writeEntry(context: Context, facts: EventFacts): string {
  const { row, image, venues, organizers } = facts
  const [venue] = venues
  const parts = [...facts.news, describeWhen(context, row), ...meetingPlaces(facts)]
  const summary = parts.filter((part) => part !== '').join('\n')
  const names = organizers.length > 0 ? organizersOf(facts) : [context.site.name || facts.title]
  const lines = [
    '<entry>',
    xmlElement(
      'id',
      isUuid(row.uid) ? `urn:uuid:${row.uid}` : `tag:kalends,2026:${encodeURIComponent(row.uid)}`,
    ),
    xmlElement('title', facts.heading),
    emptyElement('link', { href: facts.url, rel: 'alternate', type: 'text/html' }),
    xmlElement('published', rfc3339(row.date_utc)),
    xmlElement('updated', rfc3339(facts.modified)),
    ...names.map((name) => `<author>${xmlElement('name', name)}</author>`),
    ...facts.terms.map((term) => emptyElement('category', { term })),
    ...(image
      ? [
          emptyElement('link', {
            href: image.url,
            rel: 'enclosure',
            type: image.mime_type,
            length: String(image.filesize),
          }),
        ]
      : []),
    xmlElement('summary', summary),
    ...(facts.html === '' ? [] : [xmlElement('content', facts.html, { type: 'html' })]),
    xmlElement('ev:startdate', isoTime(row, 'start')),
    xmlElement('ev:enddate', isoTime(row, 'end')),
    ...(venue ? [xmlElement('ev:location', placeOf(venue))] : []),
    '</entry>\n',
  ]
  return lines.join('\n')
}
