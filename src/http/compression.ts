import { promisify } from 'node:util'
import {
  type BrotliCompress,
  brotliCompress,
  brotliCompressSync,
  constants,
  createBrotliCompress,
  createGzip,
  type Gzip,
  gzip,
  gzipSync,
} from 'node:zlib'
import type { Encoding } from './headers.ts'

/** Larger bodies are compressed in a thread: compressing this many bytes takes about five milliseconds. */
const HERE_UP_TO = 262_144

/** The most bodies compressed in threads at the same time; the same threads read files. */
const MOST_BESIDE = 2

const GZIP = { level: 6 }
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }

const gzipLater = promisify(gzip)
const brotliLater = promisify(brotliCompress)

let beside = 0

/** The compressed body, or a promise of it for a large one; undefined when the compressors are busy and the body is sent uncompressed. */
export function compress(bytes: Buffer, encoding: Encoding): Buffer | Promise<Buffer> | undefined {
  if (bytes.length <= HERE_UP_TO) return encoding === 'gzip' ? gzipSync(bytes, GZIP) : brotliCompressSync(bytes, BROTLI)
  return beside < MOST_BESIDE ? compressBeside(bytes, encoding) : undefined
}

async function compressBeside(bytes: Buffer, encoding: Encoding): Promise<Buffer> {
  beside += 1
  try {
    return await (encoding === 'gzip' ? gzipLater(bytes, GZIP) : brotliLater(bytes, BROTLI))
  } finally {
    beside -= 1
  }
}

/** Compresses a stream in a thread. */
export function compressor(encoding: Encoding): Gzip | BrotliCompress {
  return encoding === 'gzip' ? createGzip(GZIP) : createBrotliCompress(BROTLI)
}
