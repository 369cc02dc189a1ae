import { BLOCK, type Piece, splitMarkup, VOID } from './markup.ts'

const NO_MATCH = -1

/**
 * Plain text and markup within the line set in paragraphs (rule 10.3): a blank line begins a new one, a single newline
 * becomes `<br />`. Block markup stays as it is. One newline stands between the parts; text already in this form does not change.
 */
export function setParagraphs(html: string): string {
  const text = html.includes('\r') ? html.replace(/\r\n?/g, '\n') : html
  return text.includes('<') ? setMarkup(text) : setPlain(text)
}

/** Text without markup, as most is. */
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
  let line: Piece[] = []
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

  function addBlock(element: readonly Piece[]): void {
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

const asText = (source: string): Piece => ({ kind: 'text', name: '', source })

const isBlock = (piece: Piece) => (piece.kind === 'open' || piece.kind === 'close') && BLOCK.has(piece.name)

/** For each opening tag the place of the tag that closes it; tags without a partner have none. */
function matchTags(pieces: readonly Piece[]): number[] {
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

function setLine(line: readonly Piece[]): string {
  const from = line.findIndex((piece) => piece.source.trim() !== '')
  const to = line.findLastIndex((piece) => piece.source.trim() !== '')
  return line
    .slice(from, to + 1)
    .map((piece, at, trimmed) => (piece.kind === 'text' ? breakLines(piece.source, at, trimmed) : piece.source))
    .join('')
}

function breakLines(text: string, at: number, line: readonly Piece[]): string {
  const begun = at === 0 ? text.trimStart() : text
  const trimmed = at === line.length - 1 ? begun.trimEnd() : begun
  return joinLines(trimmed, line[at - 1]?.name === 'br' ? '\n' : BREAK)
}

/** The lines of a text with a break between them and no blanks around it; `first` stands behind a first line with nothing in it. */
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
