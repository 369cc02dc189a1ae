import { deepEqual, equal, match } from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { signInBy } from '../support/openid-browser.ts'
import {
  type Claims,
  changed,
  claimsIn,
  newKey,
  publicJwk,
  type SigningKey,
  signedToken,
  startProvider,
  type TestProvider,
} from '../support/openid-provider.ts'
import { type Answer, startService, type TestService } from '../support/service.ts'

// The tests of relying parties of the Basic profile, and those of its neighbours that concern the same flow,
// by
// the names of the certification suite of the OpenID Foundation (`oidcc-client-test-…`).

const other = newKey('other')
const curve = newKey('curve', 'ES256')

type Fault = (provider: TestProvider) => void

/** The provider signs something else, or with another key. */
const resigned =
  (change: (claims: Claims) => Claims, header: object = {}, key?: SigningKey): Fault =>
  (provider) => {
    provider.change['/token'] = (body) => ({
      ...body,
      id_token: signedToken(change(claimsIn(String(body.id_token))), key ?? provider.key, header),
    })
  }

const without = (name: string) => resigned(({ [name]: _left, ...claims }) => claims)
const withClaims = (claims: Claims) => resigned((had) => ({ ...had, ...claims }))
const same = (claims: Claims) => claims
const seconds = () => Math.floor(Date.now() / 1000)

const keysOf =
  (keys: (provider: TestProvider) => SigningKey[], then?: Fault): Fault =>
  (provider) => {
    provider.change['/jwks'] = () => ({ keys: keys(provider).map(publicJwk) })
    then?.(provider)
  }

const tampered: Fault = (provider) => {
  provider.change['/token'] = (body) => {
    const [header = '', content = '', signature = ''] = String(body.id_token).split('.')
    const turned = signature.startsWith('A') ? `B${signature.slice(1)}` : `A${signature.slice(1)}`
    return { ...body, id_token: `${header}.${content}.${turned}` }
  }
}

const fine: Fault = () => undefined
const asked = (provider: TestProvider, path: string) => provider.asked.filter((one) => one.path === path)

interface Row {
  name: string
  fault?: Fault
  /** Signed in; else a page says that the answer cannot be used. */
  isIn?: true
  also?: (provider: TestProvider, answer: Answer) => void
}

const ROWS: readonly Row[] = [
  { name: '(happy path)', isIn: true },
  { name: 'nonce-invalid', fault: withClaims({ nonce: 'of somebody else' }) },
  { name: 'nonce missing', fault: without('nonce') },
  { name: 'invalid-iss', fault: withClaims({ iss: 'https://elsewhere.example' }) },
  { name: 'missing-sub', fault: without('sub') },
  { name: 'invalid-aud', fault: withClaims({ aud: 'another program' }) },
  { name: 'missing-aud', fault: without('aud') },
  { name: 'aud of several, azp of another', fault: withClaims({ aud: ['kalends', 'b'], azp: 'b' }) },
  { name: 'missing-iat', fault: without('iat') },
  { name: 'iat 50 s ahead', fault: (p) => withClaims({ iat: seconds() + 50 })(p), isIn: true },
  { name: 'iat 90 s ahead', fault: (p) => withClaims({ iat: seconds() + 90 })(p) },
  { name: 'missing-exp', fault: without('exp') },
  { name: 'expired 30 s ago', fault: (p) => withClaims({ exp: seconds() - 30 })(p), isIn: true },
  { name: 'expired 90 s ago', fault: (p) => withClaims({ exp: seconds() - 90 })(p) },
  { name: 'not valid before 90 s', fault: (p) => withClaims({ nbf: seconds() + 90 })(p) },
  { name: 'kid-absent-single-jwks', fault: resigned(same, { kid: undefined }), isIn: true },
  {
    name: 'kid-absent-multiple-jwks',
    fault: keysOf(({ key }) => [key, other], resigned(same, { kid: undefined })),
  },
  { name: 'idtoken-sig-rs256', fault: resigned(same), isIn: true },
  { name: 'idtoken-sig-es256', fault: keysOf(() => [curve], resigned(same, {}, curve)), isIn: true },
  { name: 'idtoken-sig-none', fault: resigned(same, { alg: 'none' }) },
  { name: 'idtoken-sig-hs256 with the public key', fault: resigned(same, { alg: 'HS256' }) },
  { name: 'invalid-sig-rs256', fault: tampered },
  { name: 'invalid-sig-rs256 by another key', fault: resigned(same, { kid: 'first' }, other) },
  {
    name: 'invalid-sig-es256',
    fault: keysOf(() => [curve], resigned(same, { kid: 'curve' }, newKey('x', 'ES256'))),
  },
  { name: 'crit that nobody knows', fault: resigned(same, { crit: ['b64'], b64: false }) },
  { name: 'signing-key-rotation', fault: keysOf(() => [other], resigned(same, {}, other)), isIn: true },
  {
    name: 'signing-key-rotation-just-before-signing',
    fault: keysOf(({ key }) => [key, curve], resigned(same, {}, curve)),
    isIn: true,
  },
  {
    name: 'discovery-jwks-uri-keys',
    isIn: true,
    also: (provider) => equal(asked(provider, '/jwks').length, 1),
  },
  { name: 'scope-userinfo-claims', isIn: true, also: (provider) => equal(asked(provider, '/me').length, 1) },
  {
    name: 'userinfo-bearer-header',
    isIn: true,
    also: (provider) => match(asked(provider, '/me')[0]?.authorization ?? '', /^Bearer .{20}/),
  },
  { name: 'userinfo-invalid-sub', fault: changed('/me', (body) => ({ ...body, sub: 'somebody else' })) },
  {
    name: 'client-secret-basic',
    isIn: true,
    also: (provider) => match(asked(provider, '/token')[0]?.authorization ?? '', /^Basic .{20}/),
  },
  { name: 'idtoken missing', fault: changed('/token', ({ id_token: _left, ...body }) => body) },
]

describe('a relying party of OpenID Connect', () => {
  let provider: TestProvider
  let service: TestService

  before(async () => {
    provider = await startProvider()
    // As bad as a document can be: what it allows is still refused.
    provider.change['/.well-known/openid-configuration'] = (body) => ({
      ...body,
      id_token_signing_alg_values_supported: ['RS256', 'ES256', 'HS256', 'none'],
    })
    service = await startService({ ...provider.settings, oidc_default_role: 'author' })
    provider.who = 'anna-1'
    provider.accounts.set('anna-1', { name: 'Anna Lund', preferred_username: 'anna' })
    await signInBy(service, provider)
  })
  after(async () => {
    await service.close()
    await provider.close()
  })

  for (const { name, fault = fine, isIn, also } of ROWS)
    test(`${name}: ${isIn ? 'signed in' : 'refused'}`, async () => {
      provider.reset()
      fault(provider)
      const { answer, cookie } = await signInBy(service, provider)
      if (isIn) {
        deepEqual([answer.status, answer.headers.get('location')], [303, '/desk/'], answer.body)
        match(await service.shown('/desk/me', { cookie }), /Anna Lund/)
      } else {
        equal(answer.status, 502)
        match(answer.body, /<h1>The answer of Riverside University cannot be used<\/h1>/)
        equal(cookie, '')
      }
      also?.(provider, answer)
    })
})
