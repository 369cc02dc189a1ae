import { pageFilters } from '../base/fields/field.ts'
import { ids, integer, readInteger, settledText, text, untypedMoment, words } from '../base/fields/kinds.ts'
import { limits } from '../base/fields/limits.ts'
import { defineFields } from '../calendar/declare/resource.ts'
import { about } from '../calendar/locales/messages.ts'
import { categoryFilters } from '../calendar/terms/term-filters.ts'

export const POST_ORDERS = [
  'date',
  'modified',
  'id',
  'title',
  'slug',
  'author',
  'include',
  'relevance',
] as const

const isOneOf = (known: readonly string[]) => (value: unknown) => known.some((word) => word === value)

/** Lists of images and of records of the platform share these (rules 29.3 and 29.5). */
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
  order: { ...categoryFilters.order, default: 'desc', valid: isOneOf(['asc', 'desc']) },
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
