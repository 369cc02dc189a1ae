import { BLOCK, escapeText, INVISIBLE, type Piece, splitMarkup, VOID, withSingleBlanks } from './markup.ts'
import { setParagraphs } from './paragraphs.ts'
import { decodeEntities, safeText, safeTitle } from './safe-html.ts'

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it finds, all but tabs and line ends.
const CONTROLS = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/g

/**
 * A title or name as answers show it (rule 10.2): trimmed; `&` becomes `&#038;`; `<` and `>` outside tags become entities. Entities keep their
 * meaning. Inline markup stays; all markup stays when `trusted`, since its author may write unfiltered HTML.
 */
export function renderTitle(raw: string, trusted: boolean): string {
  return render(raw, trusted, safeTitle).replaceAll('&amp;', '&#038;')
}

/**
 * A description or excerpt as answers show it (rules 10.3 and 10.4): HTML in paragraphs, sanitised unless `trusted`. `''` when
 * there is none. Rendering a rendered text changes nothing.
 */
export function renderText(raw: string, trusted: boolean): string {
  return setParagraphs(render(raw, trusted, safeText))
}

/** Untrusted HTML without its dangerous parts; makes no paragraphs. */
export function stripUnsafe(raw: string): string {
  return render(raw, false, safeText)
}

/** The name of a category or tag as answers show it (rule 10.5): without tags, `&`, `<` and `>` as entities. */
export function renderTermName(raw: string): string {
  return escapeText(stripTags(raw.replace(CONTROLS, ''))).trim()
}

/** Text made safe to stand in HTML, between tags or in a quoted attribute. */
export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#039;')
}

/** The text of HTML on one line, entities decoded, without scripts; not HTML any more. */
export function plainText(html: string): string {
  return collapse(decodeEntities(withoutTags(html, (name) => name === 'script' || INVISIBLE.has(name))))
}

const ENTITY = /&(?=(?:[a-z][a-z0-9]{1,31}|#\d{1,7}|#x[0-9a-f]{1,6});)/gi

/**
 * Plain text for linked data: `<` and `>` become entities, so that no text can end the script element that pages put it in; so does an `&` that
 * would begin an entity.
 */
export function linkedText(text: string): string {
  return text.replace(ENTITY, '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

/** The text of HTML as written, entities decoded; the content of scripts counts, as in a title that loses their tags. */
export function textOf(html: string): string {
  return decodeEntities(stripTags(html))
}

/** Plain text of one line, such as an address: tags removed, blanks collapsed, trimmed. No character left in it can begin a tag. */
export function singleLine(text: string): string {
  return collapse(stripTags(text.replace(CONTROLS, ' '))).replace(/<(?=[a-z/!?])/gi, '< ')
}

/** Text or HTML without its tags and comments; entities stay. */
export function stripTags(html: string): string {
  return withoutTags(html, (name) => INVISIBLE.has(name))
}

function render(raw: string, trusted: boolean, sanitise: (html: string) => string): string {
  const text = raw.replace(CONTROLS, '')
  if (!/[<>&]/.test(text)) return text.trim()
  return (trusted ? escapeStray(text) : sanitise(text)).trim()
}

function escapeStray(html: string): string {
  const kept = (piece: Piece) =>
    piece.kind === 'text' ? escapeText(piece.source) : piece.kind === 'comment' ? '' : piece.source
  return splitMarkup(html).map(kept).join('')
}

function withoutTags(html: string, isHidden: (name: string) => boolean): string {
  if (!html.includes('<')) return html
  const kept = (piece: Piece) => {
    if (piece.kind === 'text') return piece.source
    if (piece.kind === 'verbatim') return isHidden(piece.name) ? '' : piece.source
    return separates(piece.name) ? ' ' : ''
  }
  return splitMarkup(html).map(kept).join('')
}

function separates(name: string): boolean {
  return (BLOCK.has(name) || VOID.has(name)) && name !== 'wbr' && name !== 'script'
}

function collapse(text: string): string {
  return withSingleBlanks(text).trim()
}
