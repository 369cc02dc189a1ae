import { describe } from 'node:test'

/**
 * Runs test files of the repository in this process, one after the other, each as a suite of this name: its hooks run before and after its own tests.
 * `known` is called once all of their tests are known.
 */
export function runTogether(files: Readonly<Record<string, string>>, known: () => void): void {
  let left = Object.keys(files).length
  for (const [name, file] of Object.entries(files))
    describe(name, async () => {
      await import(new URL(`../../${file}`, import.meta.url).href)
      left -= 1
      if (left === 0) known()
    })
}
