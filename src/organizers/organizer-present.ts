import { globalId, presentLinkedRecord } from '../common/record-present.ts'
import type { Presenting } from '../declare/asking.ts'
import type { ImageRow, OrganizerRow } from '../storage/schema.ts'
import { plainText, renderText } from '../text/html.ts'
import { organizer } from './organizer.ts'

/** An organizer as events embed it and lists show it (contract 3.3). */
export function presentOrganizer(
  presenting: Presenting,
  row: OrganizerRow,
  image: ImageRow | undefined,
  linkedData?: object,
): object {
  return {
    ...presentLinkedRecord(presenting, 'organizer', organizer.fields, row, image),
    ...(linkedData ? { json_ld: linkedData } : {}),
    global_id: globalId(presenting.site, row.id),
    global_id_lineage: [globalId(presenting.site, row.id)],
  }
}

/** An organizer as linked data (contract 3.7): schema.org Person. */
export function organizerLinkedData(row: OrganizerRow): object {
  return {
    '@type': 'Person',
    name: plainText(row.organizer),
    description: plainText(renderText(row.description, row.trusted === 1)),
    url: row.website,
    telephone: row.phone,
    email: row.email,
    sameAs: row.website,
  }
}
