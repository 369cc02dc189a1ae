import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { Context } from '../../calendar/declare/context.ts'
import type { RawValues } from '../../calendar/declare/parse.ts'
import type { Repeatable } from '../../calendar/editing/idempotency.ts'
import type { Caller } from '../../calendar/people/caller.ts'
import type { Reply } from '../formats/format.ts'
import type { RequestUrl } from './request-url.ts'
import type { Match, MatchedRequest } from './routes.ts'

// A request on its way in, before and after its body is read.

/** A file that came with a request. It is on disk until the request ends. */
export interface Upload {
  /** The field of the form that it came in, if it came in one. */
  field?: string
  fileName: string
  mimeType: string
  /** bytes */
  size: number
  /** Reads the whole file into memory: call it only when the bytes are needed. */
  read: () => Promise<Buffer>
}

/** The body of a request: bytes, a form of several parts, or a file. */
export interface Body {
  /** Of a body that is neither a form of several parts nor a file. */
  bytes: Buffer
  /** The fields, the keys that stand more than once, and the files of a multipart form. */
  form?: { fields: RawValues; repeated: Set<string>; files: Upload[] }
  /** A body that is a file by itself. */
  file?: Upload
}

export const NO_BODY: Body = { bytes: Buffer.alloc(0) }

/** The limits for reading a body. */
export interface BodyRoom {
  /** Whether the sender may write at all; for others a little is read, to report the other faults of the request. */
  isTrusted: boolean
  /** Whether it may be or hold a file. */
  takesFile: boolean
  /** The most bytes, where they are not those of the sender. */
  most?: number
  /** The most bytes of files in a form that says how long it is, where they are not those of an image. */
  mostFiles?: number
}

/** A request on its way to its answer. */
export interface Visit {
  request: IncomingMessage
  response: ServerResponse
  url: RequestUrl
  requestId: string
  /** Milliseconds, on the clock of `performance.now`. */
  arrived: number
  /** The login of the sender, once it is known. */
  user?: string | undefined
}

/** Finds out who sent a request. @throws Problem for wrong credentials */
export type SignIn = (incoming: Incoming) => Promise<Caller>

/** A request whose body has not been read yet. */
export interface Incoming {
  method: string
  url: RequestUrl
  headers: IncomingHttpHeaders
  /** Address of the client. */
  address: string
  /** The id in the answer and in the log. */
  requestId: string
  /** The login of the sender, once it is known, for the log. */
  user?: string
  /** The key that makes it idempotent, in place of its header `Idempotency-Key`. */
  repeatable?: Repeatable
  /** True for a request of a batch that has waited for all of its requests together. */
  hasTurn?: true
  /** True when the client has gone. */
  isGone: () => boolean
  /** Reads the body, once; no part of it is held in memory before. @throws Problem */
  readBody: (room: BodyRoom) => Promise<Body>
}

/** The method of a request after overrides (rule 1.6), and the parameters of its query. */
export interface Target {
  method: string
  query: RawValues
}

/** Answers a matched request: OPTIONS by itself, any other method with the result of `work` and the caller's methods. */
export type RouteReply = (
  matched: Match,
  incoming: Incoming,
  target: Target,
  context: Context,
  work: (asked: MatchedRequest, body: Body) => Promise<Reply>,
) => Promise<Reply>

/** Longer addresses are refused with 414. */
export const LONGEST_URL = 8000
