import { after, before, describe } from 'node:test'
import { processorSeconds } from './processor-time.ts'

/**
 * Runs test files one after the other in this process, each as a suite with its name and its own hooks. Each suite reports the processor time of its tests,
 * without that of importing them. Calls `known` once all tests are registered.
 */
export function runTogether(files: Readonly<Record<string, string>>, known: () => void): void {
  let left = Object.keys(files).length
  for (const [name, file] of Object.entries(files))
    describe(name, async () => {
      let spent = 0
      before(() => {
        spent -= processorSeconds()
      })
      await import(new URL(`../../${file}`, import.meta.url).href)
      after((suite) => suite?.diagnostic(`${(spent + processorSeconds()).toFixed(1)} s of processor time`))
      left -= 1
      if (left === 0) known()
    })
}
