import { type IncomingMessage, request as requestPlain } from 'node:http'
import { request as requestSecure } from 'node:https'
import type { CustomFetch } from 'openid-client'
import { lookUpAmong, mayConnect, NoPublicAddress, nameOf } from '../../store/media/public-addresses.ts'

/** In bytes: two hundred groups are 10 kB. */
const MOST_ANSWERED = 256_000

/** An unusable answer of the provider; `code` is logged. */
export class UnusableAnswer extends Error {
  override name = 'UnusableAnswer'
  readonly code: string

  constructor(code: string) {
    super(code)
    this.code = code
  }
}

/**
 * The issuer may have any address, since the operator names it; hosts in its answers must be public.
 * Redirects are refused, and the connection goes to the checked address. `signal` aborts the reading too.
 */
export function makeIssuerFetch(issuer: URL): CustomFetch {
  return async (url, { body, headers, method, signal }) => {
    const target = new URL(url)
    const hosts = nameOf(target) === nameOf(issuer) ? [target.host] : []
    if (!mayConnect(target, hosts)) throw new NoPublicAddress(nameOf(target))
    const sent = body === undefined || body === null ? undefined : String(body)
    const asking = { method, headers, agent: false, lookup: lookUpAmong(hosts), ...(signal && { signal }) }
    const response = await ask(target, asking, sent)
    const { statusCode: status = 0 } = response
    const bytes = await readWhole(response)
    if (status < 200 || status > 599) throw new UnusableAnswer('status')
    const known = ['content-type', 'www-authenticate'].flatMap((name): [string, string][] => {
      const value = response.headers[name]
      return typeof value === 'string' ? [[name, value]] : []
    })
    return new Response([204, 205, 304].includes(status) ? null : bytes, { status, headers: known })
  }
}

function ask(target: URL, asking: object, sent: string | undefined): Promise<IncomingMessage> {
  const request = target.protocol === 'https:' ? requestSecure : requestPlain
  return new Promise((resolve, reject) => {
    request(target, asking, resolve).on('error', reject).end(sent)
  })
}

async function readWhole(response: IncomingMessage): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of response) {
    length += chunk.length
    if (length > MOST_ANSWERED) throw new UnusableAnswer('too long')
    chunks.push(chunk)
  }
  return new Uint8Array(Buffer.concat(chunks))
}
