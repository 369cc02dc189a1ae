// Cuts HTML and XML into tags and texts, and escapes them.

/** A piece of HTML as written; `name` is the lower-case name of the element that a tag opens or closes, else ''. */
export interface MarkupPiece {
  kind: 'text' | 'open' | 'close' | 'verbatim' | 'comment'
  name: string
  source: string
}

// Each alternative stops at the next tag or runs to the end once, so hostile text takes no longer than other text.
const MARKUP = /<!--[\s\S]*?(?:-->|$)|<[!?][^<>]*>|<(\/?)([a-z][^\s/>"'<]*)(?=[\s/>])(?:[^<>"']|"[^"]*"|'[^']*')*>/gi

/** The elements whose content is not markup. */
const VERBATIM = new Set(['iframe', 'script', 'style', 'textarea', 'xmp'])

/** The elements whose content nobody sees and no page can run. */
export const INVISIBLE = new Set(['iframe', 'style'])

/** The elements that never hold anything. */
export const VOID = new Set('area base br col embed hr img input link meta param source track wbr'.split(' '))

/** The elements that stand apart from the line of text around them. */
export const BLOCK = new Set(
  (
    'address article aside blockquote caption center col colgroup dd details dialog dir div dl dt fieldset ' +
    'figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr legend li link main menu meta nav noscript ' +
    'ol option p pre script search section style summary table tbody td template tfoot th thead title tr ul'
  ).split(' '),
)

const BARE_AMPERSAND = /&(?!(?:[a-z][a-z0-9]{1,31}|#\d{1,7}|#x[0-9a-f]{1,6});)/gi

/** Runs of white space that are not one blank already. */
const ODD_BLANKS = /[^\S ]\s*| \s+/g

/** A text with one blank in place of each run of white space. */
export const withSingleBlanks = (text: string) => text.replace(ODD_BLANKS, ' ')

/** Text with `<`, `>` and each `&` that begins no entity as entities. */
export function escapeMarkup(text: string): string {
  return text.replace(BARE_AMPERSAND, '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

/**
 * An attribute with the blanks before it, all of them: its name, and its value as written. A value is taken whole, so no part of it is an
 * attribute. Begun within the blanks, a long run of them would take the square of its length.
 */
export const ATTRIBUTE = /(?<!\s)\s+([^\s=>"'/]+)(?:\s*=\s*("[^"]*"|'[^']*'|[^\s"'>]+))?/g

/** The value of an attribute without its quotes. */
export const unquoted = (value: string) => (/^["']/.test(value) ? value.slice(1, -1) : value)

/** Cuts HTML into pieces; joined, they are the same HTML. A `<` without a finished tag belongs to the text. */
export function splitMarkup(html: string): MarkupPiece[] {
  const pieces: MarkupPiece[] = []
  let from = 0
  const addText = (to: number) => {
    if (to > from) pieces.push({ kind: 'text', name: '', source: html.slice(from, to) })
  }
  MARKUP.lastIndex = 0
  for (let found = MARKUP.exec(html); found; found = MARKUP.exec(html)) {
    const [source, slash, written] = found
    addText(found.index)
    from = MARKUP.lastIndex
    const name = written?.toLowerCase() ?? ''
    pieces.push({ kind: written === undefined ? 'comment' : slash ? 'close' : 'open', name, source })
    if (slash || !VERBATIM.has(name)) continue
    const end = endOfVerbatim(html, name, from)
    if (end > from) pieces.push({ kind: 'verbatim', name, source: html.slice(from, end) })
    from = end
    MARKUP.lastIndex = end
  }
  addText(html.length)
  return pieces
}

function endOfVerbatim(html: string, name: string, from: number): number {
  const close = new RegExp(`</${name}(?=[\\s/>])`, 'gi')
  close.lastIndex = from
  return close.exec(html)?.index ?? html.length
}

const NOT_XML =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: XML 1.0 allows no others of them than tab and line ends.
  /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g

/** Text made safe to stand in XML, between tags or in a quoted attribute; characters that XML 1.0 cannot hold are left out. */
function escapeXml(text: string): string {
  return text
    .replace(NOT_XML, '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}

/** An element with text, and attributes where it has some. */
export function xmlElement(name: string, text: string, attributes: Readonly<Record<string, string>> = {}): string {
  return `<${name}${attributesOf(attributes)}>${escapeXml(text)}</${name}>`
}

/** An element without content. */
export function emptyElement(name: string, attributes: Readonly<Record<string, string>>): string {
  return `<${name}${attributesOf(attributes)}/>`
}

function attributesOf(attributes: Readonly<Record<string, string>>): string {
  return Object.entries(attributes)
    .map(([name, value]) => ` ${name}="${escapeXml(value)}"`)
    .join('')
}
