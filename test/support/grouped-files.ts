import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/**
 * Matches test files that use what a process has only once (its clock, memory, environment, signals), or that
 * wait while they are imported. Such a file gets its own process.
 */
const OF_A_PROCESS =
  /(?<!t\.)mock\.timers|setFlagsFromString|memoryUsage|globalThis\.\w+ =|delete process\.env|process\.env\.\w+ = |process\.(on|once|exit|umask|chdir)\(|^(const \S+ = |let \S+ = )?await /m

/**
 * The most files that share a process. More would save little time and make the last process of a run end
 * late.
 */
const TOGETHER = 16

/**
 * Divides test files among processes: starting the service takes longer than the tests of most files, which
 * would be 70 of 250 s of a run. Files that need or deserve a process have one.
 */
export function groupFiles(
  files: readonly string[],
  root: string,
  isSlow: (file: string) => boolean,
): string[][] {
  const { alone = [], light = [] } = Object.groupBy(files, (file) =>
    isSlow(file) || OF_A_PROCESS.test(readFileSync(join(root, file), 'utf8')) ? 'alone' : 'light',
  )
  const groups: string[][] = alone.map((file) => [file])
  for (let at = 0; at < light.length; at += TOGETHER) groups.push(light.slice(at, at + TOGETHER))
  return groups
}

/**
 * A program that runs the files one after the other, each in a suite that keeps its hooks apart. Node's test
 * runner follows every promise, timer and socket to know the test of an error that nobody catches, an eighth
 * of the processor time of a run. It needs that only until all tests are known; later such an error fails the
 * process, which fails the run.
 */
const PROGRAM = `import hooks from 'node:async_hooks'
const { createHook } = hooks
const made = []
hooks.createHook = (callbacks) => {
  const hook = createHook(callbacks)
  made.push(hook)
  return hook
}
const { describe } = await import('node:test')
let left = files.length
for (const file of files)
  describe(file, async () => {
    await import(file)
    left -= 1
    if (left === 0) for (const hook of made) hook.disable()
  })
`

/** Writes the program that runs these files with some variables of the environment. Returns its path. */
export function writeProgram(
  files: readonly string[],
  root: string,
  folder: string,
  variables: Readonly<Record<string, string>>,
): string {
  const addresses = files.map((file) => pathToFileURL(join(root, file)).href)
  const path = join(folder, `from-${files[0]?.replaceAll('/', '-')}.mjs`)
  mkdirSync(folder, { recursive: true })
  const beginning = `Object.assign(process.env, ${JSON.stringify(variables)})\nconst files = ${JSON.stringify(addresses)}\n`
  writeFileSync(path, beginning + PROGRAM)
  return path
}
