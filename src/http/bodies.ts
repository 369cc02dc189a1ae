import { randomBytes } from 'node:crypto'
import { type FileHandle, mkdir, open, unlink } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { MIMEType } from 'node:util'
import { Busboy, type BusboyInstance } from '@fastify/busboy'
import { Problem } from '../base/problems.ts'
import { clientOf } from '../base/text/urls.ts'
import {
  type Body,
  type BodyLimits,
  clientAddress,
  type Exchange,
  formText,
  type IncomingRequest,
  mediaType,
  NO_BODY,
  parseForm,
  repeatedKeys,
  type Trusted,
  type Upload,
} from './incoming.ts'

/** Bodies hold `held` bytes, at most `most`; `arriving` ones may have to give way. */
export interface Capacity {
  held: number
  most: number
  arriving: Set<Share>
}

interface Share {
  capacity: Capacity
  client: string
  bytes: number
  limit: number
  giveWay: () => void
}

export interface Intake {
  bodyBytes: number
  fileBytes: number
  /** For callers with the right to write. */
  writers: Capacity
  /** For all other callers, who never use the capacity of writers. */
  strangers: Capacity
  files: Capacity
  folder: string
  /** In ms: within this time the next 64 kB of a body, or its end, must arrive. */
  patienceMs: number
  trusted: Trusted | undefined
  /** Responses whose clients wait for `100 Continue`. */
  mayGoOn: WeakSet<ServerResponse>
}

/** Default limit, in bytes, if the sender may not write: invalid parameters are reported first (rule 1.2). */
const STRANGER_BYTES = 65_536

const UPLOADS_AT_ONCE = 20

/** Bodies of writers take at most `bytes` of memory in all, those of others an eighth. */
export function makeIntake(
  options: Pick<Intake, 'bodyBytes' | 'fileBytes' | 'folder' | 'patienceMs' | 'trusted'>,
  bytes: number,
): Intake {
  const roomOf = (most: number): Capacity => ({ held: 0, most, arriving: new Set() })
  return {
    ...options,
    writers: roomOf(bytes),
    strangers: roomOf(Math.ceil(bytes / 8)),
    files: roomOf(options.fileBytes * UPLOADS_AT_ONCE),
    mayGoOn: new WeakSet(),
  }
}

interface Holding {
  memory: Share
  disk: Share
  files: FileHandle[]
  /** Rejects when the body has to give way. */
  givenWay: Promise<never>
}

function emptyHolding(capacity: Capacity, limit: number, client: string, intake: Intake): Holding {
  const { promise: givenWay, reject } = Promise.withResolvers<never>()
  givenWay.catch(() => undefined)
  const giveWay = () => {
    reject(busy())
    shares.forEach(release)
  }
  const memory: Share = { capacity, client, bytes: 0, limit, giveWay }
  const disk: Share = { capacity: intake.files, client, bytes: 0, limit: intake.fileBytes, giveWay }
  const shares = [memory, disk]
  return { memory, disk, files: [], givenWay }
}

const sharesOf = ({ memory, disk }: Holding) => [memory, disk]

function release(share: Share): void {
  share.capacity.held -= share.bytes
  share.bytes = 0
  share.capacity.arriving.delete(share)
}

async function letGo(holding: Holding): Promise<void> {
  sharesOf(holding).forEach(release)
  await Promise.all(holding.files.splice(0).map((file) => file.close().catch(() => undefined)))
}

/**
 * Reserves `bytes`; negative ones are released. Without room, the client that holds most gives way if it
 * holds more than this one would.
 * @throws Problem rest_request_too_large beyond the limit, rest_unavailable without room
 */
function hold(share: Share, bytes: number): void {
  const { capacity } = share
  // A share that has given way holds nothing.
  if (!capacity.arriving.has(share)) throw busy()
  if (share.bytes + bytes > share.limit) throw tooLarge(share.limit)
  while (capacity.held + bytes > capacity.most) {
    const largest = largestBefore(share, bytes)
    if (!largest) throw busy()
    largest.giveWay()
  }
  share.bytes += bytes
  capacity.held += bytes
}

