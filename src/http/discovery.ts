import type { Asking } from '../declare/asking.ts'
import type { Field, Fields } from '../declare/resource.ts'
import { translate } from '../locales/translate.ts'
import type { Endpoint, Route } from './routes.ts'

/** The namespace index (contract 2.3). */
export function describeNamespace(routes: readonly Route[], asking: Asking): object {
  const { site } = asking
  const entries = routes.map((route) => [`/${site.namespace}${route.path}`, describeRoute(route, asking)])
  return {
    namespace: site.namespace,
    routes: Object.fromEntries(entries),
    _links: { up: [{ href: `${site.restUrl}/` }] },
  }
}

/** The entry of one route, which OPTIONS answers too (contract 9.4). */
export function describeRoute(route: Route, asking: Asking): object {
  const { site } = asking
  const templated = route.template.includes('{')
  return {
    namespace: site.namespace,
    methods: route.endpoints.flatMap((endpoint) => endpoint.methods),
    endpoints: route.endpoints.map((endpoint) => describeEndpoint(endpoint, asking)),
    _links: { self: [{ href: site.base + route.template, ...(templated ? { templated } : {}) }] },
  }
}

function describeEndpoint(endpoint: Endpoint, asking: Asking): object {
  const args = describeArgs(endpoint.args, asking)
  return { methods: endpoint.methods, args: Object.keys(args).length > 0 ? args : [] }
}

function describeArgs(fields: Fields, asking: Asking): Record<string, object> {
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, describeArg(field, asking)]))
}

function describeArg(field: Field, asking: Asking): object {
  const fallback = typeof field.default === 'function' ? field.default(asking) : field.default
  return {
    ...(fallback === undefined ? {} : { default: fallback }),
    ...(field.about === '' ? {} : { description: translate(asking.site.language, field.about) }),
    ...field.kind.wire,
    required: field.required ?? false,
  }
}
