import { pageFilters } from '../base/fields/field.ts'
import { count, recordId, settledText, words } from '../base/fields/kinds.ts'
import {
  anyOf,
  arrayOf,
  boolean,
  dateTime,
  id,
  integerSchema,
  record,
  type Schema,
  schemaRef,
  string,
} from '../base/fields/member.ts'
import { invalidParam, Problem } from '../base/problems.ts'
import type { Context } from '../calendar/declare/context.ts'
import { parseFields } from '../calendar/declare/parse.ts'
import { defineFields, type Fields } from '../calendar/declare/resource.ts'
import type { EventsQuery } from '../calendar/events/event-filters.ts'
import {
  type RecordHistory,
  readHistory,
  restoreVersion,
  type ToldAct,
  tellActs,
  valuesAt,
} from '../calendar/history/record-history.ts'
import type { StateKind } from '../calendar/history/record-states.ts'
import { about } from '../calendar/locales/messages.ts'
import { can } from '../calendar/people/caller.ts'
import { presentSingle } from '../calendar/records/record-store.ts'
import { events, type Served } from '../calendar/resources.ts'
import { FEED_KINDS, readerOf, readFeed } from '../features/sync/changes-feed.ts'
import { readToken, type SyncScope, type SyncToken } from '../features/sync/sync-token.ts'
import { okReply, type Reply } from './format.ts'
import { permitted, wantedOf } from './handlers.ts'
import { type MatchedRequest, type OwnGround, type OwnOperation, ownRoute, type Route } from './routes.ts'

// Routes of the feed of changes and of versions.

// The feed of changes.

const MOST_ON_A_PAGE = 1000
/** A token names the transactions that were under way. */
const LONGEST_TOKEN = { characters: 6000 }

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

/** Not by date: events leave such lists with time, without a change. */
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

export function changesRoute(): Route {
  return ownRoute('/changes', 'changes', [
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
      answer: changesReply,
    },
  ])
}

/**
 * The first request may send kinds and filters; a token contains them, and is refused with others.
 * @throws Problem rest_invalid_param for no token, rest_sync_token_expired for one too old or of another
 * scope
 */
