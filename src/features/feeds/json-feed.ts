import { type EventMembers, type RareColumn, rareFields, showRare } from '../../base/fields/event-members.ts'
import type { NamesIn } from '../../base/fields/member.ts'
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
import { type FeedHead, feedFormat } from './feed.ts'

export const jsonFeed = feedFormat({
  name: 'jsonfeed',
  extension: 'json',
  mediaType: 'application/feed+json',
  title: 'JSON Feed',
  begin: (context, head) => ({
    head: writeJsonHead(head),
    event: (facts) => writeItem(context, facts),
    between: ',\n',
    tail: () => ']}\n',
  }),
})

function writeJsonHead({ title, home, self, language }: FeedHead): string {
  const head = {
    version: 'https://jsonfeed.org/version/1.1',
    title,
    home_page_url: home,
    feed_url: self,
    language,
  }
  return `${JSON.stringify(head).slice(0, -1)},"items":[`
}

type FeedName = Exclude<NamesIn<EventMembers, 'feed'>, RareColumn>
type OwnName<Name> = Name extends `_kalends.${infer Own}` ? Own : never

const rare = rareFields('feed')

function writeItem(context: Context, facts: EventFacts): string {
  const { row, image, venues, organizers } = facts
  const own = {
    start: isoTime(row, 'start'),
    end: isoTime(row, 'end'),
    all_day: row.all_day === 1,
    timezone: row.timezone,
    venue: venues[0] ? placeOf(venues[0]) : undefined,
    ...showRare(rare, row),
    rest_url: `${context.site.base}/events/${row.id}`,
  } satisfies Record<OwnName<FeedName>, unknown>
  const item = {
    id: row.uid,
    url: facts.url,
    title: facts.heading,
    summary: [...facts.news, describeWhen(context, row), ...meetingPlaces(facts)].join('\n'),
    // JSON Feed requires `content_text` or `content_html`; without HTML, even an empty text is written.
    content_text: facts.html === '' ? facts.text : undefined,
    content_html: facts.html === '' ? undefined : facts.html,
    image: image?.url,
    date_published: rfc3339(row.date_utc),
    date_modified: rfc3339(facts.modified),
    authors: organizers.length > 0 ? organizersOf(facts).map((name) => ({ name })) : undefined,
    tags: facts.terms,
    _kalends: own,
  } satisfies Record<Exclude<FeedName, `_kalends.${string}`> | '_kalends', unknown> & Record<string, unknown>
  return JSON.stringify(item)
}
