import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestService } from '../support/service.ts'

export interface Arrived {
  method: string
  path: string
  body: string
  request: IncomingMessage
  response: ServerResponse
}

export type Verdict = 'pass' | 'lose' | 'answered'

export interface Gate {
  address: string
  counted: Record<string, number>
  most: number
  judge: (arrived: Arrived) => Verdict
  rewrite: (arrived: Arrived) => string
  close: () => void
}

const OWN = /^(?:host|connection|content-length|expect|transfer-encoding)$/

export async function openGate(service: TestService): Promise<Gate> {
  let open = 0
  const server = createServer(async (request, response) => {
    const { method = '', url = '' } = request
    gate.counted[method] = (gate.counted[method] ?? 0) + 1
    gate.most = Math.max(gate.most, ++open)
    response.on('close', () => {
      open -= 1
    })
    const body = await wholeOf(request)
    const arrived = { method, path: url, body: body.toString('utf8'), request, response }
    const verdict = gate.judge(arrived)
    if (verdict === 'answered') return
    const text = gate.rewrite(arrived)
    const there = await pass(service, request, text === arrived.body ? body : Buffer.from(text))
    const bytes = Buffer.from(await there.arrayBuffer())
    if (verdict === 'lose') return void request.socket.destroy()
    response.writeHead(there.status, { 'content-type': there.headers.get('content-type') ?? '' }).end(bytes)
  }).listen(0, '127.0.0.1')
  await new Promise((go) => server.once('listening', go))
  const { port } = server.address() as AddressInfo
  const gate: Gate = {
    address: `http://127.0.0.1:${port}/wp-json/tribe/events/v1`,
    counted: {},
    most: 0,
    judge: () => 'pass',
    rewrite: ({ body }) => body,
    close: () => void server.close(),
  }
  return gate
}

async function wholeOf(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part)
  return Buffer.concat(parts)
}

function pass(
  service: TestService,
  { method = '', url = '', headers }: IncomingMessage,
  body: Buffer,
): Promise<Response> {
  const kept = Object.entries(headers).filter((entry): entry is [string, string] => !OWN.test(entry[0]))
  const sent = body.length === 0 ? {} : { body: new Uint8Array(body) }
  return fetch(service.origin + url, { method, headers: kept, ...sent })
}

export function writesOf({ counted }: Gate): number {
  return ['POST', 'PUT', 'DELETE'].reduce((sum, method) => sum + (counted[method] ?? 0), 0)
}

const RESET = {
  status: 'publish',
  all_day: false,
  cost: '',
  website: '',
  image: '',
  show_map: false,
  show_map_link: false,
  hide_from_listings: false,
  sticky: false,
  featured: false,
  organizer: '',
}

export function resetUnsent({ method, path, body }: Arrived): string {
  if (method !== 'PUT' || !/\/events\/\d+$/.test(path)) return body
  const sent: Record<string, unknown> = JSON.parse(body)
  for (const name of ['description', 'excerpt', 'image']) if (sent[name] === '') return '{"status":"refused"}'
  if (sent.start_date === undefined || sent.end_date === undefined) {
    delete sent.start_date
    delete sent.end_date
  }
  const isDated = sent.date_utc !== undefined || sent.status === 'draft'
  const published = isDated ? {} : { date_utc: new Date().toISOString() }
  return JSON.stringify({ ...RESET, timezone: 'UTC', ...published, ...sent })
}

export function withoutMembers(gate: Gate, names: readonly string[]): void {
  gate.judge = ({ path, response }) => {
    if (!path.endsWith('/doc')) return 'pass'
    response.writeHead(200).end('{"swagger":"2.0","paths":{}}')
    return 'answered'
  }
  gate.rewrite = ({ body }) => {
    if (!body.startsWith('{')) return body
    const sent: Record<string, unknown> = JSON.parse(body)
    return JSON.stringify(Object.fromEntries(Object.entries(sent).filter(([name]) => !names.includes(name))))
  }
}

export function withoutOwnRoutes({ path, response }: Arrived): Verdict {
  if (path.startsWith('/wp-json/kalends/')) {
    response.writeHead(404).end('{"code":"rest_no_route"}')
    return 'answered'
  }
  if (path !== '/wp-json/') return 'pass'
  response.writeHead(200).end('{"namespaces":["tribe/events/v1","wp/v2"]}')
  return 'answered'
}
