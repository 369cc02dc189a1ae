import { escapeHtml } from './html.ts'
import { ATTRIBUTE, type Piece, splitMarkup, unquoted } from './markup.ts'
import { decodeEntities } from './safe-html.ts'

/** Elements that trusted authors may write and that no reader of feeds runs. */
const ACTIVE = new Set(['script', 'style'])

const ADDRESSES = new Set(['action', 'cite', 'href', 'poster', 'src'])

/**
 * Rendered HTML as it stands in feeds, away from its page: addresses made absolute by `base`, without the scripts, styles and handlers that
 * trusted authors may write.
 */
export function feedText(rendered: string, base: string): string {
  if (!rendered.includes('<')) return rendered
  return splitMarkup(rendered)
    .map((piece) => written(piece, base))
    .join('')
    .trim()
}

function written({ kind, name, source }: Piece, base: string): string {
  if (ACTIVE.has(name)) return ''
  if (kind !== 'open' || !/\s/.test(source)) return source
  return source.replace(ATTRIBUTE, (attribute: string, of: string, value: string | undefined) =>
    writtenAttribute(attribute, of.toLowerCase(), value, base),
  )
}

function writtenAttribute(attribute: string, name: string, value: string | undefined, base: string): string {
  if (name.startsWith('on')) return ''
  if (value === undefined || !(ADDRESSES.has(name) || name === 'srcset')) return attribute
  const address = decodeEntities(unquoted(value)).trim()
  if (/^javascript:/i.test(address)) return ''
  const settled = name === 'srcset' ? settleImages(address, base) : settle(address, base)
  return settled === address ? attribute : ` ${name}="${escapeHtml(settled)}"`
}

const settleImages = (images: string, base: string) =>
  images
    .split(/,\s+/)
    .map((image) => image.replace(/^\S+/, (address) => settle(address, base)))
    .join(', ')

/** An address with the site before it if it has none; places in the text itself stay. */
function settle(address: string, base: string): string {
  if (address === '' || address.startsWith('#') || /^[a-z][a-z\d+.-]*:/i.test(address)) return address
  return URL.parse(address, base)?.href ?? address
}
