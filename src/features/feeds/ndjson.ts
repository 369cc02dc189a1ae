import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Context } from '../../calendar/declare/context.ts'
import type { FoundRecords, Operations } from '../../calendar/declare/operations.ts'
import { presentListed } from '../../calendar/records/record-store.ts'
import type { Format } from '../../http/format.ts'
import { catchUp, isBehind } from '../../store/memory/event-memory.ts'
import { isWritten } from '../../store/memory/event-pieces.ts'

/** Writes all matching records, one JSON object per line, without pagination (rule 28.7). */
export const ndjson: Format = {
  name: 'ndjson',
  mediaType: 'application/x-ndjson',
  extension: 'ndjson',
  extent: 'window',
  lists: ['events'],
  byAccept: 'answer',
  showList: async (context, { operations }, found) => ({
    status: 200,
    headers: { 'Content-Type': `${ndjson.mediaType}; charset=UTF-8`, 'X-TEC-Total': String(found.total) },
    body: undefined,
    representation: { format: ndjson.name, bytes: linesOf(context, operations, found) },
  }),
}

/** Records written in one event loop turn, few enough not to delay other requests. */
const AT_ONCE = 25

/** Reads each chunk only when it is written, without records deleted, hidden or created since the search. */
async function* linesOf(
  context: Context,
  operations: Operations,
  found: FoundRecords,
): AsyncGenerator<Buffer> {
  for (let at = 0; at < found.ids.length; at += AT_ONCE) {
    yield await someLines(context, operations, { ...found, ids: found.ids.slice(at, at + AT_ONCE) })
    // Cached records are ready without waiting, so other requests get a turn.
    await nextTurn()
  }
}

async function someLines(context: Context, operations: Operations, found: FoundRecords): Promise<Buffer> {
  const written = (await isUpToDate(context))
    ? await operations.loadJson?.(context, found, 'window')
    : undefined
  const records =
    written ?? (await presentListed(context, operations.presentation, await operations.load(context, found)))
  const parts: Buffer[] = []
  for (const record of records) {
    if (isWritten(record)) for (const part of record.parts) parts.push(part)
    else parts.push(Buffer.from(JSON.stringify(record)))
    parts.push(LINE_END)
  }
  return Buffer.concat(parts)
}

const LINE_END = Buffer.from('\n')

/** True if the in-memory cache has everything committed before the call; it is updated if need be. */
async function isUpToDate({ memory, report }: Context): Promise<boolean> {
  if (!memory) return false
  if (isBehind(memory)) await catchUp(memory).catch(report)
  return !isBehind(memory)
}
