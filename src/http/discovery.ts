import type { Context } from '../context/context.ts'
import type { Field, Fields } from '../declare/resource.ts'
import { translate } from '../locales/translate.ts'
import type { Endpoint, Route } from './routes.ts'

/** The namespace index (rule 3.2). */
export function describeNamespace(routes: readonly Route[], context: Context): object {
  const { site } = context
  const entries = routes.map((route) => [`/${site.namespace}${route.path}`, describeRoute(route, context)])
  return {
    namespace: site.namespace,
    routes: Object.fromEntries(entries),
    _links: { up: [{ href: `${site.restUrl}/` }] },
  }
}

/** The entry of one route, which OPTIONS answers too (rule 3.6). */
export function describeRoute(route: Route, context: Context): object {
  const { site } = context
  const templated = route.template.includes('{')
  return {
    namespace: site.namespace,
    methods: route.endpoints.flatMap((endpoint) => endpoint.methods),
    endpoints: route.endpoints.map((endpoint) => describeEndpoint(endpoint, context)),
    _links: { self: [{ href: site.base + route.template, ...(templated ? { templated } : {}) }] },
  }
}

function describeEndpoint(endpoint: Endpoint, context: Context): object {
  const args = describeArgs(endpoint.args, context)
  return { methods: endpoint.methods, args: Object.keys(args).length > 0 ? args : [] }
}

function describeArgs(fields: Fields, context: Context): Record<string, object> {
  const published = Object.entries(fields).filter(([, { unlisted }]) => !unlisted)
  return Object.fromEntries(published.map(([name, field]) => [name, describeArg(field, context)]))
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
