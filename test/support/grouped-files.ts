import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** What stays changed in a process, or tells what has been loaded in it. */
const OF_A_PROCESS =
  /^mock\.timers|setFlagsFromString|memoryUsage|createRequire|^process\.|process\.(exit|umask|chdir)\(/m

/**
 * Divides test files among processes: starting the service takes longer than the tests of most files, which
 * would be 70 of 250 s of a run. Files that need or deserve a process have one.
 */
export function groupFiles(
  files: readonly string[],
  root: string,
  most: { isSlow: (file: string) => boolean; slow: number; light: number },
): string[][] {
  const {
    alone = [],
    slow = [],
    light = [],
  } = Object.groupBy(files, (file) => {
    if (OF_A_PROCESS.test(readFileSync(join(root, file), 'utf8'))) return 'alone'
    return most.isSlow(file) ? 'slow' : 'light'
  })
  const groups: string[][] = alone.map((file) => [file])
  for (let at = 0; at < slow.length; at += most.slow) groups.push(slow.slice(at, at + most.slow))
  for (let at = 0; at < light.length; at += most.light) groups.push(light.slice(at, at + most.light))
  return groups
}

/** The most time of a process, in ms: only one that hangs takes so long. */
const LIMIT_MS = 1_200_000

// A thread ends the process, since one in an endless loop, or whose tests wait, obeys no signal but this.
const PROGRAM = `import hooks from 'node:async_hooks'
import { Worker } from 'node:worker_threads'
new Worker(\`setTimeout(() => process.kill(process.pid, 'SIGKILL'), \${limitMs})\`, { eval: true }).unref()
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

export function writeProgram(
  files: readonly string[],
  root: string,
  folder: string,
  variables: Readonly<Record<string, string>>,
  limitMs = LIMIT_MS,
): string {
  const addresses = files.map((file) => pathToFileURL(join(root, file)).href)
  const path = join(folder, `from-${files[0]?.replaceAll('/', '-')}.mjs`)
  mkdirSync(folder, { recursive: true })
  const beginning =
    `Object.assign(process.env, ${JSON.stringify(variables)})\nconst ` +
    `files = ${JSON.stringify(addresses)}\nconst limitMs = ${limitMs}\n`
  writeFileSync(path, beginning + PROGRAM)
  return path
}
