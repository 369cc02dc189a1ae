import { createHash } from 'node:crypto'
import { Problem } from '../../base/problems.ts'
import type { Context } from '../../calendar/declare/context.ts'
import { writeOnce } from '../../calendar/editing/idempotency.ts'
import { changeFocus, changeTexts, type FocalPoint, mayEditImage } from '../../calendar/images/image-texts.ts'
import { findImage, insertUpload, prepareUpload } from '../../calendar/images/images.ts'
import { problemReply } from '../../calendar/locales/problem-replies.ts'
import { can } from '../../calendar/people/caller.ts'
import type { ImageRow } from '../../store/storage/schema.ts'
import type { DeskRequest, SentFile } from './desk-page.ts'
import { isTyped, lastTyped, type TypedForm } from './typed-form.ts'

/** A picture that came with a form: the id of its image, or why there is none. */
export type SentPicture = { id: number } | { fault: string } | undefined

/** Keeps the picture that came with a form, once for each key of a form: a form that is sent again brings the same file again. */
export async function keepPicture({ context, files }: DeskRequest, key: string): Promise<SentPicture> {
  const file = files.find(({ size }) => size > 0)
  if (!file) return undefined
  try {
    return { id: await keepFile(context, file, key) }
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return { fault: problemReply(error, context.site.language, true).body.message }
  }
}

async function keepFile(context: Context, file: SentFile, key: string): Promise<number> {
  if (!can(context.caller, 'upload')) throw new Problem('rest_forbidden')
  const { maxBytes } = context.images
  if (file.size > maxBytes) throw new Problem('rest_request_too_large', { data: { bytes: maxBytes } })
  const digest = createHash('sha256')
    .update(await file.read())
    .digest('base64url')
  const repeatable = { key: key === '' ? undefined : `${key} ${digest}`, fingerprint: async () => digest }
  const { body } = await writeOnce({ repeatable, underWay: new Map() }, true, context, async (keeping) => {
    const prepared = await prepareUpload(file, context)
    if (!prepared) throw new Problem('rest_upload_unknown_type')
    return context.write((tx) =>
      keeping(tx, async () => ({
        status: 201,
        headers: {},
        body: { id: (await insertUpload(tx, prepared, context)).id },
      })),
    )
  })
  const { id }: { id?: unknown } = Object(body)
  return Number(id)
}

/** Writes what a picture shows, and what of it stays in view, where that was changed by somebody who may. */
export async function describePicture(context: Context, id: number, typed: TypedForm): Promise<void> {
  const row = await findImage(context.db, id)
  if (!row || !mayEditImage(context.caller, row)) return
  const alt = lastTyped(typed, 'image_alt').trim()
  if (isTyped(typed, 'image_alt') && alt !== row.alt_text)
    await context.write((tx) => changeTexts(tx, id, { alt_text: alt }, context))
  const focus = lastTyped(typed, 'image_focus')
  if (isTyped(typed, 'image_focus') && focus !== typedFocus(row))
    await context.write((tx) => changeFocus(tx, id, focalPointIn(focus), context))
}

/** The point of a picture that stays in view, as its control has it: `0.5 0` for the middle of the top. */
export function typedFocus({ focal_x: x, focal_y: y }: Pick<ImageRow, 'focal_x' | 'focal_y'>): string {
  return x === null || y === null ? '' : `${x} ${y}`
}

function focalPointIn(text: string): FocalPoint | undefined {
  const [x = Number.NaN, y = Number.NaN] = text.split(' ').map(Number)
  return [x, y].every((share) => share >= 0 && share <= 1) ? { x, y } : undefined
}
