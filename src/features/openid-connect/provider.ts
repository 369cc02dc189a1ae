import type { Configuration, ServerMetadata } from 'openid-client'
import { makeTurns, type Turns } from '../../calendar/people/turns.ts'
import { makeIssuerFetch, UnusableAnswer } from './issuer-fetch.ts'
import type { OpenIdClient } from './openid-client.ts'
import { makeSeal, type Seal } from './sealed.ts'

// Caches the provider's metadata, and configures `openid-client`.

export interface Provider {
  client: OpenIdClient
  turns: { ofClient: Turns; ofAll: Turns }
  /** @throws whatever the library throws, and `UnusableAnswer` */
  metadata: () => Promise<ServerMetadata>
  known: () => ServerMetadata | undefined
  seal: () => Promise<Seal>
}

const METADATA_MS = 300_000
/** In ms, the delay before an issuer that failed is asked again. */
const FAILURE_MS = 3000
/** In seconds. */
const TIMEOUT = 5
/** Seconds by which the provider's clock may differ. */
export const SKEW = 60

export function makeProvider(client: OpenIdClient): Provider {
  let asked: { at: number; metadata: Promise<ServerMetadata>; isFailed?: boolean } | undefined
  let last: { at: number; metadata: ServerMetadata } | undefined
  let seal: Promise<Seal> | undefined
  const code = 'too_many_attempts' as const
  return {
    client,
    turns: {
      ofClient: makeTurns({ atOnce: 4, waiting: 20, code, retryAfter: 4 }),
      ofAll: makeTurns({ atOnce: 16, waiting: 200, code: 'rest_unavailable', retryAfter: 4 }),
    },
    metadata: () => {
      const now = performance.now()
      if (asked && now - asked.at < (asked.isFailed ? FAILURE_MS : METADATA_MS)) return asked.metadata
      const asking: typeof asked = { at: now, metadata: discover(client) }
      asked = asking
      asking.metadata.then(
        (metadata) => {
          last = { at: now, metadata }
        },
        () => {
          asking.isFailed = true
          asking.at = performance.now()
        },
      )
      return asking.metadata
    },
    known: () => (last && performance.now() - last.at < METADATA_MS ? last.metadata : undefined),
    seal: () => (seal ??= makeSeal(client.secret, client.issuer.href, client.id)),
  }
}

/** Fetches the metadata of the issuer. Throws also if it names another issuer. */
export async function discover({ issuer, id }: OpenIdClient): Promise<ServerMetadata> {
  const library = await import('openid-client')
  const found = await library.discovery(issuer, id, undefined, library.None(), {
    [library.customFetch]: makeIssuerFetch(issuer),
    timeout: TIMEOUT,
    ...(issuer.protocol === 'http:' && { execute: [library.allowInsecureRequests] }),
  })
  const metadata = found.serverMetadata()
  // The library accepts another issuer from some providers.
  if (URL.parse(metadata.issuer)?.href !== issuer.href) throw new UnusableAnswer('issuer')
  return metadata
}

/** Fetches the keys anew for each sign-in, so that a key just changed by the provider is known. */
export async function configurationFor(
  { issuer, id, secret }: OpenIdClient,
  metadata: ServerMetadata,
): Promise<Configuration> {
  const library = await import('openid-client')
  const { token_endpoint_auth_methods_supported: methods = ['client_secret_basic'] } = metadata
  // Not all providers decode the header of `ClientSecretBasic`.
  const isPosted = methods.includes('client_secret_post')
  const by = isPosted ? library.ClientSecretPost(secret) : library.ClientSecretBasic(secret)
  const configuration = new library.Configuration(
    metadata,
    id,
    { client_secret: secret, [library.clockTolerance]: SKEW },
    by,
  )
  configuration[library.customFetch] = makeIssuerFetch(issuer)
  configuration.timeout = TIMEOUT
  // Checks signatures, although the token comes by TLS.
  library.enableNonRepudiationChecks(configuration)
  if (issuer.protocol === 'http:') library.allowInsecureRequests(configuration)
  return configuration
}
