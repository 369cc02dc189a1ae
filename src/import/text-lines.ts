/** A line of a file with the place of its first byte, or one that is too long to be read. */
export type FileLine = { number: number; at: number; bytes: Uint8Array } | { number: number; tooLong: number }

const LINE_END = 10

/** The bytes of a line that is being put together. */
interface Gathered {
  parts: Uint8Array[]
  size: number
  /** Where it begins. */
  at: number
}

/**
 * The lines of bytes in UTF-8, without their ends, a byte order mark or empty lines. Of a line of more than `most` bytes only the length is given,
 * and no more than that is held.
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

/** The byte order mark. */
const MARK = [0xef, 0xbb, 0xbf]
const RETURN = 13

const isBlank = (bytes: Uint8Array) => bytes.length < 80 && textIn(bytes).trim() === ''

/** Bytes in UTF-8 as text; invalid bytes become the replacement character. */
export function textIn(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
}
