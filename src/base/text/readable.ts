import { BLOCK, decodeEntities, INVISIBLE, type MarkupPiece, splitMarkup, withSingleBlanks } from './safe-html.ts'

// Makes plain text of several lines from HTML.

/** Text on its way: lines so far, and the blanks that stand before the next word. */
interface Writing {
  parts: string[]
  /** Line ends that are due before the next text. */
  breaks: number
  /** Whether a blank is due. */
  isApart: boolean
  /** The links that are open: their address, and where their text begins among the parts. */
  links: { address: string; from: number }[]
  /** Elements that are open whose text nobody sees. */
  hidden: number
}

/** Elements with an empty line around them. */
const SPACED = new Set(['p', 'blockquote', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'ul', 'ol', 'pre', 'table', 'figure'])

/**
 * HTML as plain text of several lines, for readers that show no markup: paragraphs with an empty line between them, entries of lists after
 * a dash, links with their address behind them, made absolute by `base`, and images as their alternative text. Entities are decoded once.
 */
export function readableText(html: string, base: string): string {
  const writing: Writing = { parts: [], breaks: 0, isApart: false, links: [], hidden: 0 }
  for (const piece of splitMarkup(html)) writePiece(writing, piece, base)
  return writing.parts.join('')
}

function writePiece(writing: Writing, piece: MarkupPiece, base: string): void {
  const { kind, name, source } = piece
  if (kind === 'comment' || kind === 'verbatim') return
  if (kind === 'text') {
    if (writing.hidden === 0) writeText(writing, decodeEntities(source))
    return
  }
  if (INVISIBLE.has(name) || name === 'script')
    writing.hidden = Math.max(0, writing.hidden + (kind === 'open' ? 1 : -1))
  else if (name === 'br') writing.breaks += 1
  else if (name === 'img') writeText(writing, attributeOf(source, 'alt'))
  else if (name === 'a') (kind === 'open' ? openLink : closeLink)(writing, source, base)
  else if (BLOCK.has(name)) writeBlock(writing, piece)
}

function writeBlock(writing: Writing, { kind, name }: MarkupPiece): void {
  writing.breaks = Math.max(writing.breaks, SPACED.has(name) ? 2 : 1)
  if (name === 'li' && kind === 'open') writeText(writing, '- ')
}

function writeText(writing: Writing, text: string): void {
  const words = withSingleBlanks(text)
  const shown = words.trim()
  if (shown === '') {
    writing.isApart ||= words !== ''
    return
  }
  const isFirst = writing.parts.length === 0
  if (!isFirst && writing.breaks > 0) writing.parts.push('\n'.repeat(Math.min(writing.breaks, 2)))
  else if (!isFirst && (writing.isApart || words.startsWith(' '))) writing.parts.push(' ')
  writing.parts.push(shown)
  writing.breaks = 0
  writing.isApart = words.endsWith(' ')
}

function openLink(writing: Writing, source: string, base: string): void {
  writing.links.push({ address: absolute(attributeOf(source, 'href'), base), from: writing.parts.length })
}

function closeLink(writing: Writing): void {
  const link = writing.links.pop()
  if (!link || link.address === '') return
  // A link that shows its own address has no more than that and a blank before it.
  const shown = writing.parts.length - link.from > 2 ? '' : writing.parts.slice(link.from).join('').trim()
  const isSaid = shown === link.address || `mailto:${shown}` === link.address
  if (!isSaid) writeText(writing, ` (${link.address})`)
}

/** An address as a person can use it elsewhere; empty for one that leads nowhere. */
function absolute(address: string, base: string): string {
  if (address === '' || address.startsWith('#') || !URL.canParse(address, base)) return ''
  const { href, protocol } = new URL(address, base)
  return ['http:', 'https:', 'mailto:', 'tel:'].includes(protocol) ? href : ''
}

const ATTRIBUTES = {
  href: /\shref=(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/i,
  alt: /\salt=(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/i,
}

/** The value of an attribute in a tag, entities decoded; empty when it has none. */
function attributeOf(tag: string, name: keyof typeof ATTRIBUTES): string {
  const found = ATTRIBUTES[name].exec(tag)
  return decodeEntities(found?.[1] ?? found?.[2] ?? found?.[3] ?? '').trim()
}
