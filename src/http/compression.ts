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

/** Larger bodies are compressed beside this thread: compressing this many bytes holds it for about five milliseconds. */
const HERE_UP_TO = 262_144

/** Bodies that are compressed beside this thread at the same time; those threads also read files. */
const MOST_BESIDE = 2

const GZIP = { level: 6 }
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }

const gzipLater = promisify(gzip)
const brotliLater = promisify(brotliCompress)

let beside = 0

/** The compressed body, or a promise of it for a large one; undefined when the compressors are busy and this body goes out plain. */
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

/** Compresses a stream, beside this thread. */
export function compressor(encoding: Encoding): Gzip | BrotliCompress {
  return encoding === 'gzip' ? createGzip(GZIP) : createBrotliCompress(BROTLI)
}
