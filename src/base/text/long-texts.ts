import { extname } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import sanitizeHtml from 'sanitize-html'
import { emptyCache, entryBytes, findCached, keepCached, processBudget } from '../cache.ts'
import { fold } from './characters.ts'
import {
  ATTRIBUTE,
  BLOCK,
  decodeEntities,
  escapeHtml,
  INVISIBLE,
  type MarkupPiece,
  plainText,
  renderText,
  splitMarkup,
  stripUnsafe,
  unquoted,
  withSingleBlanks,
} from './html.ts'
import { termsOf } from './search.ts'

// Short texts are rendered where they are needed. A text that takes longer than a millisecond or two is rendered in a thread beforehand and cached:
// `showPrepared` and `showInTurn` do so for the records that they show.

/** A description or excerpt as answers show it; see `renderText`. */
export function renderedText(raw: string, trusted: boolean): string {
  return madeOf({ work: 'html', raw, trusted })
}

/** A description or excerpt as plain text of one line, for linked data. */
export function renderedPlain(raw: string, trusted: boolean): string {
  return madeOf({ work: 'plain', raw, trusted })
}

/** A description or excerpt as pages of this service show it. */
export function renderedForPage(raw: string, trusted: boolean): string {
  return madeOf({ work: 'page', raw, trusted })
}

/** A description or excerpt as feeds have it, with addresses made absolute by `base`. */
export function renderedForFeed(raw: string, trusted: boolean, base: string): string {
  return madeOf({ work: 'feed', raw, trusted, base })
}

/** A description or excerpt as plain text of several lines, with addresses made absolute by `base`. */
export function renderedReadable(raw: string, trusted: boolean, base: string): string {
  return madeOf({ work: 'readable', raw, trusted, base })
}

/** The description of a term: sanitised, without paragraphs. */
export function renderedSafe(raw: string): string {
  return madeOf({ work: 'safe', raw })
}

/** A text as searches compare it: folded, without markup. */
export function foldedText(raw: string): string {
  return madeOf({ work: 'folded', raw })
}

/** Rendered long texts. */
const rendered = emptyCache<string, string>(processBudget)

/** The key of a text and its work among the rendered ones. */
export const textKey = ({ work, raw, trusted = false, base = '' }: WantedText) => `${work} ${trusted} ${base} ${raw}`

function madeOf(wanted: WantedText): string {
  if (!isWorthKnowing(wanted.raw)) return workText(wanted)
  return findKnown(wanted) ?? workText(wanted)
}

/** The texts prepared for the record that is shown at the moment. */
let ready: ReadonlyMap<string, string> | undefined

function findKnown(wanted: WantedText): string | undefined {
  if (!ready && rendered.young.size === 0 && rendered.old.size === 0) return undefined
  const key = textKey(wanted)
  return ready?.get(key) ?? findCached(rendered, key)
}

/** The most microseconds that rendering takes: for each `<` and `&`, for each character of a text with markup, and for each of a text without. */
const SIGN_COST = 1.5
const MARKUP_COST = 0.2
const PLAIN_COST = 0.1

/** Microseconds that rendering a text may take, estimated from its markup. A damaged row has no text; showing it fails later. */
function costOf(raw: unknown): number {
  if (typeof raw !== 'string') return 0
  const signs = countSigns(raw, '<') + countSigns(raw, '&')
  return signs === 0 ? raw.length * PLAIN_COST : raw.length * MARKUP_COST + signs * SIGN_COST
}

/** Counts a sign, but no further than a text may have of it to be rendered at once. */
function countSigns(raw: string, sign: string): number {
  let count = 0
  for (let at = raw.indexOf(sign); at !== -1 && count <= MOST_COUNTED; at = raw.indexOf(sign, at + 1)) count++
  return count
}

/** Microseconds that rendering takes at least for a text to be cached: finding a shorter one again takes about as long. */
const WORTH_KNOWING = 100
/** The most microseconds of rendering on the event loop at once. */
const MOST_AT_ONCE = 3000
const MOST_COUNTED = MOST_AT_ONCE / SIGN_COST

/** Whether a text is cached once it is rendered. */
function isWorthKnowing(raw: unknown): boolean {
  return (typeof raw === 'string' && raw.length * PLAIN_COST >= WORTH_KNOWING) || costOf(raw) >= WORTH_KNOWING
}

/** Whether showing these texts does not block the event loop. */
export function areTextsPrepared(wanted: readonly WantedText[]): boolean {
  return unprepared(wanted).length === 0
}

