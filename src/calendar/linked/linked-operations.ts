import { invalidParam, Problem } from '../../base/problems.ts'
import { prepareTexts } from '../../base/text/long-texts.ts'
import type { Db } from '../../store/storage/database.ts'
import { holdRecord } from '../../store/storage/locks.ts'
import type { Tx } from '../../store/storage/recording.ts'
import type { ImageRow } from '../../store/storage/schema.ts'
import { UnshowableRecord } from '../../store/storage/unshowable.ts'
import type { Context } from '../declare/context.ts'
import { conditionsOf } from '../declare/filter.ts'
import type { Extent, FoundRecords, Operations, Presentation } from '../declare/operations.ts'
import { findImages } from '../images/images.ts'
import { mayDelete, mayEdit, mayRead } from '../people/caller.ts'
import { sentTexts } from '../records/record-rules.ts'
import {
  foundPage,
  idAt,
  pageRequest,
  presentSingle,
  statusFilter,
  statusLinks,
  textsOfRecord,
  textsToWrite,
} from '../records/record-store.ts'
import {
  type LinkedGround,
  type LinkedQuery,
  linkedLinks,
  linkedParts,
  placedFilters,
} from './linked-filters.ts'
import {
  changeLinked,
  createLinked,
  findLinked,
  findLinkedByIds,
  getLinked,
  type LinkedCondition,
  type LinkedRow,
  type LinkedRules,
  listLinked,
  type PreparedLinked,
  prepareLinked,
  trashLinked,
} from './linked-store.ts'
import { recordRights, requireReadable } from './record-present.ts'

type DescribedRow = LinkedRow & { description: string }

type Present<Row> = (context: Context, row: Row, image: ImageRow | undefined, extent: Extent) => object

interface LoadedLinked<Row> {
  row: Row
  image: ImageRow | undefined
}

async function withImages<Row extends DescribedRow>(
  db: Db,
  rows: readonly Row[],
): Promise<LoadedLinked<Row>[]> {
  const imageIds = rows.flatMap((row) => row.image ?? [])
  const images = await findImages(db, imageIds)
  return rows.map((row) => ({ row, image: images.get(row.image ?? 0) }))
}

async function withImage<Row extends DescribedRow>(db: Db, row: Row): Promise<LoadedLinked<Row>> {
  const images = await findImages(db, row.image === null ? [] : [row.image])
  return { row, image: images.get(row.image ?? 0) }
}

export function linkedOperations<Row extends DescribedRow>(
  rules: LinkedRules,
  present: Present<Row>,
): Operations<Row, LoadedLinked<Row>> {
  const presentation: Presentation<LoadedLinked<Row>> = {
    nameOf: ({ row }) => ({ kind: rules.kind, id: row.id }),
    textsOf: ({ row }, extent) => textsOfRecord(row, extent),
    present: (context, { row, image }, extent) => present(context, row, image, extent),
  }
  return {
    versioned: { kind: rules.kind, idOf: ({ id }) => id },
    find: (context, query) => findPageOfLinked<Row>(context, rules, query),
    load: (context, { rows = [] }) => withImages(context.db, rows),
    among: (context, ids) => findAmong<Row>(context, rules, ids),
    locate: async (context, address) => {
      const id = await idAt(context, rules.table, address)
      return id === undefined ? undefined : findLinked<Row>(context.db, rules, id)
    },
    missing: async (_context, address) => invalidParam('id' in address ? 'id' : 'slug'),
    loadOne: async (context, row) => {
      requireReadable(context, rules.kind, row)
      return withImage(context.db, row)
    },
    presentation,
    ...linkedWrites(rules, presentation),
    rights: {
      ...recordRights,
      remove: (context, row) => (row ? mayDelete(context.caller, row) : recordRights.create(context)),
    },
  }
}

