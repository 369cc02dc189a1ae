import type { IncomingMessage, ServerResponse } from 'node:http'
import { codeOf, messageOf } from '../../base/errors.ts'
import { createServer } from '../../base/node-http.ts'
import { type Family, renderFamilies } from './metric-families.ts'

/** A listener that answers nothing but `GET /metrics`. */
export interface MetricsServer {
  /** Where it listens, such as `http://127.0.0.1:9464/metrics`. */
  address: string
  close: () => Promise<void>
}

/**
 * Listens at `HOST:PORT` for Prometheus.
 * @throws Error with one sentence when it cannot
 */
export async function serveMetrics(place: string, read: () => Promise<Family[]>): Promise<MetricsServer> {
  const { hostname, port } = placeOf(place)
  const server = createServer((request, response) => {
    answer(request, response, read).catch(() => response.destroy())
  })
  // Workers share the port of the calendar, but not this one.
  const listening = new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host: hostname, port, exclusive: true }, resolve)
  })
  await listening.catch((error: unknown) => {
    const taken = codeOf(error) === 'EADDRINUSE'
    throw new Error(
      taken
        ? `The place for metrics, ${place}, is in use; choose another with --metrics.`
        : `Cannot listen on ${place} for --metrics: ${messageOf(error)}.`,
    )
  })
  server.unref()
  const address = server.address()
  const listensOn = typeof address === 'object' && address ? address.port : port
  const host = hostname.includes(':') ? `[${hostname}]` : hostname
  return {
    address: `http://${host}:${listensOn}/metrics`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function placeOf(place: string): { hostname: string; port: number } {
  const colon = place.lastIndexOf(':')
  return { hostname: place.slice(0, colon).replace(/^\[|\]$/g, ''), port: Number(place.slice(colon + 1)) }
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  read: () => Promise<Family[]>,
): Promise<void> {
  request.resume()
  const isAsked = /^\/metrics\/?(?:\?|$)/.test(request.url ?? '')
  if (!isAsked || (request.method !== 'GET' && request.method !== 'HEAD')) {
    response
      .writeHead(isAsked ? 405 : 404, { 'Content-Type': 'text/plain; charset=utf-8' })
      .end('Only GET /metrics is here.\n')
    return
  }
  const text = renderFamilies(await read())
  response.writeHead(200, {
    'Content-Type': 'text/plain; version=0.0.4; charset=utf-8',
    'Content-Length': Buffer.byteLength(text),
    'Cache-Control': 'no-store',
  })
  response.end(request.method === 'HEAD' ? undefined : text)
}
