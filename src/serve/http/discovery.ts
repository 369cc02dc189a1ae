import type { Context } from '../../calendar/declare/context.ts'
import type { Field, Fields } from '../../calendar/declare/resource.ts'
import { translate } from '../../calendar/locales/translate.ts'
import { type Endpoint, type Route, routeName } from './routes.ts'

// The index of the namespace, from the table of routes.

/** The namespace index (rule 3.2). It omits batches, which belong to the platform. */
export function describeNamespace(routes: readonly Route[], context: Context): object {
  const { site } = context
  const entries = routes.map((route) => [
    routeName(site.namespace, route.path),
    describeRoute(route, context, withoutBatches),
  ])
  return {
    namespace: site.namespace,
    routes: Object.fromEntries(entries),
    _links: { up: [{ href: `${site.restUrl}/` }] },
  }
}

/** The entry of one route, which OPTIONS answers too (rule 3.6). */
export function describeRoute(route: Route, context: Context, batchesOf = batchesIn): object {
  const { site } = context
  const templated = route.template.includes('{')
  return {
    namespace: site.namespace,
    methods: route.endpoints.flatMap((endpoint) => endpoint.methods),
    endpoints: route.endpoints.map((endpoint) => ({
      methods: endpoint.methods,
      ...batchesOf(endpoint),
      args: describeArgs(endpoint.args, context),
    })),
    _links: { self: [{ href: site.base + route.template, ...(templated ? { templated } : {}) }] },
  }
}

/** Marks an endpoint that requests of a batch may use, as the platform does. */
function batchesIn({ batched }: Endpoint): object {
  return batched ? { allow_batch: { v1: true } } : {}
}

const withoutBatches = () => ({})

function describeArgs(fields: Fields, context: Context): Record<string, object> | [] {
  const published = Object.entries(fields).filter(([, { unlisted }]) => !unlisted)
  return published.length === 0
    ? []
    : Object.fromEntries(published.map(([name, field]) => [name, describeArg(field, context)]))
}

function describeArg(field: Field, context: Context): object {
  const fallback = typeof field.default === 'function' ? field.default(context) : field.default
  return {
    ...(fallback === undefined ? {} : { default: fallback }),
    ...(field.about === '' ? {} : { description: translate(context.site.language, field.about) }),
    ...field.kind.wire,
    required: field.required ?? false,
  }
}
