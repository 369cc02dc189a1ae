import { readdirSync, readFileSync } from 'node:fs'
import { event } from '../../src/calendar/events/event.ts'
import { CONSENT_ROOM } from '../../src/features/desk/desk-page.ts'
import { CONSENT_PATH } from '../../src/wordpress/platform-passwords.ts'
import { deskAddresses } from '../support/desk.ts'
import type { DescribedField, Operation, Schema } from './described-operations.ts'
import type { DeskSessions } from './desk-sessions.ts'
import { exchange, type Line } from './http-exchange.ts'
import type { PlannedRequest } from './planned-request.ts'

// Finds the operations of the desk in its table of pages, and in the forms and links of these pages.

export const isDeskPath = (path: string) => path.startsWith('/desk/') || path === CONSENT_PATH

interface Found {
  controls: Map<string, Map<string, DescribedField>>
  parameters: Map<string, Map<string, DescribedField>>
  paths: Set<string>
}

const MOST_PAGES = 150
const MOST_ALIKE = 4

export async function deskOperations(line: Line, sessions: DeskSessions): Promise<Operation[]> {
  const found: Found = { controls: new Map(), parameters: new Map(), paths: new Set() }
  for (const as of ['admin', 'contributor'] as const) await readPages(line, sessions.of[as], found)
  const known = namesInSources()
  return [...(await deskAddresses()), ...STRANGERS].flatMap(({ at, methods }) =>
    templatesOf(at, found).flatMap((template) =>
      methods.map((method) => operationOf(method, template, found, known)),
    ),
  )
}

const STRANGERS: Awaited<ReturnType<typeof deskAddresses>> = [
  { at: '/sign-in', methods: ['GET', 'POST'] },
  { at: '/set-up/:slug', methods: ['GET', 'POST'] },
  { at: '/assets/:slug', methods: ['GET'] },
]

function templatesOf(at: string, { paths }: Found): string[] {
  if (at === CONSENT_ROOM) return [CONSENT_PATH]
  const template = `/desk${at.replaceAll(/:(\w+)/g, (_all, name) => (name === 'id' ? '{id}' : '{slug}'))}`
  if (!template.includes('{slug}')) return [template]
  const pattern = new RegExp(
    `^/desk${at.replaceAll(':id', String.raw`\{id\}`).replaceAll(/:\w+/g, '[^/{]+')}$`,
  )
  return [template, ...[...paths].filter((path) => pattern.test(path)).slice(0, MOST_ALIKE)]
}

function operationOf(method: string, template: string, found: Found, known: Names): Operation {
  const isPost = method === 'POST'
  const own = [...(found.controls.get(template)?.values() ?? [])]
  const parameters = found.parameters.get(template) ?? new Map<string, DescribedField>()
  for (const name of known.parameters) if (!parameters.has(name)) parameters.set(name, fieldNamed(name))
  const declared = template.startsWith('/desk/events/') ? Object.keys(event.fields) : []
  const further = (own.length > 0 ? declared : [...declared, ...known.controls]).filter(
    (name) => !own.some((control) => control.name === name),
  )
  return {
    method,
    template,
    query: [...parameters.values()],
    body: isPost ? [...own, ...further.map(fieldNamed)] : [],
  }
}

interface Names {
  parameters: ReadonlySet<string>
  controls: ReadonlySet<string>
}

const SOURCES = new URL('../../src/features/desk/', import.meta.url)

/** Returns the parameters and controls that the sources of the desk read, even if no page shows them. */
function namesInSources(): Names {
  const texts = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => readFileSync(new URL(name, SOURCES), 'utf8'))
  const read = (expression: RegExp) =>
    new Set(texts.flatMap((text) => [...text.matchAll(expression)].flatMap(([, name]) => name ?? [])))
  return {
    parameters: read(/\bquery\.(?:get|has)\('(\w+)'\)/g),
    controls: read(/\b(?:fieldOf|lastTyped|allTyped|isSwitchOn)\(\w+, '(\w+)'\)/g),
  }
}

