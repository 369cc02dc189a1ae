import { posix } from 'node:path'
import type { Parsed } from '../base/fields/field.ts'
import { integer, type Kind, line, type PlainKind, settledText, text } from '../base/fields/kinds.ts'
import { limits } from '../base/fields/limits.ts'
import { Problem } from '../base/problems.ts'
import { renderText, renderTitle } from '../base/text/html.ts'
import { utcToWall } from '../base/text/zones.ts'
import type { Context } from '../calendar/declare/context.ts'
import type { FoundRecords, Presentation } from '../calendar/declare/operations.ts'
import { defineFields, defineResource } from '../calendar/declare/resource.ts'
import { changeTexts, type ImageTexts, mayDeleteImage, mayEditImage } from '../calendar/images/image-texts.ts'
import {
  deleteImage,
  findOpenImage,
  imageConditions,
  imagesOpenTo,
  insertUpload,
  type PreparedUpload,
  prepareUpload,
  presentImage,
} from '../calendar/images/images.ts'
import { about } from '../calendar/locales/messages.ts'
import { can } from '../calendar/people/caller.ts'
import { foundPage, pageRequest } from '../calendar/records/record-store.ts'
import type { Upload } from '../http/incoming.ts'
import { postFilters } from '../http/post-filters.ts'
import type { ImageRow } from '../store/storage/schema.ts'
import { platformTime, serveForPlatform, shapingOf, shownText } from './platform-resource.ts'
import { listPosts } from './post-list.ts'

/** The uploaded file. It comes from the body of the request; a parameter of this name is ignored. */
const upload: Kind<Upload> = {
  wire: { type: 'string', format: 'binary' },
  within: { isOwn: true },
  read: (value) => (isUpload(value) ? value : undefined),
}

function isUpload(value: unknown): value is Upload {
  return value !== null && typeof value === 'object' && 'read' in value && 'fileName' in value
}

/** A text with markup: a string, or an object with the string in `raw`. */
const markup: PlainKind<string> = {
  wire: { type: 'string' },
  within: limits.text,
  valid: (value) => rawText(value) !== undefined,
  read: rawText,
  toColumn: (value) => value,
  blank: '',
}

function rawText(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  const isRecord = value !== null && typeof value === 'object' && 'raw' in value
  return isRecord && typeof value.raw === 'string' ? value.raw : undefined
}

const KINDS_OF_MEDIA = ['image', 'video', 'text', 'application', 'audio']

const image = defineResource({
  name: 'image',
  path: 'media',
  title: 'Image',
  addresses: { id: { id: { kind: integer, about: about('The id of the image'), required: true } } },
  fields: {
    file: {
      kind: upload,
      about: about('The image: the whole body of the request, or a file of a multipart form'),
    },
    title: {
      kind: markup,
      about: about('The title of the image; the name of its file unless sent'),
      within: limits.title,
    },
    slug: { kind: settledText, about: about('The slug of the image'), within: limits.slug },
    alt_text: { kind: line, about: about('What the image shows, for those who do not see it') },
    caption: { kind: markup, about: about('The caption of the image') },
    description: { kind: markup, about: about('The description of the image') },
  },
})

const filters = defineFields({
  ...postFilters,
  media_type: {
    kind: text,
    about: about('Only files of this kind: image, video, text, application or audio'),
    valid: (value) => KINDS_OF_MEDIA.some((kind) => kind === value),
  },
  mime_type: { kind: settledText, about: about('Only files of this media type, such as image/png') },
})

/** How lists and single responses show an image (rule 29.3). */
export const mediaPresentation: Presentation<ImageRow> = {
  nameOf: ({ id }) => ({ kind: 'image', id }),
  textsOf: () => [],
  present: presentMedia,
}

