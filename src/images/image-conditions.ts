import { type SqlBool, sql } from 'kysely'
import type { PostCondition } from '../records/post-list.ts'
import { contains } from '../storage/queries.ts'
import { fold } from '../text/fold.ts'

/** The filters that lists of images have beside those of all posts. */
interface ImageQuery {
  search?: string
  media_type?: string
  mime_type?: string
}

/** The conditions of a list of images. Every file kept here is an image, so other kinds of media find none. */
export function imageConditions({ search, media_type, mime_type }: ImageQuery): PostCondition[] {
  const words = fold(search ?? '')
  return [
    ...(words === '' ? [] : [contains('images.search', words)]),
    ...(media_type === undefined || media_type === 'image' ? [] : [sql<SqlBool>`1 = 0`]),
    ...(mime_type ? [sql<SqlBool>`images.mime_type = ${mime_type.toLowerCase()}`] : []),
  ]
}
