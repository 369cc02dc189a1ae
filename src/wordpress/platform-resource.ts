import { Problem } from '../base/problems.ts'
import { parametersOf } from '../base/text/urls.ts'
import type { Operations } from '../calendar/declare/operations.ts'
import type { Fields, Resource } from '../calendar/declare/resource.ts'
import type { ServedResource } from '../calendar/resources.ts'

// What platform routes share (rules 29.1 to 29.6).

const neverDone = async (): Promise<never> => {
  throw new Problem('rest_no_route')
}
const refuseWrite = { prepare: neverDone, write: neverDone }
const nobody = () => false

/** A resource does not offer these operations. */
const nothing: Operations = {
  find: neverDone,
  load: neverDone,
  locate: async () => undefined,
  missing: async () => new Problem('rest_no_route'),
  loadOne: neverDone,
  presentation: { nameOf: () => ({ kind: 'user', id: 0 }), textsOf: () => [], present: () => ({}) },
  create: refuseWrite,
  update: refuseWrite,
  remove: refuseWrite,
  rights: { create: nobody, update: nobody, remove: nobody },
}

/** Handlers of the namespace answer for the resource. */
export function serveForPlatform<Row, Loaded = Row>(
  resource: Resource,
  filters: Fields,
  offered: Partial<Operations<Row, Loaded>>,
): ServedResource {
  return { resource, filters, operations: { ...nothing, ...offered } as Operations }
}

/** Links have these parameters of a list, without its page. */
export function shapingOf({
  page: _page,
  per_page: _perPage,
  ...shaping
}: {
  page?: unknown
  per_page?: unknown
}): string {
  return parametersOf(shaping)
}

/** Returns `2026-11-20T15:11:35`, without an offset. */
export function platformTime(text: string): string {
  return text.replace(' ', 'T')
}

/** Only callers who may edit get `raw`, with `context=edit`. */
export function shownText(
  rendered: string,
  raw: string,
  mayEdit: boolean,
): { raw?: string; rendered: string } {
  return mayEdit ? { raw, rendered } : { rendered }
}
