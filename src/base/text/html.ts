import {
  BLOCK,
  decodeEntities,
  escapeMarkup,
  INVISIBLE,
  type MarkupPiece,
  safeText,
  safeTitle,
  splitMarkup,
  VOID,
  withSingleBlanks,
} from './safe-html.ts'

// Texts and HTML as answers show them.

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
  return escapeMarkup(stripTags(raw.replace(CONTROLS, ''))).trim()
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
export function decodedText(html: string): string {
  return decodeEntities(stripTags(html))
}

/** Plain text of one line, such as an address: tags removed, blanks collapsed, trimmed. No character left in it can begin a tag. */
export function singleLine(text: string): string {
  return collapse(stripTags(text.replace(CONTROLS, ' '))).replace(/<(?=[a-z/!?])/gi, '< ')
}

/** Text or HTML without its tags and comments; entities stay. */
function stripTags(html: string): string {
  return withoutTags(html, (name) => INVISIBLE.has(name))
}

function render(raw: string, trusted: boolean, sanitise: (html: string) => string): string {
  const text = raw.replace(CONTROLS, '')
  if (!/[<>&]/.test(text)) return text.trim()
  return (trusted ? escapeStray(text) : sanitise(text)).trim()
}

function escapeStray(html: string): string {
  const kept = (piece: MarkupPiece) =>
    piece.kind === 'text' ? escapeMarkup(piece.source) : piece.kind === 'comment' ? '' : piece.source
  return splitMarkup(html).map(kept).join('')
}

function withoutTags(html: string, isHidden: (name: string) => boolean): string {
  if (!html.includes('<')) return html
  const kept = (piece: MarkupPiece) => {
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

const NO_MATCH = -1

/**
 * Plain text and markup within the line set in paragraphs (rule 10.3): a blank line begins a new one, a single newline
 * becomes `<br />`. Block markup stays as it is. One newline stands between the parts; text already in this form does not change.
 */
function setParagraphs(html: string): string {
  const text = html.includes('\r') ? html.replace(/\r\n?/g, '\n') : html
  return text.includes('<') ? setMarkup(text) : setPlain(text)
}

/** Sets a text without markup in paragraphs. */
function setPlain(text: string): string {
  const paragraphs: string[] = []
  for (const paragraph of text.split(BLANK_LINE)) {
    const trimmed = paragraph.trim()
    if (trimmed !== '') paragraphs.push(`<p>${joinLines(trimmed, BREAK)}</p>`)
  }
  return paragraphs.join('\n')
}

const BLANK_LINE = /\n\s*\n/
const BREAK = '<br />\n'

function setMarkup(html: string): string {
  const pieces = splitMarkup(html)
  const closings = matchTags(pieces)
  const parts: string[] = []
  let line: MarkupPiece[] = []
  const endLine = () => {
    const content = setLine(line)
    if (content !== '') parts.push(`<p>${content}</p>`)
    line = []
  }
  for (let at = 0; at < pieces.length; at++) {
    const end = Math.max(at, closings[at] ?? NO_MATCH)
    const element = pieces.slice(at, end + 1)
    const first = pieces[at]
    if (first?.kind === 'text' && end === at) addText(first.source)
    else if (element.some(isBlock)) addBlock(element)
    else for (const piece of element) line.push(piece)
    at = end
  }
  endLine()
  return parts.join('\n')

  function addText(text: string): void {
    const [head = '', ...rest] = text.split(BLANK_LINE)
    line.push(asText(head))
    for (const paragraph of rest) {
      endLine()
      line.push(asText(paragraph))
    }
  }

  function addBlock(element: readonly MarkupPiece[]): void {
    endLine()
    const source = element
      .map((piece) => piece.source)
      .join('')
      .trim()
    const [only] = element
    const loose = element.length === 1 && only?.name === 'p'
    if (!loose && !/^<p>[ \t\n]*<\/p>$/.test(source)) parts.push(source)
  }
}

const asText = (source: string): MarkupPiece => ({ kind: 'text', name: '', source })

const isBlock = (piece: MarkupPiece) => (piece.kind === 'open' || piece.kind === 'close') && BLOCK.has(piece.name)

/** For each opening tag the place of the tag that closes it; tags without a partner have none. */
function matchTags(pieces: readonly MarkupPiece[]): number[] {
  const closings: number[] = pieces.map(() => NO_MATCH)
  const open: number[] = []
  const counts = new Map<string, number>()
  pieces.forEach(({ kind, name }, at) => {
    const count = counts.get(name) ?? 0
    if (kind === 'open' && !VOID.has(name)) {
      open.push(at)
      counts.set(name, count + 1)
    }
    if (kind !== 'close' || count === 0) return
    for (let last = open.pop(); last !== undefined; last = open.pop()) {
      const opened = pieces[last]?.name ?? ''
      counts.set(opened, (counts.get(opened) ?? 1) - 1)
      if (opened !== name) continue
      closings[last] = at
      return
    }
  })
  return closings
}

function setLine(line: readonly MarkupPiece[]): string {
  const from = line.findIndex((piece) => piece.source.trim() !== '')
  const to = line.findLastIndex((piece) => piece.source.trim() !== '')
  return line
    .slice(from, to + 1)
    .map((piece, at, trimmed) => (piece.kind === 'text' ? breakLines(piece.source, at, trimmed) : piece.source))
    .join('')
}

function breakLines(text: string, at: number, line: readonly MarkupPiece[]): string {
  const begun = at === 0 ? text.trimStart() : text
  const trimmed = at === line.length - 1 ? begun.trimEnd() : begun
  return joinLines(trimmed, line[at - 1]?.name === 'br' ? '\n' : BREAK)
}

/** Joins the lines of a text with breaks, without blanks around them; `first` stands behind an empty first line. */
function joinLines(text: string, first: string): string {
  if (!text.includes('\n')) return text
  const lines = text.split('\n')
  const last = lines.length - 1
  let joined = ''
  for (const [at, line] of lines.entries()) {
    const begun = at === 0 ? line : withoutLeadingBlanks(line)
    const content = at === last ? begun : withoutTrailingBlanks(begun)
    const end = at === last ? '' : at === 0 && content === '' ? first : BREAK
    joined += content + end
  }
  return joined
}

const isBlank = (text: string, at: number) => text[at] === ' ' || text[at] === '\t'

function withoutLeadingBlanks(line: string): string {
  let start = 0
  while (isBlank(line, start)) start++
  return line.slice(start)
}

function withoutTrailingBlanks(line: string): string {
  let end = line.length
  while (isBlank(line, end - 1)) end--
  return line.slice(0, end)
}
