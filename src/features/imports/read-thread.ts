// Worker thread that reads a file while the main thread writes. Grants keep it from getting far ahead.
import { on } from 'node:events'
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { fileSource, type ReadGrant, type ReadTask, type ThreadAnswer } from './file-source.ts'
import { messageIn } from './import-messages.ts'
import { asAsked, lookAhead, type SourceEntry } from './source-item.ts'

const AT_ONCE = 250
/** Bytes of the file after which a batch ends. */
const MOST_BYTES = 4_000_000

if (parentPort) void answerReads(parentPort, workerData)

async function answerReads(port: MessagePort, task: ReadTask): Promise<void> {
  const tell = (answer: ThreadAnswer) => port.postMessage(answer)
  tell('started')
  try {
    await readOn(port, task, tell)
  } catch (error) {
    tell({ failure: messageIn(error) })
  }
}

async function readOn(
  port: MessagePort,
  { file, reading: { context, ...wanted } }: ReadTask,
  tell: (answer: ThreadAnswer) => void,
): Promise<void> {
  const grants = grantsOf(port)
  const source = await fileSource(file)
  let { expectsNew, passOver } = await grants()
  let entries: SourceEntry[] = []
  let from = 0
  for await (const entry of source.entries({ context, ...wanted, expectsNew: () => expectsNew })) {
    if (passOver-- > 0) continue
    const seen = 'kind' in entry ? lookAhead(asAsked(entry, wanted), context, expectsNew) : entry
    entries.push(seen)
    if (entries.length < AT_ONCE && source.progress() - from < MOST_BYTES) continue
    tell({ entries, read: source.progress(), isLast: false })
    entries = []
    from = source.progress()
    expectsNew = (await grants()).expectsNew
  }
  tell({ entries, read: source.progress(), isLast: true })
}

function grantsOf(port: MessagePort): () => Promise<ReadGrant> {
  const messages: AsyncIterator<ReadGrant[]> = on(port, 'message')
  return async () => {
    const { value } = await messages.next()
    return value?.[0] ?? { expectsNew: false, passOver: 0 }
  }
}
