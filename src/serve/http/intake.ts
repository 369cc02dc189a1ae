import { randomBytes } from 'node:crypto'
import { type FileHandle, mkdir, open, unlink } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { Problem } from '../../base/problems.ts'

// Room in memory and on disk for bodies while they arrive.

/** The bytes of memory or disk that bodies hold while they arrive, and the most that they may hold. */
export interface Room {
  held: number
  most: number
}

/** The bounds that all arriving bodies share. */
export interface Intake {
  /** bytes of a body that is no upload */
  bodyBytes: number
  /** bytes of the files of one upload */
  fileBytes: number
  /** In memory, by callers with the right to write. */
  writers: Room
  /** In memory, by all others, so that they never take the room of the writers. */
  strangers: Room
  /** On disk. */
  files: Room
  /** Where files are kept while they arrive. */
  folder: string
  /** Milliseconds within which the next 64 kB of a body have to arrive, or its end. */
  patienceMs: number
}

/** The most bytes read of a body from callers who may not write: other faults of their requests are reported before the missing right. */
export const STRANGER_BYTES = 65_536

/** The number of uploads of the largest size that fit on disk at the same time. */
const UPLOADS_AT_ONCE = 20

/** The intake of a server; all bodies together may hold this many bytes of memory. */
export function makeIntake(
  options: Pick<Intake, 'bodyBytes' | 'fileBytes' | 'folder' | 'patienceMs'>,
  bytes: number,
): Intake {
  const { fileBytes } = options
  return {
    ...options,
    writers: { held: 0, most: bytes },
    strangers: { held: 0, most: Math.ceil(bytes / 8) },
    files: { held: 0, most: fileBytes * UPLOADS_AT_ONCE },
  }
}

/** The room that one request holds, and the files to close when it ends. */
export interface Holding {
  room: Room
  /** The most bytes that it may hold. */
  limit: number
  bytes: number
  fileBytes: number
  files: FileHandle[]
}

export function emptyHolding(room: Room, limit: number): Holding {
  return { room, limit, bytes: 0, fileBytes: 0, files: [] }
}

/** Releases everything that a request holds, files included. */
export async function letGo(holding: Holding, intake: Intake): Promise<void> {
  holding.room.held -= holding.bytes
  intake.files.held -= holding.fileBytes
  Object.assign(holding, { bytes: 0, fileBytes: 0 })
  await Promise.all(holding.files.splice(0).map((file) => file.close().catch(() => undefined)))
}

/**
 * Reserves more bytes of memory, or gives back a negative number of them.
 * @throws Problem rest_request_too_large beyond the limit of the request, rest_unavailable beyond that of all together
 */
export function hold(holding: Holding, bytes: number): void {
  if (holding.bytes + bytes > holding.limit) throw tooLarge(holding.limit)
  if (holding.room.held + bytes > holding.room.most) throw busy()
  holding.bytes += bytes
  holding.room.held += bytes
}

function holdFile(holding: Holding, bytes: number, intake: Intake): void {
  if (holding.fileBytes + bytes > intake.fileBytes) throw tooLarge(intake.fileBytes)
  if (intake.files.held + bytes > intake.files.most) throw busy()
  holding.fileBytes += bytes
  intake.files.held += bytes
}

export function tooLarge(bytes: number): Problem {
  return new Problem('rest_request_too_large', { data: { bytes } })
}

function busy(): Problem {
  return new Problem('rest_unavailable', { retryAfter: 1 })
}

/** False when the head of the request announces no body. */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0'
}

/** @throws Problem when the head of the request says that its body is too large */
export function checkLength({ headers }: IncomingMessage, limit: number): void {
  if (Number(headers['content-length'] ?? 0) > limit) throw tooLarge(limit)
}

/** The body of a request in memory. @throws Problem */
export async function readBytes(request: IncomingMessage, holding: Holding, patienceMs: number): Promise<Buffer> {
  checkLength(request, holding.limit)
  if (request.complete) return readArrived(request, holding)
  const pieces: Buffer[] = []
  await readPieces(request, patienceMs, (piece) => {
    hold(holding, piece.length)
    pieces.push(piece)
  })
  return Buffer.concat(pieces)
}

