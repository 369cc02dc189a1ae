import { createHash, randomBytes } from 'node:crypto'
import { Problem } from '../../../base/problems.ts'
import type { Context } from '../../../calendar/declare/context.ts'
import { changeTexts, mayEditImage } from '../../../calendar/images/image-texts.ts'
import {
  findImage,
  findOpenImage,
  insertUpload,
  type PreparedUpload,
  prepareUpload,
} from '../../../calendar/images/images.ts'
import { problemAnswer } from '../../../calendar/locales/problem-answers.ts'
import { type Caller, can } from '../../../calendar/people/caller.ts'
import type { ImageRow } from '../../../store/storage/schema.ts'
import { pictureOf } from '../../pages/cards.ts'
import { writtenNumber } from '../../pages/page-dates.ts'
import { type Html, html, link } from '../../pages/page-html.ts'
import { type FormState, plainField } from '../desk-inputs.ts'
import {
  type DeskRequest,
  isSwitchOn,
  isTyped,
  lastTyped,
  type SentFile,
  sayAtDesk,
  shownAtFirst,
  type TypedForm,
} from '../desk-page.ts'
import { makeOnce } from '../form-once.ts'
import { changeFocus, type FocalPoint } from '../picture-store.ts'

export type SentPicture = { id: number } | { fault: string } | undefined

/** Stores the sent picture, only once for each `key`; returns undefined if none was sent. */
export async function keepPicture({ context, files }: DeskRequest, key: string): Promise<SentPicture> {
  const file = files.find(({ size }) => size > 0)
  return file && keepSent(context, file, key)
}

/**
 * Stores a file; returns its id, or the fault for which it was refused.
 * @throws any error except a Problem
 */
export async function keepSent(
  context: Context,
  file: SentFile,
  key: string,
): Promise<NonNullable<SentPicture>> {
  try {
    return { id: await keepFile(context, file, key) }
  } catch (error) {
    return { fault: await faultOfSent(context, file, error) }
  }
}

/**
 * Returns a sentence that says why a file was refused.
 * @throws `error`, unless it is a Problem
 */
export async function faultOfSent({ site }: Context, file: SentFile, error: unknown): Promise<string> {
  if (!(error instanceof Problem)) throw error
  const isHeic =
    error.code === 'rest_upload_unknown_type' && HEIC.test((await file.read()).toString('latin1', 4, 12))
  if (isHeic)
    return sayAtDesk(site, 'Pictures in the format HEIC cannot be read here: send this one as JPEG or PNG.')
  return problemAnswer(error, site.language, true).body.message
}

/** HEIC files, which many phones write. The length of the first box, four bytes, precedes this mark. */
const HEIC = /^ftyp(?:hei|hev|mif1|msf1)/

/** True if the caller may add pictures; a contributor's are hidden until a public record uses them. */
export const mayAddPicture = (caller: Caller): boolean => can(caller, 'upload') || can(caller, 'edit')

/** Names the file at random if the caller may not upload, so that its address cannot be guessed. */
function secretlyNamed(file: SentFile, caller: Caller): SentFile {
  if (can(caller, 'upload')) return file
  const ending = /\.\w{1,5}$/.exec(file.fileName)?.[0] ?? ''
  return { ...file, fileName: randomBytes(16).toString('hex') + ending }
}

/** @throws Problem rest_forbidden, rest_request_too_large, rest_upload_unknown_type */
export async function prepareSent(context: Context, file: SentFile): Promise<PreparedUpload> {
  if (!mayAddPicture(context.caller)) throw new Problem('rest_forbidden')
  const { maxBytes } = context.images
  if (file.size > maxBytes) throw new Problem('rest_request_too_large', { data: { bytes: maxBytes } })
  const prepared = await prepareUpload(secretlyNamed(file, context.caller), context)
  if (!prepared) throw new Problem('rest_upload_unknown_type')
  return prepared
}

async function keepFile(context: Context, file: SentFile, key: string): Promise<number> {
  if (!mayAddPicture(context.caller)) throw new Problem('rest_forbidden')
  const digest = createHash('sha256')
    .update(await file.read())
    .digest('base64url')
  const repeatable = { key: key === '' ? undefined : `${key} ${digest}`, fingerprint: async () => digest }
  return makeOnce(repeatable, true, context, async (storingId) => {
    const prepared = await prepareSent(context, file)
    return context.write((tx) => storingId(tx, () => insertUpload(tx, prepared, context)))
  })
}

/**
 * Saves the focal point, and the typed alternative text if the picture has none.
 * @param former the stored event's controls, whose text is not written to another picture
 * @returns values for the event: `image_alt` is empty if the picture's own text applies, and undefined if it
 * is unchanged
 */
