import { isUtf8 } from 'node:buffer'

/** The encoding that the first bytes of a text show, by a byte order mark or by the zeros of UTF-16; undefined for any other. */
export function markedEncoding(head: Uint8Array): 'utf-8' | 'utf-16le' | 'utf-16be' | undefined {
  const start = Buffer.from(head.subarray(0, 4)).toString('latin1')
  if (/^(?:\xff\xfe|(?:[\t-~]\0){2})/.test(start)) return 'utf-16le'
  if (/^(?:\xfe\xff|(?:\0[\t-~]){2})/.test(start)) return 'utf-16be'
  return start.startsWith('\xef\xbb\xbf') ? 'utf-8' : undefined
}

/** Bytes as bytes in UTF-8, where their beginning shows that they are in UTF-16. */
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

const windows1252 = new TextDecoder('windows-1252')

/** Bytes of one text: UTF-8 where they are valid, else the encoding of Windows. */
export function textOfBytes(bytes: Buffer): string {
  return isUtf8(bytes) ? bytes.toString('utf8') : windows1252.decode(bytes)
}
