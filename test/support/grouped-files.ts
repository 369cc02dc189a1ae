import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/**
 * Matches test files that use what a process has only once (its clock, memory, environment, signals), or that wait while they are
 * imported. Such a file gets its own process.
 */
const OF_A_PROCESS =
  /(?<!t\.)mock\.timers|setFlagsFromString|memoryUsage|globalThis\.\w+ =|delete process\.env|process\.env\.\w+ = |process\.(on|once|exit|umask|chdir)\(|^(const \S+ = |let \S+ = )?await /m

/** The most files that share a process. More would save little time and make the last process of a run end late. */
const TOGETHER = 16

/**
 * Divides test files among processes: starting the service takes longer than the tests of most files, which would be 70 of 250 s
 * of a run. Files that need or deserve a process have one.
 */
export function groupFiles(files: readonly string[], root: string, isSlow: (file: string) => boolean): string[][] {
  const { alone = [], light = [] } = Object.groupBy(files, (file) =>
    isSlow(file) || OF_A_PROCESS.test(readFileSync(join(root, file), 'utf8')) ? 'alone' : 'light',
  )
  const groups: string[][] = alone.map((file) => [file])
  for (let at = 0; at < light.length; at += TOGETHER) groups.push(light.slice(at, at + TOGETHER))
  return groups
}

/**
 * Writes the program that runs these files one after the other, each in a suite that keeps its hooks apart. Returns its path.
 * A single file is its own program.
 */
export function writeProgram(files: readonly string[], root: string, folder: string): string {
  const [first = '', ...others] = files
  if (others.length === 0) return join(root, first)
  const addresses = files.map((file) => pathToFileURL(join(root, file)).href)
  const path = join(folder, `from-${first.replaceAll('/', '-')}.mjs`)
  writeFileSync(
    path,
    `import { describe } from 'node:test'
for (const file of ${JSON.stringify(addresses)}) describe(file, async () => { await import(file) })
`,
  )
  return path
}
