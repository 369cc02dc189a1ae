import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Test files that one process runs, one after the other. */
export interface Batch {
  /** The path of what Node runs: the test file itself, or a module that imports several. */
  entry: string
  /** Within the repository. */
  files: readonly string[]
}

/**
 * Names of what a process has once: its clock, its memory and how long its thread works, what it was given to start with. A file that uses any of
 * it has a process of its own.
 */
const OF_A_PROCESS =
  /mock\.(timers|method)|setFlagsFromString|memoryUsage|[cC]puUsage|longest-turn|globalThis\.\w+ =|delete process\.env|process\.env\.\w+ = |diagnostics_channel|process\.(on|once|exit|umask|chdir)\(/

/** Files that share a process. More of them save little, and are long to wait for at the end. */
const TOGETHER = 8

/** A process for each file. */
export const oneByOne = (files: readonly string[]): Batch[] =>
  files.map((file) => ({ entry: join(root, file), files: [file] }))

/**
 * Shares files out among processes, in the order in which they are to begin: a process for each that is long or needs its own, and one for several of the
 * others, since starting the service takes longer than the tests of most files.
 */
export function shareOut(files: readonly string[], isLong: (file: string) => boolean, folder: string): Batch[] {
  const long = files.filter(isLong)
  const others = files.filter((file) => !isLong(file))
  const needsOwn = new Set(others.filter((file) => OF_A_PROCESS.test(readFileSync(join(root, file), 'utf8'))))
  const light = others.filter((file) => !needsOwn.has(file))
  const batches = Array.from({ length: Math.ceil(light.length / TOGETHER) }, (_, at) =>
    makeBatch(light.slice(at * TOGETHER, (at + 1) * TOGETHER), join(folder, `batch-${at + 1}.mjs`)),
  )
  return [...oneByOne(long), ...oneByOne([...needsOwn]), ...batches]
}

function makeBatch(files: readonly string[], entry: string): Batch {
  const module = pathToFileURL(join(root, 'test/support/run-together.ts')).href
  writeFileSync(entry, `import { runTogether } from '${module}'\nrunTogether(${JSON.stringify(files)})\n`)
  return { entry, files }
}
