import { defineFields, defineResource, OWN_NAMESPACE } from '../declare/resource.ts'
import { event } from '../events/event.ts'
import type { Parsed } from '../fields/field.ts'
import { integer, words } from '../fields/kinds.ts'
import { pageFilters } from '../fields/record-fields.ts'
import { isAllowedStatusList } from '../records/status.ts'

/** The fields of a series: an occurrence has its own slug, and a change of the series always covers all of it. */
const { slug: _slug, recurrence_scope: _scope, ...fields } = event.fields

/** Series: events that repeat, with the fields that their occurrences have in common (docs/series.md). */
export const seriesResource = defineResource({
  name: 'series',
  path: 'series',
  namespace: OWN_NAMESPACE,
  title: 'Series',
  addresses: { id: { id: { kind: integer, about: 'The id of the series', required: true } } },
  fields,
})

/** The parameters of lists of series. */
export const seriesFilters = defineFields({
  ...pageFilters,
  status: { kind: words, about: 'Only records with one of these statuses', valid: isAllowedStatusList },
})

/** The parameters of a list once read. */
export type SeriesQuery = Parsed<typeof seriesFilters>
