import type { Site } from '../../base/config.ts'
import type { Context } from '../../calendar/declare/context.ts'
import { changeTexts, mayEditImage } from '../../calendar/images/image-texts.ts'
import { findImage, findOpenImage } from '../../calendar/images/images.ts'
import { can } from '../../calendar/people/caller.ts'
import { pictureOf } from '../pages/cards.ts'
import { type Html, html, link } from '../pages/page-html.ts'
import { type FormState, plainField } from './desk-inputs.ts'
import { sayAtDesk } from './desk-page.ts'

// The picture of a venue or an organizer in its form: kept, replaced, or removed.

/** The control that a picture is sent in. */
export function uploadField(site: Site, hasPicture: boolean): Html {
  const label = sayAtDesk(site, hasPicture ? 'Another picture' : 'Choose a picture')
  return html`<div class="field"><label for="picture-file">${label}</label><input type="file" id="picture-file" name="picture" accept="image/*"></div>`
}

/** The card with the picture whose id stands among the values of a form. */
export async function pictureCardOf(
  context: Context,
  { values, faults }: Pick<FormState, 'values' | 'faults'>,
): Promise<Html> {
  const { site, caller } = context
  const id = Number(values.image)
  const image = id > 0 ? await findOpenImage(context, id) : undefined
  const shown = image && pictureOf(context, image)
  const alt = {
    name: 'image_alt',
    label: sayAtDesk(site, 'What it shows'),
    hint: sayAtDesk(site, 'For those who do not see it.'),
    value: values.image_alt ?? image?.alt_text ?? '',
  }
  return html`<section class="card picture-card" id="image"><h2>${sayAtDesk(site, 'Picture')}</h2><input type="hidden" name="image" value="${values.image}">${shown && html`<div class="picture"><img src="${link(shown.src)}" width="${shown.width}" height="${shown.height}" alt="${shown.alt}"></div>`}
${can(caller, 'upload') && uploadField(site, image !== undefined)}${faults.image !== undefined && html`<p class="error" id="image-error">${faults.image}</p>`}
${plainField(alt, faults)}${image && html`<label class="check"><input type="checkbox" name="image" value="0"> ${sayAtDesk(site, 'No picture')}</label>`}</section>`
}

/** Writes the text of a picture, if the caller may. The text of the `former` picture that comes back unchanged is not written to another. */
export async function sayWhatItShows(context: Context, id: number, alt: string, former: number): Promise<void> {
  const [row, before] = await Promise.all([id, former].map((one) => (one > 0 ? findImage(context.db, one) : undefined)))
  const isOfFormer = id !== former && alt === before?.alt_text
  if (!row || isOfFormer || alt === row.alt_text || !mayEditImage(context.caller, row)) return
  await context.write((tx) => changeTexts(tx, id, { alt_text: alt }, context))
}
