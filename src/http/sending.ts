import { createHash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { MEDIA_CACHE_CONTROL } from '../media/media-store.ts'
import { Problem } from '../problems.ts'
import { overloaded } from './admission.ts'
import { passRest } from './bodies.ts'
import { compress } from './compression.ts'
import type { Front } from './front.ts'
import { answerHeaders, crossOriginHeaders, encodingFor, hasCurrent } from './headers.ts'
import { isPretty, jsonBytes } from './json-bytes.ts'
import { problemReply } from './problem-replies.ts'
import type { Reply } from './reply.ts'
import type { Service } from './respond.ts'
import type { Page } from './site-page.ts'
import { hasRoomFor, inPieces, watchReader } from './slow-readers.ts'

/** Puts an answer on the wire: headers of rules 28.1 and 28.3, entity tag, compression. */
export async function send(
  { site, readers }: Front,
  request: FastifyRequest,
  reply: FastifyReply,
  answer: Reply,
): Promise<FastifyReply> {
  const isRead = request.method === 'GET' || request.method === 'HEAD'
  const { authorization, origin } = request.headers
  reply
    .code(answer.status)
    .headers({ ...answerHeaders(site, answer.headers, authorization === undefined), ...crossOriginHeaders(origin) })
  passRest(request.raw)
  const bytes = await jsonBytes(answer.body, isPretty(request.url))
  if (isRead && answer.status === 200 && (answer.innerStatus ?? 200) === 200) {
    const tag = `W/"${createHash('sha1').update(bytes).digest('base64url')}"`
    reply.header('ETag', tag)
    if (hasCurrent(request.headers, tag)) return reply.code(304).send()
  }
  const encoding = encodingFor(request.headers, bytes.length)
  const compressed = encoding && (await compress(bytes, encoding))
  const body = compressed ?? bytes
  if (!hasRoomFor(readers, body.length)) throw overloaded()
  if (compressed) reply.header('Content-Encoding', encoding)
  const payload = request.method === 'HEAD' ? body : inPieces(body)
  reply.header('Content-Length', String(body.length)).send(payload)
  if (payload !== body || (reply.raw.socket?.writableLength ?? 0) > 0) watchReader(readers, reply.raw, body.length)
  return reply
}

/** Sends a page for people. */
export function sendPage({ headers, html }: Page, reply: FastifyReply): FastifyReply {
  return reply.headers(headers).send(html)
}

/** Sends a file of the media store, or says that there is none. */
export async function sendMedia(
  service: Service,
  { readers }: Front,
  key: string,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const file = await service.images.store.read(key)
  if (!file) {
    const { status, body } = problemReply(new Problem('rest_no_route'), service.site.language, false)
    return reply.code(status).send(body)
  }
  // It is read from the store as it is taken.
  watchReader(readers, reply.raw, 0)
  return reply
    .headers({
      'Content-Type': file.mimeType,
      'Content-Length': String(file.size),
      'X-Content-Type-Options': 'nosniff',
      'Access-Control-Allow-Origin': '*',
      'Cache-Control': MEDIA_CACHE_CONTROL,
      'Content-Security-Policy': "default-src 'none'; sandbox",
    })
    .send(file.stream)
}
