import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import { MIMEType } from 'node:util'
import { Busboy, type BusboyInstance } from '@fastify/busboy'
import { Problem } from '../../base/problems.ts'
import { type Body, type BodyRoom, NO_BODY, type Upload } from './incoming.ts'
import {
  checkLength,
  emptyHolding,
  type Holding,
  hasBody,
  hold,
  type Intake,
  keepFile,
  letGo,
  readBytes,
  readToDisk,
  STRANGER_BYTES,
  tooLarge,
  withPatience,
} from './intake.ts'
import { formText, mediaType, parseForm, repeatedKeys } from './request.ts'

// Reads the bodies of requests, forms with files among them.

/** The body of one request: read once the caller and the route are known, released when the request ends. */
interface BodyReader {
  /** @throws Problem */
  read: (room: BodyRoom) => Promise<Body>
  letGo: () => Promise<void>
}

/** `mayGoOn` holds the responses to requests that wait for `100 Continue`. */
export function makeBodyReader(
  request: IncomingMessage,
  response: ServerResponse,
  intake: Intake,
  mayGoOn: WeakSet<ServerResponse>,
): BodyReader {
  const holdings: Holding[] = []
  return {
    read: async (room) => {
      if (!hasBody(request)) return NO_BODY
      if (request.destroyed) throw new Problem('rest_invalid_request')
      const most = room.most ?? (room.isTrusted ? intake.bodyBytes : STRANGER_BYTES)
      const limit = Math.min(most, intake.bodyBytes)
      const holding = emptyHolding(room.isTrusted ? intake.writers : intake.strangers, limit)
      holdings.push(holding)
      if (!room.takesFile) checkLength(request, limit)
      if (mayGoOn.delete(response)) response.writeContinue()
      return readBody(request, room, holding, intake)
    },
    letGo: async () => {
      await Promise.all(holdings.splice(0).map((holding) => letGo(holding, intake)))
    },
  }
}

async function readBody(request: IncomingMessage, room: BodyRoom, holding: Holding, intake: Intake): Promise<Body> {
  const mimeType = mediaType(request.headers)
  if (mimeType !== '' && !MEDIA_TYPE.test(mimeType)) throw new Problem('rest_unsupported_media_type')
  if (mimeType === 'multipart/form-data') return { ...NO_BODY, form: await readForm(request, room, holding, intake) }
  if (!room.takesFile) return { bytes: await readBytes(request, holding, intake.patienceMs) }
  const fileName = fileNameOf(request.headers['content-disposition'] ?? '')
  if (!isJson(mimeType))
    return { ...NO_BODY, file: { fileName, mimeType, ...(await readToDisk(request, holding, intake)) } }
  // Only a body whose type has parameters is searched for them; any other is no image.
  const bytes = await readBytes(request, holding, intake.patienceMs)
  return { bytes, file: { fileName, mimeType, size: bytes.length, read: async () => bytes } }
}

