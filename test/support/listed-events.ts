import { type ListedEvent, mostBytes, writeParts } from '../../src/memory/event-pieces.ts'

/** An event of a list as the list shows it. */
export function readListed(event: ListedEvent): Record<string, unknown> {
  if ('bytes' in event) return JSON.parse(String(event.bytes))
  const bytes = Buffer.alloc(mostBytes(event))
  return JSON.parse(String(bytes.subarray(0, writeParts(event, bytes, 0))))
}
