import { Problem } from '../../base/problems.ts'
import { withExceptions } from '../../base/recurrence/recurrence-text.ts'
import { parametersOf } from '../../base/text/urls.ts'
import type { Db } from '../../store/storage/database.ts'
import type { Tx } from '../../store/storage/recording.ts'
import type { EventRow, SeriesRow } from '../../store/storage/schema.ts'
import type { Context } from '../declare/context.ts'
import type { AskedUpdate, FoundRecords, Operations, WriteResult, WriteSteps } from '../declare/operations.ts'
import { parseFields, type RawValues } from '../declare/parse.ts'
import type { EventValues, PreparedEvent } from '../events/event-rules.ts'
import { prepareChange } from '../events/events.ts'
import { recordRights } from '../linked/record-present.ts'
import { mayDelete, mayRead } from '../people/caller.ts'
import {
  foundPage,
  offsetOf,
  pageRequest,
  presentSingle,
  statusFilter,
  statusLinks,
  visibleTo,
} from '../records/record-store.ts'
import { changeAll, getHeldSeries, isLive, removeAll } from './change-series.ts'
import { becomeSingle, otherThan, readWritten } from './recurring-events.ts'
import {
  findSeriesLinks,
  type LoadedSeries,
  type SeriesQuery,
  seriesPresentation,
  seriesResource,
} from './series.ts'
import { isNone, scheduleOf, whenAt } from './series-schedule.ts'
import { countShown, findOccurrences, findSeries, readShared } from './series-store.ts'

/** Updates and removals concern all occurrences. A series is created with its event (docs/series.md). */
export const seriesOperations: Operations<SeriesRow, LoadedSeries> = {
  versioned: { kind: 'series', idOf: ({ id }) => id },
  find: findPageOfSeries,
  load: ({ db }, { rows = [] }) => loadAll(db, rows),
  locate: async ({ db }, address) => ('id' in address ? findSeries(db, address.id) : undefined),
  missing: async () => new Problem('rest-series-not-found'),
  loadOne: async ({ caller, db }, row) => {
    if (!mayRead(caller, row)) throw new Problem('series-not-accessible')
    return loadWith(db, row)
  },
  presentation: seriesPresentation,
  create: { prepare: refuseCreation, write: refuseCreation },
  update: updateSteps(),
  remove: {
    prepare: async (_context, row) => row,
    write: async (tx, { id, version }: SeriesRow, context) => {
      const held = await getHeldSeries(tx, id, version)
      if (!isLive(held.series)) throw new Problem('series-is-in-trash')
      await removeAll(tx, held, context)
      return showWritten(tx, id, context)
    },
  },
  rights: {
    create: () => false,
    update: recordRights.update as Operations<SeriesRow>['rights']['update'],
    remove: (context, row) => (row ? mayDelete(context.caller, row) : recordRights.create(context)),
  },
}

async function refuseCreation(): Promise<never> {
  throw new Problem('rest_no_route')
}

async function findPageOfSeries(context: Context, query: SeriesQuery): Promise<FoundRecords<SeriesRow>> {
  const { caller, db } = context
  const page = pageRequest(query, context)
  const filter = statusFilter(caller, query.status)
  const matching = db
    .selectFrom('series')
    .where('status', 'in', [...filter.statuses])
    .where(visibleTo(caller, 'series'))
  const [totals, rows] = await context.readInLane(db, 'list', [
    matching.select((record) => record.fn.countAll<number>().as('total')),
    matching.selectAll().orderBy('id', 'desc').limit(page.perPage).offset(offsetOf(page)),
  ])
  const { status, shownOnly } = statusLinks(filter)
  return {
    ...foundPage({ rows, total: Number(totals[0]?.total) }, page),
    effective: parametersOf({ status }),
    shownOnly,
  }
}

async function loadAll(db: Db, rows: readonly SeriesRow[]): Promise<LoadedSeries[]> {
  const ids = rows.map(({ id }) => id)
  const [totals, links] = await Promise.all([countShown(db, ids), findSeriesLinks(db, rows)])
  return rows.flatMap((row, i) => {
    const own = links[i]
    return own ? [{ row, links: own, total: totals.get(row.id) ?? 0 }] : []
  })
}

async function loadWith(db: Db, row: SeriesRow): Promise<LoadedSeries> {
  const [loaded] = await loadAll(db, [row])
  if (!loaded) throw new Error(`Series ${row.id} was not loaded.`)
  return loaded
}

async function showWritten(tx: Tx, id: number, context: Context): Promise<WriteResult> {
  const row = await findSeries(tx, id)
  if (!row) throw new Problem('rest-series-not-found')
  return { id, answer: await presentSingle(context, seriesPresentation, await loadWith(tx, row)) }
}

interface PreparedSeries {
  series: SeriesRow
  event: PreparedEvent & { id: number }
  recurrence: unknown
  keepsDays: boolean
}

function updateSteps(): WriteSteps<AskedUpdate<SeriesRow>, PreparedSeries> {
  return {
    prepare: (context, asked) => prepareSeries(context, asked, false),
    write: async (tx, { series, event, recurrence, keepsDays }, context) => {
      const held = await getHeldSeries(tx, series.id, series.version)
      const row = first(held.rows)
      const asked = { prepared: event, recurrence, keepsDays }
      if (isNone(recurrence)) await becomeSingle(tx, held, row, { event, scope: 'all' }, context)
      else {
        const made = await changeAll(tx, held, atStart(held.series, row), asked, context)
        await readWritten(tx, row.id, made, context)
      }
      return showWritten(tx, series.id, context)
    },
  }
}

/** `keepsDays`, as in `AskedChange`, is true for values of imported calendars and former versions. */
async function prepareSeries(
  context: Context,
  { row: series, values }: AskedUpdate<SeriesRow>,
  keepsDays: boolean,
): Promise<PreparedSeries> {
  const { recurrence, ...others }: EventValues = values
  const row = first(await findOccurrences(context.db, series.id))
  const event = await prepareChange(context, { row, values: others })
  return { series, event, recurrence: otherThan(series, recurrence), keepsDays }
}

/**
 * The first occurrence outside the trash, else the first.
 * @throws Problem series-is-in-trash without any, as when the only one has become a single event
 */
function first(rows: readonly EventRow[]): EventRow {
  const found = rows.find(isLive) ?? rows[0]
  if (!found) throw new Problem('series-is-in-trash')
  return found
}

/** Gives the event the times of the series' start, with which sent times are compared. */
function atStart(series: SeriesRow, row: EventRow): EventRow {
  return { ...row, ...whenAt(scheduleOf(series), series.start_date), recurrence_id: series.start_date }
}

/**
 * Prepares a change to the values of an imported calendar or former version. Dates that the values do not
 * exclude take place again; a series in the trash is restored.
 * @throws Problem when the values are not valid
 */
export async function prepareSeriesChange(
  context: Context,
  record: number,
  values: RawValues,
): Promise<unknown> {
  const row = await findSeries(context.db, record)
  if (!row) throw new Error(`There is no series ${record}.`)
  const { recurrence } = values
  const lines = Array.isArray(recurrence) ? { recurrence: withExceptions(recurrence) } : {}
  const back = row.status === 'trash' ? { status: readShared(row).status } : {}
  const parsed = await parseFields(seriesResource.fields, { ...back, ...values, ...lines }, context, {
    extent: 'partial',
    mayAsk: true,
  })
  return prepareSeries(context, { row, values: parsed }, true)
}
