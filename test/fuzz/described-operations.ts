export interface Schema {
  type?: string | readonly string[]
  enum?: readonly unknown[]
  examples?: readonly unknown[]
  minimum?: number
  maximum?: number
  maxLength?: number
  maxItems?: number
  items?: Schema
  anyOf?: readonly Schema[]
  const?: unknown
  properties?: Readonly<Record<string, Schema>>
}

export interface DescribedField {
  name: string
  schema: Schema
  required: boolean
}

export interface Operation {
  method: string
  template: string
  query: readonly DescribedField[]
  body: readonly DescribedField[]
}

interface Described {
  paths: Record<string, PathItem>
  components: { schemas: Record<string, Schema>; parameters: Record<string, Parameter> }
}
type PathItem = Record<string, unknown> & { parameters?: Parameter[] }
interface Parameter {
  $ref?: string
  name: string
  in: string
  required?: boolean
  schema?: Schema
}
interface DescribedOperation {
  parameters?: Parameter[]
  requestBody?: { content?: Record<string, { schema?: Schema & { required?: string[] } }> }
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete']

export function readOperations(text: string, basePath: string): Operation[] {
  const described = withoutReferences(JSON.parse(text)) as Described
  return Object.entries(described.paths).flatMap(([path, item]) =>
    METHODS.filter((method) => item[method] !== undefined).map((method) =>
      operationOf(method, basePath + path, item, item[method] as DescribedOperation),
    ),
  )
}

function operationOf(
  method: string,
  template: string,
  item: PathItem,
  operation: DescribedOperation,
): Operation {
  const parameters = [...(item.parameters ?? []), ...(operation.parameters ?? [])]
  const schema = operation.requestBody?.content?.['application/json']?.schema
  return {
    method: method.toUpperCase(),
    template,
    query: parameters
      .filter((parameter) => parameter.in === 'query')
      .map(({ name, schema: of = {}, required = false }) => ({ name, schema: of, required })),
    body: Object.entries(schema?.properties ?? {}).map(([name, of]) => ({
      name,
      schema: of,
      required: schema?.required?.includes(name) ?? false,
    })),
  }
}

function withoutReferences(document: unknown): unknown {
  const resolve = (value: unknown): unknown => {
    if (value === null || typeof value !== 'object') return value
    if (Array.isArray(value)) return value.map(resolve)
    if ('$ref' in value && typeof value.$ref === 'string') return resolve(lookUp(document, value.$ref))
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, resolve(member)]))
  }
  return resolve(document)
}

function lookUp(document: unknown, reference: string): unknown {
  const steps = reference.replace(/^#\//, '').split('/')
  return steps.reduce<unknown>(
    (at, step) => Object(at)[step.replaceAll('~1', '/').replaceAll('~0', '~')],
    document,
  )
}

interface Index {
  routes: Record<
    string,
    { namespace: string; endpoints: { methods: string[]; args: Record<string, IndexedArgument> }[] }
  >
}
type IndexedArgument = Schema & { required?: boolean }

export function readIndexed(text: string, restRoot: string, namespace: string): Operation[] {
  const { routes } = JSON.parse(text) as Index
  return Object.entries(routes)
    .filter(([, route]) => route.namespace !== namespace)
    .flatMap(([path, { endpoints }]) =>
      endpoints.flatMap(({ methods, args }) =>
        methods.map((method) =>
          indexedOperation(method, restRoot + path.replace(/\(\?P<(\w+)>[^)]*\)/g, '{$1}'), args),
        ),
      ),
    )
}

function indexedOperation(
  method: string,
  template: string,
  args: Record<string, IndexedArgument>,
): Operation {
  const fields = Object.entries(args)
    .filter(([name]) => !template.includes(`{${name}}`))
    .map(
      ([name, schema]): DescribedField => ({
        name,
        schema: schema.items ? { type: 'array', items: schema.items } : schema,
        required: schema.required ?? false,
      }),
    )
  return { method, template, query: method === 'GET' ? fields : [], body: method === 'GET' ? [] : fields }
}

export function bareOperations(basePath: string): Operation[] {
  const paths = [
    '/',
    '/index.php',
    '/healthz',
    '/readyz',
    '/media/{slug}',
    '/{slug}',
    '/favicon.ico',
    `${basePath}/`,
  ]
  return paths.map((template) => ({ method: 'GET', template, query: [], body: [] }))
}
