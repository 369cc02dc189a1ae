import { limits, overText } from '../../base/fields/limits.ts'
import {
  ATTRIBUTE,
  decodeEntities,
  escapeHtml,
  type MarkupPiece,
  splitMarkup,
  unquoted,
} from '../../base/text/html.ts'
import {
  findImage,
  imageUrl,
  lackOfImage,
  linkImage,
  MAX_ADDRESSES,
  resolveImage,
  withImages,
} from '../../calendar/images/images.ts'
import type { Db } from '../../store/storage/database.ts'
import type { ImageRow, ImportItemColumns } from '../../store/storage/schema.ts'
import { findFetched, IMAGE_NAME, namesOfImage, sizeInName, unsized } from '../pages/old-images.ts'
import { oldPath } from '../pages/origins.ts'
import { type Message, message } from './import-messages.ts'
import { type ImportRun, remember } from './import-run.ts'
import { findItems } from './import-store.ts'
import { type SourceItem, TEXTS } from './source-item.ts'

// For a source that has moved here: copies the pictures in its texts.

const LONGEST = 1000

const MOST_PICTURES = 100

export function withItsPictures({ origin, options }: ImportRun, item: SourceItem): SourceItem {
  const page = origin === 'moved' && options.images ? webPage(item) : undefined
  if (!page) return item
  const texts = TEXTS.flatMap((name) => textIn(item.values, name) ?? [])
  const pictures = [...(item.image ? [item.image] : []), ...picturesIn(texts, page, MOST_PICTURES + 1)]
  return pictures.length === 0 ? item : { ...item, pictures, ahead: undefined }
}

function webPage({ page = '' }: Pick<SourceItem, 'page'>): URL | undefined {
  return page.length <= LONGEST && /^https?:\/\//i.test(page) ? (URL.parse(page) ?? undefined) : undefined
}

type Values = Readonly<Record<string, unknown>>

function textIn(values: Values, name: string): string | undefined {
  const text = values[name]
  return typeof text === 'string' ? text : undefined
}

interface Pictured {
  texts: Record<string, string>
  fetched: readonly string[]
  isWhole: boolean
}

/**
 * Copies the pictures of an item and returns texts that show the copies; in a text edited here only links
 * change. A picture that cannot be fetched keeps its link.
 */
export async function copyPictures(
  run: ImportRun,
  item: SourceItem,
  sent: Values,
  state: Values,
): Promise<Pictured> {
  const page = webPage(item)
  const before = { ...state, ...sent }
  const texts = TEXTS.flatMap((name) => {
    const text = textIn(before, name)
    return text === undefined || isTooLong(run, item, text) ? [] : [{ name, text }]
  })
  const found = page
    ? picturesIn(
        texts.map(({ text }) => text),
        page,
        MOST_PICTURES + 1,
      )
    : []
  const images = await fetchAll(run, item, found.slice(0, MOST_PICTURES))
  const { mediaUrl } = run.context.images
  const addressOf = (address: string) => {
    const image = imageAt(images, address)
    return image && imageUrl(image, mediaUrl, sizeInName(address))
  }
  const pictured: Record<string, string> = {}
  for (const { name, text } of texts) {
    const settled = page ? withPictures(text, page, addressOf) : text
    if (settled === text) continue
    if (isTooLong(run, item, settled))
      note(
        run,
        item,
        message('Its {name} would be too long with the addresses of its pictures here.', { name }),
      )
    else pictured[name] = settled
  }
  const isWhole = found.every((address) => imageAt(images, address))
  return { texts: pictured, fetched: [...images.keys()], isWhole }
}

function isTooLong({ context: { site } }: ImportRun, { kind }: SourceItem, text: string): boolean {
  return (
    overText(text, kind === 'category' || kind === 'tag' ? limits.termText : limits.text, site) !== undefined
  )
}

const imageAt = (images: ReadonlyMap<string, ImageRow>, address: string) =>
  namesOfImage(address).flatMap((name) => images.get(name) ?? [])[0]

function note({ remark }: ImportRun, { at }: SourceItem, text: Message, operator?: string): void {
  remark({ kind: 'note', at, text, ...(operator !== undefined && { operator }) })
}

