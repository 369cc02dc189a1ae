import { type Agent, type IncomingMessage, request } from 'node:http'
import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate } from 'node:zlib'

export interface Sending {
  headers: Record<string, string>
  body: string | Uint8Array | FormData | URLSearchParams | undefined
}

export interface Received {
  status: number
  headers: Headers
  text: string
}

/**
 * The default headers of `fetch`, without `accept-encoding`: most tests would compress and decompress each
 * answer in vain.
 */
const DEFAULTS = { accept: '*/*', 'accept-language': '*', 'sec-fetch-mode': 'cors', 'user-agent': 'node' }

const DECOMPRESS: Readonly<Record<string, (bytes: Buffer) => Promise<Buffer>>> = {
  gzip: promisify<Buffer, Buffer>(gunzip),
  deflate: promisify<Buffer, Buffer>(inflate),
  br: promisify<Buffer, Buffer>(brotliDecompress),
}

const decoder = new TextDecoder()

export async function send(
  agent: Agent,
  method: string,
  url: string,
  { headers, body }: Sending,
): Promise<Received> {
  const sent: Record<string, string> = { ...DEFAULTS }
  for (const [name, value] of Object.entries(headers)) sent[name.toLowerCase()] = value
  const bytes = body === undefined ? undefined : await encode(body, sent)
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const asked = request(url, { agent, method, headers: sent }, resolve).on('error', reject)
    // Passed to `end`, the body would make Node write some headers in another encoding.
    if (bytes) asked.write(bytes)
    asked.end()
  })
  const received = headersOf(response)
  const content = await contentOf(response)
  const decompress = content.length > 0 ? DECOMPRESS[received.get('content-encoding') ?? ''] : undefined
  const text = decoder.decode(decompress ? await decompress(content) : content)
  return { status: response.statusCode ?? 0, headers: received, text }
}

async function encode(
  body: Exclude<Sending['body'], undefined>,
  headers: Record<string, string>,
): Promise<Uint8Array> {
  const bytes = body instanceof Uint8Array ? body : await encodeText(body, headers)
  headers['content-length'] = String(bytes.length)
  return bytes
}

async function encodeText(
  body: string | FormData | URLSearchParams,
  headers: Record<string, string>,
): Promise<Uint8Array> {
  if (typeof body === 'string') {
    headers['content-type'] ??= 'text/plain;charset=UTF-8'
    return Buffer.from(body)
  }
  const form = new Response(body)
  headers['content-type'] ??= form.headers.get('content-type') ?? ''
  return form.bytes()
}

function contentOf(response: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = []
  return new Promise((resolve, reject) => {
    response
      .on('data', (piece: Buffer) => pieces.push(piece))
      .on('end', () => resolve(Buffer.concat(pieces)))
      .on('error', reject)
  })
}

function headersOf({ rawHeaders }: IncomingMessage): Headers {
  const headers = new Headers()
  for (let at = 0; at < rawHeaders.length; at += 2)
    headers.append(rawHeaders[at] ?? '', rawHeaders[at + 1] ?? '')
  return headers
}
