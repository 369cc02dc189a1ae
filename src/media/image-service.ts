import type { MediaStore } from './media-store.ts'

/** Where images are stored, and from where they may be fetched. */
export interface ImageService {
  store: MediaStore
  /** The only hosts to fetch from; empty: every public one. */
  hosts: readonly string[]
  maxBytes: number
  /** Public address of the store's files without a slash at the end, such as `https://example.org/media`. */
  mediaUrl: string
}
