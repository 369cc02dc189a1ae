import type { RecordState } from '../history/record-states.ts'
import { findImages, imageUrl } from '../images/images.ts'
import type { ImageRow } from '../storage/schema.ts'
import { pushItems } from './push-group.ts'
import { keyOfRecord, type PushItem, type PushRun } from './push-run.ts'

/** Uploads the images that these records show. Where nothing can be uploaded, the target fetches them from here. */
export async function pushImagesOf(run: PushRun, states: Iterable<RecordState>): Promise<void> {
  const shown = [...states].flatMap(({ image }) => (typeof image === 'number' ? [image] : []))
  const ids = [...new Set(shown)].filter((id) => !run.images.has(id))
  const rows = [...(await findImages(run.context.db, ids)).values()]
  for (const id of ids) run.images.add(id)
  if (run.target.takesUploads) return pushItems(run, 'image', rows.map(imageItem))
  for (const row of rows) run.links.set(keyOfRecord('image', row.id), imageUrl(row, run.context.images.mediaUrl))
}

function imageItem({ id, title, alt_text, caption, description, file, mime_type }: ImageRow): PushItem {
  const values = { title, alt_text, caption, description }
  return { kind: 'image', record: id, name: title, values, file: { key: file, mimeType: mime_type } }
}
