import {
  createHmac,
  createPublicKey,
  generateKeyPairSync,
  type JsonWebKey,
  type KeyObject,
  sign,
} from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Provider from 'oidc-provider'
import type { Settings } from './service.ts'

// A real OpenID Connect provider, whose answers a test may change on their way.

export interface SigningKey {
  kid: string
  alg: 'RS256' | 'ES256'
  key: KeyObject
}

export function newKey(kid: string, alg: SigningKey['alg'] = 'RS256'): SigningKey {
  const { privateKey } =
    alg === 'RS256'
      ? generateKeyPairSync('rsa', { modulusLength: 2048 })
      : generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return { kid, alg, key: privateKey }
}

export function publicJwk({ key, kid, alg }: SigningKey): JsonWebKey {
  return { ...createPublicKey(key).export({ format: 'jwk' }), kid, alg, use: 'sig' }
}

export type Claims = Record<string, unknown>

const coded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

/** As a provider signs, or as nobody should. */
export function signedToken(claims: Claims, { key, kid, alg }: SigningKey, header: object = {}): string {
  const all = { alg: String(alg), kid, ...header }
  const content = `${coded(all)}.${coded(claims)}`
  if (all.alg === 'none') return `${content}.`
  if (all.alg === 'HS256') {
    const pem = createPublicKey(key).export({ format: 'pem', type: 'spki' })
    return `${content}.${createHmac('sha256', pem).update(content).digest('base64url')}`
  }
  const signature = sign('sha256', Buffer.from(content), { key, dsaEncoding: 'ieee-p1363' })
  return `${content}.${signature.toString('base64url')}`
}

export function claimsIn(token: string): Claims {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
}

/** JSON of an answer, by the path of its request. */
type Change = (body: Claims) => Claims | string | undefined

export interface TestProvider {
  issuer: string
  key: SigningKey
  settings: Settings
  accounts: Map<string, Claims>
  /** Who signs in next. */
  who: string
  /** By path, such as `/token`; each test sets its own. */
  change: Record<string, Change>
  /** In place of all answers. */
  answer: ((request: IncomingMessage, response: ServerResponse) => void) | undefined
  /** Paths that were asked for, with the Authorization of each. */
  asked: { path: string; authorization: string }[]
  reset: () => void
  close: () => Promise<void>
}

export const changed =
  (path: string, change: Change) =>
  (provider: TestProvider): void => {
    provider.change[path] = change
  }

export const answered =
  (answer: TestProvider['answer']) =>
  (provider: TestProvider): void => {
    provider.answer = answer
  }

export const SECRET = 'a secret of the client, long enough'

export async function startProvider(): Promise<TestProvider> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const issuer = `http://127.0.0.1:${port}`
  const key = newKey('first')
  const folder = mkdtempSync(join(tmpdir(), 'kalends-openid-'))
  writeFileSync(join(folder, 'secret'), SECRET, { mode: 0o600 })
  const test: TestProvider = {
    issuer,
    key,
    settings: {
      oidc_issuer: issuer,
      oidc_client_id: 'kalends',
      oidc_client_secret_file: join(folder, 'secret'),
      oidc_name: 'Riverside University',
    },
    accounts: new Map(),
    who: '',
    change: {},
    answer: undefined,
    asked: [],
    reset: () => {
      test.change = {}
      test.answer = undefined
      test.asked.length = 0
    },
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      rmSync(folder, { recursive: true, force: true })
    },
  }
  const provider = quietly(() => makeProvider(test))
  const handle = provider.callback()
  server.on('request', (request, response) => {
    const path = new URL(request.url ?? '', issuer).pathname
    test.asked.push({ path, authorization: request.headers.authorization ?? '' })
    if (test.answer) return test.answer(request, response)
    keepCookies(response)
    // It has forgotten who signed in before.
    if (path === '/auth') delete request.headers.cookie
    if (path.startsWith('/interaction/')) return void signIn(provider, test, request, response)
    const change = test.change[path]
    if (change) changeAnswer(response, change)
    return void handle(request, response)
  })
  return test
}

