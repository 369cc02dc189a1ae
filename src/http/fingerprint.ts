import { createHash } from 'node:crypto'
import type { Body, Incoming } from './incoming.ts'
import { mediaType } from './request.ts'

/** A digest of the method, the address and the body of a request. A multipart form is digested by its fields and files, whatever its boundary. */
export async function fingerprintOf({ method, url, headers }: Incoming, { bytes, form, file }: Body): Promise<string> {
  const files = form?.files ?? (file ? [file] : [])
  const parts = [method, url.text, mediaType(headers), JSON.stringify(form?.fields ?? {}), digest(bytes)]
  for (const { fileName, mimeType, read } of files) parts.push(fileName, mimeType, digest(await read()))
  return digest(JSON.stringify(parts))
}

function digest(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('base64url')
}