/** A body that came together with its head, as most do. */
function readArrived(request: IncomingMessage, holding: Holding): Buffer {
  hold(holding, request.readableLength)
  return request.read() ?? Buffer.alloc(0)
}

/** A file that has arrived. */
export interface ArrivedFile {
  /** bytes */
  size: number
  /** All of it in memory. */
  read: () => Promise<Buffer>
}

/** Writes the body of a request to disk, where it stays until `letGo` is called. @throws Problem */
export async function readToDisk(request: IncomingMessage, holding: Holding, intake: Intake): Promise<ArrivedFile> {
  checkLength(request, intake.fileBytes)
  const { take, arrived } = await openFile(holding, intake)
  await readPieces(request, intake.patienceMs, take)
  return arrived()
}

/** Writes a file of a form to disk, where it stays until `letGo` is called; its bytes are no longer held in memory. @throws Problem */
export async function keepFile(pieces: AsyncIterable<Buffer>, holding: Holding, intake: Intake): Promise<ArrivedFile> {
  const { take, arrived } = await openFile(holding, intake)
  for await (const piece of pieces) {
    await take(piece)
    hold(holding, -piece.length)
  }
  return arrived()
}

/** A new file without a name: it is unlinked before anything is written, so it disappears with the process. */
async function openFile(holding: Holding, intake: Intake) {
  await mkdir(intake.folder, { recursive: true })
  const path = join(intake.folder, `.upload-${randomBytes(9).toString('base64url')}`)
  const file = await open(path, 'wx+', 0o600)
  holding.files.push(file)
  await unlink(path)
  let size = 0
  const take = async (piece: Buffer) => {
    holdFile(holding, piece.length, intake)
    await file.write(piece, 0, piece.length, size)
    size += piece.length
  }
  const read = async () => {
    const bytes = Buffer.allocUnsafeSlow(size)
    const { bytesRead } = await file.read(bytes, 0, size, 0)
    return bytes.subarray(0, bytesRead)
  }
  return { take, arrived: (): ArrivedFile => ({ size, read }) }
}

/**
 * Reads a body piece by piece; the next piece is requested when `take` is done. The rest of a refused body stays unread.
 * @throws what `take` throws, and Problem rest_request_timeout for a stalled body
 */
async function readPieces(request: IncomingMessage, patienceMs: number, take: Take): Promise<void> {
  const { done, stop } = startReading(request, take)
  try {
    await withPatience(request, patienceMs, done)
  } finally {
    stop()
  }
}

type Take = (piece: Buffer) => void | Promise<void>

function startReading(request: IncomingMessage, take: Take): { done: Promise<void>; stop: () => void } {
  const { promise: done, resolve, reject } = Promise.withResolvers<void>()
  let taking: Promise<void> | undefined
  const onData = (piece: Buffer) => {
    try {
      const taken = take(piece)
      if (!taken) return
      request.pause()
      taking = taken.then(() => void request.resume())
      taking.catch(reject)
    } catch (error) {
      reject(error)
    }
  }
  const onEnd = () => {
    // The end may come while `take` still works on the last piece.
    request.off('close', onGone)
    if (taking) taking.then(resolve, reject)
    else resolve()
  }
  // A client that has gone gets no answer.
  const onGone = () => reject(new Problem('rest_invalid_request'))
  if (request.destroyed) onGone()
  request.on('data', onData).on('end', onEnd).on('error', onGone).on('close', onGone)
  const stop = () => {
    request.pause().off('data', onData).off('end', onEnd).off('error', onGone).off('close', onGone)
  }
  return { done, stop }
}

/** Bytes that have to arrive within `patienceMs`. */
const GOES_ON = 65_536

/** The result of reading a body, unless it stalls. @throws Problem rest_request_timeout */
export async function withPatience<T>(request: IncomingMessage, patienceMs: number, reading: Promise<T>): Promise<T> {
  const { promise: stalled, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Problem('rest_request_timeout')), patienceMs)
  let bytes = 0
  const goOn = (piece: Buffer) => {
    bytes += piece.length
    if (bytes < GOES_ON) return
    bytes = 0
    timer.refresh()
  }
  request.on('data', goOn)
  try {
    return await Promise.race([reading, stalled])
  } finally {
    clearTimeout(timer)
    request.off('data', goOn)
  }
}