/** The texts that are not rendered yet, if together they take too long. */
function unprepared(wanted: readonly WantedText[]): WantedText[] {
  // Most records have short texts; counting their signs would take longer than rendering them.
  if (lengthOf(wanted) * (MARKUP_COST + SIGN_COST) <= MOST_AT_ONCE) return []
  const costly = wanted
    .map((text) => ({ text, cost: costOf(text.raw) }))
    .filter(({ text, cost }) => cost >= WORTH_KNOWING && findKnown(text) === undefined)
  const sum = costly.reduce((total, { cost }) => total + cost, 0)
  return sum <= MOST_AT_ONCE ? [] : costly.map(({ text }) => text)
}

/** The number of characters of texts. A damaged row has another value in their place. */
function lengthOf(wanted: readonly WantedText[]): number {
  return wanted.reduce((sum, { raw }) => sum + (typeof raw === 'string' ? raw.length : 0), 0)
}

/** Renders long texts in a thread, caches and returns them. */
export async function prepareTexts(wanted: readonly WantedText[]): Promise<ReadonlyMap<string, string>> {
  const made = new Map<string, string>()
  // One by one, so that the texts of other requests take their turns in between.
  for (const text of unprepared(wanted)) {
    // A text that fails in the thread fails again where it is needed.
    const [result] = await askThread([text]).catch(() => [])
    if (result === undefined) continue
    const key = textKey(text)
    made.set(key, result)
    keepCached(rendered, key, result, entryBytes(key, result))
  }
  return made
}

/** Shows a record once its texts have been prepared. */
export async function showPrepared<Shown>(wanted: readonly WantedText[], show: () => Shown): Promise<Shown> {
  if (areTextsPrepared(wanted)) return show()
  const made = await prepareTexts(wanted)
  ready = made
  try {
    return show()
  } finally {
    ready = undefined
  }
}

/** Milliseconds after which a request that shows many records lets others go on. */
const TURN_MS = 10

/** Shows records in their order, each as soon as its texts are prepared; other requests take their turns in between. */
export async function showInTurn<Row, Shown>(
  rows: Iterable<Row>,
  textsOf: (row: Row) => readonly WantedText[],
  show: (row: Row) => Shown,
): Promise<Shown[]> {
  const shown: Shown[] = []
  let turn = performance.now()
  for (const row of rows) {
    const texts = textsOf(row)
    const isPrepared = areTextsPrepared(texts)
    if (isPrepared && performance.now() - turn < TURN_MS) {
      shown.push(show(row))
      continue
    }
    if (isPrepared) await nextTurn()
    turn = performance.now()
    shown.push(await showPrepared(texts, () => show(row)))
  }
  return shown
}

interface TextThread {
  worker: Worker | undefined
  /** Ends a thread that has been idle for a while. */
  rest: NodeJS.Timeout | undefined
  last: number
  waiting: Map<number, { resolve: (made: string[]) => void; reject: (error: unknown) => void }>
}

const thread: TextThread = { worker: undefined, rest: undefined, last: 0, waiting: new Map() }

/** Milliseconds without work after which the thread ends. */
const REST_MS = 60_000

function askThread(wanted: readonly WantedText[]): Promise<string[]> {
  return new Promise((resolve, reject) => {
    clearTimeout(thread.rest)
    thread.worker ??= startThread()
    thread.worker.ref()
    thread.waiting.set(++thread.last, { resolve, reject })
    thread.worker.postMessage({ number: thread.last, wanted } satisfies TextRequest)
  })
}

function startThread(): Worker {
  // The sources, or what `npm run build` makes of them.
  const code = new URL(`text-thread${extname(import.meta.url)}`, import.meta.url)
  const worker = new Worker(code, { execArgv: [] })
  const lose = (error: unknown) => {
    if (worker !== thread.worker) return
    thread.worker = undefined
    for (const { reject } of thread.waiting.values()) reject(error)
    thread.waiting.clear()
  }
  worker.on('message', settleAnswer)
  worker.on('error', lose)
  worker.on('exit', () => lose(new Error('The thread that works on texts has ended.')))
  return worker
}

function settleAnswer(answer: TextAnswer): void {
  const asked = thread.waiting.get(answer.number)
  thread.waiting.delete(answer.number)
  if (thread.waiting.size === 0) restLater()
  if ('made' in answer) asked?.resolve(answer.made)
  else asked?.reject(answer.error)
}

function restLater(): void {
  thread.worker?.unref()
  clearTimeout(thread.rest)
  thread.rest = setTimeout(() => {
    const { worker } = thread
    thread.worker = undefined
    void worker?.terminate()
  }, REST_MS).unref()
}

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

/** A text while it is written: its parts so far, and the line ends and blank due before the next word. */
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
