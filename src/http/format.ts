import type { ClockPart } from '../base/fields/kinds.ts'
import type { Context } from '../calendar/declare/context.ts'
import type { Found } from '../calendar/declare/operations.ts'
import type { RawValues } from '../calendar/declare/parse.ts'
import type { Resource } from '../calendar/declare/resource.ts'
import type { Version } from '../calendar/records/record-store.ts'
import type { ServedResource } from '../calendar/resources.ts'

// Replies and representations.

/** The transport makes bytes of it. */
export interface Reply {
  status: number
  headers: Record<string, string>
  /** JSON; undefined with `shown`. */
  body: unknown
  shown?: Shown
  /** `/tribe/events/v1/events/{id}`. */
  route?: string | undefined
  /** Of the written record. */
  id?: number | undefined
  /** Of the one record shown, for its ETag. */
  version?: Version | undefined
  /** Inside an envelope. */
  innerStatus?: number
  /** Without it, for the day. */
  clock?: ClockPart
  isFromMemory?: boolean
  /** By the overloaded service. */
  isRefused?: true
}

export const okReply = (body: unknown): Reply => ({ status: 200, headers: {}, body })

/** Not as JSON. */
export interface Shown {
  /** For ETags. */
  format: string
  /** Or pieces made as they are taken; a failure ends the connection. */
  bytes: Buffer | AsyncIterable<Buffer>
}

export interface Format {
  /** Of the parameter `format`. */
  name: string
  mediaType: string
  /** Without the point. */
  extension: string
  /** Pages link to those with a name. */
  title?: string
  extent: 'page' | 'window'
  lists: 'all' | readonly Resource['path'][]
  /** Itself, or a redirect to its address. */
  byAccept: 'answer' | 'redirect'
  /** Of lists in it. */
  withDefaults?: (context: Context, raw: RawValues) => RawValues
  /** `self` is the address that was asked for. */
  showList: (context: Context, served: ServedResource, found: Found, self: string) => Promise<Reply>
}
