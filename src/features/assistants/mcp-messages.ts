import type { IncomingHttpHeaders } from 'node:http'
import { overShape } from '../../base/fields/limits.ts'
import { isRecord, type JsonRecord, parsedJson } from '../../base/foreign-json.ts'
import { beginningOf } from '../../base/text/characters.ts'

// JSON-RPC is in the body of a POST. From 2026-07-28 on each request is stateless and names its sender in
// `_meta`; earlier clients begin with a handshake (`initialize`), of which nothing is stored.

const REVISION = '2026-07-28'
const EARLIER: readonly string[] = ['2025-11-25', '2025-06-18', '2025-03-26']
export const REVISIONS: readonly string[] = [REVISION, ...EARLIER]

export const MOST_BYTES = 65_536
const MOST_LEVELS = 20

const PREFIX = 'io.modelcontextprotocol/'
const VERSION_KEY = `${PREFIX}protocolVersion`

type MessageId = string | number

export interface McpFault {
  code: number
  status: number
  message: string
  data?: JsonRecord
}

export interface McpRequest {
  id: MessageId
  method: string
  params: JsonRecord
  isStateless: boolean
}

/** A fault has the id of its request if that is known. */
export type McpMessage = { request: McpRequest } | { fault: McpFault; id: MessageId | null } | 'notification'

/** Error codes of JSON-RPC and of the protocol. */
const CODES = {
  parse: -32700,
  request: -32600,
  method: -32601,
  params: -32602,
  refused: -32000,
  headers: -32020,
  revision: -32022,
} as const

export function mcpFault(
  why: keyof typeof CODES,
  message: string,
  status = 400,
  data?: JsonRecord,
): McpFault {
  return { code: CODES[why], status, message, ...(data && { data }) }
}

export function readMessage(body: Buffer, headers: IncomingHttpHeaders): McpMessage {
  const message = parsedJson(body)
  if (message === undefined) return { fault: mcpFault('parse', 'The body is not JSON.'), id: null }
  if (Array.isArray(message))
    return { fault: mcpFault('request', 'Send one message at a time: no lists.'), id: null }
  if (!isRecord(message) || message.jsonrpc !== '2.0' || typeof message.method !== 'string')
    return { fault: mcpFault('request', 'The body is no request of JSON-RPC 2.0.'), id: null }
  if (overShape(message, MOST_LEVELS)) return { fault: mcpFault('request', TOO_DEEP), id: null }
  const { id, method, params = {} } = message
  if (id === undefined) return 'notification'
  if (typeof id !== 'string' && !Number.isSafeInteger(id))
    return { fault: mcpFault('request', 'The id of a request is a text or a whole number.'), id: null }
  const known = id as MessageId
  if (!isRecord(params))
    return { fault: mcpFault('params', 'params is a record of names and values.'), id: known }
  const request = { id: known, method, params, isStateless: false }
  const meta = isRecord(params._meta) ? params._meta : {}
  const version = headers['mcp-protocol-version']
  const isStateless = VERSION_KEY in meta || version === REVISION
  const fault = isStateless ? statelessFault(request, meta, headers) : earlierFault(request, version)
  return fault ? { fault, id: known } : { request: { ...request, isStateless } }
}

const TOO_DEEP = `Lists and records nest deeper than ${MOST_LEVELS} levels, or are too many.`

/** Finds wrong members of `_meta`, and headers that differ from the message. */
function statelessFault(
  { method, params }: McpRequest,
  meta: JsonRecord,
  { 'mcp-protocol-version': version, 'mcp-method': named, 'mcp-name': name }: IncomingHttpHeaders,
): McpFault | undefined {
  const claimed = meta[VERSION_KEY]
  if (typeof claimed !== 'string')
    return mcpFault('params', `params._meta needs a text named ${VERSION_KEY}.`)
  if (!isRecord(meta[`${PREFIX}clientCapabilities`]))
    return mcpFault('params', `params._meta needs a record named ${PREFIX}clientCapabilities.`)
  if (version !== undefined && version !== claimed)
    return differing('MCP-Protocol-Version', `params._meta says ${quotedPart(claimed)}`)
  if (claimed !== REVISION) return unknownRevision(claimed)
  if (version === undefined) return differing('MCP-Protocol-Version', 'it is missing')
  if (named !== method)
    return differing('Mcp-Method', named === undefined ? 'it is missing' : 'the method is another')
  if (method !== 'tools/call' || typeof params.name !== 'string') return undefined
  if (name === undefined) return differing('Mcp-Name', 'it is missing')
  return decodedName(String(name)) === params.name
    ? undefined
    : differing('Mcp-Name', 'params.name is another')
}

/** Refuses unknown revisions. The first clients named none, which is allowed. */
function earlierFault({ method }: McpRequest, version: string | string[] | undefined): McpFault | undefined {
  const isKnown = version === undefined || method === 'initialize' || EARLIER.includes(String(version))
  return isKnown ? undefined : unknownRevision(String(version))
}

function unknownRevision(requested: string): McpFault {
  const data = { supported: REVISIONS, requested: beginningOf(requested, 100) }
  return mcpFault(
    'revision',
    `This revision is not known here; known are ${REVISIONS.join(', ')}.`,
    400,
    data,
  )
}

const differing = (header: string, why: string) =>
  mcpFault('headers', `The header ${header} does not say what the body says: ${why}.`)

const quotedPart = (text: string) => JSON.stringify(beginningOf(text, 100))

/** Decodes base64, the form of names beyond ASCII. */
function decodedName(text: string): string {
  const [, base64] = /^=\?base64\?([\w+/]*={0,2})\?=$/.exec(text) ?? []
  return base64 === undefined ? text : Buffer.from(base64, 'base64').toString('utf8')
}

/** Returns the revision asked for, or the latest with a handshake. */
export function agreedRevision({ params }: McpRequest): string {
  return EARLIER.find((known) => known === params.protocolVersion) ?? '2025-11-25'
}

/** Wraps a result; that of a stateless request says that it is complete, and which server answers. */
export function resultMessage(
  { id, isStateless }: McpRequest,
  result: JsonRecord,
  server: JsonRecord,
): JsonRecord {
  const whole = { resultType: 'complete', ...result, _meta: { [`${PREFIX}serverInfo`]: server } }
  return { jsonrpc: '2.0', id, result: isStateless ? whole : result }
}

export function faultMessage(id: MessageId | null, { code, message, data }: McpFault): JsonRecord {
  return { jsonrpc: '2.0', id, error: { code, message, ...(data && { data }) } }
}
