import { extname } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import sanitizeHtml from 'sanitize-html'
import { emptyCache, entryBytes, findCached, processBudget, setCached } from '../cache.ts'
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

// Renders the texts of records. If texts together would take longer than `MOST_AT_ONCE`, `showPrepared` and
// `showInTurn` first have a worker thread render and cache them.

export function renderedText(raw: string, trusted: boolean): string {
  return madeOf({ work: 'html', raw, trusted })
}

/** Returns one line without markup, for linked data. */
export function renderedPlain(raw: string, trusted: boolean): string {
  return madeOf({ work: 'plain', raw, trusted })
}

export function renderedForPage(raw: string, trusted: boolean): string {
  return madeOf({ work: 'page', raw, trusted })
}

/** Returns HTML for a feed, with relative URLs resolved against `base`. */
export function renderedForFeed(raw: string, trusted: boolean, base: string): string {
  return madeOf({ work: 'feed', raw, trusted, base })
}

/** Returns plain text (see `readableText`), with relative URLs resolved against `base`. */
export function renderedReadable(raw: string, trusted: boolean, base: string): string {
  return madeOf({ work: 'readable', raw, trusted, base })
}

export function renderedSafe(raw: string): string {
  return madeOf({ work: 'safe', raw })
}

export function foldedText(raw: string): string {
  return madeOf({ work: 'folded', raw })
}

const rendered = emptyCache<string, string>(processBudget)

export const textKey = ({ work, raw, trusted = false, base = '' }: WantedText) =>
  `${work} ${trusted} ${base} ${raw}`

function madeOf(wanted: WantedText): string {
  if (!isWorthKnowing(wanted.raw)) return workText(wanted)
  return findKnown(wanted) ?? workText(wanted)
}

let ready: ReadonlyMap<string, string> | undefined

function findKnown(wanted: WantedText): string | undefined {
  if (!ready && rendered.young.size === 0 && rendered.old.size === 0) return undefined
  const key = textKey(wanted)
  return ready?.get(key) ?? findCached(rendered, key)
}

/**
 * Estimated microseconds of rendering: `SPECIAL_COST` for each `<` and `&`; per character, `MARKUP_COST` in
 * texts with one of them, `PLAIN_COST` in others.
 */
const SPECIAL_COST = 1.5
const MARKUP_COST = 0.2
const PLAIN_COST = 0.1

/** Estimated microseconds of rendering; 0 for a value that is not a string, as a damaged row may have. */
function costOf(raw: unknown): number {
  if (typeof raw !== 'string') return 0
  const specials = countOf(raw, '<') + countOf(raw, '&')
  return specials === 0 ? raw.length * PLAIN_COST : raw.length * MARKUP_COST + specials * SPECIAL_COST
}

function countOf(raw: string, character: string): number {
  let count = 0
  for (
    let at = raw.indexOf(character);
    at !== -1 && count <= MOST_COUNTED;
    at = raw.indexOf(character, at + 1)
  )
    count++
  return count
}

/** In microseconds: a text that takes less is rendered without a look in the cache. */
const WORTH_KNOWING = 100
/** In microseconds: rendering that takes longer goes to the worker thread. */
const MOST_AT_ONCE = 3000
const MOST_COUNTED = MOST_AT_ONCE / SPECIAL_COST

function isWorthKnowing(raw: unknown): boolean {
  return (typeof raw === 'string' && raw.length * PLAIN_COST >= WORTH_KNOWING) || costOf(raw) >= WORTH_KNOWING
}

export function areTextsPrepared(wanted: readonly WantedText[]): boolean {
  return unprepared(wanted).length === 0
}

function unprepared(wanted: readonly WantedText[]): WantedText[] {
  // An upper bound of the cost, for which no `<` and `&` have to be counted.
  const length = wanted.reduce((sum, { raw }) => sum + (typeof raw === 'string' ? raw.length : 0), 0)
  if (length * (MARKUP_COST + SPECIAL_COST) <= MOST_AT_ONCE) return []
  const costly = wanted
    .map((text) => ({ text, cost: costOf(text.raw) }))
    .filter(({ text, cost }) => cost >= WORTH_KNOWING && findKnown(text) === undefined)
  const sum = costly.reduce((total, { cost }) => total + cost, 0)
  return sum <= MOST_AT_ONCE ? [] : costly.map(({ text }) => text)
}

/** Has the worker thread render the texts that would block the event loop; returns texts by `textKey`. */
export async function prepareTexts(wanted: readonly WantedText[]): Promise<ReadonlyMap<string, string>> {
  const made = new Map<string, string>()
  // One at a time, so that the thread can serve other requests in between.
  for (const text of unprepared(wanted)) {
    // A text that fails here is left out: it fails again where it is needed, and is reported there.
    const [result] = await askThread([text]).catch(() => [])
    if (result === undefined) continue
    const key = textKey(text)
    made.set(key, result)
    setCached(rendered, key, result, entryBytes(key, result))
  }
  return made
}

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

/** In ms: a request for many records yields to the event loop after this time. */
export const TURN_MS = 10

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
  idleTimer: NodeJS.Timeout | undefined
  last: number
  waiting: Map<number, { resolve: (made: string[]) => void; reject: (error: unknown) => void }>
}

const thread: TextThread = { worker: undefined, idleTimer: undefined, last: 0, waiting: new Map() }

const IDLE_MS = 60_000