/** RFC 9110, 8.3.1 */
const MEDIA_TYPE = /^[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+$/

const isJson = (type: string) => type === 'application/json' || type.endsWith('+json')

/** Of one multipart form. */
const MOST_FIELDS = 1000
const MOST_FILES = 10

/** Bytes of files that have arrived and are not on disk yet; the parser reads on until they are about as many. */
const IN_PASSING = 524_288

/**
 * The fields and files of a multipart form. All that arrives is held in memory until it is part of a file on disk, so whatever the form goes on
 * with, it is refused at the limit. When this returns or throws, nothing of the form is read any more.
 * @throws Problem, or the error of a disk
 */
async function readForm(
  request: IncomingMessage,
  room: BodyRoom,
  holding: Holding,
  intake: Intake,
): Promise<NonNullable<Body['form']>> {
  const fieldBytes = holding.limit
  checkLength(request, fieldBytes + (room.takesFile ? (room.mostFiles ?? intake.fileBytes) : 0))
  if (room.takesFile) holding.limit += IN_PASSING
  const fields: [string, string][] = []
  const files: Promise<Upload>[] = []
  const arriving = new Set<Readable>()
  const { promise: read, resolve, reject } = Promise.withResolvers<void>()
  const refuseForm = () => reject(new Problem('rest_invalid_form'))
  const refuseAsTooLarge = () => reject(tooLarge(fieldBytes))
  const onGone = () => request.complete || refuseForm()
  const onPiece = (piece: Buffer) => {
    try {
      hold(holding, piece.length)
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
    // It is also told of the end of a form that comes too early, perhaps before anybody reads the file.
    pieces.on('error', refuseForm)
    if (!room.takesFile) {
      pieces.resume()
      return
    }
    arriving.add(pieces)
    const file = keepFile(pieces, holding, intake).then((kept) => ({ field, fileName, mimeType, ...kept }))
    files.push(file)
    file.catch(reject)
  })
  for (const limit of ['partsLimit', 'filesLimit', 'fieldsLimit'] as const) parser.once(limit, refuseAsTooLarge)
  parser.on('error', refuseForm).once('finish', resolve)
  request.once('close', onGone).on('data', onPiece).pipe(parser)
  try {
    await withPatience(request, intake.patienceMs, read)
    const text = formText(fields)
    return { fields: parseForm(text), repeated: repeatedKeys(text), files: await Promise.all(files) }
  } finally {
    request.off('close', onGone).off('data', onPiece)
    // Otherwise the parser would read all the rest of a refused form, which nobody needs, while the answer is made.
    request.unpipe()
    for (const pieces of arriving) pieces.destroy()
    // A file may still be opening: whoever lets go of the holding has to find it there.
    await Promise.allSettled(files)
  }
}

/** @throws Problem for a form whose head does not say what divides its parts */
function formParser({ headers }: IncomingMessage, fieldSize: number): BusboyInstance {
  const limits = { fieldSize, files: MOST_FILES, fields: MOST_FIELDS, parts: MOST_FIELDS + MOST_FILES }
  try {
    return new Busboy({ headers: { ...headers, 'content-type': headers['content-type'] ?? '' }, limits })
  } catch {
    throw new Problem('rest_invalid_form')
  }
}

/** How long the rest of a refused body may keep arriving before its connection is closed. */
const REST_MS = 2000

/** Discards the rest of an unread body for a while, so that the client can read the answer. */
export function passRest(request: IncomingMessage): void {
  if (request.complete) return
  request.unpipe()
  request.resume()
  const timer = setTimeout(() => request.complete || request.socket.destroy(), REST_MS)
  timer.unref()
  request.once('close', () => clearTimeout(timer))
}

/** The file a request brings: the first of a multipart form, else the body as it stands. Undefined when there is none. */
export function uploadOf({ form, file }: Body): Upload | undefined {
  return form ? form.files[0] : file
}

/**
 * The file name in a Content-Disposition header as Node gives it, one character a byte: `filename*` before `filename` (RFC 6266).
 * Empty when there is none that can be read.
 */
function fileNameOf(header: string): string {
  const parameters = parametersOf(header)
  return decodeExtended(parameters?.get('filename*') ?? '') ?? decodeBytes(parameters?.get('filename') ?? '')
}

/** The parameters after the first word, in the grammar of a media type (RFC 6266 4.1, RFC 9110 5.6.6). */
function parametersOf(header: string): MIMEType['params'] | undefined {
  try {
    return new MIMEType(`disposition/${header.trim()}`).params
  } catch {
    return undefined
  }
}

/** The text of an extended value such as `UTF-8''na%C3%AFve.png` (RFC 8187); undefined for any other. */
function decodeExtended(value: string): string | undefined {
  const [, charset = '', encoded = ''] = /^(utf-8|iso-8859-1)'[\w-]*'(.+)$/i.exec(value) ?? []
  if (charset === '') return undefined
  const bytes = encoded.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return charset.toLowerCase() === 'utf-8' ? decodeBytes(bytes) : bytes
}

/** Bytes, one a character, as UTF-8 where they are, which is what browsers send; else as the ISO-8859-1 that the standard says. */
function decodeBytes(bytes: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(bytes, 'latin1'))
  } catch {
    return bytes
  }
}
