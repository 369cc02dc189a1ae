import { type Goal, GROWTH, goalOf, isReached } from './goals.ts'
import { FULLY_BUSY, isLoadBound, type Result, type Run, reaches, type Unit } from './results.ts'

const HUNDRED_THOUSAND = 100_000

type Row = string[]

/** Writes a run as a table: one line for each result, with the figures behind the ratio. */
export function runTable(run: Run, isMarkdown: boolean): string {
  const header = [
    'Scenario',
    'Service',
    'Bare server',
    'Result',
    'Goal',
    'Reached',
    'Spread',
    'By processor time',
    'Bytes',
    'Note',
  ]
  const rows = run.results.map((result) => [
    result.title,
    figure(result.service, result.figures),
    figure(result.baseline, result.figures),
    figure(result.value, result.unit) + (isLoadBound(result) ? '†' : ''),
    describeGoal(goalOf(result.id, run.database), result.unit, run.events),
    isJudged(result.id, run) ? mark(reaches(result, run.database)) : '',
    spread(result),
    result.processorRatio === undefined || Number.isNaN(result.processorRatio)
      ? ''
      : result.processorRatio.toFixed(2),
    result.bytes ? count(result.bytes) : '',
    result.note ?? '',
  ])
  return [...heading(run), '', ...table(header, rows, isMarkdown), '', ...footnotes([run])].join('\n')
}

/**
 * Writes several runs side by side, the smallest data set first, with the growth from the smallest to the
 * largest.
 */
export function comparedTable(runs: readonly Run[], isMarkdown: boolean): string {
  const sorted = [...runs].sort((a, b) => a.events - b.events)
  const [smallest, largest] = [sorted[0], sorted.at(-1)]
  if (!smallest || !largest) return ''
  const ids = [...new Set(sorted.flatMap((run) => run.results.map(({ id }) => id)))]
  const header = [
    'Scenario',
    ...sorted.map((run) => `${count(run.events)} events`),
    'Goal',
    'Reached',
    'Growth',
  ]
  const rows = ids.map((id) => {
    const found = sorted.map((run) => run.results.find((result) => result.id === id))
    const known = found.find((result) => result !== undefined)
    const at = sorted.findIndex((run) => isJudged(id, run))
    const judged = found[at]
    const growth = growthOf(found[0], found.at(-1))
    return [
      known?.title ?? id,
      ...found.map((result) =>
        result ? figure(result.value, result.unit) + (isLoadBound(result) ? '†' : '') : '',
      ),
      known ? describeGoal(goalOf(id, largest.database), known.unit, undefined) : '',
      judged ? mark(reaches(judged, largest.database)) : '',
      growth === undefined
        ? ''
        : growth.toFixed(2) +
          (largest.events === GROWTH.events ? ` (${mark(isReached(GROWTH, growth))})` : ''),
    ]
  })
  const growth =
    `Growth: work of a read at ${count(largest.events)} events ` +
    `against ${count(smallest.events)}, goal at most ${GROWTH.most} times; search is left out.`
  return [...heading(largest), '', ...table(header, rows, isMarkdown), '', growth, ...footnotes(sorted)].join(
    '\n',
  )
}

/**
 * Returns how many times as much work a read takes in the large data set; undefined for writes and searches.
 */
function growthOf(small: Result | undefined, large: Result | undefined): number | undefined {
  if (!small || !large || small === large || small.id.startsWith('search-')) return undefined
  if (small.unit === 'ratio') return small.value / large.value
  return small.figures === 'ms' && small.service !== undefined && large.service !== undefined
    ? large.service / small.service
    : undefined
}

function heading(run: Run): string[] {
  const { machine } = run
  const bound = machine.bound
    ? 'service and bare server on one core, load on another'
    : 'processes not bound to cores'
  return [
    `${machine.processor}, ${machine.cores} cores, ${machine.memoryGb} GB, ${machine.system}, ` +
      `Node ${machine.node}; ${bound}; 4 kB durable in ${machine.flushMs.toFixed(2)} ms.`,
    `${run.date.slice(0, 10)}, ${count(run.events)} events on ${run.database}, ${run.tool} ` +
      `with ${run.connections} connections, ${run.rounds} rounds of ${run.seconds} ` +
      `s${run.listBytes ? `, list of ${count(run.listBytes)} bytes` : ''}` +
      `${run.flags.length > 0 ? `, ${run.flags.join(' ')}` : ''}.`,
  ]
}

function footnotes(runs: readonly Run[]): string[] {
  if (!runs.some((run) => run.results.some(isLoadBound))) return []
  return [
    `† The bare server used less than ${FULLY_BUSY * 100} % of its core: the load generator, ` +
      'or somebody else on the machine, set its pace. The ratio by processor time is the one to go by.',
  ]
}

/** Returns true when the goal is for runs of this size. */
function isJudged(id: string, { events, database }: Run): boolean {
  const goal = goalOf(id, database)
  return goal !== undefined && events === (goal.events ?? HUNDRED_THOUSAND)
}

const mark = (reached: boolean | undefined) => (reached === undefined ? '' : reached ? 'yes' : 'no')

function describeGoal(goal: Goal | undefined, unit: Unit, events: number | undefined): string {
  if (!goal) return ''
  const stated = goal.events ?? HUNDRED_THOUSAND
  const size =
    stated === events || (events === undefined && goal.events === undefined) ? '' : ` at ${count(stated)}`
  const by = goal.by === 'processor' ? ' by processor time' : ''
  return (
    (goal.least === undefined ? `≤ ${figure(goal.most, unit)}` : `≥ ${figure(goal.least, unit)}`) + by + size
  )
}

function spread({ rounds, value, unit }: Result): string {
  if (rounds.length < 2 || value === 0) return ''
  return `${figure(Math.min(...rounds), unit)} – ${figure(Math.max(...rounds), unit)}`
}

function figure(value: number | undefined, unit: Unit | undefined): string {
  if (value === undefined || unit === undefined) return ''
  if (Number.isNaN(value)) return '?'
  if (unit === 'ratio') return value.toFixed(2)
  if (unit === 'times') return `${value.toFixed(2)} times`
  if (unit === 'requests/s') return `${count(value)}/s`
  return `${value >= 100 ? count(value) : value.toFixed(value >= 10 ? 1 : 2)} ${unit}`
}

const count = (value: number) => Math.round(value).toLocaleString('en')

function table(header: Row, rows: readonly Row[], isMarkdown: boolean): string[] {
  const all = [header, ...rows]
  // Empty columns are left out.
  const columns = header.map((_, column) => column).filter((column) => rows.some((row) => row[column]))
  if (isMarkdown) {
    const line = (row: Row) => `| ${columns.map((column) => row[column] ?? '').join(' | ')} |`
    return [
      line(header),
      `|${columns.map((column) => (column === 0 ? '---|' : '---:|')).join('')}`,
      ...rows.map(line),
    ]
  }
  const width = (column: number) => Math.max(...all.map((row) => row[column]?.length ?? 0))
  const cell = (row: Row, column: number) =>
    column === 0 ? (row[0] ?? '').padEnd(width(0)) : (row[column] ?? '').padStart(width(column))
  return all.map((row) =>
    columns
      .map((column) => cell(row, column))
      .join('  ')
      .trimEnd(),
  )
}