function largestBefore({ capacity, client }: Share, bytes: number): Share | undefined {
  const held = new Map<string, number>()
  for (const one of capacity.arriving) held.set(one.client, (held.get(one.client) ?? 0) + one.bytes)
  const [name = '', most = 0] = [...held].reduce((a, b) => (b[1] > a[1] ? b : a), ['', 0])
  if (name === client || most <= (held.get(client) ?? 0) + bytes) return undefined
  return [...capacity.arriving]
    .filter((one) => one.client === name)
    .reduce((a, b) => (b.bytes > a.bytes ? b : a))
}

function tooLarge(bytes: number): Problem {
  return new Problem('rest_request_too_large', { data: { bytes } })
}

function busy(): Problem {
  return new Problem('rest_unavailable', { retryAfter: 1 })
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0'
}

function checkLength({ headers }: IncomingMessage, limit: number): void {
  if (Number(headers['content-length'] ?? 0) > limit) throw tooLarge(limit)
}

async function readBytes(request: IncomingMessage, holding: Holding, patienceMs: number): Promise<Buffer> {
  const { memory } = holding
  checkLength(request, memory.limit)
  if (request.complete) return readArrived(request, memory)
  const pieces: Buffer[] = []
  await readPieces(request, holding, patienceMs, (piece) => {
    hold(memory, piece.length)
    pieces.push(piece)
  })
  return Buffer.concat(pieces)
}

/** Reads a body that arrived with its head, as most do. */
function readArrived(request: IncomingMessage, memory: Share): Buffer {
  hold(memory, request.readableLength)
  return request.read() ?? Buffer.alloc(0)
}

export interface ArrivedFile {
  size: number
  read: () => Promise<Buffer>
}

async function readToDisk(request: IncomingMessage, holding: Holding, intake: Intake): Promise<ArrivedFile> {
  checkLength(request, intake.fileBytes)
  const { take, arrived } = await openFile(holding, intake)
  await readPieces(request, holding, intake.patienceMs, take)
  return arrived()
}

/** Writes an upload to a file that exists until `letGo`; its bytes no longer count as memory. */
async function keepFile(
  pieces: AsyncIterable<Buffer>,
  holding: Holding,
  intake: Intake,
): Promise<ArrivedFile> {
  const { take, arrived } = await openFile(holding, intake)
  for await (const piece of pieces) {
    await take(piece)
    hold(holding.memory, -piece.length)
  }
  return arrived()
}

