import type { Counts } from './import-run.ts'
import type { Source } from './source-item.ts'

/** Shows how far an import or a push has come. */
export interface Progress {
  show: (counts: Counts) => void
  close: () => void
}

/** A bar with rate and time left on a terminal, nothing elsewhere. */
export async function openProgress(source: Pick<Source, 'total' | 'progress'>): Promise<Progress> {
  if (!process.stderr.isTTY) return { show: () => undefined, close: () => undefined }
  const { SingleBar } = await import('cli-progress')
  const bar = new SingleBar({
    format: '[{bar}] {percentage} % {records} records, {rate} a second, {eta_formatted} left',
    stream: process.stderr,
    hideCursor: true,
  })
  const since = performance.now()
  bar.start(source.total(), 0, { records: 0, rate: 0 })
  return {
    show: ({ created, updated, unchanged, left, failed }) => {
      const records = created + updated + unchanged + left + failed
      const rate = Math.round((records * 1000) / Math.max(1, performance.now() - since))
      bar.setTotal(source.total())
      bar.update(source.progress(), { records, rate })
    },
    close: () => bar.stop(),
  }
}
