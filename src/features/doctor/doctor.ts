import { type Config, settingTable } from '../../base/config.ts'
import { messageOf } from '../../base/errors.ts'
import { type Finding, failing, ok, warning } from '../../base/finding.ts'
import type { Feature } from '../../feature.ts'
import { checkDatabase } from './database-checks.ts'
import { checkFolders } from './folder-checks.ts'
import { checkClock, checkNetwork } from './network-checks.ts'

/**
 * Examines everything; changes nothing. If `read` throws, each line of the error is a finding, and nothing
 * else is examined.
 * @param now in ms
 */
export async function examine(
  read: () => Config,
  now: number,
  features: readonly Feature[],
): Promise<Finding[]> {
  let config: Config
  try {
    config = read()
  } catch (error) {
    const todo = 'Mend the setting; kalends serve --help lists them all.'
    return messageOf(error)
      .split('\n')
      .map((line) => failing('configuration', line, todo))
  }
  const database = await checkDatabase(config, now, features)
  const ofFeatures = (
    await Promise.all(features.map(async ({ checks }) => (await checks?.(config)) ?? []))
  ).flat()
  const folders = await checkFolders(config, database.examined?.images, ofFeatures)
  const network = await checkNetwork(config, database.examined?.edition ?? '')
  return [
    ok('configuration', `${Object.keys(settingTable(features)).length} settings can be read.`),
    checkUser(),
    ...database.findings,
    ...folders,
    ...network.findings,
    checkClock(now, database.examined, network.clock),
  ]
}

function checkUser(): Finding {
  const isRoot = process.getuid?.() === 0
  return isRoot
    ? warning('user', 'This runs as root.', 'Run the service and its commands as a user of their own.')
    : ok('user', 'This runs as an ordinary user.')
}

/** Puts remedies below their findings, the numbers of errors and warnings last. */
export function describeFindings(findings: readonly Finding[]): string[] {
  const width = findings.reduce((widest, { about }) => Math.max(widest, about.length), 0)
  const lines = findings.flatMap(({ about, state, says, todo }) => {
    const line = `${state.padEnd('warning'.length)}  ${about.padEnd(width)}  ${says}`
    return todo === undefined ? [line] : [line, `${' '.repeat('warning'.length + width + 4)}→ ${todo}`]
  })
  const count = (state: Finding['state']) => {
    const { length } = findings.filter((finding) => finding.state === state)
    return `${length} ${state}${length === 1 ? '' : 's'}`
  }
  return [...lines, `${count('error')}, ${count('warning')}.`]
}
