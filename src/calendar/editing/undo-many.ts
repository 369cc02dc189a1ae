import { Problem } from '../../base/problems.ts'
import { findBulkChange, takeBulkChange } from '../../store/storage/desk-rows.ts'
import type { Context } from '../declare/context.ts'
import { prepareRestore, type RecordHistory, readHistory, tellActs } from '../history/record-history.ts'
import { requireVersion } from '../records/versions.ts'
import { resources, type Served, series } from '../resources.ts'
import { type BulkRow, inPieces, type PreparedRow, titled, type VersionBefore } from './change-many.ts'
import { nameOfRow } from './erase-record.ts'
import { isMerged, isUsedInPublic } from './merge-records.ts'
import { reopenNames } from './proposal-store.ts'
import { permittedRecord } from './save-record.ts'

// Takes back changes of many records.

/**
 * Takes back a change of many records. Each record gets its former values again, except where others have changed them since; so do the venues and
 * organizers that came along, unless another public event has them by now. The token is good for a day, for whoever got it, on every node. Returns
 * the outcome for each record; undefined when the token is not good, or was used.
 */
export async function undoMany(context: Context, token: string): Promise<BulkRow[] | undefined> {
  const found = await findBulkChange(context.db, token)
  if (found?.user !== context.caller.id) return undefined
  const before: VersionBefore[] = JSON.parse(found.records)
  const byId = new Map(before.map((one) => [one[1], one]))
  const prepare = (id: number) => prepareUndo(context, byId.get(id))
  const rows = await inPieces(context, [...byId.keys()], prepare, async () => undefined, [])
  // It goes last, so that one that was cut off can be pressed again.
  await context.write((tx) => takeBulkChange(tx, token))
  return rows.filter(({ id }) => byId.get(id)?.[3] !== true)
}

async function prepareUndo(context: Context, before: VersionBefore | undefined): Promise<PreparedRow | BulkRow> {
  const [path, id, version, along = false] = before ?? ['', 0, 0]
  const served = [...resources, series].find(({ resource }) => resource.path === path)
  if (!served) throw new Error(`there are no ${path} to be put back`)
  return titled(context, served, id, () => prepareBack(context, served, { id, version, along }))
}

interface Back {
  id: number
  version: number
  along: boolean
}

async function prepareBack(context: Context, served: Served, { id, version, along }: Back): Promise<PreparedRow> {
  const { resource, operations } = served
  const { versioned } = operations
  const row = await permittedRecord(context, operations, id, 'update')
  const kind = resource.name as RecordHistory['kind']
  const history = versioned && (await readHistory(context.db, kind, versioned.kind, id))
  if (!history) throw new Problem('rest_version_not_found')
  const only = await changedOnlyThen(context, history, version)
  const restore = await prepareRestore(context, served, history, row, { version, only })
  return {
    id,
    title: nameOfRow(kind, row),
    write: async (tx) => {
      if (restore.members.length === 0) return 'unchanged'
      if (along && isMerged(kind) && (await isUsedInPublic(tx, kind, id))) return 'unchanged'
      await requireVersion(tx, versioned.kind, id, [{ id, sequence: history.version }])
      if (kind === 'event' && restore.members.includes('status')) await reopenNames(tx, id)
      await operations.update.write(tx, restore.prepared, restore.context)
      return 'done'
    },
  }
}

/** The members that the first act after a version has changed, and no later one. @throws Problem rest_version_not_found */
async function changedOnlyThen({ db }: Context, history: RecordHistory, version: number): Promise<string[]> {
  const since = history.acts.findIndex(({ sequence }) => sequence <= version)
  const told = await tellActs(db, history, 0, since === -1 ? history.acts.length : since)
  const [first, ...later] = told.toReversed()
  if (!first) return []
  const again = new Set(later.flatMap(({ changes }) => changes.map(({ member }) => member)))
  return first.changes.map(({ member }) => member).filter((member) => !again.has(member))
}
