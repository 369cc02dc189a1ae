import sanitizeHtml from 'sanitize-html'
import { fold } from './characters.ts'
import { escapeHtml, plainText, renderText, stripUnsafe } from './html.ts'
import {
  ATTRIBUTE,
  BLOCK,
  decodeEntities,
  INVISIBLE,
  type MarkupPiece,
  splitMarkup,
  unquoted,
  withSingleBlanks,
} from './safe-html.ts'
import { termsOf } from './search.ts'

// The work on long texts that is done in a thread of its own: rendering, sanitising, folding.

/** The kinds of work on long texts. Authors of trusted ones may write unfiltered HTML; relative addresses become absolute by the base. */
const WORKS = {
  html: ({ raw, trusted }) => renderOnce(raw, trusted),
  plain: ({ raw, trusted }) => plainText(renderOnce(raw, trusted)),
  page: ({ raw, trusted }) => pageText(renderOnce(raw, trusted)),
  /** HTML for feeds. */
  feed: ({ raw, trusted, base = '' }) => feedText(renderOnce(raw, trusted), base),
  /** Plain text of several lines. */
  readable: ({ raw, trusted, base = '' }) => readableText(renderOnce(raw, trusted), base),
  safe: ({ raw }) => stripUnsafe(raw),
  folded: ({ raw }) => fold(plainText(raw)),
  /** The terms of folded text for an index of words, with blanks between them. */
  terms: ({ raw }) => [...termsOf(raw)].join(' '),
} satisfies Record<WantedText['work'], (text: Omit<WantedText, 'work'>) => string>

interface Rendered {
  raw: string
  trusted: boolean
  rendered: string
}

const NONE: Rendered = { raw: '', trusted: false, rendered: '' }
let last = NONE
let lastButOne = NONE

/** Renders a text. The last two are cached: the linked data of a record are made of its description or excerpt right after both. */
function renderOnce(raw: string, trusted = false): string {
  if (raw === last.raw && trusted === last.trusted) return last.rendered
  const known = raw === lastButOne.raw && trusted === lastButOne.trusted
  const rendered = known ? lastButOne.rendered : renderText(raw, trusted)
  lastButOne = last
  last = { raw, trusted, rendered }
  return rendered
}

/** A text, and the work on it. */
export interface WantedText {
  work: 'html' | 'plain' | 'page' | 'feed' | 'readable' | 'safe' | 'folded' | 'terms'
  raw: string
  trusted?: boolean
  /** The address that relative ones in it start from, for works that make them absolute. */
  base?: string
}

export function workText({ work, ...text }: WantedText): string {
  return WORKS[work](text)
}

/** Texts for the thread, and its results. */
export interface TextRequest {
  number: number
  wanted: readonly WantedText[]
}

export type TextAnswer = { number: number; made: string[] } | { number: number; error: unknown }

const TAGS = (
  'a abbr b bdi bdo blockquote br caption cite code col colgroup dd del details dfn dl dt em figcaption figure h2 h3 h4 h5 h6 hr i img ins kbd li ' +
  'mark ol p picture pre q rp rt ruby s samp small source span strong sub summary sup table tbody td tfoot th thead time tr u ul var wbr'
).split(' ')

/** The page has the heading of the first level. */
const HEADINGS = { h1: 'h2' }

const FOR_PAGES: sanitizeHtml.IOptions = {
  allowedTags: TAGS,
  allowedAttributes: {
    '*': ['dir', 'lang', 'title'],
    a: ['href', 'hreflang', 'rel', 'target'],
    blockquote: ['cite'],
    col: ['span'],
    colgroup: ['span'],
    del: ['cite', 'datetime'],
    details: ['open'],
    img: ['alt', 'decoding', 'height', 'loading', 'sizes', 'src', 'srcset', 'width'],
    ins: ['cite', 'datetime'],
    li: ['value'],
    ol: ['reversed', 'start'],
    q: ['cite'],
    source: ['media', 'sizes', 'srcset', 'type'],
    td: ['colspan', 'rowspan'],
    th: ['colspan', 'rowspan', 'scope'],
    time: ['datetime'],
  },
  allowedSchemes: ['geo', 'http', 'https', 'mailto', 'sms', 'tel', 'webcal', 'webcals'],
  allowedSchemesByTag: { img: ['http', 'https', 'data'] },
  allowProtocolRelative: true,
  nestingLimit: 60,
  transformTags: {
    ...HEADINGS,
    a: settleLink,
    img: settleImage,
    audio: asLink,
    iframe: asLink,
    video: asLink,
  },
  exclusiveFilter: ({ tag, attribs }) => (tag === 'img' && !attribs.src) || (tag === 'source' && !attribs.srcset),
}

/**
 * Rendered HTML as pages of this service show it, whoever wrote it: without styles, names, classes and handlers, headings below those of the
 * page, and links in place of what would be fetched from elsewhere when the page opens.
 */
function pageText(rendered: string): string {
  return sanitizeHtml(rendered, FOR_PAGES)
}

function settleLink(_tag: string, { target, rel, ...attribs }: sanitizeHtml.Attributes): sanitizeHtml.Tag {
  if (target !== '_blank') return { tagName: 'a', attribs: { ...attribs, ...(rel ? { rel } : {}) } }
  const words = new Set([...(rel ?? '').split(/\s+/).filter(Boolean), 'noopener'])
  return { tagName: 'a', attribs: { ...attribs, target, rel: [...words].join(' ') } }
}

function settleImage(tagName: string, attribs: sanitizeHtml.Attributes): sanitizeHtml.Tag {
  return { tagName, attribs: { alt: '', ...attribs, loading: 'lazy', decoding: 'async' } }
}

/** Replaces an element that would load a page, sound or film of another site by a link to it. */
function asLink(_tag: string, { src = '' }: sanitizeHtml.Attributes): sanitizeHtml.Tag {
  const host = URL.parse(src, 'https://none.invalid/')?.host ?? ''
  if (host === '' || host === 'none.invalid') return { tagName: 'span', attribs: {} }
  return { tagName: 'a', attribs: { href: src, rel: 'noopener' }, text: host }
}

/** Elements that trusted authors may write and that no reader of feeds runs. */
const ACTIVE = new Set(['script', 'style'])

const ADDRESSES = new Set(['action', 'cite', 'href', 'poster', 'src'])

/**
 * Rendered HTML as it stands in feeds, away from its page: addresses made absolute by `base`, without the scripts, styles and handlers that
 * trusted authors may write.
 */
function feedText(rendered: string, base: string): string {
  if (!rendered.includes('<')) return rendered
  return splitMarkup(rendered)
    .map((piece) => writtenForFeed(piece, base))
    .join('')
    .trim()
}

function writtenForFeed({ kind, name, source }: MarkupPiece, base: string): string {
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
  const settled = name === 'srcset' ? settleImages(address, base) : absoluteAddress(address, base)
  return settled === address ? attribute : ` ${name}="${escapeHtml(settled)}"`
}

const settleImages = (images: string, base: string) =>
  images
    .split(/,\s+/)
    .map((image) => image.replace(/^\S+/, (address) => absoluteAddress(address, base)))
    .join(', ')

/** An address with the site before it if it has none; places in the text itself stay. */
function absoluteAddress(address: string, base: string): string {
  if (address === '' || address.startsWith('#') || /^[a-z][a-z\d+.-]*:/i.test(address)) return address
  return URL.parse(address, base)?.href ?? address
}

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
