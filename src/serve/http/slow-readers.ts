import type { ServerResponse } from 'node:http'

/** Answers that their readers have not taken yet. */
export interface SlowReaders {
  /** Milliseconds after which a reader that has taken nothing is dropped. */
  patienceMs: number
  /** Bytes of answers held for one reader alone, and their limit. */
  held: number
  most: number
  answers: Map<ServerResponse, { bytes: number; since: number }>
}

/** Readers this old are dropped when there is no room for others. */
const SLOW_AFTER_MS = 2000

/** Answers up to this size are sent whatever else is held. */
const SMALL = 65_536

/** Bytes handed over at once, more each time to a quick reader. A reader that has not taken them within the patience takes nothing. */
const PIECE = 131_072
const LARGEST_PIECE = 8 * PIECE

/** A reader that takes a piece within this many milliseconds is quick. */
const QUICKLY_MS = 100

export function noSlowReaders(patienceMs: number, most: number): SlowReaders {
  return { patienceMs, held: 0, most, answers: new Map() }
}

/**
 * Whether an answer of this size may be held for a reader that does not take it at once. Readers that have been slow for long make room. One
 * that is larger than all the room there is may be held alone, or it could never be read.
 */
export function hasRoomFor(readers: SlowReaders, bytes: number): boolean {
  const fits = () => readers.held === 0 || readers.held + bytes <= readers.most
  if (bytes <= SMALL || fits()) return true
  const now = performance.now()
  for (const [response, { since }] of readers.answers) {
    if (now - since < SLOW_AFTER_MS) break
    forgetReader(readers, response)
    response.destroy()
    if (fits()) return true
  }
  return false
}

/** Whether readers hold as much as they may, however long they have been slow. */
export function isCrowded(readers: SlowReaders): boolean {
  return !hasRoomFor(readers, SMALL + 1)
}

/**
 * Sends a body whose head has been written, a large one piece by piece as it is taken. `own` are the bytes of it that are held for this
 * reader alone; `sent` is called once all of it has left. True when some of it is still on its way.
 */
export function sendBody(
  readers: SlowReaders,
  response: ServerResponse,
  body: Buffer,
  own: number,
  sent?: () => void,
): boolean {
  if (body.length <= PIECE) response.end(body, sent)
  else sendInPieces(response, body, sent)
  if (response.writableEnded && response.socket?.writableLength === 0) return false
  watchReader(readers, response, own)
  return true
}

function sendInPieces(response: ServerResponse, body: Buffer, sent?: () => void): void {
  let at = 0
  const goOn = (size: number) => {
    while (at + size < body.length) {
      const piece = body.subarray(at, at + size)
      at += size
      if (writeNow(response, piece)) continue
      const since = performance.now()
      response.once('drain', () => goOn(nextPiece(size, performance.now() - since)))
      return
    }
    response.end(body.subarray(at), sent)
  }
  goOn(PIECE)
}

/** The size of the next piece, by the milliseconds that the last one took. */
function nextPiece(size: number, tookMs: number): number {
  return tookMs <= QUICKLY_MS ? Math.min(2 * size, LARGEST_PIECE) : PIECE
}

/**
 * Hands a piece to the system at once, where node:http would wait for the end of the turn, and then to be told that there is room again. True
 * when all of it has been taken.
 */
function writeNow(response: ServerResponse, piece: Buffer): boolean {
  const { socket } = response
  socket?.cork()
  const isBelowMark = response.write(piece)
  socket?.uncork()
  return isBelowMark || socket?.writableLength === 0
}

/** Watches an answer in transit: a reader that takes nothing of it is dropped. `own` is the number of bytes held for it alone. */
export function watchReader(readers: SlowReaders, response: ServerResponse, own: number): void {
  if (readers.answers.has(response) || response.destroyed) return
  readers.answers.set(response, { bytes: own, since: performance.now() })
  readers.held += own
  const look = () => {
    // If nothing waits to be taken, the delay is not the reader's.
    if ((response.socket?.writableLength ?? 0) > 0) response.destroy()
    else timer.refresh()
  }
  const timer = setTimeout(look, readers.patienceMs)
  response.on('drain', () => timer.refresh())
  response.once('close', () => {
    clearTimeout(timer)
    forgetReader(readers, response)
  })
}

function forgetReader(readers: SlowReaders, response: ServerResponse): void {
  readers.held -= readers.answers.get(response)?.bytes ?? 0
  readers.answers.delete(response)
}
