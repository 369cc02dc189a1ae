import type { ServerResponse } from 'node:http'

// Limits the memory of unsent answers: slow readers are dropped if others need it.

export interface SlowReaders {
  patienceMs: number
  held: number
  most: number
  answers: Map<ServerResponse, { bytes: number; since: number }>
}

/** Ms after which a reader is dropped if others need the room. */
const SLOW_AFTER_MS = 2000

/** Up to this many bytes are sent whatever else is held. */
const SMALL = 65_536

const PIECE = 131_072
const LARGEST_PIECE = 8 * PIECE

const QUICKLY_MS = 100

export function noSlowReaders(patienceMs: number, most: number): SlowReaders {
  return { patienceMs, held: 0, most, answers: new Map() }
}

/**
 * Returns true if the answer may be held, which may drop slow readers. An answer larger than the maximum may
 * be held alone, or it could never be read.
 */
export function makesRoomFor(readers: SlowReaders, bytes: number): boolean {
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

export function isCrowded(readers: SlowReaders): boolean {
  return !makesRoomFor(readers, SMALL + 1)
}

/**
 * Sends a body; a long one in pieces, each once the reader has taken the piece before.
 * @param own bytes held for this reader alone
 * @param sent is called once the whole body is sent
 */
export function sendBody(
  readers: SlowReaders,
  response: ServerResponse,
  body: Buffer,
  own: number,
  sent?: () => void,
): void {
  if (body.length <= PIECE) response.end(body, sent)
  else sendInPieces(response, body, sent)
  if (!response.writableEnded || response.socket?.writableLength !== 0) watchReader(readers, response, own)
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

function nextPiece(size: number, tookMs: number): number {
  return tookMs <= QUICKLY_MS ? Math.min(2 * size, LARGEST_PIECE) : PIECE
}

/**
 * Writes a piece at once; node:http would wait for the end of the turn. Returns true if more may be written.
 */
function writeNow(response: ServerResponse, piece: Buffer): boolean {
  const { socket } = response
  socket?.cork()
  const isBelowMark = response.write(piece)
  socket?.uncork()
  return isBelowMark || socket?.writableLength === 0
}

/** Drops a reader that takes nothing for `patienceMs`. @param own bytes held for this reader alone */
export function watchReader(readers: SlowReaders, response: ServerResponse, own: number): void {
  if (readers.answers.has(response) || response.destroyed) return
  readers.answers.set(response, { bytes: own, since: performance.now() })
  readers.held += own
  const look = () => {
    // If nothing waits to be sent, the delay is not the reader's.
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
