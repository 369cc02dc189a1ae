import type { Presenting } from '../context/context.ts'
import { presentLinkedRecord } from '../linked/record-present.ts'
import type { ImageRow, OrganizerRow } from '../storage/schema.ts'
import { linkedText, plainText } from '../text/html.ts'
import { renderedPlain } from '../text/long-texts.ts'
import { shownUrl } from '../text/urls.ts'
import { organizer } from './organizer.ts'

/** An organizer as events embed it and lists show it (rule 6.2). */
export function presentOrganizer(
  presenting: Presenting,
  row: OrganizerRow,
  image: ImageRow | undefined,
  linkedData?: object,
): object {
  return presentLinkedRecord(presenting, 'organizer', organizer.fields, row, image, linkedData)
}

/** An organizer as linked data (rule 9.3): schema.org Person. */
export function organizerLinkedData(row: OrganizerRow): object {
  return {
    '@type': 'Person',
    name: linkedText(plainText(row.organizer)),
    description: linkedText(renderedPlain(row.description, row.trusted === 1)),
    url: shownUrl(row.website),
    telephone: linkedText(row.phone),
    email: linkedText(row.email),
    sameAs: shownUrl(row.website),
  }
}