async function fetchAll(
  run: ImportRun,
  item: SourceItem,
  pictures: readonly string[],
): Promise<Map<string, ImageRow>> {
  const { context, options, lacks } = run
  const images = await findFetched(context.db, pictures.flatMap(namesOfImage))
  let left = MAX_ADDRESSES
  for (const picture of options.dryRun ? [] : pictures) {
    // First the original, without a size in the name; then the address itself: the size may be part of the
    // name.
    for (const address of new Set([sizeInName(picture) ? unsized(picture) : picture, picture])) {
      if (left === 0 || lacks.has(address) || imageAt(images, picture)) continue
      left -= 1
      const image = await fetchOne(run, address)
      if (image) images.set(address, image)
    }
    const lack = lacks.get(picture)
    if (imageAt(images, picture)) continue
    if (lack !== undefined)
      note(
        run,
        item,
        message('A picture of its texts could not be fetched: {picture}', { picture }),
        `A picture of its texts could not be fetched, since ${lack}: ${picture}`,
      )
    else if (left === 0) {
      const most = `${MAX_ADDRESSES}`
      note(run, item, message('It has more than {most} new pictures; the next run fetches others.', { most }))
      break
    }
  }
  return images
}

/** Fetches a picture, or notes in `lacks` why not. Only the copied context holds it, until this call ends. */
async function fetchOne(
  { context: { ...context }, lacks }: ImportRun,
  address: string,
): Promise<ImageRow | undefined> {
  return withImages(context, async () => {
    const lack = await lackOfImage(address, context)
    if (lack !== undefined) remember(lacks, address, lack)
    const resolved = lack === undefined ? await resolveImage(address, context) : undefined
    const id = resolved && (await context.write((tx) => linkImage(tx, resolved, context)))
    return id ? findImage(context.db, id) : undefined
  })
}

export async function newImageRows(
  { origin, source }: ImportRun,
  db: Db,
  addresses: readonly string[],
): Promise<ImportItemColumns[]> {
  const files = [...new Set(addresses)].filter(
    (one) => one.length <= LONGEST && IMAGE_NAME.test(oldPath(one)),
  )
  if (origin !== 'moved' || source === undefined || files.length === 0) return []
  const images = await findFetched(db, files)
  const known = await findItems(db, source, 'image', [...images.keys()])
  const isKnown = new Set(known.map(({ identity, record, page }) => `${record} ${page} ${identity}`))
  const rest = { source, kind: 'image', occurrence: '', sequence: 0, digest: '', written: '{}', kept: '{}' }
  return [...images].flatMap(([identity, { id: record }]) => {
    const page = oldPath(identity)
    return isKnown.has(`${record} ${page} ${identity}`) ? [] : [{ ...rest, identity, record, page }]
  })
}

// Pictures shown in a text, and image files it links to, at the host of its page.

const NAMED_BY: Readonly<Record<string, string>> = { a: 'href', img: 'src', source: 'srcset' }
const HAS_SOME = /<(?:a|img|source)[\s/]/i

function picturesIn(texts: readonly string[], page: URL, most: number): string[] {
  const found = new Set<string>()
  for (const text of texts)
    withPictures(text, page, (address) => {
      if (found.size < most) found.add(address)
      return undefined
    })
  return [...found]
}

function withPictures(html: string, page: URL, addressOf: (address: string) => string | undefined): string {
  if (!HAS_SOME.test(html)) return html
  const settled = (piece: MarkupPiece) =>
    piece.kind === 'open' ? settleTag(piece, page, addressOf) : piece.source
  return splitMarkup(html).map(settled).join('')
}

function settleTag(
  { name, source }: MarkupPiece,
  page: URL,
  addressOf: (address: string) => string | undefined,
): string {
  const named = NAMED_BY[name]
  if (named === undefined) return source
  const [, , written = ''] =
    source.matchAll(ATTRIBUTE).find(([, one = '']) => one.toLowerCase() === named) ?? []
  const value = decodeEntities(unquoted(written)).trim()
  const address = pictureAt(named === 'srcset' ? firstOf(value) : value, page, name === 'a')
  const to = address === undefined ? undefined : addressOf(address)
  if (to === undefined) return source
  return source.replace(ATTRIBUTE, (whole, attribute: string) => {
    const one = attribute.toLowerCase()
    if (one === named) return ` ${one}="${escapeHtml(to)}"`
    return one === 'srcset' || one === 'sizes' ? '' : whole
  })
}

const firstOf = (srcset: string) => /[^\s,]\S*/.exec(srcset)?.[0].replace(/,$/, '') ?? ''

/**
 * The absolute address, without the query if the path names an image file.
 * @returns undefined if it is no picture, or at another host
 */
function pictureAt(value: string, page: URL, isLink: boolean): string | undefined {
  const url = value === '' || value.startsWith('#') ? null : URL.parse(value, page.href)
  if (!url || !/^https?:$/.test(url.protocol) || url.host !== page.host) return undefined
  const isNamed = IMAGE_NAME.test(url.pathname)
  if (isLink && !isNamed) return undefined
  url.hash = ''
  if (isNamed) url.search = ''
  return url.href.length > LONGEST ? undefined : url.href
}
