import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { DatabaseName } from './database.ts'

export type Kind = 'each-once' | 'all' | 'rest' | 'measure'

type Paths = readonly string[]

const ON_BOTH: Paths = (
  'test/api test/campaigns/crash test/campaigns/mail test/desk/duplicates test/desk/event-list ' +
  'test/desk/import-room test/desk/inbox test/desk/people test/desk/pictures test/desk/search ' +
  'test/desk/zone-change test/fuzz test/import test/mail/ test/openid-connect/openid-people ' +
  'test/pages/directories test/pages/more-events test/people test/push test/storage ' +
  'test/submissions/editors test/submissions/submission-races'
).split(' ')

const ON_POSTGRES: Paths = (
  'test/api/filter-rows test/api/if-match test/api/rights-races test/api/search test/api/sent-again ' +
  'test/api/series-model test/api/words test/desk/event-list-series test/import/import-together ' +
  'test/mail/outbox test/storage/changes test/storage/find-matching test/storage/late-commits ' +
  'test/storage/locked test/storage/migrate test/storage/nodes test/storage/order test/storage/outage ' +
  'test/storage/pgbouncer test/storage/postgres test/storage/query-plans test/storage/statement ' +
  'test/storage/writes test/submissions/submission-races'
).split(' ')

/** Races of several connections: on SQLite, where one writes at a time, `npm run test:rest` runs them. */
const NOT_ON_SQLITE: Paths = [
  'test/api/rights-races',
  'test/import/import-together',
  'test/storage/nodes',
  'test/submissions/submission-races',
]

const LONG: Paths = (
  'test/api/compressed test/api/demo test/api/languages test/api/openapi-client test/api/overload ' +
  'test/api/processes test/campaigns/backup test/campaigns/desk-tasks test/campaigns/disk ' +
  'test/campaigns/formats test/campaigns/mail test/campaigns/overload test/campaigns/restarts ' +
  'test/campaigns/round-trip test/campaigns/steps test/campaigns/visitor-tasks ' +
  'test/client/client-package test/client/client-round test/desk/event-form-browser ' +
  'test/desk/event-form-values test/desk/event-list-browser test/desk/flows test/desk/interrupted ' +
  'test/desk/screens test/fuzz test/house/build test/house/packag test/house/recipes ' +
  'test/http/assistant-clients test/import/import-zones test/mail/address-secrecy ' +
  'test/mail/subscribe-browser test/openid-connect/openid-browser test/openid-connect/openid-waiting ' +
  'test/pages/browser test/pages/every-address test/pages/layout test/pages/views-flow ' +
  'test/media/image-queue test/pages/interrupted test/push test/recurrence/library test/storage/backup ' +
  'test/submissions/suggest-browser'
).split(' ')

/** Files that go through all of their tables in `npm run test:rest`, and through a part in `npm test`. */
const IN_PART: Paths = [
  'test/campaigns/crash',
  'test/commands/refused-starts',
  'test/house/deploy',
  'test/icalendar/zone-rules',
  'test/pages/event-page',
  'test/storage/recorded-changes',
]

/** The slowest files start first, so that no core is idle at the end. */
const SLOWEST: Paths = (
  'test/house/recipes test/desk/screens test/pages/browser test/storage/backup test/campaigns/ ' +
  'test/fuzz/ test/api/intake test/api/ndjson test/api/processes test/api/stopping test/api/tokens ' +
  'test/api/watching test/api/webhooks test/commands/command-line test/desk/bulk test/desk/event-form. ' +
  'test/desk/sign-in test/mail/subscriptions test/push test/storage/locked test/storage/outage ' +
  'test/storage/postgres'
).split(' ')

const isUnder = (file: string, paths: Paths) => paths.some((path) => file.startsWith(path))

const isOnce = (file: string, database: DatabaseName) =>
  database === 'postgres' ? isUnder(file, ON_POSTGRES) : !isUnder(file, NOT_ON_SQLITE)

export const isSlow = (file: string) => isUnder(file, SLOWEST)

/**
 * The test files that name a feature in their path, import from its folder, or ask for the address of its
 * name.
 * @throws Error with one sentence for none
 */
export function filesOfFeature(root: string, feature: string): string[] {
  const inPath = new RegExp(`[/-]${feature.replace(/s$/, '')}`)
  const [imports, address] = [`/src/features/${feature}/`, new RegExp(`['\`~}]/${feature}['\`?]`)]
  const files = globSync('test/**/*.test.ts', { cwd: root }).filter((file) => {
    const text = readFileSync(join(root, file), 'utf8')
    return inPath.test(file) || text.includes(imports) || address.test(text)
  })
  if (files.length === 0) throw new Error(`No test names the feature ${feature}.`)
  return files
}

export function selectFiles(
  kind: Kind,
  root: string,
  patterns: readonly string[],
): Record<DatabaseName, string[]> {
  const found = globSync(kind === 'measure' ? 'test/**/*.measure.ts' : 'test/**/*.test.ts', {
    cwd: root,
  }).sort()
  const files = found
    .filter((file) => patterns.length === 0 || patterns.some((pattern) => file.includes(pattern)))
    .sort((a, b) => Number(isSlow(b)) - Number(isSlow(a)))
  const isOn = (file: string, database: DatabaseName) => {
    const isEver = database === 'sqlite' || (kind !== 'measure' && isUnder(file, ON_BOTH))
    const isQuick = !isUnder(file, LONG) && isOnce(file, database)
    // Who names files wants them, whether they take long or not.
    if (kind === 'each-once' && patterns.length === 0) return isEver && isQuick
    return isEver && !(kind === 'rest' && isQuick && !isUnder(file, IN_PART))
  }
  const on = (database: DatabaseName) => files.filter((file) => isOn(file, database))
  return { sqlite: on('sqlite'), postgres: on('postgres') }
}
