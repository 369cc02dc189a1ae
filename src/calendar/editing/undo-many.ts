import { Problem } from '../../base/problems.ts'
import { findBulkChange, takeBulkChange } from '../../store/storage/desk-rows.ts'
import type { Context } from '../declare/context.ts'
import { prepareRestore, type RecordHistory, readHistory, tellActs } from '../history/record-history.ts'
import { requireVersion } from '../records/versions.ts'
import { resources, type Served, series } from '../resources.ts'
import { type BulkRow, inPieces, type PreparedRow, titled, type VersionBefore } from './change-many.ts'
import { nameOfRow } from './erase-record.ts'
import { permittedRecord } from './save-record.ts'

/**
 * Takes back a change of many records: each gets what the change has changed as it was before, but for what others have changed since. The token is
 * good for a day, for whoever got it, on every node. Undefined when it is not, or was used.
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
  return rows
}

async function prepareUndo(context: Context, before: VersionBefore | undefined): Promise<PreparedRow | BulkRow> {
  const [path, id, version] = before ?? ['', 0, 0]
  const served = [...resources, series].find(({ resource }) => resource.path === path)
  if (!served) throw new Error(`there are no ${path} to be put back`)
  return titled(context, served, id, () => prepareBack(context, served, id, version))
}

async function prepareBack(context: Context, served: Served, id: number, version: number): Promise<PreparedRow> {
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
      await requireVersion(tx, versioned.kind, id, [{ id, sequence: history.version }])
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
