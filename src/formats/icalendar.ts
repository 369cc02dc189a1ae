import packageJson from '../../package.json' with { type: 'json' }
import { contentLine, escapeText } from '../icalendar/content-lines.ts'
import { isZoneName, writeZone } from '../icalendar/zone-rules.ts'
import type { WithdrawnEventRow } from '../storage/schema.ts'
import { type EventTimes, readableRules, writeEventComponent, writeWithdrawnComponent } from './event-component.ts'
import type { EventFacts } from './event-facts.ts'
import { type FeedHead, feedFormat } from './feed.ts'

/** iCalendar (RFC 5545 and 7986). Each zone stands before the first event that needs it. */
export const icalendar = feedFormat({
  name: 'ics',
  extension: 'ics',
  mediaType: 'text/calendar',
  begin: (context, head) => {
    const zones = new Set<string>()
    const withZone = (row: EventTimes, component: string) => {
      const rules = readableRules(row, context.now)
      if (!rules || zones.has(rules.id)) return component
      zones.add(rules.id)
      return writeZone(rules) + component
    }
    const event = (facts: EventFacts) => withZone(facts.row, writeEventComponent(context, facts))
    const withdrawn = (row: WithdrawnEventRow) => withZone(row, writeWithdrawnComponent(context, row))
    return { head: writeHead(head), event, between: '', withdrawn, tail: () => contentLine('END', 'VCALENDAR') }
  },
})

/** How often subscribers are asked to look. */
const REFRESH = 'PT1H'

/** The properties of the calendar, with the older names that most clients still read beside the standard ones. */
function writeHead({ title, home, self, timezone }: FeedHead): string {
  return [
    contentLine('BEGIN', 'VCALENDAR'),
    contentLine('VERSION', '2.0'),
    contentLine('PRODID', `-//Kalends//Kalends ${packageJson.version}//EN`),
    contentLine('CALSCALE', 'GREGORIAN'),
    contentLine('METHOD', 'PUBLISH'),
    contentLine('NAME', escapeText(title)),
    contentLine('X-WR-CALNAME', escapeText(title)),
    // Clients know zones by the names of the tz database.
    ...(isZoneName(timezone) ? [contentLine('X-WR-TIMEZONE', timezone)] : []),
    contentLine('REFRESH-INTERVAL', REFRESH, { VALUE: 'DURATION' }),
    contentLine('X-PUBLISHED-TTL', REFRESH),
    contentLine('SOURCE', self, { VALUE: 'URI' }),
    contentLine('URL', home, { VALUE: 'URI' }),
  ].join('')
}
