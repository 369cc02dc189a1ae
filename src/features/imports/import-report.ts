import type { Site } from '../../base/config.ts'
import { oneLine, stopOnSignal, table } from '../../base/run-command.ts'
import { readStates } from '../../calendar/history/record-states.ts'
import type { Db } from '../../store/storage/database.ts'
import { englishMessage, type Message, message } from './import-messages.ts'
import type { Counts, Remark, VisibleCounts } from './import-run.ts'
import { ABOVE_ALL, getRun, type ListedRun, listActs } from './import-store.ts'
import { type ImportText, sayImport } from './import-texts.ts'
import type { Source } from './source-item.ts'

/** At most this many remarks of a kind are shown; further ones are counted. */
const MOST_LINES = 200

export type Headings = Readonly<Partial<Record<Remark['kind'], string>>>

export const IMPORT_HEADINGS: Headings = {
  failed: 'Not in:',
  note: 'In, but not whole:',
  kept: 'Left as it is here:',
  private: 'Left out, since the source has it as private:',
  missing: 'Gone from the source:',
  unread: 'Not read:',
}

export type Remarks = Map<Remark['kind'], { first: Remark[]; count: number }>

export function noteRemark(remarks: Remarks, remark: Remark): void {
  const own = remarks.get(remark.kind) ?? { first: [], count: 0 }
  remarks.set(remark.kind, own)
  own.count += 1
  if (own.first.length < MOST_LINES) own.first.push(remark)
}

export function describeRemarks(remarks: Remarks, headings: Headings): string[] {
  return (['missing', 'private', 'kept', 'unread', 'note', 'failed'] as const).flatMap((kind) => {
    const own = remarks.get(kind)
    if (!own) return []
    const more = own.count > MOST_LINES ? [`  … and ${own.count - MOST_LINES} more`] : []
    return [
      headings[kind] ?? '',
      ...own.first.map(
        ({ at, text, operator }) => `  ${oneLine(`${at}: ${operator ?? englishMessage(text)}`)}`,
      ),
      ...more,
    ]
  })
}

const KIND_WORDS = [
  ['event', 'event', 'events'],
  ['series', 'series', 'series'],
  ['venue', 'venue', 'venues'],
  ['organizer', 'organizer', 'organizers'],
  ['category', 'category', 'categories'],
  ['tag', 'tag', 'tags'],
] as const

export function describeMade({ made = {} }: Counts, run: number | undefined): string[] {
  const parts = KIND_WORDS.flatMap(([kind, one, several]) => {
    const count = made[kind] ?? 0
    return count === 0 ? [] : [`${count} ${count === 1 ? one : several}`]
  })
  return parts.length === 0 ? [] : [`${run === undefined ? 'Would make' : 'Made'}: ${parts.join(', ')}.`]
}

export function describePreview(site: Pick<Site, 'language'>, preview: readonly string[]): string[] {
  if (preview.length === 0) return []
  return [
    sayImport(site, 'The first events, as pages would show them:'),
    ...preview.map((line) => `  ${oneLine(line)}`),
  ]
}

export function describeVisible(
  site: Pick<Site, 'language'>,
  visible: VisibleCounts,
  run: number | undefined,
): string[] {
  const { coming, past, private: hidden, waiting } = visible
  if (coming + past + hidden + waiting === 0) return []
  const text: ImportText =
    run === undefined
      ? 'Of what was read visitors would see: {coming} coming, {past} past; and not: {hidden} private, \
{waiting} draft, pending or scheduled.'
      : 'Of this source visitors see: {coming} coming, {past} past; and not: {hidden} private, {waiting} \
draft, pending or scheduled.'
  const numbers = { coming, past, hidden, waiting }
  return [
    sayImport(
      site,
      text,
      Object.fromEntries(Object.entries(numbers).map(([name, number]) => [name, String(number)])),
    ),
  ]
}

export function describeCounts({ made: _made, ...counts }: Counts, run: number | undefined): Message {
  const numbers = Object.entries(counts).map(([name, count]) => [name, String(count)])
  const values = { ...Object.fromEntries(numbers), run: `${run}` }
  return [
    message(run === undefined ? 'A run would have:' : 'Run {run}:', values),
    message('{created} made, {updated} changed, {unchanged} unchanged,', values),
    message('{left} left as they are here, {trashed} moved to the trash, {failed} not in.', values),
    ...(run === undefined ? [message('Nothing was written.')] : []),
  ]
}