const CLOCKS = ['19:30', '7pm', '00:00', '24:00', '']

function fieldNamed(name: string): DescribedField {
  const schema: Schema = name.includes('time')
    ? { enum: CLOCKS }
    : { type: ['string', 'integer'], examples: [''] }
  return { name, schema, required: name === 'title' || name === 'start_date' }
}

async function readPages(line: Line, cookie: string, found: Found): Promise<void> {
  const queue = ['/desk/', CONSENT_PATH]
  const seen = new Set(queue)
  const alike = new Map<string, number>()
  for (let read = 0; read < MOST_PAGES && queue.length > 0; read++) {
    const target = queue.shift() ?? ''
    const [path = '', query = ''] = target.split('?')
    const request: PlannedRequest = {
      as: 'anonymous',
      method: 'GET',
      path,
      query: query === '' ? [] : [query],
      headers: { cookie },
      body: { kind: 'none' },
    }
    const { answer } = await exchange(line, request)
    const page = answer?.status === 200 ? String(answer.body) : ''
    noteForms(page, path, found)
    for (const link of linksIn(page)) {
      const [linked = '', asked = ''] = link.split('?')
      const template = withoutNumbers(linked)
      found.paths.add(template)
      for (const name of new URLSearchParams(asked).keys())
        noteField(found.parameters, template, fieldNamed(name))
      const count = alike.get(template) ?? 0
      if (seen.has(link) || count >= MOST_ALIKE) continue
      seen.add(link)
      alike.set(template, count + 1)
      queue.push(link)
    }
  }
}

const withoutNumbers = (path: string) => path.replaceAll(/\/\d+(?=\/|$)/g, '/{id}')

function linksIn(page: string): string[] {
  return [...page.matchAll(/\bhref="([^"#]+)/g)]
    .map(([, link = '']) => link.replaceAll('&amp;', '&'))
    .filter((link) => isDeskPath(link) && !link.startsWith('/desk/assets/'))
}

function noteField(into: Found['controls'], template: string, field: DescribedField): void {
  const fields = into.get(template) ?? new Map<string, DescribedField>()
  into.set(template, fields)
  const known = fields.get(field.name)
  const choices = [...(known?.schema.enum ?? []), ...(field.schema.enum ?? [])]
  fields.set(
    field.name,
    choices.length > 0 ? { ...field, schema: { enum: [...new Set(choices)] } } : (known ?? field),
  )
}

const CONTROL = /<(input|select|textarea|button|option)\b([^>]*)>/g

function noteForms(page: string, path: string, found: Found): void {
  for (const [, head = '', inner = ''] of page.matchAll(/<form\b([^>]*)>(.*?)<\/form>/gs)) {
    const action = (attribute(head, 'action') ?? path).replaceAll('&amp;', '&').split('?')[0] ?? path
    const template = withoutNumbers(action)
    found.paths.add(template)
    const into = attribute(head, 'method') === 'post' ? found.controls : found.parameters
    let list = ''
    for (const [, element = '', about = ''] of inner.matchAll(CONTROL)) {
      const name = attribute(about, 'name')?.replace(/\[\]$/, '')
      if (element === 'select') list = name ?? ''
      const of = element === 'option' ? list : name
      if (of) noteField(into, template, controlOf(of, element, about))
      const elsewhere = attribute(about, 'formaction')
      if (elsewhere) found.paths.add(withoutNumbers(elsewhere))
    }
  }
}

function controlOf(name: string, element: string, about: string): DescribedField {
  const type = attribute(about, 'type') ?? ''
  const isChoice = element === 'option' || element === 'button' || type === 'radio' || type === 'checkbox'
  const value = attribute(about, 'value')
  const isNeeded = about.includes('required') || name === 'start_date'
  const field = fieldNamed(name)
  return {
    ...field,
    ...(isChoice && { schema: { enum: [value ?? 'on'] } }),
    required: isNeeded || field.required,
  }
}

function attribute(about: string, name: string): string | undefined {
  return new RegExp(`(?:^|\\s)${name}="([^"]*)"`).exec(about)?.[1]
}
