import type { ClockPart } from '../base/fields/kinds.ts'
import type { Context } from '../calendar/declare/context.ts'
import type { Found } from '../calendar/declare/operations.ts'
import type { RawValues } from '../calendar/declare/parse.ts'
import type { Resource } from '../calendar/declare/resource.ts'
import type { Version } from '../calendar/records/record-store.ts'
import type { Served } from '../calendar/resources.ts'

// Replies, and the interface of a representation.

/** An answer on its way out; the transport turns it into bytes. */
export interface Reply {
  status: number
  headers: Record<string, string>
  /** The value of a JSON answer; undefined where `shown` is set. */
  body: unknown
  /** The answer in another representation than JSON. */
  shown?: Shown
  /** The template of the route that answered, such as `/tribe/events/v1/events/{id}`. */
  route?: string | undefined
  /** The id of the record that was written. */
  id?: number | undefined
  /** The version of the one record that the answer shows, for its ETag. */
  version?: Version | undefined
  /** The status of the answer inside an envelope. */
  innerStatus?: number
  /** How long the answer stays the same while the data do; without it, for the day. */
  clock?: ClockPart
  /** True for records that memory has found. */
  isFromMemory?: boolean
  /** True where the overloaded service has refused the request. */
  isRefused?: true
}

/** Makes the answer to a request that succeeded. */
export const okReply = (body: unknown): Reply => ({ status: 200, headers: {}, body })

/** Records in a representation other than JSON. */
export interface Shown {
  /** The name of the format, for ETags. */
  format: string
  /** All bytes, or pieces that are made as they are taken; a failure in between ends the connection. */
  bytes: Buffer | AsyncIterable<Buffer>
}

/** A representation of records. */
export interface Format {
  /** Its name as a value of the parameter `format`. */
  name: string
  mediaType: string
  /** The end of the names of files in it, without the point. */
  extension: string
  /** What people call it; pages link to those that have such a name. */
  title?: string
  /** Whether a list is shown page by page, or all of it at once. */
  extent: 'page' | 'window'
  /** The paths of the resources whose lists it shows. */
  lists: 'all' | readonly Resource['path'][]
  /**
   * The answer to an `Accept` header that prefers this representation: the representation itself, or a
   * redirect to the address with its name.
   */
  byAccept: 'answer' | 'redirect'
  /** Returns the sent parameters with those that lists in this representation have by default. */
  withDefaults?: (context: Context, raw: RawValues) => RawValues
  /**
   * Shows a list that was found, and loads its records by the operations of their resource. `self` is the
   * address that was asked for.
   */
  showList: (context: Context, served: Served, found: Found, self: string) => Promise<Reply>
}
