import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Context } from '../../calendar/declare/context.ts'
import type { Found, ListedJson, Operations } from '../../calendar/declare/operations.ts'
import { presentListed } from '../../calendar/records/record-store.ts'
import type { Format } from '../../http/format.ts'
import { catchUp, isBehind } from '../../store/memory/event-memory.ts'

// Lists as NDJSON, written some records at a time.

/**
 * NDJSON: all records that match, one a line, each as in the list of JSON, without pages or anything around
 * them (rule 28.7).
 */
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

/** The number of records that are loaded together: few enough that no other request waits for them long. */
const AT_ONCE = 25

/**
 * Writes the lines of the found records, each as the record is at its turn. Leaves out records that are gone
 * by then, or that the caller may no longer see; new ones are not included.
 */
async function* linesOf(context: Context, operations: Operations, found: Found): AsyncGenerator<Buffer> {
  for (let at = 0; at < found.ids.length; at += AT_ONCE) {
    yield await someLines(context, operations, { ...found, ids: found.ids.slice(at, at + AT_ONCE) })
    // Records in memory are ready at once, so other requests get a turn in between.
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

/** Brings memory up to date. Returns true if it has everything that was committed before the call. */
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
