import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { Answer } from './service.ts'

/**
 * The bare server: answers each request with the next of the answers that its parent process gave it. Takes a port and a number of processes; several share the
 * port as the workers of the service do.
 */
const [port = '', processes = '1'] = process.argv.slice(2)

if (cluster.isPrimary && Number(processes) > 1) await watchOver(Number(processes))
else answer()

function answer(): void {
  let answers: Answer[] = []
  let next = 0
  const server = createServer((_request, response) => {
    const answer = answers[next]
    next = next + 1 < answers.length ? next + 1 : 0
    response.writeHead(answer?.status ?? 503, answer?.headers ?? [])
    response.end(answer?.body)
  })
  process.on('message', (given: Answer[]) => {
    // The channel turns Buffers into plain Uint8Arrays, but `node:http` is fastest with Buffers.
    answers = given.map((answer) => ({ ...answer, body: Buffer.from(answer.body) }))
    next = 0
    process.send?.('ready')
  })
  process.on('disconnect', () => process.exit())
  server.listen(Number(port), '127.0.0.1', () => process.send?.('listening'))
}

async function watchOver(howMany: number): Promise<void> {
  cluster.setupPrimary({ serialization: 'advanced' })
  const workers: Worker[] = []
  for (let i = 0; i < howMany; i++) {
    const worker = cluster.fork()
    await once(worker, 'message')
    workers.push(worker)
  }
  process.on('message', async (given: Answer[]) => {
    await Promise.all(
      workers.map(async (worker) => {
        const ready = once(worker, 'message')
        worker.send(given)
        await ready
      }),
    )
    process.send?.('ready')
  })
  process.on('disconnect', () => process.exit())
  process.send?.('listening')
}
