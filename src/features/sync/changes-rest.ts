import { count, settledText, words } from '../../base/fields/kinds.ts'
import { anyOf, arrayOf, id, record, type Schema, schemaRef, string } from '../../base/fields/member.ts'
import { invalidParam } from '../../base/problems.ts'
import type { Context } from '../../calendar/declare/context.ts'
import { parseFields } from '../../calendar/declare/parse.ts'
import { defineFields, type Fields } from '../../calendar/declare/resource.ts'
import type { EventsQuery } from '../../calendar/events/event-filters.ts'
import { textFrom } from '../../calendar/locales/texts.ts'
import { events } from '../../calendar/resources.ts'
import { type Answer, okAnswer } from '../../http/format.ts'
import { type MatchedRequest, type OwnGround, ownRoute, type Route } from '../../http/routes.ts'
import { FEED_KINDS, readerOf, readFeed } from './changes-feed.ts'
import { syncTexts } from './sync-texts.ts'
import { readToken, type SyncScope, type SyncToken } from './sync-token.ts'

const MOST_ON_A_PAGE = 1000
/** A token has the ids of all transactions that were running, which can be many. */
const LONGEST_TOKEN = { characters: 6000 }

const about = textFrom(syncTexts)

const feedFields = defineFields({
  since: {
    kind: settledText,
    about: about('The sync_token or next_token of the answer before; without it, everything comes first'),
    within: LONGEST_TOKEN,
  },
  kinds: {
    kind: words,
    about: about('Which kinds of records: venue, organizer, category, tag and event'),
    valid: (value) => words.read(value)?.every((word) => FEED_KINDS.some((kind) => kind === word)) === true,
  },
  per_page: { kind: count, about: about('How many changes a page holds, up to 1000'), default: '100' },
})

/** No filters by date: with time an event leaves such a list without a change. */
const FILTERS: readonly string[] = [
  'search',
  'categories',
  'tags',
  'venue',
  'organizer',
  'featured',
] satisfies (keyof EventsQuery)[]

function eventFilters(): Fields {
  return Object.fromEntries(Object.entries(events.filters).filter(([name]) => FILTERS.includes(name)))
}

const changed = { kind: { type: 'string', enum: FEED_KINDS }, id } satisfies Record<string, Schema>

const upsert = record({
  action: { type: 'string', const: 'upsert' },
  ...changed,
  record: anyOf(schemaRef('Venue'), schemaRef('Organizer'), schemaRef('Term'), schemaRef('Event')),
})

const removal = record({ action: { type: 'string', const: 'delete' }, ...changed })

const page: Schema = record(
  { changes: arrayOf(anyOf(upsert, removal)), next_token: string, sync_token: string },
  ['changes'],
)

const group = {
  name: 'changes',
  about: about('What has changed since a reader came last'),
  texts: syncTexts,
} as const

export function changesRoute(): Route {
  return ownRoute('/changes', group, [
    {
      methods: ['GET'],
      query: { ...feedFields, ...eventFilters() },
      audience: 'everybody',
      queue: 'reads',
      verb: 'readChanges',
      summary: 'Read what has changed',
      outcome: 'A page of what has changed, with a token for the next one',
      answers: page,
      problems: ['rest_sync_token_expired'],
      answer: answerChanges,
    },
  ])
}

/**
 * Answers a page of the feed. The first request chooses kinds and filters; tokens contain them, so later
 * requests may only repeat them.
 * @throws Problem rest_invalid_param for an unreadable token, rest_sync_token_expired for one too old or of
 * another scope
 */
async function answerChanges(
  request: MatchedRequest,
  { database, edition }: OwnGround,
  context: Context,
): Promise<Answer> {
  const { values: valuesOf } = request
  const {
    since: sent,
    per_page: perPage = 100,
    kinds,
  } = await parseFields(feedFields, valuesOf(feedFields), context)
  const since = sent === undefined ? undefined : (readToken(sent) ?? invalidToken())
  const fields = eventFilters()
  const raw = valuesOf(fields)
  const filters = Object.fromEntries(
    Object.entries(raw).filter(([, value]) => value !== undefined && value !== null),
  )
  const scope = scopeOf(kinds, filters, since, context)
  const query = {
    scope,
    filters: await parseFields(fields, scope.filters, context),
    since,
    perPage: Math.min(perPage, MOST_ON_A_PAGE),
  }
  return okAnswer(await readFeed(context, { edition, cursor: database.cursor }, query))
}

function invalidToken(): never {
  throw invalidParam('since')
}

function scopeOf(
  kinds: readonly string[] | undefined,
  filters: SyncScope['filters'],
  since: SyncToken | undefined,
  { caller }: Context,
): SyncScope {
  const before = since?.scope
  return {
    kinds: kinds ?? before?.kinds ?? FEED_KINDS,
    filters: Object.keys(filters).length > 0 ? filters : (before?.filters ?? {}),
    reader: readerOf(caller),
  }
}
