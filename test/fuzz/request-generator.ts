import { makeRandom, type Random } from '../../bench/random.ts'
import { type Reader, USERS } from '../support/service.ts'
import { asCall } from './assistant-calls.ts'
import type { Seeded } from './calendar-seed.ts'
import type { DescribedField, Operation } from './described-operations.ts'
import { isDeskPath } from './desk-ground.ts'
import type { DeskSessions } from './desk-sessions.ts'
import { hostileText } from './hostile-values.ts'
import { mutate } from './mutations.ts'
import {
  type Body,
  type Encoding,
  encodeText,
  type Member,
  type PlannedRequest,
  withHeader,
} from './planned-request.ts'
import { type Known, knownId, knownSlug, requiredValue, validValue } from './valid-values.ts'

const READERS: readonly Reader[] = ['anonymous', 'anonymous', 'anonymous', ...USERS]
const WRITERS: readonly Reader[] = [
  'anonymous',
  ...USERS,
  'admin',
  'editor',
  'editor',
  'author',
  'author',
  'contributor',
]
const ENCODINGS: readonly Encoding[] = ['json', 'json', 'json', 'form', 'multipart']
const FORMS: readonly Encoding[] = ['form', 'form', 'multipart', 'multipart', 'json']

export interface Ground {
  operations: readonly Operation[]
  seeded: Seeded
  sessions: DeskSessions
  seed: number
}

export function plannedRequest(ground: Ground, number: number): PlannedRequest {
  const random = makeRandom((ground.seed * 1_000_003 + number) | 0)
  const known = { seeded: ground.seeded, latest: 40 + Math.floor(number / 10) }
  const operation = pickOperation(ground.operations, random)
  const described = describedRequest(operation, known, random)
  const plain = isDeskPath(described.path) ? atDesk(described, ground.sessions, random) : described
  const changes = random.pick([0, 1, 1, 1, 2, 2, 3, 4])
  // Mutates either the arguments of a tool or the message around them.
  const begun = random.chance(0.3) ? asCall(plain) : plain
  return asCall(mutate(begun, { operation, operations: ground.operations, random }, changes))
}

/**
 * Returns how often an operation is used: mostly lists and creates, and deletes seldom, since trashed records
 * are not written to any more.
 */
function useOf({ method, template, query, body }: Operation): number {
  if (method === 'DELETE') return 0.15
  if (body.length > 0 || method === 'GET')
    return !template.includes('{') && body.length + query.length > 6 ? 1 : 0.4
  return 0.3
}

function pickOperation(operations: readonly Operation[], random: Random): Operation {
  const operation = random.pick(operations)
  return random.chance(useOf(operation)) ? operation : pickOperation(operations, random)
}

export function describedRequest(operation: Operation, known: Known, random: Random): PlannedRequest {
  return {
    as: random.pick(operation.method === 'GET' ? READERS : WRITERS),
    method: operation.method,
    path: pathOf(operation.template, known, random),
    query: operation.query
      .filter(({ required }) => required || random.chance(0.12))
      .map((field) => queryPart(field.name, queryValue(field, known, random))),
    headers: {},
    body: bodyOf(operation, known, random),
  }
}

const ORIGINS: readonly (readonly [name: string, value: string])[] = [
  ['sec-fetch-site', 'same-origin'],
  ['sec-fetch-site', 'none'],
  ['sec-fetch-site', 'cross-site'],
  ['sec-fetch-site', 'same-site'],
  ['sec-fetch-site', 'same-origin, cross-site'],
  ['origin', 'null'],
  ['origin', 'https://evil.example'],
]

function atDesk(planned: PlannedRequest, sessions: DeskSessions, random: Random): PlannedRequest {
  const as = planned.as === 'anonymous' ? random.pick(USERS) : planned.as
  const cookie = random.chance(0.9) ? sessions.of[as] : random.pick(sessions.void)
  const signedIn = withHeader({ ...planned, as }, 'cookie', cookie)
  if (planned.method === 'GET' || random.chance(0.5)) return signedIn
  const [name, value] = random.chance(0.7) ? ['sec-fetch-site', 'same-origin'] : random.pick(ORIGINS)
  return withHeader(signedIn, name, value)
}

function pathOf(template: string, known: Known, random: Random): string {
  return template
    .replaceAll('{id}', () => String(knownId(template, known, random)))
    .replaceAll('{slug}', () =>
      encodeText(random.chance(0.7) ? knownSlug(template, known, random) : hostileText(random, 1500)),
    )
}

export function queryPart(name: string, value: string): string {
  return `${encodeText(name)}=${encodeText(value)}`
}

function queryValue(field: DescribedField, known: Known, random: Random): string {
  const value = validValue(field, known, random)
  return Array.isArray(value) ? value.join(',') : String(value ?? '')
}

function bodyOf(operation: Operation, known: Known, random: Random): Body {
  if (operation.body.length === 0) return { kind: 'none' }
  const creates = !operation.template.includes('{')
  const members = operation.body
    .filter(({ required }) => (required && creates) || random.chance(0.2))
    .map(
      (field): Member => [
        field.name,
        field.required ? requiredValue(field, random) : validValue(field, known, random),
      ],
    )
  const encodings = isDeskPath(operation.template) ? FORMS : ENCODINGS
  return { kind: 'members', encoding: random.pick(encodings), members }
}
