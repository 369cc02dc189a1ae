import type { ClockPart } from '../base/fields/kinds.ts'
import type { Context } from '../calendar/declare/context.ts'
import type { FoundRecords } from '../calendar/declare/operations.ts'
import type { RawValues } from '../calendar/declare/parse.ts'
import type { Resource } from '../calendar/declare/resource.ts'
import type { Version } from '../calendar/records/record-store.ts'
import type { ServedResource } from '../calendar/resources.ts'

export interface Answer {
  status: number
  headers: Record<string, string>
  /** Becomes JSON; undefined if there is a `representation`. */
  body: unknown
  representation?: Representation
  /** A template such as `/tribe/events/v1/events/{id}`. */
  route?: string | undefined
  id?: number | undefined
  /** The version of the one record shown, for its ETag. */
  version?: Version | undefined
  /** The status inside an envelope. */
  innerStatus?: number
  /** The part of the clock that the answer depends on; the day by default. */
  clock?: ClockPart
  isFromMemory?: boolean
  isRefused?: true
}

export const okAnswer = (body: unknown): Answer => ({ status: 200, headers: {}, body })

/** An answer as its format has written it. */
export interface Representation {
  /** The name of the format in the ETag. */
  format: string
  /** Pieces are made as they are taken; a failure ends the connection. */
  bytes: Buffer | AsyncIterable<Buffer>
}

export interface Format {
  name: string
  mediaType: string
  extension: string
  /** Set for formats that pages link to. */
  title?: string
  extent: 'page' | 'window'
  lists: 'all' | readonly Resource['path'][]
  /** How a request by `Accept` is answered: with the format itself, or a redirect to its URL. */
  byAccept: 'answer' | 'redirect'
  withDefaults?: (context: Context, raw: RawValues) => RawValues
  /** `self` is the requested URL. */
  showList: (
    context: Context,
    served: ServedResource,
    found: FoundRecords,
    self: string,
  ) => Answer | Promise<Answer>
}
