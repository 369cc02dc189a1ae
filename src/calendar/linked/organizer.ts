import { integer, settledText } from '../../base/fields/kinds.ts'
import { limits } from '../../base/fields/limits.ts'
import { organizerFields } from '../../base/fields/linked-fields.ts'
import { linkedText, plainText } from '../../base/text/html.ts'
import { renderedPlain } from '../../base/text/long-texts.ts'
import { presentUrl } from '../../base/text/urls.ts'
import type { ImageRow, OrganizerRow } from '../../store/storage/schema.ts'
import type { Presenting } from '../declare/context.ts'
import { defineResource, withChecks } from '../declare/resource.ts'
import { isImageReference } from '../images/images.ts'
import { recordChecks } from '../records/record-rules.ts'
import { linkedOperations } from './linked-operations.ts'
import { isIdOf, isSlugOf, type LinkedRules } from './linked-store.ts'
import { presentLinkedRecord } from './record-present.ts'

/** The addresses are those of rule 3.9. */
export const organizer = defineResource({
  name: 'organizer',
  path: 'organizers',
  title: 'Organizer',
  addresses: {
    id: {
      id: { kind: integer, about: 'The id of the organizer', required: true, lookUp: isIdOf('organizer') },
    },
    slug: {
      slug: {
        kind: settledText,
        about: 'The slug of the organizer',
        required: true,
        within: limits.slug,
        lookUp: isSlugOf('organizer'),
      },
    },
  },
  fields: withChecks(organizerFields, { ...recordChecks, image: { lookUp: isImageReference } }),
})

export const organizerRules: LinkedRules = {
  kind: 'organizer',
  table: 'organizers',
  links: 'event_organizers',
  fields: organizer.fields,
  settle: () => ({}),
}

/** An organizer as answers show it (rule 6.2). @throws Error when it cannot be shown */
export function presentOrganizer(
  presenting: Presenting,
  row: OrganizerRow,
  image: ImageRow | undefined,
  linkedData?: object,
): object {
  return presentLinkedRecord(presenting, 'organizer', organizer.fields, row, image, linkedData)
}

/** A schema.org Person (rule 9.3). */
export function organizerLinkedData(row: OrganizerRow): object {
  return {
    '@type': 'Person',
    name: linkedText(plainText(row.organizer)),
    description: linkedText(renderedPlain(row.description, row.trusted === 1)),
    url: presentUrl(row.website),
    telephone: linkedText(row.phone),
    email: linkedText(row.email),
    sameAs: presentUrl(row.website),
  }
}

export const organizerOperations = linkedOperations<OrganizerRow>(
  organizerRules,
  (context, row, image, extent) =>
    presentOrganizer(context, row, image, extent === 'single' ? organizerLinkedData(row) : undefined),
)
