import { createServer } from 'node:http'
import type { Answer } from './service.ts'

// The bare server: answers each request with the next of the answers that its parent process gave it. Takes a
// port.

const [port = ''] = process.argv.slice(2)
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
