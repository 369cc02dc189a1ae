import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Hold, HoldFigures, HoldOrder } from './held-connections.ts'

// A process that opens connections and misuses them.

const figures: HoldFigures = {
  opened: 0,
  refused: 0,
  closed: 0,
  answers: {},
  firstClosedMs: 0,
  lastClosedMs: 0,
}
const BATCH = 100
const TRICKLE_MS = 1000
const UPLOAD_BYTES = 18_000_000
const ALMOST_ALL = Buffer.alloc(UPLOAD_BYTES - 1, 1)
const BODY_BYTES = 1_000_000
const ASKED_AHEAD = 100

const quiet = new Set<Socket>()

process.on('message', (message: HoldOrder | 'look' | 'read') => {
  if (message === 'look') process.send?.(figures)
  else if (message === 'read') readAtLast().then(() => process.send?.(figures))
  else openAll(message).then(() => process.send?.(figures))
})

async function openAll(order: HoldOrder): Promise<void> {
  const sockets: Promise<void>[] = []
  for (let made = 0; made < order.connections; made++) {
    sockets.push(open(order))
    // In batches, since the queue for new connections is short.
    if (made % BATCH === BATCH - 1) await Promise.all(sockets.splice(0))
  }
  await Promise.all(sockets)
}

function open(order: HoldOrder): Promise<void> {
  const began = performance.now()
  return new Promise((resolve) => {
    let isOpen = false
    const socket = connect({ host: '127.0.0.1', port: order.port }, () => {
      isOpen = true
      figures.opened += 1
      hold(socket, order)
      resolve()
    })
    socket.on('error', () => undefined)
    socket.once('close', () => {
      if (isOpen) noteClose(performance.now() - began)
      else figures.refused += 1
      resolve()
    })
  })
}

function noteClose(ms: number): void {
  figures.closed += 1
  figures.firstClosedMs ||= ms
  figures.lastClosedMs = ms
}

const behaviours: Readonly<Record<Hold, (socket: Socket, order: HoldOrder) => void>> = {
  idle: (socket) => noteAnswers(socket),
  'slow heads': (socket, { longPath }) => {
    noteAnswers(socket)
    trickle(socket, `GET ${longPath} HTTP/1.1\r\nHost: localhost\r\nX-Slow: ${'a'.repeat(5000)}`)
  },
  'slow bodies': (socket, { longPath, authorization }) => {
    noteAnswers(socket)
    const [path = ''] = longPath.split('?')
    socket.write(headOf('POST', path, authorization, 'application/json', BODY_BYTES))
    trickle(socket, `{"title": "${'a'.repeat(5000)}`)
  },
  // The answers fill the buffers of the system, and nobody reads them.
  'slow readers': (socket, { longPath, patienceMs }) => {
    socket.pause()
    quiet.add(socket)
    socket.once('close', () => quiet.delete(socket))
    for (let asked = 0; asked < ASKED_AHEAD; asked++)
      socket.write(`GET ${longPath} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
    // A paused socket notices its end only when it writes, so it writes rarely.
    setInterval(() => socket.write('\r\n'), 1.5 * patienceMs).unref()
  },
  'half-open uploads': (socket, { root, authorization }) => {
    noteAnswers(socket)
    socket.write(headOf('POST', `${root}/wp/v2/media`, authorization, 'image/png', UPLOAD_BYTES))
    socket.write(ALMOST_ALL)
  },
}

function hold(socket: Socket, order: HoldOrder): void {
  behaviours[order.hold](socket, order)
}

function headOf(method: string, path: string, authorization: string, type: string, bytes: number): string {
  const credentials = authorization === '' ? '' : `Authorization: ${authorization}\r\n`
  const disposition = type === 'image/png' ? 'Content-Disposition: attachment; filename="half.png"\r\n' : ''
  return (
    `${method} ${path} HTTP/1.1\r\nHost: localhost\r\n${credentials}` +
    `${disposition}Content-Type: ${type}\r\nContent-Length: ${bytes}\r\n\r\n`
  )
}

const READING_MS = 1000

async function readAtLast(): Promise<void> {
  const refused = new Set<Socket>()
  for (const socket of quiet) {
    socket.on('data', (chunk) => {
      if (chunk.includes('HTTP/1.1 503 ')) refused.add(socket)
    })
    socket.resume()
  }
  await sleep(READING_MS)
  if (refused.size > 0) figures.answers['503'] = refused.size
}

function noteAnswers(socket: Socket): void {
  socket.on('data', (chunk) => {
    const status = chunk.toString('latin1', 0, 12).match(/^HTTP\/1\.1 (\d{3})/)?.[1]
    if (status) figures.answers[status] = (figures.answers[status] ?? 0) + 1
  })
}

async function trickle(socket: Socket, text: string): Promise<void> {
  for (const byte of text) {
    if (socket.destroyed) return
    socket.write(byte)
    await sleep(TRICKLE_MS)
  }
}
