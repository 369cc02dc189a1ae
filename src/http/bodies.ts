import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyRequest } from 'fastify'
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
  request: FastifyRequest,
  response: ServerResponse,
  intake: Intake,
  mayGoOn: WeakSet<ServerResponse>,
): BodyReader {
  const holdings: Holding[] = []
  return {
    read: async (room) => {
      if (!hasBody(request.raw)) return NO_BODY
      const limit = room.isTrusted ? intake.bodyBytes : Math.min(STRANGER_BYTES, intake.bodyBytes)
      const holding = emptyHolding(room.isTrusted ? intake.writers : intake.strangers, limit)
      holdings.push(holding)
      if (!room.takesFile) checkLength(request.raw, limit)
      if (mayGoOn.delete(response)) response.writeContinue()
      return readBody(request, room, holding, intake)
    },
    letGo: async () => {
      await Promise.all(holdings.splice(0).map((holding) => letGo(holding, intake)))
    },
  }
}

async function readBody(request: FastifyRequest, room: BodyRoom, holding: Holding, intake: Intake): Promise<Body> {
  const { raw } = request
  if (request.isMultipart()) {
    checkLength(raw, holding.limit + (room.takesFile ? intake.fileBytes : 0))
    const form = await withPatience(raw, intake.patienceMs, readForm(request, room, holding, intake))
    return { ...NO_BODY, form }
  }
  if (!room.takesFile) return { bytes: await readBytes(raw, holding, intake.patienceMs) }
  const mimeType = mediaType(raw.headers)
  const fileName = fileNameOf(raw.headers['content-disposition'] ?? '')
  if (!isJson(mimeType))
    return { ...NO_BODY, file: { fileName, mimeType, ...(await readToDisk(raw, holding, intake)) } }
  // Only a body whose type has parameters is searched for them; any other is no image.
  const bytes = await readBytes(raw, holding, intake.patienceMs)
  return { bytes, file: { fileName, mimeType, size: bytes.length, read: async () => bytes } }
}

const isJson = (type: string) => type === 'application/json' || type.endsWith('+json')

/** The fields and files of a multipart form, refused as soon as their sum is too large. */
async function readForm(
  request: FastifyRequest,
  room: BodyRoom,
  holding: Holding,
  intake: Intake,
): Promise<NonNullable<Body['form']>> {
  const fields: [string, string][] = []
  const files: Upload[] = []
  try {
    for await (const part of request.parts({ limits: { fieldSize: holding.limit, fileSize: intake.fileBytes } })) {
      if (part.type === 'field') {
        const value = String(part.value)
        // A field that was cut off has the length of the limit.
        hold(holding, Buffer.byteLength(value) + Number(part.valueTruncated) + Number(part.fieldnameTruncated))
        fields.push([part.fieldname, value])
      } else if (room.takesFile) {
        const { size, read } = await keepFile(part.file, holding, intake)
        // A file that was cut off has the length of the limit.
        if (part.file.truncated) throw tooLarge(intake.fileBytes)
        files.push({ fileName: part.filename, mimeType: part.mimetype, size, read })
      } else await passOver(part.file, holding)
    }
  } catch (error) {
    // Otherwise the parser would read all the rest, which nobody needs, while the answer is made.
    request.raw.unpipe()
    throw asProblem(error, holding.limit)
  }
  const text = formText(fields)
  return { fields: parseForm(text), repeated: repeatedKeys(text), files }
}

/** A file that no parameter takes counts towards the size of the body, and is not stored. */
async function passOver(file: AsyncIterable<Buffer>, { limit }: Holding): Promise<void> {
  let bytes = 0
  for await (const piece of file) {
    bytes += piece.length
    if (bytes > limit) throw tooLarge(limit)
  }
}

const LIMITS = new Set(['FST_REQ_FILE_TOO_LARGE', 'FST_FIELDS_LIMIT', 'FST_FILES_LIMIT', 'FST_PARTS_LIMIT'])

function asProblem(error: unknown, limit: number): unknown {
  if (error instanceof Problem || !(error instanceof Error)) return error
  if (!('code' in error)) return new Problem('rest_invalid_form')
  const code = String(error.code)
  if (LIMITS.has(code)) return tooLarge(limit)
  // Errors with a code of the form parser are faults of the form; all others come from the disk.
  return code.startsWith('FST_') ? new Problem('rest_invalid_form') : error
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
