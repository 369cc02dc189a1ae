import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Kind } from '../base/fields/kinds.ts'
import { limits } from '../base/fields/limits.ts'
import { type ParamFault, Problem } from '../base/problems.ts'
import { TURN_MS } from '../base/text/long-texts.ts'
import type { Context } from '../calendar/declare/context.ts'
import { parseFields, type RawValues } from '../calendar/declare/parse.ts'
import { defineFields, type Fields } from '../calendar/declare/resource.ts'
import { batchOnce, REPLAYED, type Repeatable } from '../calendar/editing/idempotency.ts'
import { withImages } from '../calendar/images/images.ts'
import { about } from '../calendar/locales/messages.ts'
import type { Tx } from '../store/storage/recording.ts'
import { type Admission, admitted } from './admission.ts'
import type { Answer } from './format.ts'
import { type IncomingRequest, NO_BODY, splitUrl } from './incoming.ts'
import type { MatchedRequest, Route } from './routes.ts'

interface Batching {
  admission: Admission
  count: (requests: number) => void
  answerItem: (incoming: IncomingRequest, context: Context) => Promise<Answer>
}

interface BatchAnswers {
  failed: boolean
  answers: readonly (Answer | null)[]
}

/**
 * Headers that each request of a batch may set; its others are ignored. Credentials are those of the batch.
 */
const OWN_HEADERS = ['idempotency-key', 'if-match', 'prefer']

export async function answerBatch(
  request: MatchedRequest,
  incoming: IncomingRequest,
  context: Context,
  batching: Batching,
): Promise<Answer> {
  const { areOne, requests } = await parseBatch(request.values, context)
  const bounded: Context = {
    ...context,
    answerBudget: { ...limits.batchAnswers },
    datesWritten: new Map(),
    recordsMade: new WeakMap(),
  }
  // The batch itself has been counted.
  batching.count(Math.max(0, requests.length - 1))
  return batchOnce(request, requests.length, context, async (repeatableAt) => {
    const items = requests.map((request, place) =>
      incomingOf(request, incoming, bounded, repeatableAt(place)),
    )
    const { failed, answers } = areOne
      ? await answerTogether(items, incoming, bounded, batching)
      : await answerEach(items, bounded, batching)
    const isReplay = answers.length > 0 && answers.every((answer) => answer?.headers[REPLAYED])
    return {
      status: 207,
      headers: isReplay ? { [REPLAYED]: 'true' } : {},
      body: {
        ...(failed ? { failed: 'validation' } : {}),
        responses: answers.map(
          (answer) => answer && { status: answer.status, headers: answer.headers, body: answer.body ?? null },
        ),
      },
    }
  })
}

function incomingOf(
  { method, path, body, headers }: BatchRequest,
  batch: IncomingRequest,
  { site }: Context,
  repeatable: Repeatable | undefined,
): IncomingRequest {
  const { address, requestId, isGone } = batch
  const own = Object.fromEntries(Object.entries(headers).filter(([name]) => OWN_HEADERS.includes(name)))
  return {
    method,
    url: splitUrl(site.restRoot + path),
    headers: own,
    ...(repeatable && own['idempotency-key'] === undefined ? { repeatable } : {}),
    address,
    requestId,
    isGone,
    readBody: async () => ({ ...NO_BODY, form: { fields: body, repeated: new Set(), files: [] } }),
  }
}

async function answerEach(
  items: readonly IncomingRequest[],
  context: Context,
  { answerItem }: Pick<Batching, 'answerItem'>,
): Promise<BatchAnswers> {
  const answers: Answer[] = []
  for (const item of items) {
    // A copy of the context, since each request has its own images.
    answers.push(await answerItem(item, { ...context }))
    await nextTurn()
  }
  return { failed: false, answers }
}

interface Waiting {
  work: (tx: Tx) => Promise<unknown>
  resolve: (value: unknown) => void
  reject: (error: unknown) => void
}

type Begun = { answer: Promise<Answer> } & ({ early: Answer } | { waiting: Waiting })

const ABANDONED = new Problem('rest_unavailable')

/** Collects the writes of a batch for one transaction; images are shared. */
interface Gate {
  context: Context
  arrive: (waiting: Waiting) => void
}

function makeGate(context: Context): Gate {
  const write: Context['write'] = (work) =>
    new Promise((resolve, reject) => {
      gate.arrive({ work, resolve: resolve as Waiting['resolve'], reject })
    })
  const gate: Gate = { context: { ...context, write, writeShared: undefined }, arrive: () => undefined }
  return gate
}

async function answerTogether(
  items: readonly IncomingRequest[],
  incoming: IncomingRequest,
  context: Context,
  { admission, answerItem }: Batching,
): Promise<BatchAnswers> {
  const begun: Begun[] = []
  const gate = makeGate(context)
  const prepare = async () => {
    for (const item of items) {
      begun.push(await beginRequest(item, gate, answerItem))
      await nextTurn()
    }
  }
  const waiting = () => begun.flatMap((one) => ('waiting' in one ? [one.waiting] : []))
  return withImages(gate.context, async () => {
    try {
      await admitted(admission, 'writes', incoming, prepare)
      const early = begun.map((one) => ('early' in one && one.early.status >= 400 ? one.early : null))
      if (early.some(Boolean)) return { failed: true, answers: early }
      const write = () => writeAll(waiting(), context)
      const refused = await admitted(admission, 'writes', incoming, write)
      return await collect(begun, refused)
    } finally {
      for (const { reject } of waiting()) reject(ABANDONED)
      await Promise.all(begun.map(({ answer }) => answer))
    }
  })
}

