import { randomUUID } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { DATABASES, type DatabaseName } from './database.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Test files that one process runs one after the other on one database. */
export interface Batch {
  database: DatabaseName
  /** Paths within the repository. */
  files: readonly string[]
}

/**
 * Matches sources that use what a process has only once: its clock, memory, environment, signals or the time its thread works. Such a file gets its own
 * process. Measuring a single call does not count, nor does a mock of one test (`t.mock`).
 */
const OF_A_PROCESS =
  /(?<!t\.)mock\.timers|setFlagsFromString|memoryUsage|longest-turn|globalThis\.\w+ =|delete process\.env|process\.env\.\w+ = |process\.(on|once|exit|umask|chdir)\(/

/** The most files that share a process. More would save little time and make the last process of a run end late. */
const TOGETHER = 24

/** The beginnings of the paths of the slowest test files, the slowest first. */
type Longest = readonly string[]

/**
 * Divides test files among processes, sorted by when they should start, so that no core is idle at the end of a run. Slow files and files that need their own
 * process run alone. The others share processes, since starting the service takes longer than the tests of most files.
 */
export function shareOut(files: Readonly<Record<DatabaseName, readonly string[]>>, longest: Longest): Batch[] {
  const rank = ({ files: [file = '', ...more] }: Batch) => {
    const place = longest.findIndex((start) => file.startsWith(start))
    return place !== -1 ? place : longest.length + (more.length > 0 ? 0 : 1)
  }
  const batches = DATABASES.flatMap((database) =>
    groupsOf(files[database], longest).map((group) => ({ database, files: group })),
  )
  return batches.sort((one, other) => rank(one) - rank(other))
}

function groupsOf(files: readonly string[], longest: Longest): string[][] {
  const needsOwn = (file: string) =>
    longest.some((start) => file.startsWith(start)) || OF_A_PROCESS.test(readFileSync(join(root, file), 'utf8'))
  const { own = [], light = [] } = Object.groupBy(files, (file) => (needsOwn(file) ? 'own' : 'light'))
  const groups = Array.from({ length: Math.ceil(light.length / TOGETHER) }, (_, at) =>
    light.slice(at * TOGETHER, (at + 1) * TOGETHER),
  )
  return [...own.map((file) => [file]), ...groups]
}

/** The name of a test file in reports of a run on one database. */
export const nameOn = (database: DatabaseName, file: string) => `${database}: ${file}`

/** Writes the module that Node runs for a batch: it sets the environment and imports the files. Returns its path. */
export function writeEntry({ database, files }: Batch, environment: Record<string, string>, folder: string): string {
  const entry = join(folder, `${randomUUID()}.mjs`)
  const address = (name: string) => pathToFileURL(join(root, 'test/support', name)).href
  const named = Object.fromEntries(files.map((file) => [nameOn(database, file), file]))
  const lines = [
    `Object.assign(process.env, ${JSON.stringify(environment)})`,
    // light-runner.ts replaces a function of Node, so it is loaded before the test runner imports that function.
    `const { stopFollowing } = await import('${address('light-runner.ts')}')`,
    `const { runTogether } = await import('${address('run-together.ts')}')`,
    `runTogether(${JSON.stringify(named)}, stopFollowing)`,
  ]
  writeFileSync(entry, lines.map((line) => `${line}\n`).join(''))
  return entry
}
