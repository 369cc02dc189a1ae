import { connect, type Socket } from 'node:net'
import { credentialsOf, type Reader } from './service.ts'
import { until } from './waiting.ts'

export interface Line {
  socket: Socket
  port: () => number | undefined
  received: () => string
  status: () => Promise<number>
  closed: Promise<void>
}

export function openLine(address: string): Line {
  let received = ''
  let own: number | undefined
  const { hostname, port } = new URL(address)
  const socket = connect(Number(port), hostname)
  socket.once('connect', () => {
    own = socket.localPort
  })
  socket.on('data', (piece) => {
    received += piece
  })
  // The other side may close the connection while a test still writes.
  socket.on('error', () => undefined)
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  const status = async () => {
    const answer = () => received.replace(/^HTTP\/1\.1 100[\s\S]*?\r\n\r\n/, '')
    await until(() => answer().includes('\r\n\r\n') || socket.destroyed, 'no answer came')
    return Number(/^HTTP\/1\.1 (\d+)/.exec(answer())?.[1])
  }
  return { socket, port: () => own, received: () => received, status, closed }
}

export function head(method: string, path: string, as: Reader, headers: Record<string, string> = {}): string {
  const lines = Object.entries({ host: 'x', ...credentialsOf(as), ...headers })
  return `${method} /wp-json${path} HTTP/1.1\r\n${lines.map((line) => line.join(': ')).join('\r\n')}\r\n\r\n`
}