async function beginRequest(
  item: IncomingRequest,
  gate: Gate,
  answerItem: Batching['answerItem'],
): Promise<Begun> {
  const { promise: arrived, resolve: arrive } = Promise.withResolvers<Waiting>()
  gate.arrive = arrive
  const answer = answerItem({ ...item, hasTurn: true }, gate.context)
  const first = await Promise.race([
    arrived.then((waiting) => ({ waiting })),
    answer.then((early) => ({ early })),
  ])
  return { answer, ...first }
}

/** Runs all writes in one transaction. If one is refused, all are undone, and the refused one is returned. */
async function writeAll(waiting: readonly Waiting[], context: Context): Promise<Waiting | undefined> {
  const under: { way: Waiting | undefined } = { way: undefined }
  try {
    const values = await context.write(async (tx) => {
      const written: unknown[] = []
      let since = performance.now()
      for (const one of waiting) {
        under.way = one
        written.push(await one.work(tx))
        if (performance.now() - since < TURN_MS) continue
        await nextTurn()
        since = performance.now()
      }
      under.way = undefined
      return written
    })
    for (const [i, { resolve }] of waiting.entries()) resolve(values[i])
    return undefined
  } catch (error) {
    if (!(error instanceof Problem && under.way)) throw error
    under.way.reject(error)
    return under.way
  }
}

async function collect(begun: readonly Begun[], refused: Waiting | undefined): Promise<BatchAnswers> {
  if (!refused) return { failed: false, answers: await Promise.all(begun.map(({ answer }) => answer)) }
  const own = (one: Begun) => ('waiting' in one && one.waiting === refused ? one.answer : null)
  return { failed: true, answers: await Promise.all(begun.map(own)) }
}

export const BATCH_METHODS = ['POST', 'PUT', 'PATCH', 'DELETE'] as const

export const VALIDATIONS = ['normal', 'require-all-validate'] as const

interface BatchRequest {
  method: (typeof BATCH_METHODS)[number]
  path: string
  body: RawValues
  headers: Readonly<Record<string, string>>
}

const validation: Kind<(typeof VALIDATIONS)[number]> = {
  wire: { type: 'string', enum: VALIDATIONS },
  valid: (value) => VALIDATIONS.some((known) => known === value),
  read: (value) => VALIDATIONS.find((known) => known === value),
}

const requests: Kind<unknown[]> = {
  wire: {
    type: 'array',
    maxItems: limits.batch.entries,
    items: {
      type: 'object',
      properties: {
        method: { type: 'string', enum: BATCH_METHODS, default: 'POST' },
        path: { type: 'string', required: true },
        body: { type: 'object', properties: [], additionalProperties: true },
        headers: {
          type: 'object',
          properties: [],
          additionalProperties: { type: ['string', 'array'], items: { type: 'string' } },
        },
      },
    },
  },
  within: limits.batch,
  read: (value) => (Array.isArray(value) ? value : undefined),
}

const batchFields = defineFields({
  validation: {
    kind: validation,
    about: about('normal does each request by itself, require-all-validate all of them or none'),
    default: 'normal',
  },
  requests: { kind: requests, about: about('The requests, done in their order'), required: true },
})

export function batchRoute(): Route {
  return {
    path: '/batch/v1',
    template: '/batch/v1',
    endpoints: [{ methods: ['POST'], action: { do: 'batch' }, args: batchFields }],
  }
}

/** @throws Problem rest_invalid_param, naming parts such as `requests[3][method]` */
async function parseBatch(
  valuesOf: (fields: Fields) => RawValues,
  context: Context,
): Promise<{ areOne: boolean; requests: BatchRequest[] }> {
  const { validation: how, requests: sent = [] } = await parseFields(
    batchFields,
    valuesOf(batchFields),
    context,
  )
  const faults: Record<string, ParamFault> = {}
  const read = sent.map((entry, i) => readRequest(entry, `requests[${i}]`, faults))
  if (Object.keys(faults).length > 0) throw new Problem('rest_invalid_param', { params: faults })
  return { areOne: how === 'require-all-validate', requests: read }
}

function readRequest(entry: unknown, name: string, faults: Record<string, ParamFault>): BatchRequest {
  const members = asRecord(entry)
  if (!members) faults[name] = { why: 'type', type: 'object' }
  const { method = 'POST', path, body, headers } = members ?? {}
  const known = BATCH_METHODS.find((allowed) => allowed === method)
  if (members && !known) faults[`${name}[method]`] = { why: 'invalid' }
  if (members && typeof path !== 'string') faults[`${name}[path]`] = { why: 'type', type: 'string' }
  const fields = asRecord(body ?? {})
  if (!fields) faults[`${name}[body]`] = { why: 'type', type: 'object' }
  const sent = asRecord(headers ?? {})
  if (!sent) faults[`${name}[headers]`] = { why: 'type', type: 'object' }
  return { method: known ?? 'POST', path: String(path), body: fields ?? {}, headers: readHeaders(sent ?? {}) }
}

/** Returns undefined unless the value is an object. Some clients send an empty list for an empty object. */
function asRecord(value: unknown): Readonly<Record<string, unknown>> | undefined {
  if (value === null || typeof value !== 'object') return undefined
  if (Array.isArray(value)) return value.length === 0 ? {} : undefined
  return value as Readonly<Record<string, unknown>>
}

function readHeaders(sent: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  const pairs = Object.entries(sent).flatMap(([name, value]) => {
    const first: unknown = Array.isArray(value) ? value[0] : value
    return typeof first === 'string' ? [[name.toLowerCase(), first] as const] : []
  })
  return Object.fromEntries(pairs)
}
