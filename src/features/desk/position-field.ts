import { tileAddress } from '../../base/config.ts'
import type { Context } from '../../calendar/declare/context.ts'
import type { Texts } from '../../calendar/locales/texts.ts'
import { sayIn } from '../../calendar/locales/translate.ts'
import { visibleTo } from '../../calendar/records/record-store.ts'
import { type Html, html } from '../pages/page-html.ts'
import { described, type FormFaults, type FormValues } from './desk-inputs.ts'
import { type DeskRequest, fieldOf, sayAtDesk } from './desk-page.ts'
import { type Position, parsePosition, writtenPosition } from './positions.ts'

// One field for latitude and longitude, with a map to click on if map tiles are configured.

export const positionTexts = {
  Position: { de: 'Position', fr: 'Position', es: 'Posición' },
  'Such as 53.27, -9.05, a link of any map, or a plus code.': {
    de: 'Etwa 53.27, -9.05, ein Link einer Karte oder ein Plus-Code.',
    fr: 'Par exemple 53.27, -9.05, un lien d’une carte ou un plus code.',
    es: 'Por ejemplo 53.27, -9.05, un enlace de un mapa o un plus code.',
  },
  'No position was found in it. A short link does not tell it: open it, and copy the long address.': {
    de:
      'Darin war keine Position zu finden. Ein Kurzlink verrät sie ' +
      'nicht: öffnen Sie ihn, und kopieren Sie die lange Adresse.',
    fr: 'Aucune position n’y figure. Un lien court ne la dit pas : ouvrez-le et copiez la longue adresse.',
    es: 'No se encontró ninguna posición. Un enlace corto no la dice: ábralo y copie la dirección larga.',
  },
  'Click the place.': {
    de: 'Klicken Sie auf die Stelle.',
    fr: 'Cliquez sur l’endroit.',
    es: 'Haga clic en el lugar.',
  },
} as const satisfies Texts

const sayOfPosition = sayIn(positionTexts)

const positionOf = ({ geo_lat: lat = '', geo_lng: lng = '' }: FormValues): string =>
  lat === '' && lng === '' ? '' : writtenPosition({ lat: Number(lat), lng: Number(lng) })

/** Moves the faults of latitude and longitude to the position field. */
export function atPosition({ geo_lat, geo_lng, ...others }: FormFaults): FormFaults {
  const fault = geo_lat ?? geo_lng
  return fault === undefined ? others : { position: fault, ...others }
}

/** Fields that the field `position` replaces. */
export const POSITION_FIELDS: readonly string[] = ['geo_lat', 'geo_lng']

export async function positionControl(
  context: Context,
  values: FormValues,
  faults: FormFaults,
): Promise<Html> {
  const { site } = context
  const fault = faults.position
  const stored = positionOf(values)
  return html`<div class="field"><label for="position">${sayOfPosition(
    site,
    'Position',
  )}</label><input type="hidden" name="shown_position" value="${
    values.shown_position ?? stored
  }"><input type="text" id="position" name="position" value="${
    values.position ?? stored
  }" maxlength="2000" autocomplete="off"${described(
    'position',
    fault,
    true,
  )}><p class="hint" id="position-hint">${sayOfPosition(
    site,
    'Such as 53.27, -9.05, a link of any map, or a plus code.',
  )}</p>${fault && html`<p class="error" id="position-error">${fault}</p>`}${await mapToClick(context)}</div>`
}

/** Shows a map that loads nothing from another host until its button is clicked. */
async function mapToClick(context: Context): Promise<Html | false> {
  const { site } = context
  const { tiles, attribution } = site.maps
  const host = tileAddress(tiles)?.host
  if (host === undefined) return false
  const near = await someVenue(context)
  return html`<div class="pick-map" data-tiles="${tiles}"${
    near && html` data-near="${writtenPosition(near)}"`
  } data-in="${sayAtDesk(site, 'Zoom in')}" data-out="${sayAtDesk(
    site,
    'Zoom out',
  )}" hidden><p><button type="button" class="button">${sayAtDesk(
    site,
    'Show map',
  )}</button> <small>${sayAtDesk(site, 'The map is loaded from {host}.', {
    host,
  })}</small></p><div hidden><p class="hint">${sayOfPosition(
    site,
    'Click the place.',
  )}</p><div class="ground" role="region" aria-label="${sayAtDesk(
    site,
    'Map',
  )}"></div><p class="hint">${attribution.replaceAll(
    /\[([^[\]]{1,200})\]\([^()\s]{1,500}\)/g,
    '$1',
  )}</p></div></div>`
}

async function someVenue({ db, caller }: Context): Promise<Position | undefined> {
  const found = await db
    .selectFrom('venues')
    .select(['geo_lat', 'geo_lng'])
    .where('geo_lat', 'is not', null)
    .where('geo_lng', 'is not', null)
    .where(visibleTo(caller, 'venues'))
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return found && { lat: Number(found.geo_lat), lng: Number(found.geo_lng) }
}

/** Returns the position, or a sentence if it cannot be read; `{}` if it was unchanged or not sent. */
export async function readPosition(request: DeskRequest): Promise<Readonly<Record<string, string>> | string> {
  const { context, form } = request
  const text = fieldOf(request, 'position').trim()
  if (!('position' in form) || text === fieldOf(request, 'shown_position')) return {}
  if (text === '') return { geo_lat: '', geo_lng: '' }
  const found = parsePosition(text, await someVenue(context))
  return found
    ? { geo_lat: String(found.lat), geo_lng: String(found.lng) }
    : sayOfPosition(
        context.site,
        'No position was found in it. A short link does not tell it: open it, and copy the long address.',
      )
}
