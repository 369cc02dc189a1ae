import { createHash } from 'node:crypto'
import { Problem } from '../../base/problems.ts'
import type { Context } from '../../calendar/declare/context.ts'
import { writeOnce } from '../../calendar/editing/idempotency.ts'
import { changeTexts, mayEditImage } from '../../calendar/images/image-texts.ts'
import { findImage, insertUpload, prepareUpload } from '../../calendar/images/images.ts'
import { problemReply } from '../../calendar/locales/problem-replies.ts'
import { can } from '../../calendar/people/caller.ts'
import type { DeskRequest, SentFile } from './desk-page.ts'

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

/** Writes what a picture shows, where that was changed by somebody who may. */
export async function describePicture(context: Context, id: number, alt: string): Promise<void> {
  const row = await findImage(context.db, id)
  if (!row || row.alt_text === alt.trim() || !mayEditImage(context.caller, row)) return
  await context.write((tx) => changeTexts(tx, id, { alt_text: alt }, context))
}
