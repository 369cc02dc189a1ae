import type { ListedEvent } from '../../src/calendar/events/event-bytes.ts'
import { joinParts } from '../../src/calendar/events/event-present.ts'

export function readListed(event: ListedEvent): Record<string, unknown> {
  return JSON.parse(String(('bytes' in event ? event : joinParts(event)).bytes))
}
