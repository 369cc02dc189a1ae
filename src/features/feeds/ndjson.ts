import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Context } from '../../calendar/declare/context.ts'
import type { Found, ListedJson, Operations } from '../../calendar/declare/operations.ts'
import { presentListed } from '../../calendar/records/record-store.ts'
import type { Format } from '../../http/format.ts'
import { catchUp, isBehind } from '../../store/memory/event-memory.ts'

// NDJSON.

/** All records that match, without pages (rule 28.7). */
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
    shown: { format: ndjson.name, bytes: linesOf(context, operations, found) },
  }),
}

/** No other request waits long. */
const AT_ONCE = 25

/** As each is at its turn, without those gone or hidden by then; no new ones. */
async function* linesOf(context: Context, operations: Operations, found: Found): AsyncGenerator<Buffer> {
  for (let at = 0; at < found.ids.length; at += AT_ONCE) {
    yield await someLines(context, operations, { ...found, ids: found.ids.slice(at, at + AT_ONCE) })
    // Records in memory are ready at once: others get a turn.
    await nextTurn()
  }
}

async function someLines(context: Context, operations: Operations, found: Found): Promise<Buffer> {
  const pieces = (await isUpToDate(context))
    ? await operations.loadJson?.(context, found, 'window')
    : undefined
  if (pieces) return linesOfPieces(pieces)
  const items = await presentListed(context, operations.presentation, await operations.load(context, found))
  return Buffer.from(items.map((item) => `${JSON.stringify(item)}\n`).join(''))
}

/** It has everything committed before the call. */
async function isUpToDate({ memory, report }: Context): Promise<boolean> {
  if (!memory) return false
  if (isBehind(memory)) await catchUp(memory).catch(report)
  return !isBehind(memory)
}

const LINE_END = '\n'.charCodeAt(0)

function linesOfPieces({ count, mostBytes, write }: ListedJson): Buffer {
  const lines = Buffer.allocUnsafe(mostBytes + count)
  let at = 0
  for (let i = 0; i < count; i++) {
    at = write(i, lines, at)
    lines[at++] = LINE_END
  }
  return lines.subarray(0, at)
}
