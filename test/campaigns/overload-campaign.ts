import { markdownTable } from './crash-report.ts'
import { type GroundOptions, openGround } from './overload-ground.ts'
import {
  halfOpenUploads,
  idleConnections,
  measureNormal,
  type Outcome,
  rush,
  searchesOnly,
  slowBodies,
  slowHeads,
  slowReaders,
} from './overload-scenarios.ts'

export const SCENARIOS = {
  rush,
  searches: searchesOnly,
  idle: idleConnections,
  'slow-heads': slowHeads,
  'slow-bodies': slowBodies,
  'slow-readers': slowReaders,
  uploads: halfOpenUploads,
}
export type ScenarioName = keyof typeof SCENARIOS

export async function runOverloadCampaign(
  options: GroundOptions,
  only: readonly ScenarioName[],
): Promise<Outcome[]> {
  const { close, ...ground } = await openGround(options)
  try {
    const normalP99 = await measureNormal(ground)
    const outcomes: Outcome[] = []
    for (const name of only) outcomes.push(await SCENARIOS[name]({ ...ground, normalP99 }))
    return outcomes
  } finally {
    await close()
  }
}

const COLUMNS = (
  'served alone|sent|accepted|p99 of accepted|shed|unanswered|never sent|held|closed by the service|' +
  'answered|worst of /healthz|p99 of a hot list|memory|back to normal|generator|machine'
).split('|')

export function overloadReport(outcomes: readonly Outcome[]): string {
  const isLoad = ({ figures }: Outcome) => figures.sent !== undefined
  const tables = [outcomes.filter(isLoad), outcomes.filter((outcome) => !isLoad(outcome))].map(outcomeTable)
  const details = outcomes.flatMap(({ title, figures, problems }) => [
    ...(figures['by kind'] ? [`${title}: ${figures['by kind']}`] : []),
    ...problems.map((problem) => `NOT AS PROMISED: ${title}: ${problem}`),
  ])
  return [...tables.filter(Boolean), details.join('\n')].join('\n\n')
}

function outcomeTable(outcomes: readonly Outcome[]): string {
  if (outcomes.length === 0) return ''
  const columns = COLUMNS.filter((name) => outcomes.some(({ figures }) => figures[name]))
  const rows = outcomes.map(({ title, figures, problems }) => [
    title,
    ...columns.map((name) => figures[name] ?? ''),
    problems.length === 0 ? 'yes' : 'NO',
  ])
  return markdownTable(['scenario', ...columns, 'as promised'], rows)
}
