import { isUtf8 } from 'node:buffer'
import { createReadStream } from 'node:fs'
import { type Message, message } from './import-messages.ts'

/** `bytes` reads the file from its start; `progress` counts the bytes of all calls. */
export function countedBytes(file: string): { bytes: () => AsyncGenerator<Buffer>; progress: () => number } {
  let read = 0
  const bytes = async function* () {
    for await (const chunk of createReadStream(file, { highWaterMark: 1 << 18 })) {
      read += chunk.length
      yield chunk
    }
  }
  return { bytes, progress: () => read }
}

export function markedEncoding(head: Uint8Array): 'utf-8' | 'utf-16le' | 'utf-16be' | undefined {
  const start = Buffer.from(head.subarray(0, 4)).toString('latin1')
  if (/^(?:\xff\xfe|(?:[\t-~]\0){2})/.test(start)) return 'utf-16le'
  if (/^(?:\xfe\xff|(?:\0[\t-~]){2})/.test(start)) return 'utf-16be'
  return start.startsWith('\xef\xbb\xbf') ? 'utf-8' : undefined
}

export async function* withoutUtf16(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let decoder: InstanceType<typeof TextDecoder> | undefined
  let isFirst = true
  for await (const chunk of bytes) {
    const encoding = isFirst ? markedEncoding(chunk) : undefined
    if (encoding?.startsWith('utf-16')) decoder = new TextDecoder(encoding)
    isFirst = false
    yield decoder ? Buffer.from(decoder.decode(chunk, { stream: true })) : chunk
  }
}

/** Replaces CR by LF if the first chunk has CR, but no LF. */
export async function* withLineFeeds(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let isCrAlone: boolean | undefined
  for await (const chunk of bytes) {
    isCrAlone ??= chunk.includes(RETURN) && !chunk.includes(LINE_END)
    yield isCrAlone ? chunk.map((byte) => (byte === RETURN ? LINE_END : byte)) : chunk
  }
}

const windows1252 = new TextDecoder('windows-1252')

/** UTF-8 if the bytes are valid, else Windows-1252. */
export function textOfBytes(bytes: Buffer): string {
  return isUtf8(bytes) ? bytes.toString('utf8') : windows1252.decode(bytes)
}

/** `at`: offset of the first byte; `tooLong`: bytes of a line that is not read. */
export type FileLine = { number: number; at: number; bytes: Uint8Array } | { number: number; tooLong: number }

const LINE_END = 10

interface Gathered {
  parts: Uint8Array[]
  size: number
  at: number
}

/**
 * Yields lines without line ends and byte order mark; drops short blank ones. At most `most` bytes of a line
 * are collected.
 */
export async function* linesOf(bytes: AsyncIterable<Uint8Array>, most: number): AsyncGenerator<FileLine> {
  const gathered: Gathered = { parts: [], size: 0, at: 0 }
  let number = 0
  for await (const chunk of bytes) {
    let from = 0
    for (let end = chunk.indexOf(LINE_END); end !== -1; end = chunk.indexOf(LINE_END, from)) {
      gather(gathered, chunk.subarray(from, end), most)
      from = end + 1
      const line = lineOf(gathered, ++number, most)
      if (line) yield line
    }
    gather(gathered, chunk.subarray(from), most)
  }
  const last = lineOf(gathered, number + 1, most)
  if (last) yield last
}

function gather(gathered: Gathered, part: Uint8Array, most: number): void {
  gathered.size += part.length
  if (gathered.size > most) gathered.parts = []
  else if (part.length > 0) gathered.parts.push(part)
}

function lineOf(gathered: Gathered, number: number, most: number): FileLine | undefined {
  const { parts, size, at } = gathered
  gathered.parts = []
  gathered.size = 0
  gathered.at += size + 1
  if (size > most) return { number, tooLong: size }
  const [only] = parts
  const whole = only && parts.length === 1 ? only : Buffer.concat(parts)
  const from = number === 1 && MARK.every((byte, at) => whole[at] === byte) ? MARK.length : 0
  const bytes = whole.subarray(from, whole.at(-1) === RETURN ? -1 : undefined)
  return isBlank(bytes) ? undefined : { number, at: at + from, bytes }
}

const MARK = [0xef, 0xbb, 0xbf]
const RETURN = 13

const isBlank = (bytes: Uint8Array) => bytes.length < 80 && textIn(bytes).trim() === ''

/** Decodes UTF-8; invalid bytes become the replacement character. */
export function textIn(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
}

const MOST_LOOKED_AT = 500_000

/** Names markup as the end of a sentence, such as "It is a web page"; undefined for other text. */
export function describeMarkup(text: string, address = ''): Message | undefined {
  const head = text.slice(0, MOST_LOOKED_AT).replace(/^\ufeff?\s*/, '')
  if (/^(?:<!--.{0,2000}?-->\s*)?<(?:!doctype html|html|head|body|script|title)\b/is.test(head))
    return message(isLogin(head, address) ? 'a login page (HTML)' : 'a web page (HTML)')
  return /^<(?:\?xml|rss|feed)\b/i.test(head) ? message('a document in XML, such as an RSS feed') : undefined
}

function isLogin(page: string, address: string): boolean {
  const { hostname = '', pathname = '' } = URL.parse(address) ?? {}
  return (
    /(?:^|[^a-z])(?:log-?in|sign-?in|servicelogin|sso|oauth2?)(?:[^a-z]|$)/i.test(`${hostname}${pathname}`) ||
    /<input\b[^>]{0,500}?\btype\s*=\s*["']?password\b/i.test(page)
  )
}
