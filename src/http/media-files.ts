import { pipeline } from 'node:stream/promises'
import { MEDIA_CACHE_CONTROL } from '../media/media-store.ts'
import { Problem } from '../problems.ts'
import type { Front } from './front.ts'
import type { Service } from './respond.ts'
import { announce, type Visit } from './send.ts'
import { watchReader } from './slow-readers.ts'

/** The route of files of images, as the log and the counts name it. */
export const MEDIA_ROUTE = '/media/*'

/** Sends a file of the media store as it is read. @throws Problem where there is none */
export async function sendMedia({ images }: Service, front: Front, visit: Visit, key: string): Promise<void> {
  const { request, response, requestId } = visit
  const file = await images.store.read(key)
  if (!file) throw new Problem('rest_no_route')
  response.writeHead(200, {
    'Content-Type': file.mimeType,
    'Content-Length': String(file.size),
    'X-Content-Type-Options': 'nosniff',
    'Access-Control-Allow-Origin': '*',
    'Cache-Control': MEDIA_CACHE_CONTROL,
    'Content-Security-Policy': "default-src 'none'; sandbox",
    'X-Request-Id': requestId,
  })
  announce(front, visit, MEDIA_ROUTE, 'ordinary', 200, file.size)
  if (request.method === 'HEAD') {
    file.stream.destroy()
    response.end()
    return
  }
  watchReader(front.readers, response, 0)
  let fault: unknown
  file.stream.once('error', (error) => {
    // A reader that has gone is nobody's fault; the store is, when it breaks off first.
    if (!response.destroyed) fault = error
  })
  await pipeline(file.stream, response).catch(() => undefined)
  if (fault !== undefined) throw fault
}
