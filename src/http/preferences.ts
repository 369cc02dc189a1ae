import type { RawValues } from '../declare/parse.ts'
import type { Reply } from '../formats/format.ts'
import { wantsEnvelope } from '../formats/json.ts'
import type { Action } from './routes.ts'

const MINIMAL = 'return=minimal'

/**
 * The answer without its body, for clients that prefer `return=minimal` (RFC 7240): to a create or an update that succeeded, with the address of the
 * record. An envelope is a body, so clients that ask for one get it.
 */
export function asPreferred(
  reply: Reply,
  action: Action,
  prefer: string | string[] | undefined,
  query: RawValues,
  base: string,
): Reply {
  const isMade = action.do === 'create' || action.do === 'createWebhook'
  const mayBeMinimal = (isMade || action.do === 'update') && reply.status < 300
  if (!mayBeMinimal || prefer === undefined || wantsEnvelope(query) || !wantsMinimal(String(prefer))) return reply
  const { body } = reply
  const id = body !== null && typeof body === 'object' && 'id' in body ? String(body.id) : ''
  const place = 'served' in action ? { Location: `${base}/${action.served.resource.path}/${id}` } : {}
  const headers = { ...place, ...reply.headers, 'Preference-Applied': MINIMAL }
  return { ...reply, headers, body: undefined, shown: { format: 'none', bytes: Buffer.alloc(0) } }
}

/** Of several preferences of one name the first counts. */
function wantsMinimal(prefer: string): boolean {
  const preferences = prefer.split(',').map((entry) => entry.split(';', 1)[0]?.replaceAll(/[\s"]/g, '').toLowerCase())
  return preferences.find((preference) => preference?.startsWith('return=')) === MINIMAL
}
