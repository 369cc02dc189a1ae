import { limits } from '../../base/fields/limits.ts'
import { plainText } from '../../base/text/html.ts'
import type { Context } from '../../calendar/declare/context.ts'
import { findOpenImage } from '../../calendar/images/images.ts'
import type { ImageRow } from '../../store/storage/schema.ts'
import { pictureOf } from '../pages/cards.ts'
import { isUncropped } from '../pages/event-rows.ts'
import { type Content, type Html, html, link } from '../pages/page-html.ts'
import { type DeskPage, deskPath, sayAtDesk } from './desk-page.ts'
import type { DeskText } from './desk-texts.ts'
import { listLatestImages } from './picture-store.ts'

const OFFERED = 24

export interface Library {
  /** Pictures that match `search`, newest first. */
  rows: readonly ImageRow[]
  search: string
  areMore: boolean
}

export async function findLibrary(context: Context, search: string): Promise<Library> {
  const words = search.trim().slice(0, limits.search.characters)
  const found = await listLatestImages(context, OFFERED + 1, { search: words })
  return { rows: found.slice(0, OFFERED), search: words, areMore: found.length > OFFERED }
}

interface Choice {
  /** The chosen picture's id, or the value of `none` if no picture is chosen. */
  chosen: string
  none: string
  /** The record's picture, offered even if the search does not find it. */
  image?: ImageRow | undefined
}

/** Shows pictures as radio buttons, with a search that a script runs while the user types. */
export function libraryChoice(context: Context, library: Library, choice: Choice): Html {
  const { site } = context
  const label = sayAtDesk(site, 'Search pictures')
  return html`<div class="library-search"><input type="search" name="picture_search" value="${library.search}\
" maxlength="${String(
    limits.search.characters,
  )}" autocomplete="off" dir="auto" aria-label="${label}" placeholder="${label}" data-library="${deskPath(
    site,
    '/pictures/choose',
  )}"><button type="submit" class="button" name="show" value="pictures" formnovalidate>${sayAtDesk(
    site,
    'Search',
  )}</button></div>
<div class="library" role="radiogroup" aria-label="${sayAtDesk(
    site,
    'From the library',
  )}" data-none="${choice.none}">${choices(context, library, choice)}</div>`
}

function choices(
  context: Context,
  { rows, areMore, search }: Library,
  { chosen, none, image }: Choice,
): Html {
  const { site } = context
  const one = (id: string, content: Content, alt = '') =>
    html`<label><input type="radio" name="image" value="${id}" data-alt="${alt}"${
      id === chosen && html` checked`
    }>${content}</label>`
  const shown = [...(image && !rows.some(({ id }) => id === image.id) ? [image] : []), ...rows].map((row) => {
    const picture = pictureOf(context, row)
    const { src, alt } = picture
    const name = alt || plainText(row.title)
    return one(
      String(row.id),
      html`<img${isUncropped(picture) && html` class="whole"`} src="${link(
        src,
      )}" alt="${name}" title="${name}" loading="lazy">`,
      alt,
    )
  })
  const told = rows.length === 0 && search !== '' ? 'Nothing matches.' : undefined
  return html`${one(none, html`<span>${sayAtDesk(site, 'No picture')}</span>`)}${shown}${
    told && html`<p class="hint">${sayAtDesk(site, told)}</p>`
  }${areMore && html`<p class="hint">${sayAtDesk(site, 'There are more pictures: search for one.')}</p>`}`
}

/** Shows nine radio buttons for the focal point; a script also takes a click on the picture. */
export function focusChoice(site: Context['site'], chosen: string): Html {
  const known: readonly string[] = PLACES_IN_VIEW.map(([value]) => value)
  const own = known.includes(chosen) ? [] : ([[chosen, 'As it is']] as const)
  const radios = [...PLACES_IN_VIEW, ...own].map(([value, text]) => {
    const name = sayAtDesk(site, text)
    return html`<label title="${name}"><input type="radio" name="image_focus" value="${value}"${
      value === chosen && html` checked`
    }><span class="hidden">${name}</span></label>`
  })
  return html`<div class="focus" role="radiogroup" aria-label="${sayAtDesk(
    site,
    'What stays in view',
  )}" data-own="${sayAtDesk(site, 'As it is')}">${radios}</div>`
}

/** Focal points, row by row from top left; empty means the middle. */
const PLACES_IN_VIEW: readonly (readonly [value: string, text: DeskText])[] = [
  ['0 0', 'Top left'],
  ['0.5 0', 'Top'],
  ['1 0', 'Top right'],
  ['0 0.5', 'Left'],
  ['', 'Middle'],
  ['1 0.5', 'Right'],
  ['0 1', 'Bottom left'],
  ['0.5 1', 'Bottom'],
  ['1 1', 'Bottom right'],
]

export const pictureLibraryPages: readonly DeskPage[] = [
  {
    at: '/pictures/choose',
    get: async ({ context, query }) => {
      const library = await findLibrary(context, query.get('search') ?? '')
      const chosen = query.get('chosen') ?? ''
      const none = query.get('none') === '0' ? '0' : ''
      const image = /^[1-9]\d{0,8}$/.test(chosen) ? await findOpenImage(context, Number(chosen)) : undefined
      return { data: { markup: choices(context, library, { chosen, none, image }).markup } }
    },
  },
]
