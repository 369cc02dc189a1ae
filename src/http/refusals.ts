import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Site } from '../config.ts'
import { problemReply } from '../locales/problem-replies.ts'
import { STATUS_CODES } from '../node-http.ts'
import { Problem, type ProblemCode } from '../problems.ts'
import { LONGEST_URL } from './incoming.ts'

/** An error of a connection, with the bytes at which the parser stopped. */
interface ConnectionError extends Error {
  code?: string
  rawPacket?: unknown
}

/** Answers requests that are no HTTP, have too long a head, or arrive too slowly, and closes the connection. */
export function refuseUnreadable(error: ConnectionError, socket: Duplex, site: Site, requestId: string): void {
  // A client that has sent nothing, such as a browser that connects in advance, gets no answer.
  if (error.code === 'ECONNRESET' || !(socket instanceof Socket) || !socket.writable || socket.bytesRead === 0) {
    socket.destroy()
    return
  }
  const { status, body } = problemReply(new Problem(codeOf(error)), site.language, false)
  const text = JSON.stringify(body)
  const headers = [
    'Content-Type: application/json; charset=UTF-8',
    `Content-Length: ${Buffer.byteLength(text)}`,
    `X-Request-Id: ${requestId}`,
    'Connection: close',
  ]
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${headers.join('\r\n')}\r\n\r\n${text}`, () =>
    socket.destroySoon(),
  )
}

function codeOf({ code, rawPacket: packet }: ConnectionError): ProblemCode {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 'rest_request_timeout'
  if (code !== 'HPE_HEADER_OVERFLOW') return 'rest_invalid_request'
  // Of a head that is too long only the last piece is at hand; without a line end it is taken for a piece of the address.
  const isOneLine = Buffer.isBuffer(packet) && !packet.subarray(0, LONGEST_URL).includes('\n')
  return isOneLine ? 'rest_uri_too_long' : 'rest_head_too_large'
}
