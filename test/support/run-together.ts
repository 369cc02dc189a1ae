import { after, before, describe } from 'node:test'
import { processorSeconds } from './processor-time.ts'

/**
 * Runs test files of the repository in this process, one after the other, each as a suite of this name: its hooks run before and after its own tests.
 * Each says at its end how much processor time its tests took; to import them, which files do together, is not counted. `known` is called once all of their tests are known.
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
