import { MAX_ID } from '../common/record-store.ts'
import type { Asking } from '../declare/asking.ts'
import type { Address, Operations } from '../declare/operations.ts'
import { parseFields, type RawValues } from '../declare/parse.ts'
import type { Fields } from '../declare/resource.ts'
import { isLoggedIn } from '../people/caller.ts'
import { invalidParam, Problem } from '../problems.ts'
import { mayAsk } from './access.ts'
import { describeNamespace } from './discovery.ts'
import { describeInterface } from './openapi.ts'
import { listReply, type Reply } from './reply.ts'
import type { Endpoint, Route } from './routes.ts'

/** A matched request of the namespace, its parameters still raw. */
export interface Asked {
  route: Route
  endpoint: Endpoint
  variables: Record<string, string>
  /** Declared parameters of the body and the query, by precedence; those of the path come on top. */
  values: (fields: Fields) => RawValues
}

/**
 * Answers a matched request in the order of contract 1.2: validation, rights, then the work.
 * @throws Problem
 */
export async function answer(asked: Asked, routes: readonly Route[], asking: Asking): Promise<Reply> {
  const { action, args } = asked.endpoint
  switch (action.do) {
    case 'index':
      return indexReply(asked, routes, asking)
    case 'doc':
      return { status: 200, headers: {}, body: describeInterface(routes, asking) }
    case 'list': {
      const { resource, operations } = action.served
      const query = await parseFields(args, asked.values(args), asking)
      const list = await operations.list(asking, query)
      if (list.page > 1 && list.items.length === 0 && list.pastEnd) throw new Problem(list.pastEnd)
      return listReply(asking.site, resource.path, list, list.pastEnd === undefined)
    }
    case 'create': {
      const { resource, operations } = action.served
      const values = await parseFields(args, asked.values(args), asking)
      if (!mayAsk(action, asking, undefined)) throw new Problem('rest_forbidden')
      const body = await operations.create(asking, values)
      const id = 'id' in body ? String(body.id) : ''
      return { status: 201, headers: { Location: `${asking.site.base}/${resource.path}/${id}` }, body }
    }
    case 'read': {
      const row = await located(asked, action.served.operations, asking)
      return { status: 200, headers: {}, body: await action.served.operations.read(asking, row) }
    }
    case 'update': {
      const fields = bodyFields(asked, args)
      const values = await withAddress(
        asked,
        () => parseFields(fields, asked.values(fields), asking, 'partial'),
        asking,
      )
      const row = await permitted(asked, action.served.operations, asking)
      return { status: 200, headers: {}, body: await action.served.operations.update(asking, row, values) }
    }
    case 'remove': {
      await withAddress(asked, async () => ({}), asking)
      const row = await permitted(asked, action.served.operations, asking)
      return { status: 200, headers: {}, body: await action.served.operations.remove(asking, row) }
    }
  }
}

function indexReply(asked: Asked, routes: readonly Route[], asking: Asking): Reply {
  const { namespace = asking.site.namespace } = asked.values(asked.endpoint.args)
  if (namespace !== asking.site.namespace) throw new Problem('rest_invalid_namespace')
  return { status: 200, headers: {}, body: describeNamespace(routes, asking) }
}

/** The address a request names, from its path alone: nothing in the body or query overrules it (defect 9). */
export function addressOf(variables: Record<string, string>): Address | undefined {
  if (variables.id !== undefined) return { id: Math.min(Number(variables.id), MAX_ID + 1) }
  return variables.slug === undefined ? undefined : { slug: decodedSlug(variables.slug) }
}

function decodedSlug(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** The parameters of an update that are fields of the record, as opposed to its address. */
function bodyFields(asked: Asked, args: Fields): Fields {
  const { action } = asked.endpoint
  if (!('by' in action)) return args
  const { fields } = action.served.resource
  return Object.fromEntries(Object.entries(args).filter(([name]) => name in fields))
}

/** The declaration of the address, when it is validated together with the other parameters (contract 1.2): that of venues, organizers and terms. */
function checkedAddress(asked: Asked): Fields {
  const { action } = asked.endpoint
  if (!('by' in action)) return {}
  const address = action.served.resource.addresses[action.by]
  return Object.fromEntries(Object.entries(address ?? {}).filter(([, field]) => field.valid))
}

/** Validates the address and the rest, naming everything that is wrong in one Problem. */
async function withAddress<T>(asked: Asked, parse: () => Promise<T>, asking: Asking): Promise<T> {
  const address = checkedAddress(asked)
  const path = addressOf(asked.variables) ?? {}
  try {
    await parseFields(address, { ...path }, asking)
  } catch (wrongAddress) {
    if (!(wrongAddress instanceof Problem)) throw wrongAddress
    await parse().catch((wrongValues: unknown) => {
      if (!(wrongValues instanceof Problem)) throw wrongValues
      throw new Problem('rest_invalid_param', {
        params: { ...wrongAddress.details.params, ...wrongValues.details.params },
      })
    })
    throw wrongAddress
  }
  return parse()
}

/** @throws the resource's own Problem when nothing is there */
async function located(asked: Asked, operations: Operations, asking: Asking): Promise<unknown> {
  const address = addressOf(asked.variables)
  if (!address) throw new Problem('rest_no_route')
  const row = await operations.find(asking, address)
  if (row !== undefined) return row
  if ('slug' in address && isRead(asked)) throw invalidParam('slug')
  throw await operations.missing(asking, address)
}

/** An unknown slug is a wrong parameter of a read or a removal, and a missing record for an update (contract 0.3.4). */
function isRead(asked: Asked): boolean {
  return asked.endpoint.action.do !== 'update'
}

/** The record addressed, once the caller is known to be allowed the change: first in general, then for this record. */
async function permitted(asked: Asked, operations: Operations, asking: Asking): Promise<unknown> {
  const { action } = asked.endpoint
  const isBySlug = 'by' in action && action.by === 'slug'
  if (isBySlug && isRead(asked)) await located(asked, operations, asking)
  if (!isLoggedIn(asking.caller) || !mayAsk(action, asking, undefined)) throw new Problem('rest_forbidden')
  const row = await located(asked, operations, asking)
  if (!mayAsk(action, asking, row)) throw new Problem('rest_forbidden')
  return row
}
