import { hash } from 'node:crypto'
import type { IDToken, ServerMetadata } from 'openid-client'
import type { JsonRecord } from '../../base/foreign-json.ts'
import { type Claimed, claimValues, readClaims } from './claims.ts'
import { UnusableAnswer } from './issuer-fetch.ts'
import { configurationFor, type Provider, SKEW } from './provider.ts'
import { type Flow, type Seal, secretOf } from './sealed.ts'

// Signs in by authorization code with PKCE, state and nonce (OpenID Connect Core, 3.1).

/**
 * The address where the browser signs in. Must be cheap, since strangers may ask.
 * @param back the redirect URI
 */
export function authorizationUrl(
  { client }: Provider,
  metadata: ServerMetadata,
  flow: Flow,
  by: Seal,
  back: string,
): string {
  const url = URL.parse(metadata.authorization_endpoint ?? '')
  if (!url || (url.protocol !== client.issuer.protocol && url.protocol !== 'https:'))
    throw new UnusableAnswer('authorization endpoint')
  const asked = {
    client_id: client.id,
    response_type: 'code',
    redirect_uri: back,
    scope: scopesFor(client.roles, metadata).join(' '),
    state: flow.state,
    nonce: secretOf(by, 'nonce', flow),
    code_challenge: hash('sha256', secretOf(by, 'verifier', flow), 'base64url'),
    code_challenge_method: 'S256',
  }
  for (const [name, value] of Object.entries(asked)) url.searchParams.set(name, value)
  return url.href
}

/** Some providers send a claim such as `groups` only for a scope of the same name. */
function scopesFor(roles: Provider['client']['roles'], { scopes_supported = [] }: ServerMetadata): string[] {
  const claims = roles.map(({ claim }) => claim)
  const named = scopes_supported.filter((scope) => claims.includes(scope))
  return [...new Set(['openid', 'profile', 'email', ...named])]
}

/**
 * Exchanges the code for tokens, and returns the claims about the user.
 * @param answered the redirect URI with the provider's answer
 * @param now milliseconds since the epoch
 */
export async function exchangeCode(
  { client }: Provider,
  metadata: ServerMetadata,
  flow: Flow,
  by: Seal,
  answered: URL,
  now: number,
): Promise<Claimed> {
  const library = await import('openid-client')
  const configuration = await configurationFor(client, metadata)
  const tokens = await library.authorizationCodeGrant(configuration, answered, {
    expectedState: flow.state,
    expectedNonce: secretOf(by, 'nonce', flow),
    pkceCodeVerifier: secretOf(by, 'verifier', flow),
    idTokenExpected: true,
  })
  const token = tokens.claims()
  if (!token || token.iat > now / 1000 + SKEW) throw new UnusableAnswer('iat')
  const more =
    metadata.userinfo_endpoint !== undefined && lacks(token, client.roles)
      ? await library.fetchUserInfo(configuration, tokens.access_token, token.sub)
      : {}
  // Signed claims replace unsigned ones.
  const claims: JsonRecord = { ...more, ...token }
  const claimed = readClaims(claims, metadata.issuer, client.roles, client.defaultRole)
  if (!claimed) throw new UnusableAnswer('sub')
  return claimed
}

function lacks(token: IDToken, roles: Provider['client']['roles']): boolean {
  return token.name === undefined || roles.some(({ claim }) => claimValues(token, claim).length === 0)
}

export type ProviderTrouble = 'silent' | 'unusable' | 'used' | 'denied'

/** Returns why a sign-in failed; `code`, for the log, never has a text of the provider. */
export async function describeFault(error: unknown): Promise<{ why: ProviderTrouble; code: string }> {
  const { AuthorizationResponseError, ResponseBodyError } = await import('openid-client')
  for (const each of causesOf(error)) {
    if (each instanceof UnusableAnswer) return { why: 'unusable', code: each.code }
    if (each instanceof ResponseBodyError)
      return { why: each.error === 'invalid_grant' ? 'used' : 'unusable', code: standardCode(each.error) }
    if (each instanceof AuthorizationResponseError) {
      const isSilent = each.error === 'temporarily_unavailable' || each.error === 'server_error'
      return { why: isSilent ? 'silent' : 'denied', code: standardCode(each.error) }
    }
    if (each instanceof Response) return { why: each.status >= 500 ? 'silent' : 'unusable', code: 'status' }
    const code = each instanceof Error && 'code' in each ? String(each.code) : ''
    if (/^(E[A-Z]{3,20}|EAI_[A-Z]{3,20}|ABORT_ERR|OAUTH_TIMEOUT|OAUTH_ABORT)$/.test(code))
      return { why: 'silent', code }
  }
  const [first] = causesOf(error)
  const code = first instanceof Error && 'code' in first ? String(first.code) : ''
  return { why: 'unusable', code: /^[A-Z_]{1,60}$/.test(code) ? code : 'unknown' }
}

function causesOf(error: unknown): unknown[] {
  const causes = [error]
  while (causes.length < 5) {
    const last = causes.at(-1)
    if (!(last instanceof Error) || last.cause === undefined) break
    causes.push(last.cause)
  }
  return causes
}

/** Error codes of RFC 6749, 4.1.2.1 and 5.2, and of OpenID Connect Core, 3.1.2.6. */
const STANDARD = new Set(
  (
    'invalid_request invalid_client invalid_grant unauthorized_client unsupported_grant_type invalid_scope ' +
    'access_denied unsupported_response_type server_error temporarily_unavailable interaction_required ' +
    'login_required account_selection_required consent_required invalid_token'
  ).split(' '),
)

const standardCode = (code: string) => (STANDARD.has(code) ? code : 'unknown')
