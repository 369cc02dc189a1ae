import { credentialsOf, type Reader } from '../support/service.ts'

export interface Verbatim {
  verbatim: string
}

export type Member = readonly [name: string, value: unknown]

export type Encoding = 'json' | 'form' | 'multipart'

export type Body =
  | { kind: 'none' }
  | { kind: 'members'; encoding: Encoding; members: readonly Member[] }
  | { kind: 'bytes'; type: string | undefined; bytes: Buffer }

export interface PlannedRequest {
  as: Reader
  method: string
  path: string
  query: readonly string[]
  headers: Readonly<Record<string, string>>
  body: Body
}

export interface WireRequest {
  method: string
  target: string
  headers: Record<string, string>
  body: Buffer | undefined
}

const BOUNDARY = 'kalends-fuzz-boundary'
const TYPES: Record<Encoding, string> = {
  json: 'application/json',
  form: 'application/x-www-form-urlencoded',
  multipart: `multipart/form-data; boundary=${BOUNDARY}`,
}

export function wireOf(planned: PlannedRequest): WireRequest {
  const { type, bytes } = bodyOf(planned.body)
  const target = planned.query.length === 0 ? planned.path : `${planned.path}?${planned.query.join('&')}`
  return {
    method: planned.method,
    target: asciiTarget(target),
    headers: {
      ...credentialsOf(planned.as),
      ...(type === undefined ? {} : { 'content-type': type }),
      ...(bytes === undefined ? {} : { 'content-length': String(bytes.length) }),
      ...planned.headers,
    },
    body: bytes,
  }
}

function bodyOf(body: Body): { type: string | undefined; bytes: Buffer | undefined } {
  if (body.kind === 'none') return { type: undefined, bytes: undefined }
  if (body.kind === 'bytes') return { type: body.type, bytes: body.bytes }
  return { type: TYPES[body.encoding], bytes: Buffer.from(WRITERS[body.encoding](body.members)) }
}

const WRITERS: Record<Encoding, (members: readonly Member[]) => string> = {
  json: jsonText,
  form: (members) => formPairs(members).map(pairText).join('&'),
  multipart: multipartText,
}

function jsonText(members: readonly Member[]): string {
  return `{${members.map(([name, value]) => `${JSON.stringify(name)}:${jsonValue(value)}`).join(',')}}`
}

function jsonValue(value: unknown): string {
  return isVerbatim(value) ? value.verbatim : (JSON.stringify(value) ?? 'null')
}

export function plainText(value: unknown): string {
  return typeof value === 'string' ? value : jsonValue(value)
}

export function isVerbatim(value: unknown): value is Verbatim {
  return value !== null && typeof value === 'object' && 'verbatim' in value
}

function formPairs(members: readonly Member[]): [name: string, value: string][] {
  return members.flatMap(([name, value]) => nestedPairs(name, value, 0))
}

const MOST_NESTED = 8

function nestedPairs(name: string, value: unknown, depth: number): [string, string][] {
  if (value === null || typeof value !== 'object') return [[name, String(value)]]
  if (isVerbatim(value) || depth > MOST_NESTED) return [[name, jsonValue(value)]]
  const entries = Array.isArray(value) ? value.map((entry) => ['', entry] as const) : Object.entries(value)
  return entries.flatMap(([key, entry]) => nestedPairs(`${name}[${key}]`, entry, depth + 1))
}

const pairText = ([name, value]: [string, string]) =>
  `${encodeText(name).replaceAll('%5B', '[').replaceAll('%5D', ']')}=${encodeText(value)}`

export function encodeText(text: string): string {
  return encodeURIComponent(text.toWellFormed())
}

function multipartText(members: readonly Member[]): string {
  const parts = formPairs(members).map(
    ([name, value]) =>
      `--${BOUNDARY}\r\nContent-Disposition: form-data; ` +
      `name="${partName(name)}"\r\n\r\n${value.toWellFormed()}\r\n`,
  )
  return `${parts.join('')}--${BOUNDARY}--\r\n`
}

const partName = (name: string) => name.replaceAll(/["\r\n]/g, '_').toWellFormed()

function asciiTarget(target: string): string {
  return target.replaceAll(/[^\x21-\x7e]+/g, encodeText)
}

export function withHeader(planned: PlannedRequest, name: string, value: string): PlannedRequest {
  return { ...planned, headers: { ...planned.headers, [name]: value } }
}
