import { tileAddress } from '../../base/map-settings.ts'
import { type Html, html, NOTHING } from './page-html.ts'
import { pathTo, say, type View, type Viewing } from './viewing.ts'

/**
 * A map of the elements of the page with `data-lat`, `data-lng` and `data-label`. Without the script the page has no map, and nothing is loaded before somebody
 * presses its button. Empty where no tiles are set.
 */
export function mapFigure({ context: { site }, assets }: Viewing): Html {
  const { tiles, attribution } = site.maps
  const host = tileAddress(tiles)?.host
  if (host === undefined) return NOTHING
  const { script, style } = assets.leaflet
  return html`<div class="map" data-tiles="${tiles}" data-script="${pathTo(site, script.path)}" data-style="${pathTo(site, style.path)}" data-group="${say(site, '{count} venues')}" data-in="${say(site, 'Zoom in')}" data-out="${say(site, 'Zoom out')}"><p class="offer" hidden><button type="button" class="button">${say(site, 'Show map')}</button> <small>${say(site, 'The map is loaded from {host}.', { host })}</small></p>
<div class="shown" hidden><div class="ground" role="region" aria-label="${say(site, 'Map')}"></div><p class="source">${linked(attribution)}</p></div><p class="failed" role="status"></p><template>${say(site, 'The map cannot be loaded at the moment. The list has the same venues.')}</template></div>`
}

/** Further needs of a view with a map: its script, its style and leave to load tiles. */
export function mapNeeds({ context: { site }, assets }: Viewing): Pick<View, 'scripts' | 'styles' | 'imagesFrom'> {
  const origin = tileAddress(site.maps.tiles)?.origin
  return origin === undefined
    ? { styles: [assets.places] }
    : { styles: [assets.places], scripts: [assets.map], imagesFrom: origin }
}

const LINK = /\[([^[\]]{1,200})\]\((https?:[^()\s]{1,500})\)/

/** A text with its links. */
function linked(text: string): Html[] {
  const found = LINK.exec(text)
  if (!found) return [html`${text}`]
  const [whole, words = '', address = ''] = found
  const behind = text.slice(found.index + whole.length)
  return [html`${text.slice(0, found.index)}<a href="${address}" rel="noopener">${words}</a>`, ...linked(behind)]
}
