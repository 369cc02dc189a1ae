import { createServer } from 'node:http'
import type { Answer } from './service.ts'

/** The bare server: answers every request from memory with the next of the answers it was given by its parent. */
let answers: Answer[] = []
let next = 0

const server = createServer((_request, response) => {
  const answer = answers[next]
  next = next + 1 < answers.length ? next + 1 : 0
  response.writeHead(answer?.status ?? 503, answer?.headers ?? [])
  response.end(answer?.body)
})

process.on('message', (given: Answer[]) => {
  // What comes over the channel is a plain Uint8Array, and node:http is fastest with a Buffer.
  answers = given.map((answer) => ({ ...answer, body: Buffer.from(answer.body) }))
  next = 0
  process.send?.('ready')
})
process.on('disconnect', () => process.exit())
server.listen(Number(process.argv[2]), '127.0.0.1', () => process.send?.('listening'))
