import { BLOCK, escapeText, INVISIBLE, type Piece, splitMarkup, VOID } from './markup.ts'
import { setParagraphs } from './paragraphs.ts'
import { decodeEntities, safeText, safeTitle } from './safe-html.ts'

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it finds, all but tabs and line ends.
const CONTROLS = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/g

/**
 * A title or name as answers show it (contract 0.3.8): trimmed, `&` as `&#038;`, `<` and `>` that belong to no tag as entities.
 * Entities keep their meaning. Markup within the line stays; all markup does when `trusted`: its author may write unfiltered HTML.
 */
export function renderTitle(raw: string, trusted: boolean): string {
  return render(raw, trusted, safeTitle).replaceAll('&amp;', '&#038;')
}

/**
 * A description or excerpt as answers show it (contract 0.3.8): HTML in paragraphs, sanitised unless `trusted`. `''` when
 * there is none. Rendering what was rendered gives the same.
 */
export function renderText(raw: string, trusted: boolean): string {
  return setParagraphs(render(raw, trusted, safeText))
}

/** Untrusted HTML with what is dangerous taken out, and no paragraphs made. */
export function stripUnsafe(raw: string): string {
  return render(raw, false, safeText)
}

/** The name of a category or tag as answers show it (contract 3.4): without tags, `&`, `<` and `>` as entities. */
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

/** The text of HTML as written, entities decoded; what scripts hold counts, as it does in a title from which their tags are removed. */
export function textOf(html: string): string {
  return decodeEntities(stripTags(html))
}

/** Plain text of one line, such as an address: tags removed, blanks collapsed, trimmed. Nothing left in it can begin a tag. */
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
  return text.replace(/\s+/g, ' ').trim()
}
