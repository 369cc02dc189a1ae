import { PROBLEMS } from '../../base/problems.ts'
import { recurrenceMessages } from '../../base/recurrence/recurrence.ts'
import { unclearTimes } from '../../base/text/zones.ts'
import type { event } from '../events/event.ts'
import type { eventFilters } from '../events/event-filters.ts'
import type { placedFilters } from '../linked/linked-filters.ts'
import type { organizer } from '../linked/organizer.ts'
import type { venue } from '../linked/venue.ts'
import type { seriesResource } from '../series/series.ts'
import type { category, tag } from '../terms/taxonomies.ts'
import type { categoryFilters } from '../terms/term-filters.ts'
import { shortTexts } from './words.ts'

/**
 * Texts of the kernel that are in no declaration. The English text is the key of its translations; `{name}`
 * is a placeholder.
 */
export const messages = [
  'normal does each request by itself, require-all-validate all of them or none',
  'The requests, done in their order',
  'Write many records with one request',
  'The answers to the requests, in their order',
  'Many requests in one',
  'What the application password is for',
  'The UUID by which the program names itself',
  'The only members to put back; without it, all of them',
  'The version: the sequence that the record had',
  'List what changed a record, the newest first',
  'Who changed it, when, and what it had before',
  'Read what a record had in a version',
  'Put a version of a record back',
  'The changed record, and what could not be put back',
  ...new Set(Object.values(PROBLEMS).map(({ text }) => text)),
  'Series: events that repeat, with all their dates',
  'The texts and links of {dates} dates take up more than {limit} bytes.',
  'The rule has more than {limit} dates before today.',
  ...recurrenceMessages,
  unclearTimes.skipped,
  unclearTimes.repeated,
  'The value is invalid.',
  'The value of {name} is invalid; {example} would be valid.',
  'The value of {name} is not of the type {type}.',
  'The value of {name} is not one of {choices}.',
  'This service sells no tickets.',
  'The value of {name} is longer than {limit} characters.',
  'The value of {name} is longer than {limit} bytes.',
  'The value of {name} has more than {limit} words.',
  'The value of {name} has more than {limit} entries.',
  'The value of {name} nests deeper than {limit} levels.',
  'The value of {name} has more than {limit} members in all.',
  'The value of {name} has more than {limit} accents on one letter.',
  'You need to sign in to do that.',
  'Events, venues, organizers, categories and tags of this calendar.',
  'Describe this interface as an OpenAPI document',
  'List the matching records, page by page',
  'Change the sent fields and leave the rest',
  'Move one to the trash',
  'Remove one for good',
  'One page of the matching records',
  'The changed record',
  'Nothing has changed since the version that If-None-Match names',
  'How many records match in all',
  'The fields whose values were passed over',
  'How many pages they fill',
  'The address of the REST root, and of the next and the previous page of a list',
  'The version of the answer, for If-None-Match',
  'The version of the answer that is known already, as its ETag named it',
  'The methods open to the caller',
  'The address of the created record',
  'Seconds to wait before trying again',
  'The name of the request in the log of the service',
  'A user name or e-mail address with an application password',
  'The description of this interface',
  'Events: what takes place and when',
  'Venues: where events take place',
  'Organizers: who holds events',
  'Categories: the tree that events are sorted into',
  'Tags: the words that events are marked with',
  'Every operation also takes _fields to pick members of the answer, _envelope to put status and headers \
into the body, and _pretty to indent it.',
  'The id of the image',
  'The image: the whole body of the request, or a file of a multipart form',
  'Only the terms with these slugs',
  'What it is read for: view, edit or embed',
  'Only records with these words in their texts',
  'Only records published after this time',
  'Only records published before this time',
  'Only records changed after this time',
  'Only records changed before this time',
  'Only records of these authors, by id',
  'Leave out the records with these ids',
  'Only the records with these ids',
  'How many records to pass over before the first page',
  'What the records are ordered by: date, modified, id, title, slug, author, include or relevance',
  'Only the records with these slugs',
  'Only records with one of these statuses; any stands for all but the trash',
  'Only events in any of these categories, by id',
  'Only events with any of these tags, by id',
  'The id of the featured image; 0 for none',
  'The title of the image; the name of its file unless sent',
  'What the image shows, for those who do not see it',
  'The caption of the image',
  'The description of the image',
  'Only files of this kind: image, video, text, application or audio',
  'Only files of this media type, such as image/png',
  'The name of the format of the answer; without it Accept chooses',
  'Changes the record only if it still has the version that this ETag of it names',
  'For 24 hours the same request with the same key gets the same answer and creates nothing more',
  'return=minimal asks for an answer without a body',
  'Says that the answer was given before to the same key',
  'The preference that was followed',
  'In person and online',
  'A login is up to 60 letters, digits and . _ - @ and starts with a letter or digit.',
  '{email} is not an e-mail address.',
  'A name is one line of at most 250 characters.',
  'There already is a user with the login or e-mail address {name}.',
  '{login} is the last administrator; make another user administrator first.',
  'The records of {login} cannot go to {login}.',
  '{login} owns records; name the user who takes them over.',
  'One sentence for lists',
  'Hide from lists',
  'First on its day in the month view',
  'More about access',
  'When the link is shown',
  ...(Object.keys(shortTexts) as (keyof typeof shortTexts)[]),
] as const

export type MessageText = (typeof messages)[number]

/** Makes the compiler check that the text is one of `messages`. */
export const about = (text: MessageText) => text

type TextsOf<Part> =
  Part extends Readonly<Record<string, infer Declared>>
    ?
        | (Declared extends { label: infer Label } ? Label : never)
        | (Declared extends { hint: infer Hint } ? Hint : never)
        | WordsOf<Declared>
    : never
type WordsOf<Declared> = Declared extends { words: infer Words } ? Words[keyof Words] : never
type AboutOf<Part> = Part extends Readonly<Record<string, { about: infer About }>> ? About : never
type Declared =
  | typeof event
  | typeof venue
  | typeof organizer
  | typeof category
  | typeof tag
  | typeof seriesResource
type AboutOfAddresses<Addresses> = Addresses extends { id: infer Id; slug?: infer Slug }
  ? AboutOf<Id> | AboutOf<Slug>
  : never

export type Text =
  | AboutOf<Declared['fields']>
  | TextsOf<Declared['fields']>
  | AboutOf<typeof eventFilters | typeof placedFilters | typeof categoryFilters>
  | AboutOfAddresses<Declared['addresses']>
  | MessageText

/** The sentences in one language. The compiler reports every missing text. */
export type Locale = Readonly<Record<Exclude<Text, keyof typeof shortTexts>, string>>
