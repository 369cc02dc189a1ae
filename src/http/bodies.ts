import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import { Busboy, type BusboyFileStream, type BusboyInstance } from '@fastify/busboy'
import { Problem } from '../problems.ts'
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
import { fileNameOf } from './platform-upload.ts'
import { formText, mediaType, parseForm, repeatedKeys } from './request.ts'

/** The body of one request: read once the caller and the route are known, released when the request ends. */
export interface BodyReader {
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
      const limit = room.isTrusted ? intake.bodyBytes : Math.min(STRANGER_BYTES, intake.bodyBytes)
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
  if (mimeType === 'multipart/form-data') {
    checkLength(request, holding.limit + (room.takesFile ? intake.fileBytes : 0))
    const form = await withPatience(request, intake.patienceMs, readForm(request, room, holding, intake))
    return { ...NO_BODY, form }
  }
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

/** The fields and files of a multipart form, refused as soon as their sum is too large. @throws Problem, or the error of a disk */
async function readForm(
  request: IncomingMessage,
  room: BodyRoom,
  holding: Holding,
  intake: Intake,
): Promise<NonNullable<Body['form']>> {
  const fields: [string, string][] = []
  const files: Promise<Upload | undefined>[] = []
  const arriving = new Set<Readable>()
  const { promise: read, resolve, reject } = Promise.withResolvers<void>()
  const refuse = () => reject(new Problem('rest_invalid_form'))
  const onGone = () => request.complete || refuse()
  try {
    const parser = formParser(request, { fieldSize: holding.limit, fileSize: intake.fileBytes })
    parser.on('field', (name, value, isNameCut, isValueCut) => {
      try {
        // A field that was cut off has the length of the limit.
        hold(holding, Buffer.byteLength(value) + Number(isNameCut) + Number(isValueCut))
        fields.push([name, value])
      } catch (error) {
        reject(error)
      }
    })
    parser.on('file', (_name, pieces, fileName, _encoding, mimeType) => {
      arriving.add(pieces)
      const taken = room.takesFile
        ? takeFile(pieces, { fileName, mimeType }, holding, intake)
        : passOver(pieces, holding)
      files.push(taken)
      taken.catch(reject)
    })
    for (const limit of ['partsLimit', 'filesLimit', 'fieldsLimit'] as const)
      parser.once(limit, () => reject(tooLarge(holding.limit)))
    parser.once('error', refuse).once('finish', resolve)
    request.once('close', onGone).pipe(parser)
    await read
    const text = formText(fields)
    const kept = (await Promise.all(files)).filter((file) => file !== undefined)
    return { fields: parseForm(text), repeated: repeatedKeys(text), files: kept }
  } finally {
    request.off('close', onGone)
    // Otherwise the parser would read all the rest of a refused form, which nobody needs, while the answer is made.
    request.unpipe()
    for (const pieces of arriving) pieces.destroy()
  }
}

/** @throws Problem for a form whose head does not say what divides its parts */
function formParser({ headers }: IncomingMessage, sizes: { fieldSize: number; fileSize: number }): BusboyInstance {
  const limits = { ...sizes, files: MOST_FILES, fields: MOST_FIELDS, parts: MOST_FIELDS + MOST_FILES }
  try {
    return new Busboy({ headers: { ...headers, 'content-type': headers['content-type'] ?? '' }, limits })
  } catch {
    throw new Problem('rest_invalid_form')
  }
}

async function takeFile(
  pieces: BusboyFileStream,
  named: Pick<Upload, 'fileName' | 'mimeType'>,
  holding: Holding,
  intake: Intake,
): Promise<Upload> {
  const file = await keepFile(pieces, holding, intake)
  // A file that was cut off has the length of the limit.
  if (pieces.truncated) throw tooLarge(intake.fileBytes)
  return { ...named, ...file }
}

/** A file that no parameter takes counts towards the size of the body, and is not stored. */
async function passOver(file: AsyncIterable<Buffer>, { limit }: Holding): Promise<undefined> {
  let bytes = 0
  for await (const piece of file) {
    bytes += piece.length
    if (bytes > limit) throw tooLarge(limit)
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