/** The resource `wp/v2/media` (rule 29.3). */
export const media = serveForPlatform<ImageRow>(image, filters, {
  versioned: { kind: 'image', idOf: ({ id }) => id },
  find,
  load: async (_context, { rows = [] }) => rows,
  locate: async (context, address) => ('id' in address ? findOpenImage(context, address.id) : undefined),
  missing: async () => new Problem('rest_post_invalid_id'),
  loadOne: async (_context, row) => row,
  presentation: mediaPresentation,
  create: {
    prepare: prepareCreate,
    write: async (tx, prepared: PreparedUpload, context) =>
      written(context, await insertUpload(tx, prepared, context)),
  },
  update: {
    prepare: async (_context, { row, values }) => ({ id: row.id, sent: textsOf(values) }),
    write: async (tx, { id, sent }: { id: number; sent: Partial<ImageTexts> }, context) =>
      written(context, await changeTexts(tx, id, sent, context)),
  },
  remove: {
    prepare: async (_context, row) => row,
    write: async (tx, row: ImageRow, context) => {
      await deleteImage(tx, row, context)
      return { id: row.id, answer: { deleted: true, previous: presentMedia(context, row) } }
    },
  },
  rights: {
    create: (context) => can(context.caller, 'upload'),
    update: ({ caller }, row) => (row ? mayEditImage(caller, row) : can(caller, 'upload')),
    remove: ({ caller }, row) => (row ? mayDeleteImage(caller, row) : can(caller, 'upload')),
  },
})

const written = (context: Context, row: ImageRow) => ({ id: row.id, answer: presentMedia(context, row) })

type Sent = Parsed<typeof image.fields>

function textsOf({ file: _file, ...texts }: Sent): Partial<ImageTexts> {
  return texts
}

async function prepareCreate(context: Context, sent: Sent): Promise<PreparedUpload> {
  const { file } = sent
  if (!file || file.size === 0) throw new Problem('rest_upload_no_data')
  const { maxBytes } = context.images
  if (file.size > maxBytes) throw new Problem('rest_request_too_large', { data: { bytes: maxBytes } })
  const prepared = await prepareUpload(file, context, textsOf(sent))
  if (!prepared) throw new Problem('rest_upload_unknown_type')
  return prepared
}

const IMAGES = { table: 'images', title: 'title', date: 'date_utc' } as const

async function find(context: Context, query: Parsed<typeof filters>): Promise<FoundRecords<ImageRow>> {
  const page = pageRequest(query, context)
  const found = await listPosts<ImageRow>(IMAGES, query, page, context, {
    conditions: imageConditions(query),
    open: imagesOpenTo(context.caller),
  })
  return { ...foundPage(found, page), effective: shapingOf(query), pastEnd: 'rest_post_invalid_page_number' }
}

/**
 * Presents an image as a WordPress attachment. `sizes` also contains the full image, but only beside scaled
 * ones. `post` is always null: several records may show the image, some of them hidden.
 */
function presentMedia(context: Context, row: ImageRow) {
  const { site, images } = context
  const mayEdit = mayEditImage(context.caller, row)
  const { url } = presentImage(row, images.mediaUrl)
  const wall = (utc: string) => platformTime(utcToWall(utc, site.timezone))
  return {
    id: row.id,
    date: wall(row.date_utc),
    date_gmt: platformTime(row.date_utc),
    guid: { rendered: url },
    modified: wall(row.modified_utc),
    modified_gmt: platformTime(row.modified_utc),
    slug: row.slug,
    status: 'inherit',
    type: 'attachment',
    link: url,
    title: shownText(renderTitle(row.title, false), row.title, mayEdit),
    author: row.author,
    description: shownText(renderText(row.description, false), row.description, mayEdit),
    caption: shownText(renderText(row.caption, false), row.caption, mayEdit),
    alt_text: row.alt_text,
    media_type: 'image',
    mime_type: row.mime_type,
    media_details: presentDetails(context, row),
    post: null,
    source_url: url,
    _links: {
      self: [{ href: `${site.base}/media/${row.id}` }],
      collection: [{ href: `${site.base}/media` }],
    },
  }
}

function presentDetails({ images }: Context, row: ImageRow) {
  const { url, width, height, filesize, sizes = {} } = presentImage(row, images.mediaUrl)
  const scaled = Object.entries(sizes).map(([name, size]) => [
    name,
    presentSize({ ...size, mime_type: size['mime-type'] }),
  ])
  const full = presentSize({ url, width, height, filesize, mime_type: row.mime_type })
  const all = scaled.length > 0 ? [...scaled, ['full', full]] : []
  return { width, height, file: row.file, filesize, sizes: Object.fromEntries(all) }
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