export function describeRuns(runs: readonly ListedRun[]): string[] {
  if (runs.length === 0) return ['Nothing has been imported yet.']
  const rows = runs.map(({ id, started_utc, ended_utc, state, counts, address }) => {
    const {
      created = 0,
      updated = 0,
      trashed = 0,
      left = 0,
      failed = 0,
    }: Partial<Counts> = JSON.parse(counts)
    const figures = [created, updated, trashed, left, failed].map(String)
    return [
      String(id),
      started_utc,
      ended_utc || '-',
      state === 'running' ? 'running or cut off' : state,
      ...figures,
      address,
    ]
  })
  return [
    table([
      [
        'RUN',
        'STARTED (UTC)',
        'ENDED (UTC)',
        'STATE',
        'MADE',
        'CHANGED',
        'TRASHED',
        'LEFT',
        'NOT IN',
        'SOURCE',
      ],
      ...rows,
    ]),
  ]
}

/** @throws Error when there is no such run */
export async function describeRun(db: Db, id: number): Promise<string[]> {
  const run = await getRun(db, id)
  const trashed: string[] = []
  for (const kind of ['series', 'event'] as const) {
    for (let below = ABOVE_ALL; trashed.length <= MOST_LINES; ) {
      const acts = await listActs(db, id, kind, below, MOST_LINES)
      const last = acts.at(-1)
      if (!last) break
      below = last.record
      const gone = acts.filter(({ action }) => action === 'trash')
      const records = gone.map(({ record }) => record)
      const states = await readStates(db, kind, records)
      for (const record of records) {
        const { title = '(deleted since)', start_date = '' } = states.get(record) ?? {}
        trashed.push(`  ${oneLine(`${kind} ${record}: ${String(title)}, ${String(start_date)}`)}`)
      }
    }
  }
  if (trashed.length === 0)
    return [
      ...describeRuns([run]),
      run.state === 'undone' ? 'It was undone.' : 'It moved nothing to the trash.',
    ]
  const more = trashed.length > MOST_LINES ? ['  … and more'] : []
  return [...describeRuns([run]), 'Moved to the trash:', ...trashed.slice(0, MOST_LINES), ...more]
}

export interface Progress {
  show: (counts: Counts) => void
  follow: (source: Followed) => void
  close: () => void
}

type Followed = Pick<Source, 'total' | 'progress'> & { asking?: string | undefined }

interface Far {
  records: number
  done: number
  total: number
  /** In ms. */
  elapsed: number
  asking?: string | undefined
}

const LINE_EVERY_MS = 30_000

/** Shows progress: on a terminal a bar with rate and remaining time, elsewhere a line every half minute. */
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
  const { default: progress } = await import('cli-progress')
  let records = 0
  const format = () => describeFar(farOf(records), stream.columns)
  const bar = new progress.SingleBar({ format, stream, hideCursor: true, gracefulExit: false })
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

const LONGEST_BAR = 40
const SHORTEST_BAR = 8
const WORDS = 56

/**
 * Returns a progress bar with words, in fewer than `columns` characters: without the bar, or cut, if need be.
 */
export function describeFar(far: Far, columns: number): string {
  const words = wordsOf(far)
  const share = shareOf(far)
  // The last column stays empty: some terminals begin a new line after it.
  const cells = Math.min(LONGEST_BAR, columns - 1 - Math.max(WORDS, words.length) - '[] '.length)
  const full = Math.floor(cells * (share ?? 0))
  const bar =
    share === undefined || cells < SHORTEST_BAR ? '' : `[${'='.repeat(full)}${'-'.repeat(cells - full)}] `
  return (bar + words).slice(0, Math.max(0, columns - 1))
}

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
    // No time at 100 %: the last records are written quickly.
    share !== undefined && share > 0 && share < 1 && `${timeIn((elapsed * (1 - share)) / share)} left`,
  ]
    .filter((part) => part !== false)
    .join(', ')
}

function timeIn(ms: number): string {
  const seconds = Math.ceil(ms / 1000)
  const [minutes, hours] = [Math.floor(seconds / 60), Math.floor(seconds / 3600)]
  if (minutes === 0) return `${seconds} s`
  return hours === 0 ? `${minutes} min ${seconds % 60} s` : `${hours} h ${minutes % 60} min`
}
