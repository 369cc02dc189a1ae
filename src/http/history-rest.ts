import { pageFilters } from '../base/fields/field.ts'
import { count, recordId, words } from '../base/fields/kinds.ts'
import {
  arrayOf,
  boolean,
  dateTime,
  id,
  integerSchema,
  record,
  type Schema,
  string,
} from '../base/fields/member.ts'
import { Problem } from '../base/problems.ts'
import type { Context } from '../calendar/declare/context.ts'
import { parseFields } from '../calendar/declare/parse.ts'
import { defineFields } from '../calendar/declare/resource.ts'
import {
  type ActWithChanges,
  listActsWithChanges,
  type RecordHistory,
  readHistory,
  restoreVersion,
  valuesAt,
} from '../calendar/history/record-history.ts'
import type { StateKind } from '../calendar/history/record-states.ts'
import { about } from '../calendar/locales/messages.ts'
import { can } from '../calendar/people/caller.ts'
import { presentSingle } from '../calendar/records/record-store.ts'
import type { ServedResource } from '../calendar/resources.ts'
import { type Answer, okAnswer } from './format.ts'
import { permitted, wantedOf } from './handlers.ts'
import { type MatchedRequest, type OwnOperation, ownRoute, type Route } from './routes.ts'

// Versions of records over REST, for callers who may edit the record.

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

type Answering = (request: MatchedRequest, found: Versioned, context: Context) => Promise<Answer>

export function historyRoutes(served: ServedResource): Route[] {
  const { path, name } = served.resource
  const template = `/${path}/{id}/history`
  const routeAt = (end: string, answer: Answering, operation: Omit<OwnOperation, 'audience' | 'answer'>) =>
    ownRoute(`${template}${end}`, served, [
      {
        audience: 'editors',
        ...operation,
        problems: ['rest_version_not_found', 'rest_invalid_param', ...(operation.problems ?? [])],
        answer: async (request, _ground, context) =>
          answer(request, await findVersioned(request, served, context), context),
      },
    ])
  return [
    routeAt('', answerList, {
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
    routeAt('/{version}', answerRead, {
      methods: ['GET'],
      address: versionField,
      queue: 'reads',
      verb: 'readVersionOf',
      summary: 'Read what a record had in a version',
      outcome: 'The requested data',
      answers: record({ id, version: integerSchema, values: { type: 'object', additionalProperties: true } }),
    }),
    routeAt(
      '/{version}/restore',
      (request, found, context) => answerRestore(request, served, found, context),
      {
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
      },
    ),
  ]
}

/** @throws Problem if the caller may not edit the record, or no versions are known */
async function findVersioned(
  request: MatchedRequest,
  { resource, operations }: ServedResource,
  context: Context,
): Promise<Versioned> {
  const row = await permitted(request, operations, context)
  const { versioned } = operations
  const kind = resource.name as StateKind
  const history = versioned && (await readHistory(context.db, kind, versioned.kind, versioned.idOf(row)))
  if (!history) throw new Problem('rest_version_not_found')
  return { history, row, version: Number(request.variables.version) }
}

async function answerList(
  request: MatchedRequest,
  { history }: Versioned,
  context: Context,
): Promise<Answer> {
  const { page = 1, per_page = 10 } = await parseFields(actFilters, request.values(actFilters), context)
  const perPage = Math.min(per_page, MOST_VERSIONS)
  const { version, knownFrom: known_from, acts } = history
  const told = await listActsWithChanges(context.db, history, (page - 1) * perPage, perPage)
  return okAnswer({
    version,
    known_from,
    history: told.map((act) => presentAct(act, context)),
    total: acts.length,
    total_pages: Math.ceil(acts.length / perPage),
  })
}

async function answerRead(
  _asked: MatchedRequest,
  { history, version }: Versioned,
  context: Context,
): Promise<Answer> {
  return okAnswer({ id: history.id, version, values: await valuesAt(context.db, history, version) })
}

function presentAct(
  { sequence, time_utc, action, user, login, client, ...act }: ActWithChanges,
  { caller }: Context,
): object {
  const { address, request, changes } = act
  const from = can(caller, 'manage_users') ? { address, request } : {}
  return { version: sequence, date_utc: time_utc, action, user, login, client, ...from, changes }
}

async function answerRestore(
  request: MatchedRequest,
  served: ServedResource,
  { history, row, version }: Versioned,
  context: Context,
): Promise<Answer> {
  const { operations } = served
  const { members: only } = await parseFields(restoreFields, request.values(restoreFields), context)
  const { members, left, written } = await restoreVersion(context, served, history, row, {
    version,
    only,
    wanted: wantedOf(request),
  })
  return okAnswer({
    version,
    members,
    left,
    record:
      written?.answer ??
      (await presentSingle(context, operations.presentation, await operations.loadOne(context, row))),
  })
}
