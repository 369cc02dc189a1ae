import { describe } from 'node:test'

/** Runs test files of the repository in this process, one after the other, each as a suite of its name: its hooks run before and after its own tests. */
export function runTogether(files: readonly string[]): void {
  for (const file of files)
    describe(file, async () => {
      await import(new URL(`../../${file}`, import.meta.url).href)
    })
}
