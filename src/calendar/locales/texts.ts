import type { event } from '../events/event.ts'
import type { eventFilters } from '../events/event-filters.ts'
import type { placedFilters } from '../linked/linked-filters.ts'
import type { organizer } from '../linked/organizer.ts'
import type { venue } from '../linked/venue.ts'
import type { seriesResource } from '../series/series.ts'
import type { category, tag } from '../terms/taxonomies.ts'
import type { categoryFilters } from '../terms/term-filters.ts'
import type { MessageText } from './messages.ts'

type TextsOf<Part> =
  Part extends Readonly<Record<string, infer Declared>>
    ?
        | (Declared extends { label: infer Label } ? Label : never)
        | (Declared extends { hint: infer Hint } ? Hint : never)
        | WordsOf<Declared>
    : never
type WordsOf<Declared> = Declared extends { words: infer Words } ? Words[keyof Words] : never
type AboutOf<Part> = Part extends Readonly<Record<string, { about: infer About }>> ? About : never
type Declared = typeof event | typeof venue | typeof organizer | typeof category | typeof tag | typeof seriesResource
type AboutOfAddresses<Addresses> = Addresses extends { id: infer Id; slug?: infer Slug }
  ? AboutOf<Id> | AboutOf<Slug>
  : never

/** Every English text a reader of the interface may see: what each language translates. */
export type Text =
  | AboutOf<Declared['fields']>
  | TextsOf<Declared['fields']>
  | AboutOf<typeof eventFilters | typeof placedFilters | typeof categoryFilters>
  | AboutOfAddresses<Declared['addresses']>
  | MessageText

/** A language: a translation of every text. A text that is new or reworded is missing here until someone has looked. */
export type Locale = Readonly<Record<Text, string>>
