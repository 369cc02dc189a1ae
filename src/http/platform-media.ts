import { posix } from 'node:path'
import { sql } from 'kysely'
import { deleteImage, findImage, presentImage, saveUpload } from '../common/images.ts'
import { pageFilters } from '../common/record-fields.ts'
import { type Listing, offsetOf, type PageRequest, pageRequest } from '../common/record-store.ts'
import type { Asking } from '../declare/asking.ts'
import { integer, type Kind, settledText } from '../declare/kinds.ts'
import type { ListAnswer } from '../declare/operations.ts'
import { defineResource, type Parsed } from '../declare/resource.ts'
import type { MessageText } from '../locales/messages.ts'
import { can } from '../people/caller.ts'
import { Problem } from '../problems.ts'
import { type Db, recordChange } from '../storage/database.ts'
import type { ImageRow } from '../storage/schema.ts'
import { contains } from '../storage/text.ts'
import { fold } from '../text/fold.ts'
import { renderTitle } from '../text/html.ts'
import { parametersOf } from '../text/query-text.ts'
import { utcToWall } from '../text/zones.ts'
import { offer } from './platform-resource.ts'
import type { Upload } from './respond.ts'

const about = (text: MessageText) => text

/** The file of a request. It is no parameter: whatever a body or query calls so is passed over. */
const upload: Kind<Upload> = {
  wire: { type: 'string', format: 'binary' },
  read: (value) => (isUpload(value) ? value : undefined),
}

function isUpload(value: unknown): value is Upload {
  return value !== null && typeof value === 'object' && 'bytes' in value && 'fileName' in value
}

const image = defineResource({
  name: 'image',
  path: 'media',
  title: 'Image',
  addresses: { id: { id: { kind: integer, about: about('The id of the image'), required: true } } },
  fields: {
    file: { kind: upload, about: about('The image: the whole body of the request, or a file of a multipart form') },
  },
  filters: { ...pageFilters, search: { kind: settledText, about: about('Only images with this text in their name') } },
})

/** Images as clients of the platform upload, list, read and remove them (contract 12). */
export const media = offer<ImageRow>(image, {
  list,
  find: async (asking, address) => ('id' in address ? findImage(asking.db, address.id) : undefined),
  missing: async () => new Problem('rest_post_invalid_id'),
  read: async (asking, row) => presentMedia(asking, row),
  create,
  remove: async (asking, row) => {
    await asking.write((tx) => takeOffRecords(tx, row.id))
    await deleteImage(row, asking)
    return { deleted: true, previous: presentMedia(asking, row) }
  },
  rights: {
    create: (asking) => can(asking.caller, 'upload'),
    update: () => false,
    remove: (asking, row) =>
      can(asking.caller, 'upload') && (!row || row.author === asking.caller.id || can(asking.caller, 'delete_others')),
  },
})

async function create(asking: Asking, { file }: Parsed<typeof image.fields>): Promise<object> {
  if (!file || file.bytes.length === 0) throw new Problem('rest_upload_no_data')
  const { maxBytes } = asking.images
  if (file.bytes.length > maxBytes) throw new Problem('rest_request_too_large', { data: { bytes: maxBytes } })
  const row = await saveUpload(file, asking)
  if (!row) throw new Problem('rest_upload_unknown_type')
  return presentMedia(asking, row)
}

async function list(asking: Asking, query: Parsed<typeof image.filters>): Promise<ListAnswer> {
  const page = pageRequest(query, asking)
  const { search } = query
  const { rows, total } = await listImages(asking.db, search ?? '', page)
  return {
    items: rows.map((row) => presentMedia(asking, row)),
    total,
    ...page,
    effective: parametersOf({ search }),
    pastEnd: 'rest_post_invalid_page_number',
  }
}

/** One page of the images whose title contains a text, the newest first. */
async function listImages(db: Db, search: string, page: PageRequest): Promise<Listing<ImageRow>> {
  // Titles are of ASCII letters, which both databases fold alike.
  const titled = db.selectFrom('images').selectAll().select(sql<string>`lower(title)`.as('folded')).as('images')
  const images = db.selectFrom(titled).where(contains('folded', fold(search)))
  const { total } = await images.select((image) => image.fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  const rows = await images.selectAll().orderBy('id', 'desc').limit(page.perPage).offset(offsetOf(page)).execute()
  return { rows, total: Number(total) }
}

/** Leaves the records that show this image without one. */
async function takeOffRecords(tx: Db, id: number): Promise<void> {
  for (const [table, kind] of [
    ['events', 'event'],
    ['venues', 'venue'],
    ['organizers', 'organizer'],
  ] as const) {
    const records = await tx.updateTable(table).set({ image: null }).where('image', '=', id).returning('id').execute()
    for (const record of records) await recordChange(tx, kind, record.id)
  }
}

/** An image in the platform's shape; `sizes` also has the image in full, unless there is no other size. */
function presentMedia({ site, images }: Asking, row: ImageRow) {
  const { url, width, height, filesize, sizes = {} } = presentImage(row, images.mediaUrl)
  const scaled = Object.entries(sizes).map(([name, size]) => [
    name,
    presentSize({ ...size, mime_type: size['mime-type'] }),
  ])
  const full = presentSize({ url, width, height, filesize, mime_type: row.mime_type })
  return {
    id: row.id,
    date: platformTime(utcToWall(row.date_utc, site.timezone)),
    date_gmt: platformTime(row.date_utc),
    status: 'inherit',
    type: 'attachment',
    link: url,
    title: { rendered: renderTitle(row.title, false) },
    author: row.author,
    media_type: 'image',
    mime_type: row.mime_type,
    media_details: {
      width,
      height,
      file: row.file,
      filesize,
      sizes: Object.fromEntries(scaled.length > 0 ? [...scaled, ['full', full]] : []),
    },
    source_url: url,
    _links: { self: [{ href: `${site.base}/media/${row.id}` }], collection: [{ href: `${site.base}/media` }] },
  }
}

interface Size {
  url: string
  width: number
  height: number
  filesize: number
  mime_type: string
}

function presentSize({ url, width, height, filesize, mime_type }: Size) {
  return { file: posix.basename(url), width, height, filesize, mime_type, source_url: url }
}

/** A time the way the platform writes it: `2026-11-20T15:11:35`, without an offset. */
function platformTime(text: string): string {
  return text.replace(' ', 'T')
}
