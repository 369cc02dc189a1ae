import type { Change as AnyChange } from './changes.ts'
import { type Connection as AnyConnection, connect as connectAny, type Options } from './connection.ts'
import { type Kalends as AnyKalends, createKalends as createAny } from './kalends.ts'
import type { KalendsProblem } from './problem.ts'
import type { components, operations } from './service.ts'
import type { Decoded } from './texts.ts'

export { changes, type Following } from './changes.ts'
export type { Calling, Kept, Name, Options, Store } from './connection.ts'
export { moments, type TemporalLike, type Timed, type ZonedDateTime } from './moments.ts'
export { KalendsProblem } from './problem.ts'
export {
  all,
  batch,
  type Changing,
  type Creating,
  create,
  etagOf,
  get,
  list,
  type Media,
  remove,
  type Uploading,
  update,
  upload,
  type Write,
  type Written,
} from './records.ts'
export { type Decoded, textOf } from './texts.ts'
export { type Message, type Received, verifyWebhook } from './webhook.ts'

type Schemas = components['schemas']

/**
 * The parameters of a list, with `_fields`: the members to include, such as `events.title,total`. All others
 * are missing then.
 */
type QueryOf<Operation extends keyof operations> = NonNullable<
  operations[Operation]['parameters']['query']
> & { _fields?: string }

/** The resources, as the interface description has them. */
export type Service = {
  events: {
    page: Schemas['EventList']
    record: Schemas['Event']
    fields: Schemas['NewEvent']
    changes: Schemas['EventChange']
    query: QueryOf<'listEvents'>
  }
  venues: {
    page: Schemas['VenueList']
    record: Schemas['Venue']
    fields: Schemas['NewVenue']
    changes: Schemas['VenueChange']
    query: QueryOf<'listVenues'>
  }
  organizers: {
    page: Schemas['OrganizerList']
    record: Schemas['Organizer']
    fields: Schemas['NewOrganizer']
    changes: Schemas['OrganizerChange']
    query: QueryOf<'listOrganizers'>
  }
  categories: {
    page: Schemas['CategoryList']
    record: Schemas['Term']
    fields: Schemas['NewCategory']
    changes: Schemas['CategoryChange']
    query: QueryOf<'listCategories'>
  }
  tags: {
    page: Schemas['TagList']
    record: Schemas['Term']
    fields: Schemas['NewTag']
    changes: Schemas['TagChange']
    query: QueryOf<'listTags'>
  }
}

export type Event = Decoded<Schemas['Event']>
export type Venue = Decoded<Schemas['Venue']>
export type Organizer = Decoded<Schemas['Organizer']>
export type Term = Decoded<Schemas['Term']>
export type Kalends = AnyKalends<Service>
export type Connection = AnyConnection<Service>
export type Change = AnyChange<Service>

/** The codes of the interface and of this client. */
export type ProblemCode =
  | Schemas['Problem']['code']
  | 'timeout'
  | 'unreachable'
  | 'moved'
  | 'unreadable'
  | 'webhook'

/** Makes a client of a calendar. */
export const createKalends: (options: Options) => Kalends = createAny

/** Makes a connection for functions that are imported one by one: `get(connect({ url }), 'events', 12)`. */
export const connect: (options: Options) => Connection = connectAny

/** Returns true when a thrown value is a problem, and has this code if one is given. */
export function isProblem(
  thrown: unknown,
  code?: ProblemCode,
): thrown is KalendsProblem & { code: ProblemCode } {
  return Object(thrown).name === 'KalendsProblem' && (!code || Object(thrown).code === code)
}