function linkedWrites<Row extends DescribedRow>(
  rules: LinkedRules,
  presentation: Presentation<LoadedLinked<Row>>,
): Pick<Operations<Row>, 'create' | 'update' | 'remove'> {
  /** The answer to a write, read in its transaction, so that an unshowable record is not written. */
  const showWritten = async (context: Context, tx: Db, id: number) => {
    const loaded = await withImage(tx, await getLinked<Row>(tx, rules, id))
    return { id, answer: withoutLinkedData(await presentSingle(context, presentation, loaded)) }
  }
  return {
    create: {
      prepare: (context, values) => prepareWrite(context, values, undefined),
      write: async (tx, prepared: PreparedLinked, context) => {
        const { id } = await createLinked(tx, rules, prepared, context)
        return showWritten(context, tx, id)
      },
    },
    update: {
      prepare: async (context, { row, values }) => ({
        ...(await prepareWrite(context, values, row)),
        id: row.id,
      }),
      write: async (tx, prepared: PreparedLinked & { id: number }, context) => {
        const { id } = prepared
        await changeLinked(tx, rules, await getHeld(tx, rules, id, context, mayEdit), prepared, context)
        return showWritten(context, tx, id)
      },
    },
    remove: {
      prepare: async (_context, row) => row,
      write: async (tx, { id }: Row, context) => {
        const current = await getHeld(tx, rules, id, context, mayDelete)
        if (current.status === 'trash') throw new Problem(`${rules.kind}-is-in-trash`)
        await trashLinked(tx, rules, current, context)
        // An unshowable record can still be trashed.
        const shown = showWritten(context, tx, id)
        return shown.catch((error: unknown) => ({ id, answer: trashedAnyway(context, id, error) }))
      },
    },
  }
}

async function prepareWrite(
  context: Context,
  values: Record<string, unknown>,
  before: DescribedRow | undefined,
): Promise<PreparedLinked> {
  const prepared = await prepareLinked(values, context)
  await prepareTexts(textsToWrite(sentTexts(context, values, before)))
  return prepared
}

function withoutLinkedData(shown: object): object {
  const { json_ld: _linkedData, ...rest } = { json_ld: undefined, ...shown }
  return rest
}

/**
 * Reports the error, and answers with id and status for an unshowable record in the trash.
 * @throws `error` itself unless it is an UnshowableRecord
 */
export function trashedAnyway({ report }: Context, id: number, error: unknown): object {
  if (!(error instanceof UnshowableRecord)) throw error
  report(error)
  return { id, status: 'trash' }
}

/**
 * Locks and reads a record, then checks `may`: another writer may have changed author or status.
 * @throws Problem rest_forbidden
 */
async function getHeld(
  tx: Tx,
  rules: LinkedRules,
  id: number,
  context: Context,
  may: typeof mayEdit,
): Promise<LinkedRow> {
  const [, row] = await Promise.all([holdRecord(tx, rules.table, id), getLinked(tx, rules, id)])
  if (!may(context.caller, row)) throw new Problem('rest_forbidden')
  return row
}

async function findAmong<Row extends DescribedRow>(
  { db, caller }: Context,
  rules: LinkedRules,
  ids: readonly number[],
): Promise<FoundRecords<Row>> {
  const { statuses } = statusFilter(caller, undefined)
  const found = await findLinkedByIds<Row>(db, rules, ids)
  const rows = [...found.values()].filter(
    (row) => statuses.some((listed) => listed === row.status) && mayRead(caller, row),
  )
  return {
    ids: rows.map(({ id }) => id),
    rows,
    total: rows.length,
    page: 1,
    perPage: ids.length,
    effective: '',
  }
}

const parts = Object.values(linkedParts)

async function findPageOfLinked<Row extends DescribedRow>(
  context: Context,
  rules: LinkedRules,
  query: LinkedQuery,
): Promise<FoundRecords<Row>> {
  const page = pageRequest(query, context)
  const ground: LinkedGround = { type: rules, context, status: statusFilter(context.caller, query.status) }
  const narrowed = await conditionsOf(placedFilters, parts, query, ground)
  const where: LinkedCondition = (record) => record.and(narrowed.map((condition) => condition(record)))
  const found = await listLinked<Row>(rules, where, query.search !== undefined, page, context)
  return {
    ...foundPage(found, page),
    effective: linkedLinks(query, ground),
    shownOnly: statusLinks(ground.status).shownOnly,
    pastEnd: `${rules.kind}-archive-page-not-found`,
  }
}
