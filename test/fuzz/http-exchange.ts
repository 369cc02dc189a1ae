import { Agent, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http'
import { brotliDecompressSync, gunzipSync, inflateSync, zstdDecompressSync } from 'node:zlib'
import { type PlannedRequest, wireOf } from './planned-request.ts'

/** A request and its outcome. Times are in ms since the epoch, with fractions. */
export interface Exchange {
  planned: PlannedRequest
  sent: number
  done: number
  answer: FuzzAnswer | undefined
  failure: string | undefined
}

export interface FuzzAnswer {
  status: number
  headers: IncomingHttpHeaders
  body: Buffer
}

export interface Line {
  port: number
  agent: Agent
  patience: number
}

export function openLine(port: number, patience: number): Line {
  return { port, agent: new Agent({ keepAlive: true, maxSockets: 64 }), patience }
}

/** Returns the ms since the epoch, comparable with the times of other processes on this machine. */
export function clock(): number {
  return performance.timeOrigin + performance.now()
}

export async function exchange(line: Line, planned: PlannedRequest): Promise<Exchange> {
  const first = await exchangeOnce(line, planned)
  return first.failure?.endsWith(CUT_KEPT) ? exchangeOnce(line, planned) : first
}

const CUT_KEPT = '(kept connection)'

async function exchangeOnce(line: Line, planned: PlannedRequest): Promise<Exchange> {
  const sent = clock()
  try {
    const answer = await sendOnce(line, planned)
    return { planned, sent, done: clock(), answer, failure: undefined }
  } catch (error) {
    return { planned, sent, done: clock(), answer: undefined, failure: String(error) }
  }
}

function sendOnce(line: Line, planned: PlannedRequest): Promise<FuzzAnswer> {
  const { method, target, headers, body } = wireOf(planned)
  const given = { host: `127.0.0.1:${line.port}`, ...headers }
  return new Promise((resolve, reject) => {
    const { agent, port } = line
    const sending = request({ agent, host: '127.0.0.1', port, method, path: target, headers: given })
    const timer = setTimeout(
      () => sending.destroy(new Error(`no answer after ${line.patience} ms`)),
      line.patience,
    )
    const settle = () => clearTimeout(timer)
    sending.on('response', (response) => {
      readWhole(response).then(resolve, reject).finally(settle)
    })
    sending.on('upgrade', (response, socket) => {
      socket.destroy()
      settle()
      resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.alloc(0) })
    })
    sending.on('error', (error) => {
      settle()
      reject(sending.reusedSocket && isCut(error) ? new Error(`${error.message} ${CUT_KEPT}`) : error)
    })
    sending.end(body)
  })
}

function isCut(error: Error): boolean {
  return 'code' in error && (error.code === 'ECONNRESET' || error.code === 'EPIPE')
}

async function readWhole(response: IncomingMessage): Promise<FuzzAnswer> {
  const pieces: Buffer[] = []
  for await (const piece of response) pieces.push(piece)
  const { statusCode: status = 0, headers } = response
  const body = Buffer.concat(pieces)
  return { status, headers, body: body.length === 0 ? body : decompressed(body, headers['content-encoding']) }
}

const DECOMPRESS: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  gzip: gunzipSync,
  br: brotliDecompressSync,
  deflate: inflateSync,
  zstd: zstdDecompressSync,
}

function decompressed(body: Buffer, encoding: string | undefined): Buffer {
  return DECOMPRESS[encoding ?? '']?.(body) ?? body
}
