import { Problem } from '../../base/problems.ts'
import type { Context } from '../../calendar/declare/context.ts'
import { parseFields } from '../../calendar/declare/parse.ts'
import {
  type RecordHistory,
  readHistory,
  restoreVersion,
  type ToldAct,
  tellActs,
  valuesAt,
} from '../../calendar/history/record-history.ts'
import type { StateKind } from '../../calendar/history/record-states.ts'
import { can } from '../../calendar/people/caller.ts'
import { presentSingle } from '../../calendar/records/present-records.ts'
import type { Served } from '../../calendar/resources.ts'
import { okReply, type Reply } from '../formats/format.ts'
import { type MatchedRequest, permitted, wantedOf } from './handlers.ts'
import { actFilters, restoreFields } from './history-routes.ts'
import type { HistoryDeed } from './routes.ts'

const MOST_ON_A_PAGE = 50

/**
 * Answers a request about the versions of a record, for callers who may edit it.
 * @throws Problem
 */
export async function historyReply(
  does: HistoryDeed,
  asked: MatchedRequest,
  served: Served,
  context: Context,
): Promise<Reply> {
  const row = await permitted(asked, served.operations, context)
  const { versioned } = served.operations
  const kind = served.resource.name as StateKind
  const history = versioned && (await readHistory(context.db, kind, versioned.kind, versioned.idOf(row)))
  if (!history) throw new Problem('rest_version_not_found')
  const version = Number(asked.variables.version)
  if (does === 'listVersions') return listReply(asked, history, context)
  if (does === 'restoreVersion') return restoreReply(asked, served, history, row, version, context)
  return okReply({ id: history.id, version, values: await valuesAt(context.db, history, version) })
}

async function listReply(asked: MatchedRequest, history: RecordHistory, context: Context): Promise<Reply> {
  const { page = 1, per_page = 10 } = await parseFields(actFilters, asked.values(actFilters), context)
  const perPage = Math.min(per_page, MOST_ON_A_PAGE)
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

/** Addresses of people are for administrators, who manage users as well. */
function presentAct({ sequence, time_utc, action, user, login, client, ...act }: ToldAct, { caller }: Context): object {
  const { address, request, changes } = act
  const from = can(caller, 'manage_users') ? { address, request } : {}
  return { version: sequence, date_utc: time_utc, action, user, login, client, ...from, changes }
}

/** Puts a version back by an update, unless the record has changed meanwhile. */
async function restoreReply(
  asked: MatchedRequest,
  served: Served,
  history: RecordHistory,
  row: unknown,
  version: number,
  context: Context,
): Promise<Reply> {
  const { members: only } = await parseFields(restoreFields, asked.values(restoreFields), context)
  const { members, left, written } = await restoreVersion(context, served, history, row, {
    version,
    only,
    wanted: wantedOf(asked),
  })
  return okReply({ version, members, left, record: written?.answer ?? (await presentNow(context, served, row)) })
}

async function presentNow(context: Context, { operations }: Served, row: unknown): Promise<object> {
  return presentSingle(context, operations.presentation, await operations.loadOne(context, row))
}
