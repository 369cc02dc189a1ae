import { createHash } from 'node:crypto'
import { createReadStream, statSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'

// Seals a backup: its last line has the SHA-256 of everything before.

const lastLine = (digest: string) => `\nkalends-backup sha256=${digest}\n`

const LINE = /^\nkalends-backup sha256=([0-9a-f]{64})\n$/
const LINE_BYTES = lastLine('0'.repeat(64)).length

const STRETCH = 2 ** 20

export async function sealFile(path: string): Promise<void> {
  const line = lastLine(await digestOf(path))
  const file = await open(path, 'a')
  try {
    await file.appendFile(line)
    await file.sync()
  } finally {
    await file.close()
  }
}

/** Tells whether the file ends with a seal, unverified (see `requireSealed`). */
export async function isSealed(path: string): Promise<boolean> {
  return (await readSeal(path)).digest !== undefined
}

/** @throws Error without a seal, or if its checksum differs */
export async function requireSealed(path: string): Promise<void> {
  const { digest, bytes } = await readSeal(path)
  if (digest === undefined)
    throw new Error(`The file ${path} is no backup of Kalends, or its end was cut off.`)
  if ((await digestOf(path, bytes)) !== digest)
    throw new Error(`The backup ${path} was altered or damaged since it was taken: its checksum is another.`)
}

async function readSeal(path: string): Promise<{ digest: string | undefined; bytes: number }> {
  const file = await open(path)
  try {
    const { size } = await file.stat()
    const bytes = Math.max(0, size - LINE_BYTES)
    const { buffer, bytesRead } = await file.read(Buffer.alloc(LINE_BYTES), 0, LINE_BYTES, bytes)
    return { digest: LINE.exec(buffer.toString('latin1', 0, bytesRead))?.[1], bytes }
  } finally {
    await file.close()
  }
}

async function digestOf(path: string, bytes?: number): Promise<string> {
  const hash = createHash('sha256')
  if (bytes === 0) return hash.digest('hex')
  const end = bytes === undefined ? {} : { end: bytes - 1 }
  await pipeline(createReadStream(path, { highWaterMark: STRETCH, ...end }), hash)
  return hash.digest('hex')
}

/** @throws Error if another user owns the file and this process is not root */
export function requireOwnerKept(path: string): void {
  const own = process.getuid?.()
  const found = statSync(path, { throwIfNoEntry: false })
  if (own === undefined || own === 0 || !found || found.uid === own) return
  throw new Error(`${path} belongs to the user ${found.uid}: run this as that user, or as root.`)
}
