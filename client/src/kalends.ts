import { type Change, changes, type Following } from './changes.ts'
import {
  type Calling,
  type Connection,
  connect,
  type Name,
  type Options,
  type Resources,
} from './connection.ts'
import {
  all,
  batch,
  type Changing,
  type Creating,
  create,
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
import type { Decoded } from './texts.ts'

/** The calls for the records of one resource. */
export interface Collection<R extends Resources, N extends Name> {
  list(query?: R[N]['query'], calling?: Calling): Promise<Decoded<R[N]['page']>>
  all(query?: R[N]['query'], calling?: Calling): AsyncGenerator<Decoded<R[N]['record']>, void, undefined>
  get(id: number | string, calling?: Calling): Promise<Decoded<R[N]['record']>>
  create(fields: R[N]['fields'], creating?: Creating): Promise<Decoded<R[N]['record']>>
  update(id: number | string, fields: R[N]['changes'], changing?: Changing): Promise<Decoded<R[N]['record']>>
  remove(id: number | string, changing?: Changing): Promise<Decoded<R[N]['record']>>
}

/** A client of a calendar. Each method is described at the function of the same name. */
export type Kalends<R extends Resources = Resources> = { [N in Name]: Collection<R, N> } & {
  connection: Connection<R>
  changes(since?: string, following?: Following): AsyncGenerator<Change<R>, void, undefined>
  batch(writes: readonly Write[], creating?: Creating & { isAllOrNone?: boolean }): Promise<Written[]>
  media: { upload(file: Blob & { name?: string }, uploading?: Uploading): Promise<Media> }
}

type Call = (...values: never[]) => unknown

/** Binds the first parameters of functions. */
const bind = (functions: Readonly<Record<string, Call>>, ...first: unknown[]) =>
  Object.fromEntries(
    Object.entries(functions).map(([name, call]) => [
      name,
      (...more: unknown[]) => call(...([...first, ...more] as never[])),
    ]),
  )

/** Makes a client of a calendar. */
export function createKalends<R extends Resources = Resources>(options: Options): Kalends<R> {
  const connection = connect<R>(options)
  const collection = (name: Name) => [
    name,
    bind({ list, all, get, create, update, remove }, connection, name),
  ]
  const names: Name[] = ['events', 'venues', 'organizers', 'categories', 'tags']
  return {
    connection,
    ...Object.fromEntries(names.map(collection)),
    ...bind({ changes, batch }, connection),
    media: bind({ upload }, connection),
  } as Kalends<R>
}
