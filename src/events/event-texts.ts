import { textsOfRecord, textsOfTerm } from '../records/record-texts.ts'
import type { EventRow } from '../storage/schema.ts'
import type { WantedText } from '../text/text-work.ts'
import type { EventLinks } from './event-store.ts'

/** The texts that an event shows, those of its venues, organizers and terms included. */
export function textsOfEvent(
  row: Pick<EventRow, 'description' | 'excerpt' | 'trusted'>,
  { venues, organizers, categories, tags }: EventLinks,
  extent: 'listed' | 'single',
): WantedText[] {
  const records = [row, ...venues, ...organizers].flatMap((record) => textsOfRecord(record, extent))
  return [...records, ...[...categories, ...tags].flatMap(textsOfTerm)]
}
