import { stopOnSignal } from '../transfer/run-command.ts'
import type { Counts } from './import-run.ts'
import type { Source } from './source-item.ts'

/** Shows the progress of an import or a push. */
export interface Progress {
  show: (counts: Counts) => void
  /** Shows the progress of another source from now on. */
  follow: (source: Followed) => void
  close: () => void
}

/** What tells how far it has been read. */
type Followed = Pick<Source, 'total' | 'progress'> & {
  /** The address that is asked, until something has come from there. */
  asking?: string | undefined
}

/** The progress: `done` of `total` in the unit of the source; a total of 0 is unknown. */
export interface Far {
  records: number
  done: number
  total: number
  /** Milliseconds since it began. */
  elapsed: number
  asking?: string | undefined
}

/** Milliseconds between two lines of a log. */
const LINE_EVERY_MS = 30_000

/** A bar with rate and time left on a terminal, elsewhere a plain line every half minute. */
export async function openProgress(
  source: Followed,
  stream: NodeJS.WriteStream = process.stderr,
  lineEvery = LINE_EVERY_MS,
): Promise<Progress> {
  const since = performance.now()
  let followed = source
  const follow: Progress['follow'] = (next) => {
    followed = next
  }
  const farOf = (records: number): Far => ({
    records,
    done: followed.progress(),
    total: followed.total(),
    elapsed: performance.now() - since,
    asking: followed.asking,
  })
  if (!stream.isTTY) return { ...lineProgress(stream, farOf, lineEvery), follow }
  const { SingleBar } = await import('cli-progress')
  let records = 0
  const format = () => describeFar(farOf(records), stream.columns)
  const bar = new SingleBar({ format, stream, hideCursor: true, gracefulExit: false })
  const release = stopOnSignal(() => bar.stop())
  bar.start(1, 0)
  return {
    show: (counts) => {
      records = recordsIn(counts)
      bar.update(0)
    },
    follow,
    close: () => {
      bar.stop()
      release()
    },
  }
}

function lineProgress(
  stream: NodeJS.WriteStream,
  farOf: (records: number) => Far,
  every: number,
): Omit<Progress, 'follow'> {
  let next = every
  return {
    show: (counts) => {
      const far = farOf(recordsIn(counts))
      if (far.elapsed < next) return
      next = far.elapsed + every
      stream.write(`${wordsOf(far)}\n`)
    },
    close: () => undefined,
  }
}

const recordsIn = ({ created, updated, unchanged, left, failed }: Counts) =>
  created + updated + unchanged + left + failed

/** Cells of the longest bar, and of the shortest one that says anything. */
const LONGEST_BAR = 40
const SHORTEST_BAR = 8
/** The room reserved for the words, so that the bar keeps its length as they change. */
const WORDS = 56

/** One line for a terminal of this width. Parts that do not fit are left out, the bar first. */
export function describeFar(far: Far, columns: number): string {
  const words = wordsOf(far)
  const share = shareOf(far)
  // The last column stays free: some terminals begin a new line there.
  const cells = Math.min(LONGEST_BAR, columns - 1 - Math.max(WORDS, words.length) - '[] '.length)
  const full = Math.floor(cells * (share ?? 0))
  const bar = share === undefined || cells < SHORTEST_BAR ? '' : `[${'='.repeat(full)}${'-'.repeat(cells - full)}] `
  return (bar + words).slice(0, Math.max(0, columns - 1))
}

/** The share that is done, from 0 to 1; undefined while the total is unknown. */
function shareOf({ done, total }: Far): number | undefined {
  return total > 0 ? Math.min(1, done / total) : undefined
}

function wordsOf(far: Far): string {
  const { records, done, elapsed, asking } = far
  if (asking !== undefined && records + done === 0) return `asking ${asking}`
  const share = shareOf(far)
  const rate = Math.round((records * 1000) / Math.max(1, elapsed))
  return [
    share !== undefined && `${Math.floor(share * 100)} %`,
    `${records} ${records === 1 ? 'record' : 'records'}`,
    records > 0 && `${rate} a second`,
    // The time for writing the last records is not counted: they are soon written.
    share !== undefined && share > 0 && share < 1 && `${timeIn((elapsed * (1 - share)) / share)} left`,
  ]
    .filter((part) => part !== false)
    .join(', ')
}

/** A time in its two largest units. */
function timeIn(ms: number): string {
  const seconds = Math.ceil(ms / 1000)
  const [minutes, hours] = [Math.floor(seconds / 60), Math.floor(seconds / 3600)]
  if (minutes === 0) return `${seconds} s`
  return hours === 0 ? `${minutes} min ${seconds % 60} s` : `${hours} h ${minutes % 60} min`
}
