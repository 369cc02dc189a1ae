import type { Operations } from '../declare/operations.ts'
import type { Fields, Resource } from '../declare/resource.ts'
import { Problem } from '../problems.ts'
import type { Served } from '../resources.ts'

const refuse = async (): Promise<never> => {
  throw new Problem('rest_no_route')
}
const refuseWrite = { prepare: refuse, write: refuse }
const nobody = () => false

/** The operations of a route beside the namespace that it does not offer. */
const nothing: Operations = {
  find: refuse,
  load: refuse,
  locate: async () => undefined,
  missing: async () => new Problem('rest_no_route'),
  loadOne: refuse,
  presentation: {
    nameOf: () => ({ kind: 'user', id: 0 }),
    textsOf: () => [],
    present: () => ({}),
  },
  create: refuseWrite,
  update: refuseWrite,
  remove: refuseWrite,
  rights: { create: nobody, update: nobody, remove: nobody },
}

/** A resource beside the namespace with the operations it offers, served by the same handlers as the five of the namespace. */
export function offer<Row, Loaded = Row>(
  resource: Resource,
  filters: Fields,
  offered: Partial<Operations<Row, Loaded>>,
): Served {
  return { resource, filters, operations: { ...nothing, ...offered } as Operations }
}
