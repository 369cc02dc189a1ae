import { pageFilters } from '../base/fields/field.ts'
import { ids, integer, readInteger, settledText, text, untypedMoment, words } from '../base/fields/kinds.ts'
import { limits } from '../base/fields/limits.ts'
import { Problem } from '../base/problems.ts'
import { parametersOf } from '../base/text/urls.ts'
import type { Operations } from '../calendar/declare/operations.ts'
import { defineFields, type Fields, type Resource } from '../calendar/declare/resource.ts'
import { about } from '../calendar/locales/messages.ts'
import type { Served } from '../calendar/resources.ts'
import { categoryFilters } from '../calendar/terms/term-filters.ts'
import { POST_ORDERS } from './post-list.ts'

// What platform routes share (rules 29.1 to 29.6).

const neverDone = async (): Promise<never> => {
  throw new Problem('rest_no_route')
}
const refuseWrite = { prepare: neverDone, write: neverDone }
const nobody = () => false

/** For operations that a resource does not offer. */
const nothing: Operations = {
  find: neverDone,
  load: neverDone,
  locate: async () => undefined,
  missing: async () => new Problem('rest_no_route'),
  loadOne: neverDone,
  presentation: {
    nameOf: () => ({ kind: 'user', id: 0 }),
    textsOf: () => [],
    present: () => ({}),
  },
  create: refuseWrite,
  update: refuseWrite,
  remove: refuseWrite,
  rights: { create: nobody, update: nobody, remove: nobody },
}

/** The handlers of the namespace serve it. */
export function serveForPlatform<Row, Loaded = Row>(
  resource: Resource,
  filters: Fields,
  offered: Partial<Operations<Row, Loaded>>,
): Served {
  return { resource, filters, operations: { ...nothing, ...offered } as Operations }
}

const isOneOf = (known: readonly string[]) => (value: unknown) => known.some((word) => word === value)

/** Rules 29.3 and 29.5. */
export const postFilters = defineFields({
  context: {
    kind: text,
    about: about('What it is read for: view, edit or embed'),
    default: 'view',
    valid: isOneOf(['view', 'edit', 'embed']),
  },
  ...pageFilters,
  search: {
    kind: settledText,
    about: about('Only records with these words in their texts'),
    within: limits.search,
  },
  after: { kind: untypedMoment, about: about('Only records published after this time') },
  before: { kind: untypedMoment, about: about('Only records published before this time') },
  modified_after: { kind: untypedMoment, about: about('Only records changed after this time') },
  modified_before: { kind: untypedMoment, about: about('Only records changed before this time') },
  author: { kind: ids, about: about('Only records of these authors, by id') },
  exclude: { kind: ids, about: about('Leave out the records with these ids') },
  include: { kind: ids, about: about('Only the records with these ids') },
  offset: {
    kind: integer,
    about: about('How many records to pass over before the first page'),
    valid: (value) => (readInteger(value) ?? -1) >= 0,
  },
  order: {
    ...categoryFilters.order,
    default: 'desc',
    valid: isOneOf(['asc', 'desc']),
  },
  orderby: {
    kind: text,
    about: about(
      'What the records are ordered by: date, modified, id, title, slug, author, include or relevance',
    ),
    default: 'date',
    valid: isOneOf(POST_ORDERS),
  },
  slug: { kind: words, about: about('Only the records with these slugs'), within: limits.slugs },
})

/** But its page. */
export function shapingOf({
  page: _page,
  per_page: _perPage,
  ...shaping
}: {
  page?: unknown
  per_page?: unknown
}): string {
  return parametersOf(shaping)
}

/** `2026-11-20T15:11:35`, without an offset. */
export function platformTime(text: string): string {
  return text.replace(' ', 'T')
}

/** `raw` for who may edit, with `context=edit`. */
export function shownText(
  rendered: string,
  raw: string,
  mayEdit: boolean,
): { raw?: string; rendered: string } {
  return mayEdit ? { raw, rendered } : { rendered }
}
