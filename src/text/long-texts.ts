import { extname } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { type TextAnswer, type TextRequest, type WantedText, workText } from './text-work.ts'

// Texts are rendered where they are needed, as long as that takes a millisecond or two. Longer ones are rendered in a
// thread beside this one beforehand, and remembered: `showPrepared` and `showInTurn` see to it for records that are shown.

/** A description or excerpt as answers show it; see `renderText`. */
export function renderedText(raw: string, trusted: boolean): string {
  return madeOf({ work: trusted ? 'trustedHtml' : 'html', raw })
}

/** The plain text of it, for linked data. */
export function renderedPlain(raw: string, trusted: boolean): string {
  return madeOf({ work: trusted ? 'trustedPlain' : 'plain', raw })
}

/** The description of a term: sanitised, without paragraphs. */
export function renderedSafe(raw: string): string {
  return madeOf({ work: 'safe', raw })
}

/** A text as searches compare it: folded, without markup. */
export function foldedText(raw: string): string {
  return madeOf({ work: 'folded', raw })
}

/** Rendered long texts in two generations: those that are used move into the young one, the old one is dropped in time. */
interface KnownTexts {
  young: Map<string, string>
  old: Map<string, string>
  /** Characters of the young one. */
  size: number
}

const known: KnownTexts = { young: new Map(), old: new Map(), size: 0 }
/** Characters of a generation. */
const MOST_KNOWN = 16_000_000

/** The key of a text and its work among the rendered ones. */
export const keyOf = ({ work, raw }: WantedText) => `${work} ${raw}`

function madeOf(wanted: WantedText): string {
  if (costOf(wanted.raw) < WORTH_KNOWING) return workText(wanted)
  return findKnown(wanted) ?? workText(wanted)
}

/** The texts prepared for the record that is being shown just now. */
let ready: ReadonlyMap<string, string> | undefined

function findKnown(wanted: WantedText): string | undefined {
  if (!ready && known.young.size === 0 && known.old.size === 0) return undefined
  const key = keyOf(wanted)
  const young = ready?.get(key) ?? known.young.get(key)
  if (young !== undefined) return young
  const old = known.old.get(key)
  if (old !== undefined) keepKnown(key, old)
  return old
}

function keepKnown(key: string, made: string): void {
  const size = key.length + made.length
  if (known.size + size > MOST_KNOWN) {
    known.old = known.young
    known.young = new Map()
    known.size = 0
  }
  known.young.set(key, made)
  known.size += size
}

/** Microseconds that markup takes at the most, for each sign of it and for each character; and text without any. */
const SIGN_COST = 1.5
const MARKUP_COST = 0.2
const PLAIN_COST = 0.1

/** How many microseconds a text may take to render, estimated from its markup. A damaged row has no text: that fails where it is shown. */
function costOf(raw: unknown): number {
  if (typeof raw !== 'string') return 0
  const signs = countSigns(raw, '<') + countSigns(raw, '&')
  return signs === 0 ? raw.length * PLAIN_COST : raw.length * MARKUP_COST + signs * SIGN_COST
}

function countSigns(raw: string, sign: string): number {
  let count = 0
  for (let at = raw.indexOf(sign); at !== -1; at = raw.indexOf(sign, at + 1)) count++
  return count
}

/** Texts that take less are not remembered: finding them again takes about as long. */
const WORTH_KNOWING = 100
/** The most that may be worked out on the event loop, in one go. */
const MOST_AT_ONCE = 3000

/** Whether these texts can be shown without holding anything up. */
export function areTextsPrepared(wanted: readonly WantedText[]): boolean {
  return unprepared(wanted).length === 0
}

/** The texts that are not rendered yet, if together they take too long. */
function unprepared(wanted: readonly WantedText[]): WantedText[] {
  // Most records have short texts, where counting signs would take longer than all else.
  if (lengthOf(wanted) * (MARKUP_COST + SIGN_COST) <= MOST_AT_ONCE) return []
  const costly = wanted
    .map((text) => ({ text, cost: costOf(text.raw) }))
    .filter(({ text, cost }) => cost >= WORTH_KNOWING && findKnown(text) === undefined)
  const sum = costly.reduce((total, { cost }) => total + cost, 0)
  return sum <= MOST_AT_ONCE ? [] : costly.map(({ text }) => text)
}

/** Characters of texts. A damaged row has something else in their place. */
function lengthOf(wanted: readonly WantedText[]): number {
  return wanted.reduce((sum, { raw }) => sum + (typeof raw === 'string' ? raw.length : 0), 0)
}

/** Renders long texts in a thread beside the event loop, remembers and returns them. */
export async function prepareTexts(wanted: readonly WantedText[]): Promise<ReadonlyMap<string, string>> {
  const made = new Map<string, string>()
  // One after the other, so that texts of other requests come in between.
  for (const text of unprepared(wanted)) {
    // A text that fails in the thread is tried again, and fails, where it is needed.
    const [result] = await askThread([text]).catch(() => [])
    if (result === undefined) continue
    made.set(keyOf(text), result)
    keepKnown(keyOf(text), result)
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

/**
 * Shows records one after the other, each as soon as its texts are prepared, and lets other requests go on in between. The records are in
 * their order.
 */
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
  worker.on('message', settle)
  worker.on('error', lose)
  worker.on('exit', () => lose(new Error('The thread that works on texts has ended.')))
  return worker
}

function settle(answer: TextAnswer): void {
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
