import { type CrashFigures, killed } from './crash-campaign.ts'

export function progressLine(figures: CrashFigures): string {
  const { setting, acknowledged, records, problems } = figures
  const seconds = Math.round(figures.seconds)
  return (
    `${setting}: ${killed(figures)} kills, ${acknowledged} writes ` +
    `acknowledged, ${records} records, ${problems.length} problems, ${seconds} s`
  )
}

export function crashTable(all: readonly CrashFigures[]): string {
  const head = (
    'Setting|Seed|Kills|Acknowledged writes|Lost or wrong|Unanswered: done / not done|Answered 503|' +
    'Records|Checks: quick / whole|Longest restart|Time'
  ).split('|')
  const rows = all.map((figures) => [
    figures.setting,
    String(figures.seed),
    `${killed(figures)} (${[...figures.kills].map(([what, count]) => `${count} ${what}`).join(', ')})`,
    String(figures.acknowledged),
    String(figures.problems.length),
    `${figures.unansweredDone} / ${figures.unansweredUndone}`,
    String(figures.unavailable),
    String(figures.records),
    `${figures.checks.quick} / ${figures.checks.thorough}`,
    `${(figures.longestRestoreMs / 1000).toFixed(1)} s`,
    `${Math.round(figures.seconds)} s`,
  ])
  return markdownTable(head, rows)
}

export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)),
  )
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |`
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n')
}