export async function describePicture(
  context: Context,
  id: number,
  typed: TypedForm,
  former: TypedForm | undefined,
): Promise<{ image_alt?: string | undefined; image_decorative?: '0' | '1' }> {
  const row = await findImage(context.db, id)
  if (!row) return {}
  const formerId = Number(lastTyped(former ?? {}, 'image'))
  const before = former && formerId > 0 && formerId !== id ? await findImage(context.db, formerId) : undefined
  const pictured = formerId === id ? row : before
  const mayEdit = mayEditImage(context.caller, row)
  const focus = lastTyped(typed, 'image_focus')
  const isFocus =
    isTyped(typed, 'image_focus') &&
    !(pictured && focus === shownAtFirst(typed, 'image_focus', typedFocus(pictured)))
  if (isFocus && mayEdit && focus !== typedFocus(row))
    await context.write((tx) => changeFocus(tx, id, focalPointIn(focus), context))
  const isDecorative =
    isSwitchOn(typed, 'image_decorative') && !(before && isSwitchOn(former ?? {}, 'image_decorative'))
  const said = isTyped(typed, 'image_decorative')
    ? ({ image_decorative: isDecorative ? '1' : '0' } as const)
    : {}
  if (!isTyped(typed, 'image_alt')) return said
  const shows = lastTyped(typed, 'image_alt').trim()
  const isAsShown = pictured && shows === shownAtFirst(typed, 'image_alt', altAt(former, pictured)).trim()
  const wasDecorative = isSwitchOn(
    { shown: [shownAtFirst(typed, 'image_decorative', lastTyped(former ?? {}, 'image_decorative'))] },
    'shown',
  )
  if (pictured === row && isAsShown && isDecorative === wasDecorative)
    return { ...said, image_alt: undefined }
  const isAsEver = shows === row.alt_text || (before && isAsShown)
  if (isDecorative || isAsEver) return { ...said, image_alt: '' }
  if (row.alt_text !== '' || !mayEdit) return { ...said, image_alt: shows }
  await context.write((tx) => changeTexts(tx, id, { alt_text: shows }, context))
  return { ...said, image_alt: '' }
}

export const altAt = (typed: TypedForm | undefined, { alt_text }: Pick<ImageRow, 'alt_text'>) =>
  lastTyped(typed ?? {}, 'image_alt') || (isSwitchOn(typed ?? {}, 'image_decorative') ? '' : alt_text)

/** Focal point as shares of width and height, such as `0.5 0` for the middle of the top; empty for none. */
export function typedFocus({ focal_x: x, focal_y: y }: Pick<ImageRow, 'focal_x' | 'focal_y'>): string {
  return x === null || y === null ? '' : `${x} ${y}`
}

export function focalPointIn(text: string): FocalPoint | undefined {
  const [x = Number.NaN, y = Number.NaN] = text.split(' ').map(Number)
  return [x, y].every((share) => share >= 0 && share <= 1) ? { x, y } : undefined
}

/** Returns the control for a picture; its script refuses files above `maxBytes`, as the server would. */
export function uploadField({ site, images: { maxBytes } }: Context, hasPicture: boolean): Html {
  const label = sayAtDesk(site, hasPicture ? 'Another picture' : 'Choose a picture')
  const most = writtenNumber(site, Math.floor(maxBytes / 1_000_000))
  const tooLarge = sayAtDesk(site, 'The picture is larger than {most} MB: choose a smaller one.', { most })
  return html`<div class="field"><label for="picture-file">${label}</label>\
<input type="file" id="picture-file" name="picture" accept="image/*" data-most="${maxBytes}" \
data-too-large="${tooLarge}"></div>`
}

export async function pictureCardOf(
  context: Context,
  { values, faults }: Pick<FormState, 'values' | 'faults'>,
): Promise<Html> {
  const { site, caller } = context
  const id = Number(values.image)
  const image = id > 0 ? await findOpenImage(context, id) : undefined
  if (!image && !mayAddPicture(caller)) return html``
  const shown = image && pictureOf(context, image)
  const alt = {
    name: 'image_alt',
    label: sayAtDesk(site, 'What it shows'),
    hint: sayAtDesk(site, 'For those who do not see it.'),
    value: values.image_alt ?? image?.alt_text ?? '',
  }
  return html`<section class="card picture-card" id="image"><h2>${sayAtDesk(
    site,
    'Picture',
  )}</h2><input type="hidden" name="image" value="${values.image}">\
<input type="hidden" name="shown_image_alt" value="${values.shown_image_alt ?? image?.alt_text ?? ''}">${
    shown &&
    html`<div class="picture"><img src="${link(
      shown.src,
    )}" width="${shown.width}" height="${shown.height}" alt="${shown.alt}"></div>`
  }
${mayAddPicture(caller) && uploadField(context, image !== undefined)}${
  faults.image !== undefined && html`<p class="error" id="image-error">${faults.image}</p>`
}
${plainField(alt, faults)}${
  image &&
  html`<label class="check"><input type="checkbox" name="image" value="0"> ${sayAtDesk(
    site,
    'No picture',
  )}</label>`
}</section>`
}

/**
 * Saves `alt` as the picture's alternative text, unless it is the text that the form showed for the picture
 * `former`: `shown`, or else the stored text.
 */
export async function sayWhatItShows(
  context: Context,
  id: number,
  alt: string,
  { former, shown }: { former: number; shown: string | undefined },
): Promise<void> {
  const [row, before] = await Promise.all(
    [id, former].map((one) => (one > 0 ? findImage(context.db, one) : undefined)),
  )
  const isAsShown = before !== undefined && alt === (shown ?? before.alt_text).trim()
  if (!row || isAsShown || alt === row.alt_text || !mayEditImage(context.caller, row)) return
  await context.write((tx) => changeTexts(tx, id, { alt_text: alt }, context))
}