async function changesReply(
  asked: MatchedRequest,
  { database, edition }: OwnGround,
  context: Context,
): Promise<Reply> {
  const { values: valuesOf } = asked
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
  return okReply(await readFeed(context, { edition, cursor: database.cursor }, query))
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

// Versions, for those who may edit the record.

const MOST_VERSIONS = 50

const actFilters = defineFields({
  page: pageFilters.page,
  per_page: { ...pageFilters.per_page, kind: count },
})

const restoreFields = defineFields({
  members: { kind: words, about: about('The only members to put back; without it, all of them') },
})

const versionField = defineFields({
  version: { kind: recordId, about: about('The version: the sequence that the record had') },
})

const value: Schema = {}

const act = record(
  {
    version: integerSchema,
    date_utc: dateTime,
    action: string,
    user: integerSchema,
    login: string,
    client: string,
    address: string,
    request: string,
    changes: arrayOf(
      record({ member: string, former: value, new: value, cut: boolean }, ['member', 'former', 'new']),
    ),
  },
  ['version', 'date_utc', 'action', 'user', 'login', 'client', 'changes'],
)

interface Versioned {
  history: RecordHistory
  row: unknown
  version: number
}

type Answering = (asked: MatchedRequest, found: Versioned, context: Context) => Promise<Reply>

export function historyRoutes(served: Served): Route[] {
  const { path, name } = served.resource
  const template = `/${path}/{id}/history`
  const routeAt = (end: string, answer: Answering, operation: Omit<OwnOperation, 'audience' | 'answer'>) =>
    ownRoute(`${template}${end}`, served, [
      {
        audience: 'editors',
        ...operation,
        problems: ['rest_version_not_found', 'rest_invalid_param', ...(operation.problems ?? [])],
        answer: async (asked, _ground, context) =>
          answer(asked, await findVersioned(asked, served, context), context),
      },
    ])
  return [
    routeAt('', listReply, {
      methods: ['GET'],
      query: actFilters,
      queue: 'reads',
      verb: 'listVersionsOf',
      summary: 'List what changed a record, the newest first',
      outcome: 'Who changed it, when, and what it had before',
      answers: record({
        version: integerSchema,
        known_from: integerSchema,
        history: arrayOf(act),
        total: integerSchema,
        total_pages: integerSchema,
      }),
    }),
    routeAt('/{version}', readReply, {
      methods: ['GET'],
      address: versionField,
      queue: 'reads',
      verb: 'readVersionOf',
      summary: 'Read what a record had in a version',
      outcome: 'The requested data',
      answers: record({ id, version: integerSchema, values: { type: 'object', additionalProperties: true } }),
    }),
    routeAt('/{version}/restore', (asked, found, context) => restoreReply(asked, served, found, context), {
      methods: ['POST'],
      address: versionField,
      body: restoreFields,
      takesVersion: true,
      queue: 'writes',
      verb: 'restoreVersionOf',
      summary: 'Put a version of a record back',
      outcome: 'The changed record, and what could not be put back',
      answers: record({
        version: integerSchema,
        members: arrayOf(string),
        left: arrayOf(record({ member: string, value })),
        record: { type: 'object', additionalProperties: true },
      }),
      problems: name === 'category' || name === 'tag' ? ['duplicate_term_slug'] : [],
    }),
  ]
}

/** @throws Problem where the caller may not edit the record, or no versions are known */
async function findVersioned(
  asked: MatchedRequest,
  { resource, operations }: Served,
  context: Context,
): Promise<Versioned> {
  const row = await permitted(asked, operations, context)
  const { versioned } = operations
  const kind = resource.name as StateKind
  const history = versioned && (await readHistory(context.db, kind, versioned.kind, versioned.idOf(row)))
  if (!history) throw new Problem('rest_version_not_found')
  return { history, row, version: Number(asked.variables.version) }
}

async function listReply(asked: MatchedRequest, { history }: Versioned, context: Context): Promise<Reply> {
  const { page = 1, per_page = 10 } = await parseFields(actFilters, asked.values(actFilters), context)
  const perPage = Math.min(per_page, MOST_VERSIONS)
  const { version, knownFrom: known_from, acts } = history
  const told = await tellActs(context.db, history, (page - 1) * perPage, perPage)
  return okReply({
    version,
    known_from,
    history: told.map((act) => presentAct(act, context)),
    total: acts.length,
    total_pages: Math.ceil(acts.length / perPage),
  })
}

async function readReply(
  _asked: MatchedRequest,
  { history, version }: Versioned,
  context: Context,
): Promise<Reply> {
  return okReply({ id: history.id, version, values: await valuesAt(context.db, history, version) })
}

/** Only administrators see address and request. */
function presentAct(
  { sequence, time_utc, action, user, login, client, ...act }: ToldAct,
  { caller }: Context,
): object {
  const { address, request, changes } = act
  const from = can(caller, 'manage_users') ? { address, request } : {}
  return { version: sequence, date_utc: time_utc, action, user, login, client, ...from, changes }
}

/** Unless the record has changed meanwhile. */
async function restoreReply(
  asked: MatchedRequest,
  served: Served,
  { history, row, version }: Versioned,
  context: Context,
): Promise<Reply> {
  const { members: only } = await parseFields(restoreFields, asked.values(restoreFields), context)
  const { members, left, written } = await restoreVersion(context, served, history, row, {
    version,
    only,
    wanted: wantedOf(asked),
  })
  return okReply({
    version,
    members,
    left,
    record: written?.answer ?? (await presentNow(context, served, row)),
  })
}

async function presentNow(context: Context, { operations }: Served, row: unknown): Promise<object> {
  return presentSingle(context, operations.presentation, await operations.loadOne(context, row))
}
