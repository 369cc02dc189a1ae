import { randomUUID } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { DATABASES, type DatabaseName } from './database.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Test files that one process runs on one database, one after the other. */
export interface Batch {
  database: DatabaseName
  /** Within the repository. */
  files: readonly string[]
}

/**
 * Names of what a process has once: its clock, its memory and how long its thread works, what it was given to start with. A file that uses any of
 * it has a process of its own. The time that a call of one's own takes is not among it, nor what a test replaces for itself alone.
 */
const OF_A_PROCESS =
  /(?<!t\.)mock\.timers|setFlagsFromString|memoryUsage|longest-turn|globalThis\.\w+ =|delete process\.env|process\.env\.\w+ = |process\.(on|once|exit|umask|chdir)\(/

/** Files that share a process. More of them save little, and are long to wait for at the end. */
const TOGETHER = 24

/** What takes longest, by the beginnings of paths, the longest first. */
type Longest = readonly string[]

/**
 * Shares files out among processes, in the order in which they are to begin, so that no core is left without work at the end: a process for each that is
 * long, one for several of the others, since starting the service takes longer than the tests of most files, and one for each that needs its own.
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

/** What a file is called where it runs on one database. */
export const nameOn = (database: DatabaseName, file: string) => `${database}: ${file}`

/** Writes the module that Node runs: it has the environment of the database, and imports the files. Its path. */
export function writeEntry({ database, files }: Batch, environment: Record<string, string>, folder: string): string {
  const entry = join(folder, `${randomUUID()}.mjs`)
  const address = (name: string) => pathToFileURL(join(root, 'test/support', name)).href
  const named = Object.fromEntries(files.map((file) => [nameOn(database, file), file]))
  const lines = [
    `Object.assign(process.env, ${JSON.stringify(environment)})`,
    // The runner of tests has to find what this changes when it is first imported.
    `const { stopFollowing } = await import('${address('light-runner.ts')}')`,
    `const { runTogether } = await import('${address('run-together.ts')}')`,
    `runTogether(${JSON.stringify(named)}, stopFollowing)`,
  ]
  writeFileSync(entry, lines.map((line) => `${line}\n`).join(''))
  return entry
}
