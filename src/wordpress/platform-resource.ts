import { Problem } from '../base/problems.ts'
import { parametersOf } from '../base/text/urls.ts'
import type { Operations } from '../calendar/declare/operations.ts'
import type { Fields, Resource } from '../calendar/declare/resource.ts'
import type { ServedResource } from '../calendar/resources.ts'

// Helpers for the routes of `wp/v2`, the namespace of WordPress itself (rules 29.1 to 29.6).

const neverDone = async (): Promise<never> => {
  throw new Problem('rest_no_route')
}
const refuseWrite = { prepare: neverDone, write: neverDone }
const nobody = () => false

/** Stands in for operations that a resource lacks. */
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

/** A resource with the operations in `offered`, answered by the handlers of the calendar's own namespace. */
export function serveForPlatform<Row, Loaded = Row>(
  resource: Resource,
  filters: Fields,
  offered: Partial<Operations<Row, Loaded>>,
): ServedResource {
  return { resource, filters, operations: { ...nothing, ...offered } as Operations }
}

/** The query parameters that links to other pages of a list repeat: all but the page and its size. */
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

/** A time as WordPress writes it, such as `2026-11-20T15:11:35`, without a UTC offset. */
export function platformTime(text: string): string {
  return text.replace(' ', 'T')
}

/** A text as posts show it. Only callers who may edit get `raw`, and only `context=edit` keeps it. */
export function shownText(
  rendered: string,
  raw: string,
  mayEdit: boolean,
): { raw?: string; rendered: string } {
  return mayEdit ? { raw, rendered } : { rendered }
}
