import { type Config, mediaUrl, type Site } from '../../base/config.ts'
import { codeOf, messageOf } from '../../base/errors.ts'
import { type ImageService, localMediaStore, type MediaStore } from './media-store.ts'

/**
 * Opens the store at `file:FOLDER` or `s3://…`; `report` gets failures of a bucket. The S3 client is imported
 * on use, since not every installation has it.
 * @throws Error with one sentence if the address has neither form, or the S3 client is missing
 */
export async function openMediaStore(address: string, report: (error: Error) => void): Promise<MediaStore> {
  if (address.startsWith('file:')) return localMediaStore(address.slice('file:'.length))
  const { parseS3Address, s3MediaStore } = await import('./s3-store.ts').catch(explainMissing)
  return s3MediaStore(parseS3Address(address), report)
}

function explainMissing(error: unknown): never {
  const isMissing = codeOf(error) === 'ERR_MODULE_NOT_FOUND'
  if (!isMissing || !messageOf(error).includes("'@aws-sdk/")) throw error
  throw new Error(
    'Images in an object store need a package that is not installed here (docs/production-details.md ' +
      'says more); run after install.sh: sudo npm install --prefix /opt @aws-sdk/client-s3@3; ' +
      'with the package of Debian: sudo npm install --global --prefix /usr @aws-sdk/client-s3@3; ' +
      'in a clone: npm install --omit=dev --ignore-scripts --no-save --save-prod @aws-sdk/client-s3@3',
  )
}

export function imagesOf(config: Config, store: MediaStore, site: Site): ImageService {
  return { store, hosts: config.image_hosts, maxBytes: config.image_bytes, mediaUrl: mediaUrl(config, site) }
}
