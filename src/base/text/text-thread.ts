// The worker thread that renders, sanitises and folds for `long-texts.ts`.
import { parentPort } from 'node:worker_threads'
import { type TextAnswer, type TextRequest, workText } from './long-texts.ts'

parentPort?.on('message', ({ number, wanted }: TextRequest) => {
  try {
    parentPort?.postMessage({ number, made: wanted.map(workText) } satisfies TextAnswer)
  } catch (error) {
    parentPort?.postMessage({ number, error } satisfies TextAnswer)
  }
})
