import { limits, overText } from '../fields/limits.ts'
import {
  findImage,
  imageUrl,
  lackOfImage,
  linkImage,
  MAX_ADDRESSES,
  resolveImage,
  withImages,
} from '../images/images.ts'
import { findFetched, IMAGE_NAME, namesOfImage, sizeInName, unsized } from '../images/old-images.ts'
import { oldPath } from '../records/origins.ts'
import type { Db } from '../storage/database.ts'
import type { ImageRow, ImportItemColumns } from '../storage/schema.ts'
import { type ImportRun, remember } from './import-run.ts'
import { findItems } from './import-store.ts'
import { webPage } from './item-pages.ts'
import { type SourceItem, TEXTS } from './source-item.ts'
import { picturesIn, withPictures } from './text-pictures.ts'

// Pictures in the texts of a source that has moved here: they are fetched, and the texts lead to ours.

/** The most pictures of an item that are looked up. */
const MOST_PICTURES = 100

/** An item with the addresses of its pictures, where they come along. */
export function withItsPictures({ origin, options }: ImportRun, item: SourceItem): SourceItem {
  const page = origin === 'moved' && options.images ? webPage(item) : undefined
  if (!page) return item
  const texts = TEXTS.flatMap((name) => textIn(item.values, name) ?? [])
  const pictures = [...(item.image ? [item.image] : []), ...picturesIn(texts, page, MOST_PICTURES + 1)]
  // Values computed ahead are those of the texts as they came.
  return pictures.length === 0 ? item : { ...item, pictures, ahead: undefined }
}

type Values = Readonly<Record<string, unknown>>

function textIn(values: Values, name: string): string | undefined {
  const text = values[name]
  return typeof text === 'string' ? text : undefined
}

/** The texts of an item with our pictures. */
interface Pictured {
  /** Those that are to be written. */
  texts: Record<string, string>
  /** The addresses that the pictures were fetched from. */
  brought: readonly string[]
  /** Whether all of them are here. */
  isWhole: boolean
}

/**
 * Fetches the pictures of the texts that an item is to get, or else of those that its record has: what was edited here stays but for its links. A
 * picture that cannot be had is reported, and its link stays.
 */
export async function bringPictures(run: ImportRun, item: SourceItem, sent: Values, state: Values): Promise<Pictured> {
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
      note(run, item, `Its ${name} would be too long with the addresses of its pictures here.`)
    else pictured[name] = settled
  }
  const isWhole = found.every((address) => imageAt(images, address))
  return { texts: pictured, brought: [...images.keys()], isWhole }
}

function isTooLong({ context: { site } }: ImportRun, { kind }: SourceItem, text: string): boolean {
  return overText(text, kind === 'category' || kind === 'tag' ? limits.termText : limits.text, site) !== undefined
}

const imageAt = (images: ReadonlyMap<string, ImageRow>, address: string) =>
  namesOfImage(address).flatMap((name) => images.get(name) ?? [])[0]

function note({ remark }: ImportRun, { at }: SourceItem, text: string): void {
  remark({ kind: 'note', at, text })
}

/** The images of these pictures, by the address that each was fetched from. In one run as many are fetched as one request may fetch. */
async function fetchAll(run: ImportRun, item: SourceItem, pictures: readonly string[]): Promise<Map<string, ImageRow>> {
  const { context, options, lacks } = run
  const images = await findFetched(context.db, pictures.flatMap(namesOfImage))
  let left = MAX_ADDRESSES
  for (const picture of options.dryRun ? [] : pictures) {
    // The whole image has all sizes, and what looks like a size may be a part of its name.
    for (const address of new Set([sizeInName(picture) ? unsized(picture) : picture, picture])) {
      if (left === 0 || lacks.has(address) || imageAt(images, picture)) continue
      left -= 1
      const image = await fetchOne(run, address)
      if (image) images.set(address, image)
    }
    const lack = lacks.get(picture)
    if (imageAt(images, picture)) continue
    if (lack !== undefined) note(run, item, `A picture of its texts could not be fetched, since ${lack}: ${picture}`)
    else if (left === 0) {
      note(run, item, `It has more than ${MAX_ADDRESSES} new pictures; the next run fetches others.`)
      break
    }
  }
  return images
}

/** Fetches a picture as a request of its own, so that none stays in memory; undefined when that cannot be done, with the reason in `lacks`. */
async function fetchOne({ context: { ...context }, lacks }: ImportRun, address: string): Promise<ImageRow | undefined> {
  return withImages(context, async () => {
    const lack = await lackOfImage(address, context)
    if (lack !== undefined) remember(lacks, address, lack)
    const resolved = lack === undefined ? await resolveImage(address, context) : undefined
    const id = resolved && (await context.write((tx) => linkImage(tx, resolved, context)))
    return id ? findImage(context.db, id) : undefined
  })
}

/** The longest address that is kept. */
const LONGEST = 1000

/** The rows by which the old addresses of these images lead to them, but for those that are stored. */
export async function newImageRows(
  { origin, source }: ImportRun,
  db: Db,
  addresses: readonly string[],
): Promise<ImportItemColumns[]> {
  const files = [...new Set(addresses)].filter((one) => one.length <= LONGEST && IMAGE_NAME.test(oldPath(one)))
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
