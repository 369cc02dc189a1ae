import { IMAGE_NAME } from '../images/old-images.ts'
import { escapeHtml } from '../text/html.ts'
import { ATTRIBUTE, type MarkupPiece, splitMarkup, unquoted } from '../text/markup.ts'
import { decodeEntities } from '../text/safe-html.ts'

// The pictures of a page's own host in its texts: those that they show, and the image files that they link to.

/** The attribute that names the picture of an element. */
const NAMED_BY: Readonly<Record<string, string>> = { a: 'href', img: 'src', source: 'srcset' }
const HAS_SOME = /<(?:a|img|source)[\s/]/i

/** The addresses of the pictures in texts of a page, each once, in their order: `most` of them. */
export function picturesIn(texts: readonly string[], page: URL, most: number): string[] {
  const found = new Set<string>()
  for (const text of texts)
    withPictures(text, page, (address) => {
      if (found.size < most) found.add(address)
      return undefined
    })
  return [...found]
}

/** A text of a page with other addresses in place of those of its pictures; where there is none, the address stays. */
export function withPictures(html: string, page: URL, addressOf: (address: string) => string | undefined): string {
  if (!HAS_SOME.test(html)) return html
  const settled = (piece: MarkupPiece) => (piece.kind === 'open' ? settleTag(piece, page, addressOf) : piece.source)
  return splitMarkup(html).map(settled).join('')
}

/** Other sizes of a picture that is replaced, which are at the old host as well, go. */
function settleTag(
  { name, source }: MarkupPiece,
  page: URL,
  addressOf: (address: string) => string | undefined,
): string {
  const named = NAMED_BY[name]
  if (named === undefined) return source
  const [, , written = ''] = source.matchAll(ATTRIBUTE).find(([, one = '']) => one.toLowerCase() === named) ?? []
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

/** The first address of a list of sizes. */
const firstOf = (srcset: string) => /[^\s,]\S*/.exec(srcset)?.[0].replace(/,$/, '') ?? ''

/** The longest address of a picture. */
const LONGEST = 1000

/** The whole address of a picture at the host of the page, by http or https; without a query where its file has a name of its own. */
function pictureAt(value: string, page: URL, isLink: boolean): string | undefined {
  const url = value === '' || value.startsWith('#') ? null : URL.parse(value, page.href)
  if (!url || !/^https?:$/.test(url.protocol) || url.host !== page.host) return undefined
  const isNamed = IMAGE_NAME.test(url.pathname)
  if (isLink && !isNamed) return undefined
  url.hash = ''
  if (isNamed) url.search = ''
  return url.href.length > LONGEST ? undefined : url.href
}
