import { connect, type Socket } from 'node:net'

// An HTTP/1.1 connection of a load generator. It does little work per request, since one core must make ten
// times the load that a service can take.

export interface WireRequest {
  method: string
  path: string
  body: string
  authorization: string
}

export interface WireAnswer {
  status: number
  hasRetryAfter: boolean
  isLast: boolean
}

export interface LoadConnection {
  socket: Socket
  waiting: ((answer: WireAnswer) => void) | undefined
  /** The bytes of an incomplete head. */
  head: Buffer
  answer: WireAnswer | undefined
  /** The bytes of the body still to come. */
  rest: number
  isChunked: boolean
  isOpen: boolean
}

const NOTHING = Buffer.alloc(0)

export function openConnection(port: number, idle: () => void, closed: () => void): LoadConnection {
  const socket = connect({ host: '127.0.0.1', port, noDelay: true })
  const connection: LoadConnection = {
    socket,
    waiting: undefined,
    head: NOTHING,
    answer: undefined,
    rest: 0,
    isChunked: false,
    isOpen: true,
  }
  socket.once('connect', idle)
  socket.on('data', (chunk) => {
    if (take(connection, chunk)) settle(connection, connection.answer, idle)
  })
  // The `close` event reports failures, too.
  socket.on('error', () => undefined)
  socket.once('close', () => {
    connection.isOpen = false
    settle(connection, { status: 0, hasRetryAfter: false, isLast: true }, () => undefined)
    closed()
  })
  return connection
}

export function ask(
  connection: LoadConnection,
  request: WireRequest,
  done: (answer: WireAnswer) => void,
): void {
  const { method, path, body, authorization } = request
  const credentials = authorization === '' ? '' : `Authorization: ${authorization}\r\n`
  const length =
    body === '' ? '' : `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`
  connection.waiting = done
  connection.socket.write(
    `${method} ${path} HTTP/1.1\r\nHost: localhost\r\n${credentials}${length}\r\n${body}`,
  )
}

function settle(connection: LoadConnection, answer: WireAnswer | undefined, idle: () => void): void {
  const { waiting } = connection
  connection.waiting = undefined
  connection.answer = undefined
  connection.head = NOTHING
  if (waiting && answer) waiting(answer)
  if (answer?.isLast) connection.socket.destroy()
  else if (connection.isOpen) idle()
}

const HEAD_END = '\r\n\r\n'
const LAST_CHUNK = Buffer.from('0\r\n\r\n')

function take(connection: LoadConnection, chunk: Buffer): boolean {
  if (connection.answer) return takeBody(connection, chunk)
  const head = connection.head.length === 0 ? chunk : Buffer.concat([connection.head, chunk])
  const end = head.indexOf(HEAD_END)
  connection.head = head
  if (end === -1) return false
  const text = head.toString('latin1', 0, end).toLowerCase()
  connection.answer = {
    status: Number(text.slice(9, 12)),
    hasRetryAfter: text.includes('\r\nretry-after:'),
    isLast: text.includes('\r\nconnection: close'),
  }
  connection.isChunked = text.includes('\r\ntransfer-encoding: chunked')
  connection.rest = connection.isChunked ? 0 : lengthIn(text)
  return takeBody(connection, head.subarray(end + HEAD_END.length))
}

function takeBody(connection: LoadConnection, chunk: Buffer): boolean {
  if (connection.isChunked) return chunk.subarray(-LAST_CHUNK.length).equals(LAST_CHUNK)
  connection.rest -= chunk.length
  return connection.rest <= 0
}

function lengthIn(head: string): number {
  const name = '\r\ncontent-length:'
  const at = head.indexOf(name)
  return at === -1 ? 0 : Number.parseInt(head.slice(at + name.length), 10)
}