/** Opens a file, which is unlinked before anything is written, so that it disappears with the process. */
async function openFile(holding: Holding, intake: Intake) {
  await mkdir(intake.folder, { recursive: true })
  const path = join(intake.folder, `.upload-${randomBytes(9).toString('base64url')}`)
  const file = await open(path, 'wx+', 0o600)
  holding.files.push(file)
  await unlink(path)
  let size = 0
  const take = async (piece: Buffer) => {
    hold(holding.disk, piece.length)
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
 * Passes each piece of the body to `take`; the rest of a refused body stays unread.
 * @throws what `take` throws; Problem rest_request_timeout for a stalled body, rest_invalid_request if the
 * client has gone
 */
async function readPieces(
  request: IncomingMessage,
  holding: Holding,
  patienceMs: number,
  take: Take,
): Promise<void> {
  const { done, stop } = startReading(request, take)
  try {
    await withPatience(request, holding, patienceMs, done)
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
    // `take` may still work on the last piece.
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

/** At least this many bytes, or the end, must arrive within each `patienceMs`. */
const GOES_ON = 65_536

async function withPatience<T>(
  request: IncomingMessage,
  { givenWay }: Holding,
  patienceMs: number,
  reading: Promise<T>,
): Promise<T> {
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
    return await Promise.race([reading, stalled, givenWay])
  } finally {
    clearTimeout(timer)
    request.off('data', goOn)
  }
}

/**
 * Runs `work`, which reads the body once caller and route are known. When `work` ends, memory and files of
 * the body are released. `read` throws a Problem for a refused body.
 */
export async function withBody(
  { request, response }: Pick<Exchange, 'request' | 'response'>,
  intake: Intake,
  work: (read: IncomingRequest['readBody']) => Promise<void>,
): Promise<void> {
  const holdings: Holding[] = []
  const read: IncomingRequest['readBody'] = async (limits) => {
    if (!hasBody(request)) return NO_BODY
    if (request.destroyed) throw new Problem('rest_invalid_request')
    const most = limits.most ?? (limits.isTrusted ? intake.bodyBytes : STRANGER_BYTES)
    const limit = Math.min(most, intake.bodyBytes)
    const client = clientOf(clientAddress(request, intake.trusted))
    const holding = emptyHolding(limits.isTrusted ? intake.writers : intake.strangers, limit, client, intake)
    const shares = sharesOf(holding)
    for (const share of shares) share.capacity.arriving.add(share)
    holdings.push(holding)
    if (!limits.takesFile) checkLength(request, limit)
    if (intake.mayGoOn.delete(response)) response.writeContinue()
    try {
      return await readBody(request, limits, holding, intake)
    } finally {
      for (const share of shares) share.capacity.arriving.delete(share)
    }
  }
  try {
    await work(read)
  } finally {
    await Promise.all(holdings.map(letGo))
  }
}

async function readBody(
  request: IncomingMessage,
  limits: BodyLimits,
  holding: Holding,
  intake: Intake,
): Promise<Body> {
  const mimeType = mediaType(request.headers)
  if (mimeType !== '' && !MEDIA_TYPE.test(mimeType)) throw new Problem('rest_unsupported_media_type')
  if (mimeType === 'multipart/form-data')
    return { ...NO_BODY, form: await readForm(request, limits, holding, intake) }
  if (!limits.takesFile) return { bytes: await readBytes(request, holding, intake.patienceMs) }
  const fileName = fileNameOf(request.headers['content-disposition'] ?? '')
  if (!isJson(mimeType))
    return { ...NO_BODY, file: { fileName, mimeType, ...(await readToDisk(request, holding, intake)) } }
  // A JSON body may hold parameters; any other is only a file.
  const bytes = await readBytes(request, holding, intake.patienceMs)
  return { bytes, file: { fileName, mimeType, size: bytes.length, read: async () => bytes } }
}

/** See RFC 9110, 8.3.1. */
const MEDIA_TYPE = /^[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+$/

const isJson = (type: string) => type === 'application/json' || type.endsWith('+json')

const MOST_FIELDS = 1000
const MOST_FILES = 10

/** In bytes: about what the parser reads ahead of the disk. */
const IN_PASSING = 524_288

/**
 * Reads a form. Bytes count against the memory limit from arrival until they are written to disk, so a form
 * that exceeds it is refused at once. The request is not read any further after this returns or throws.
 */
async function readForm(
  request: IncomingMessage,
  limits: BodyLimits,
  holding: Holding,
  intake: Intake,
): Promise<NonNullable<Body['form']>> {
  const { memory } = holding
  const fieldBytes = memory.limit
  checkLength(request, fieldBytes + (limits.takesFile ? (limits.mostFiles ?? intake.fileBytes) : 0))
  if (limits.takesFile) memory.limit += IN_PASSING
  const fields: [string, string][] = []
  const files: Promise<Upload>[] = []
  const arriving = new Set<Readable>()
  const { promise: read, resolve, reject } = Promise.withResolvers<void>()
  const refuseForm = () => reject(new Problem('rest_invalid_form'))
  const refuseAsTooLarge = () => reject(tooLarge(fieldBytes))
  const onGone = () => request.complete || refuseForm()
  const onPiece = (piece: Buffer) => {
    try {
      hold(memory, piece.length)
    } catch (error) {
      reject(error)
    }
  }
  const parser = formParser(request, fieldBytes)
  let left = fieldBytes
  parser.on('field', (name = '', value, _isNameCut, isValueCut) => {
    left -= Buffer.byteLength(name) + Buffer.byteLength(value)
    if (isValueCut || left < 0) refuseAsTooLarge()
    else fields.push([name, value])
  })
  parser.on('file', (field = '', pieces, fileName, _encoding, mimeType) => {
    // A form that ends early makes the file fail as well, perhaps before anybody reads the file.
    pieces.on('error', refuseForm)
    if (!limits.takesFile) {
      pieces.resume()
      return
    }
    arriving.add(pieces)
    const file = keepFile(pieces, holding, intake).then((kept) => ({ field, fileName, mimeType, ...kept }))
    files.push(file)
    file.catch(reject)
  })
  for (const limit of ['partsLimit', 'filesLimit', 'fieldsLimit'] as const)
    parser.once(limit, refuseAsTooLarge)
  parser.on('error', refuseForm).once('finish', resolve)
  request.once('close', onGone).on('data', onPiece).pipe(parser)
  try {
    await withPatience(request, holding, intake.patienceMs, read)
    const text = formText(fields)
    return { fields: parseForm(text), repeated: repeatedKeys(text), files: await Promise.all(files) }
  } finally {
    request.off('close', onGone).off('data', onPiece)
    // Otherwise the parser would read the rest of a refused form.
    request.unpipe()
    for (const pieces of arriving) pieces.destroy()
    // A file may still be opening, and can be released only once it is open.
    await Promise.allSettled(files)
  }
}

function formParser({ headers }: IncomingMessage, fieldSize: number): BusboyInstance {
  const limits = { fieldSize, files: MOST_FILES, fields: MOST_FIELDS, parts: MOST_FIELDS + MOST_FILES }
  try {
    return new Busboy({ headers: { ...headers, 'content-type': headers['content-type'] ?? '' }, limits })
  } catch {
    throw new Problem('rest_invalid_form')
  }
}

/** In ms, how long the rest of a refused body may take to arrive. */
const REST_MS = 2000

/** Discards the rest of the body, so that the client reads the answer; closes slow connections. */
export function passRest(request: IncomingMessage): void {
  if (request.complete) return
  request.unpipe()
  request.resume()
  const timer = setTimeout(() => request.complete || request.socket.destroy(), REST_MS)
  timer.unref()
  request.once('close', () => clearTimeout(timer))
}

export function uploadOf({ form, file }: Body): Upload | undefined {
  return form ? form.files[0] : file
}

/** Returns the file name, preferably from `filename*` (RFC 6266). Node gives one character per byte. */
function fileNameOf(header: string): string {
  const parameters = parametersOf(header)
  return decodeExtended(parameters?.get('filename*') ?? '') ?? decodeBytes(parameters?.get('filename') ?? '')
}

/** Parses `Content-Disposition` (RFC 6266, 4.1; RFC 9110, 5.6.6); undefined if it is malformed. */
function parametersOf(header: string): MIMEType['params'] | undefined {
  try {
    return new MIMEType(`disposition/${header.trim()}`).params
  } catch {
    return undefined
  }
}

function decodeExtended(value: string): string | undefined {
  const [, charset = '', encoded = ''] = /^(utf-8|iso-8859-1)'[\w-]*'(.+)$/i.exec(value) ?? []
  if (charset === '') return undefined
  const bytes = encoded.replace(/%([0-9a-f]{2})/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  )
  return charset.toLowerCase() === 'utf-8' ? decodeBytes(bytes) : bytes
}

/** Decodes UTF-8 if it is valid, as browsers send it, else ISO-8859-1, as the standard says. */
function decodeBytes(bytes: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(bytes, 'latin1'))
  } catch {
    return bytes
  }
}
