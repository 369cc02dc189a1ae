import { localMediaStore, type MediaStore } from './media-store.ts'

/**
 * The store at `file:FOLDER` or `s3://…`; `report` is told when it fails. The S3 client is loaded only when it is used.
 * @throws Error with one sentence when the address is of neither form.
 */
export async function openMediaStore(address: string, report: (error: Error) => void): Promise<MediaStore> {
  if (address.startsWith('file:')) return localMediaStore(address.slice('file:'.length))
  const { parseS3Address, s3MediaStore } = await import('./s3-store.ts')
  return s3MediaStore(parseS3Address(address), report)
}