/** It warns of what a test wants. */
function quietly<T>(make: () => T): T {
  const { info, warn } = console
  console.info = () => undefined
  console.warn = () => undefined
  try {
    return make()
  } finally {
    console.info = info
    console.warn = warn
  }
}

function makeProvider(test: TestProvider): Provider {
  const provider = new Provider(test.issuer, {
    clients: [
      {
        client_id: 'kalends',
        client_secret: SECRET,
        redirect_uris: ['http://localhost/desk/openid/return'],
        post_logout_redirect_uris: ['http://localhost/desk/sign-in'],
        token_endpoint_auth_method: 'client_secret_basic',
      },
    ],
    clientAuthMethods: ['client_secret_basic'],
    jwks: {
      keys: [{ ...test.key.key.export({ format: 'jwk' }), kid: test.key.kid, alg: 'RS256', use: 'sig' }],
    },
    cookies: { keys: ['a key for the cookies of the tests'] },
    claims: {
      openid: ['sub'],
      profile: ['name', 'given_name', 'family_name', 'preferred_username'],
      email: ['email', 'email_verified'],
      groups: ['groups'],
    },
    scopes: ['openid', 'profile', 'email', 'groups'],
    pkce: { required: () => true },
    features: {
      devInteractions: { enabled: false },
      rpInitiatedLogout: { enabled: true, logoutSource: showLogout },
    },
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    findAccount: (_context, id) => ({ accountId: id, claims: () => ({ ...test.accounts.get(id), sub: id }) }),
    loadExistingGrant: async ({ oidc }) => {
      const { client, session, params } = oidc
      const grant = new provider.Grant({
        clientId: client?.clientId ?? '',
        accountId: session?.accountId ?? '',
      })
      grant.addOIDCScope(String(params?.scope))
      await grant.save()
      return grant
    },
    ttl: {
      AccessToken: 600,
      AuthorizationCode: 60,
      IdToken: 600,
      Interaction: 600,
      Session: 600,
      Grant: 600,
    },
  })
  // The port of the calendar is known only once it has started.
  Object.assign(Reflect.get(provider, 'Client').prototype, {
    redirectUriAllowed: (url: string) => new URL(url).pathname.endsWith('/desk/openid/return'),
    postLogoutRedirectUriAllowed: (url: string) => new URL(url).pathname.endsWith('/desk/sign-in'),
  })
  return provider
}

function showLogout(context: { body: unknown }, form: string): void {
  context.body = `<!doctype html><title>Sign out</title>${form}`
}

/** Without a page, as if the account were chosen already. */
async function signIn(
  provider: Provider,
  { who }: TestProvider,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const result =
    who === ''
      ? { error: 'access_denied', error_description: 'a text of the provider' }
      : { login: { accountId: who } }
  await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false })
}

/** Browsers go by their own clock, and tests by another: a cookie would have expired. */
function keepCookies(response: ServerResponse): void {
  const set = response.setHeader.bind(response)
  Object.assign(response, {
    setHeader: (name: string, value: string | string[]) =>
      set(
        name,
        name.toLowerCase() === 'set-cookie'
          ? [value].flat().map((cookie) => cookie.replace(/; expires=(?!Thu, 01 Jan 1970)[^;]+/i, ''))
          : value,
      ),
  })
}

function changeAnswer(response: ServerResponse, change: Change): void {
  const end = response.end.bind(response)
  Object.assign(response, {
    end: (body: unknown) => {
      const sent = String(body)
      const changed = change(JSON.parse(sent))
      const text =
        changed === undefined ? sent : typeof changed === 'string' ? changed : JSON.stringify(changed)
      response.setHeader('content-length', Buffer.byteLength(text))
      return end(text)
    },
  })
}
