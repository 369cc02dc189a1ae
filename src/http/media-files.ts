import type { FastifyReply } from 'fastify'
import { MEDIA_CACHE_CONTROL } from '../media/media-store.ts'
import { Problem } from '../problems.ts'
import type { Front } from './front.ts'
import { problemReply } from './problem-replies.ts'
import type { Service } from './respond.ts'
import { watchReader } from './slow-readers.ts'

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
