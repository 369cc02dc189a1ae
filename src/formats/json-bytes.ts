import { setImmediate as nextTurn } from 'node:timers/promises'
import { isWritten } from '../text/written-json.ts'

/** Characters that are written in one turn of the event loop, which takes some five milliseconds. */
const AT_ONCE = 1_000_000

/** Lists this short are written in one turn: this many of the longest records take about ten milliseconds. */
const FEW = 6

/** Longer answers are not indented. */
const MOST_INDENTED = 1_000_000

/** A body as JSON. A long list is written in several turns of the event loop, so that nobody waits for all of it. */
export async function jsonBytes(body: unknown, isIndented = false): Promise<Buffer> {
  const bytes = await compactBytes(body)
  return isIndented && bytes.length <= MOST_INDENTED ? Buffer.from(JSON.stringify(body, null, 4)) : bytes
}

async function compactBytes(body: unknown): Promise<Buffer> {
  if (isWritten(body)) return body.bytes
  const list = findList(body)
  if (!list) return Buffer.from(JSON.stringify(body))
  const { start, items, end } = list
  const pieces: Buffer[] = []
  let [text, copied] = [start, 0]
  for (const [i, item] of items.entries()) {
    if (i > 0) text += ','
    if (isWritten(item)) {
      pieces.push(Buffer.from(text), item.bytes)
      text = ''
      copied += item.bytes.length
    } else text += JSON.stringify(item) ?? 'null'
    if (text.length < AT_ONCE && copied < BYTES_AT_ONCE) continue
    pieces.push(Buffer.from(text))
    text = ''
    copied = 0
    await nextTurn()
  }
  const last = Buffer.from(text + end)
  return pieces.length === 0 ? last : joinInTurns([...pieces, last])
}

/** Bytes that are copied or digested in one turn of the event loop: some ten milliseconds where memory is new. */
export const BYTES_AT_ONCE = 8_000_000

async function joinInTurns(pieces: readonly Buffer[]): Promise<Buffer> {
  const whole = Buffer.allocUnsafeSlow(pieces.reduce((sum, piece) => sum + piece.length, 0))
  let [at, turn] = [0, 0]
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
    if (at - turn < BYTES_AT_ONCE) continue
    turn = at
    await nextTurn()
  }
  return whole
}

/** The list in a body, with the JSON before its items and behind them; undefined for a body without one. */
function findList(body: unknown): { start: string; items: readonly unknown[]; end: string } | undefined {
  if (Array.isArray(body)) return { start: '[', items: body, end: ']' }
  if (body === null || typeof body !== 'object') return undefined
  for (const [name, value] of Object.entries(body)) {
    // An envelope has its list one deeper.
    const isLong = Array.isArray(value) && value.length > FEW
    const inner = isLong || name === 'body' ? findList(value) : undefined
    if (!inner) continue
    const shell = JSON.stringify({ ...body, [name]: [] })
    // No text has these characters in a row: a quotation mark in one is escaped.
    const mark = `${JSON.stringify(name)}:[]`
    const at = shell.indexOf(mark) + mark.length - '[]'.length
    return { start: shell.slice(0, at) + inner.start, items: inner.items, end: inner.end + shell.slice(at + 2) }
  }
  return undefined
}