function askThread(wanted: readonly WantedText[]): Promise<string[]> {
  return new Promise((resolve, reject) => {
    clearTimeout(thread.idleTimer)
    thread.worker ??= startThread()
    thread.worker.ref()
    thread.waiting.set(++thread.last, { resolve, reject })
    thread.worker.postMessage({ number: thread.last, wanted } satisfies TextRequest)
  })
}

function startThread(): Worker {
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
  if (thread.waiting.size === 0) endWhenIdle()
  if ('made' in answer) asked?.resolve(answer.made)
  else asked?.reject(answer.error)
}

function endWhenIdle(): void {
  thread.worker?.unref()
  clearTimeout(thread.idleTimer)
  thread.idleTimer = setTimeout(() => {
    const { worker } = thread
    thread.worker = undefined
    void worker?.terminate()
  }, IDLE_MS).unref()
}

const WORKS = {
  html: ({ raw, trusted }) => renderOnce(raw, trusted),
  plain: ({ raw, trusted }) => plainText(renderOnce(raw, trusted)),
  page: ({ raw, trusted }) => pageText(renderOnce(raw, trusted)),
  feed: ({ raw, trusted, base = '' }) => feedText(renderOnce(raw, trusted), base),
  readable: ({ raw, trusted, base = '' }) => readableText(renderOnce(raw, trusted), base),
  safe: ({ raw }) => stripUnsafe(raw),
  folded: ({ raw }) => fold(plainText(raw)),
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

/**
 * Caches the last two results: a record's description and excerpt are rendered for the page, then again for
 * its linked data.
 */
function renderOnce(raw: string, trusted = false): string {
  if (raw === last.raw && trusted === last.trusted) return last.rendered
  const known = raw === lastButOne.raw && trusted === lastButOne.trusted
  const rendered = known ? lastButOne.rendered : renderText(raw, trusted)
  lastButOne = last
  last = { raw, trusted, rendered }
  return rendered
}

export interface WantedText {
  work: 'html' | 'plain' | 'page' | 'feed' | 'readable' | 'safe' | 'folded' | 'terms'
  raw: string
  trusted?: boolean
  base?: string
}

export function workText({ work, ...text }: WantedText): string {
  return WORKS[work](text)
}

export interface TextRequest {
  number: number
  wanted: readonly WantedText[]
}

export type TextAnswer = { number: number; made: string[] } | { number: number; error: unknown }

const TAGS = (
  'a abbr b bdi bdo blockquote br caption cite code col colgroup dd del details dfn dl dt em ' +
  'figcaption figure h2 h3 h4 h5 h6 hr i img ins kbd li mark ol p picture pre q rp rt ruby s ' +
  'samp small source span strong sub summary sup table tbody td tfoot th thead time tr u ul var wbr'
).split(' ')

/** A page has its own `h1`, so headings in texts begin with `h2`. */
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
  exclusiveFilter: ({ tag, attribs }) =>
    (tag === 'img' && !attribs.src) || (tag === 'source' && !attribs.srcset),
}

/**
 * Returns HTML for a page. Even texts of trusted authors lose styles, ids, names, classes and event handlers;
 * `h1` becomes `h2`; frames, audio and video of other sites become links.
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

function asLink(_tag: string, { src = '' }: sanitizeHtml.Attributes): sanitizeHtml.Tag {
  const host = URL.parse(src, 'https://none.invalid/')?.host ?? ''
  if (host === '' || host === 'none.invalid') return { tagName: 'span', attribs: {} }
  return { tagName: 'a', attribs: { href: src, rel: 'noopener' }, text: host }
}

const ACTIVE = new Set(['script', 'style'])

const ADDRESSES = new Set(['action', 'cite', 'href', 'poster', 'src'])

/** Makes URLs absolute; removes scripts, style sheets and event handlers, which trusted authors may use. */
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

function absoluteAddress(address: string, base: string): string {
  if (address === '' || address.startsWith('#') || /^[a-z][a-z\d+.-]*:/i.test(address)) return address
  return URL.parse(address, base)?.href ?? address
}

interface Writing {
  parts: string[]
  breaks: number
  isApart: boolean
  links: { address: string; from: number }[]
  /** The number of open elements whose text is invisible. */
  hidden: number
}

/** Block elements with an empty line before and after them. */
const SPACED = new Set([
  'p',
  'blockquote',
  'h1',
  'h2',
  'h3',
  'h4',
  'h5',
  'h6',
  'ul',
  'ol',
  'pre',
  'table',
  'figure',
])

/**
 * Converts HTML to plain text: an empty line between paragraphs, a dash before list entries, the URL in
 * brackets after a link, and the `alt` text for an image. Entities are decoded once.
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
  // A link whose text is its URL has added at most two parts: a space and the URL.
  const shown = writing.parts.length - link.from > 2 ? '' : writing.parts.slice(link.from).join('').trim()
  const isSaid = shown === link.address || `mailto:${shown}` === link.address
  if (!isSaid) writeText(writing, ` (${link.address})`)
}

function absolute(address: string, base: string): string {
  if (address === '' || address.startsWith('#') || !URL.canParse(address, base)) return ''
  const { href, protocol } = new URL(address, base)
  return ['http:', 'https:', 'mailto:', 'tel:'].includes(protocol) ? href : ''
}

const ATTRIBUTES = {
  href: /\shref=(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/i,
  alt: /\salt=(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/i,
}

function attributeOf(tag: string, name: keyof typeof ATTRIBUTES): string {
  const found = ATTRIBUTES[name].exec(tag)
  return decodeEntities(found?.[1] ?? found?.[2] ?? found?.[3] ?? '').trim()
}
