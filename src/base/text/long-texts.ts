import { extname } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { emptyCache, entryBytes, findCached, keepCached, processBudget } from '../cache.ts'
import { type TextAnswer, type TextRequest, type WantedText, workText } from './text-work.ts'

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
