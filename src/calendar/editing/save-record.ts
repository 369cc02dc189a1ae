import { Problem } from '../../base/problems.ts'
import type { Tx } from '../../store/storage/recording.ts'
import type { Context } from '../declare/context.ts'
import type { AskedUpdate, Operations, WriteResult, WriteSteps } from '../declare/operations.ts'
import { parseFields, parseNew, type RawValues } from '../declare/parse.ts'
import type { Fields } from '../declare/resource.ts'
import { requireVersion, type WantedVersions } from '../records/record-store.ts'

/** Wraps a write in work that belongs in its transaction, such as storing its answer. */
export type Around<Done> = (tx: Tx, write: () => Promise<WriteResult>) => Promise<Done>

/** `raw` is not parsed yet; `isAllowed` is the sender's general right to create such a record. */
export interface SentNew {
  fields: Fields
  raw: RawValues
  isAllowed: boolean
}

/** Creates a record, in a shared transaction if possible. @throws Problem, as `parseFields` for values */
export async function makeNew(context: Context, operations: Operations, sent: SentNew): Promise<WriteResult> {
  return (
    (await makeShared(context, operations, sent)) ??
    writeNew(context, operations, sent, (_tx, write) => write())
  )
}

/** Creates a record in a shared transaction; undefined if none can be shared, or after a `Problem`. */
async function makeShared(
  context: Context,
  { create }: Operations,
  { fields, raw, isAllowed }: SentNew,
): Promise<WriteResult | undefined> {
  const { writeAll } = create
  if (!writeAll || !context.writeShared || !isAllowed) return undefined
  try {
    const values = parseNew(fields, raw, context)
    if (!create.mayShare?.(values)) return undefined
    const prepared = await create.prepare(context, values)
    return await context.writeShared(writeAll, { prepared, context })
  } catch (error) {
    if (error instanceof Problem) return undefined
    throw error
  }
}

/** Creates a record in a transaction of its own. @throws Problem; for wrong values, that of `parseFields` */
export async function writeNew<Done>(
  context: Context,
  { create }: Operations,
  { fields, raw, isAllowed }: SentNew,
  around: Around<Done>,
): Promise<Done> {
  const values = await parseFields(fields, raw, context, { extent: 'whole', mayAsk: isAllowed })
  return writeAlone(create, values, context, around)
}

/**
 * Updates a record; the right must have been checked.
 * @throws Problem rest_precondition_failed if it has none of the wanted versions
 */
export function writeChange<Done>(
  context: Context,
  operations: Operations,
  asked: AskedUpdate<unknown>,
  wanted: WantedVersions,
  around: Around<Done>,
): Promise<Done> {
  return writeAlone(operations.update, asked, context, onlyAt(operations, asked.row, wanted, around))
}

/**
 * Removes a record; the right must have been checked.
 * @throws Problem rest_precondition_failed if it has none of the wanted versions
 */
export function writeRemoval<Done>(
  context: Context,
  operations: Operations,
  asked: AskedUpdate<unknown>,
  wanted: WantedVersions,
  around: Around<Done>,
): Promise<Done> {
  const { remove, removeWith } = operations
  const within = onlyAt(operations, asked.row, wanted, around)
  return removeWith
    ? writeAlone(removeWith, asked, context, within)
    : writeAlone(remove, asked.row, context, within)
}

async function writeAlone<Asked, Done>(
  { prepare, write }: WriteSteps<Asked>,
  asked: Asked,
  context: Context,
  around: Around<Done>,
): Promise<Done> {
  const prepared = await prepare(context, asked)
  return context.write((tx) => around(tx, () => write(tx, prepared, context)))
}

function onlyAt<Done>(
  { versioned }: Operations,
  row: unknown,
  wanted: WantedVersions,
  around: Around<Done>,
): Around<Done> {
  if (wanted === 'any' || !versioned) return around
  return (tx, write) =>
    around(tx, async () => {
      await requireVersion(tx, versioned.kind, versioned.idOf(row), wanted)
      return write()
    })
}
