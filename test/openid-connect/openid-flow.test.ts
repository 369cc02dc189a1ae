import { deepEqual, doesNotMatch, equal, match, ok } from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { sql } from 'kysely'
import { listTables } from '../../src/features/transfer/tables.ts'
import { DESK_PASSWORD, giveDeskPassword, sitAtDesk } from '../support/desk.ts'
import { featureTables } from '../support/feature-tables.ts'
import { atProvider, begin, comeBack, signInBy } from '../support/openid-browser.ts'
import { answered, changed, startProvider, type TestProvider } from '../support/openid-provider.ts'
import { startService, type TestService } from '../support/service.ts'

const START = '/desk/openid/start'

describe('signing in with an account of the organisation', () => {
  let provider: TestProvider
  let service: TestService

  before(async () => {
    provider = await startProvider()
    service = await startService({ ...provider.settings, oidc_default_role: 'author' })
    provider.accounts.set('anna-1', {
      name: 'Anna Lund',
      preferred_username: 'anna',
      email: 'anna@example.org',
    })
    provider.who = 'anna-1'
    await signInBy(service, provider)
  })
  after(async () => {
    await service.close()
    await provider.close()
  })

  const fresh = () => {
    provider.reset()
    provider.who = 'anna-1'
  }

  test('the button stands beside the password form and leads back to where one was', async () => {
    fresh()
    const page = await service.shown('/desk/sign-in?next=/desk/events%3Ftab%3Ddraft')
    match(
      page,
      new RegExp(
        '<a class="button" href="/desk/openid/start\\?next=%2Fdesk%2Fevents%3Ftab%3Ddraft">Sign ' +
          'in with Riverside University</a>',
      ),
    )
    match(page, /name="password"/)
    const { answer, cookie } = await signInBy(service, provider, {
      query: '?next=%2Fdesk%2Fevents%3Ftab%3Ddraft',
    })
    deepEqual([answer.status, answer.headers.get('location')], [303, '/desk/events?tab=draft'])
    match(
      answer.headers.get('set-cookie') ?? '',
      /^kalends=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=7776000$/,
    )
    equal((await service.page('/desk/venues', { cookie })).status, 200)
    equal((await service.page(START, { cookie })).headers.get('location'), '/desk/')
  })

  test('an application gets its consent by this way in, too', async () => {
    fresh()
    const asked = await service.page('/wp-admin/authorize-application.php?app_name=Planner')
    const { searchParams } = new URL(asked.headers.get('location') ?? '', service.origin)
    const { answer, cookie } = await signInBy(service, provider, { query: `?${searchParams}` })
    const to = answer.headers.get('location') ?? ''
    match(await service.shown(to, { cookie }), /wants to use this calendar in your name/)
  })

  test('the request asks for a code, with state, nonce, PKCE and the address of this site', async () => {
    fresh()
    const { location } = await begin(service)
    const query = Object.fromEntries(new URL(location).searchParams)
    deepEqual(
      { ...query, state: '', nonce: '', code_challenge: '' },
      {
        client_id: 'kalends',
        response_type: 'code',
        redirect_uri: `${service.origin}/desk/openid/return`,
        scope: 'openid profile email',
        code_challenge_method: 'S256',
        state: '',
        nonce: '',
        code_challenge: '',
      },
    )
    for (const name of ['state', 'nonce', 'code_challenge']) match(query[name] ?? '', /^[\w-]{43}$/)
  })

  test('a start keeps no row, and shows neither the verifier nor where one goes on', async () => {
    fresh()
    const { database } = service.app
    const count = async () => {
      const tables = await listTables(database.read, await featureTables())
      const sums = tables.map(async ({ name }) => {
        const { rows } = await sql<{ n: number }>`select count(*) as n from ${sql.table(name)}`.execute(
          database.read,
        )
        return [name, Number(rows[0]?.n)]
      })
      return Promise.all(sums)
    }
    const rows = await count()
    ok(rows.length > 15, String(rows.length))
    const begun = await Promise.all(Array.from({ length: 30 }, () => begin(service, '?next=/desk/month')))
    equal(new Set(begun.map(({ cookie }) => cookie)).size, 30)
    for (const { cookie } of begun) {
      const sealed = Buffer.from(cookie.split('=')[1] ?? '', 'base64url').toString('latin1')
      doesNotMatch(sealed, /month|state|since/)
    }
    deepEqual(await count(), rows)
    equal(provider.asked.length, 0)
  })

  test('after signing in one is led to paths of this site alone', async () => {
    fresh()
    for (const next of [
      '//evil.example',
      '/\\evil.example',
      '/\t/evil.example',
      'https://evil.example/',
      `/${'a'.repeat(1000)}`,
    ]) {
      const { answer } = await signInBy(service, provider, { query: `?${new URLSearchParams({ next })}` })
      deepEqual([answer.status, answer.headers.get('location')], [303, '/desk/'], next)
    }
  })

  test('no page of it can be framed', async () => {
    fresh()
    for (const path of [START, '/desk/openid/return?state=x&code=y', '/desk/sign-in']) {
      const { headers } = await service.page(path)
      equal(headers.get('x-frame-options'), 'DENY', path)
      match(headers.get('cache-control') ?? '', /no-store/)
    }
  })

  const refusals = {
    lost: [400, 'This sign-in was not begun here'],
    used: [400, 'This sign-in has been used or has expired'],
    denied: [403, 'Riverside University did not sign you in'],
    unusable: [502, 'The answer of Riverside University cannot be used'],
    silent: [503, 'Riverside University does not answer'],
  } as const

  async function assertRefused(
    answer: { status: number; body: string; headers: Headers },
    why: keyof typeof refusals,
  ) {
    const [status, title] = refusals[why]
    equal(answer.status, status, answer.body)
    ok(answer.body.includes(`<h1>${title}</h1>`), answer.body)
    doesNotMatch(answer.headers.get('set-cookie') ?? '', /^kalends=/)
  }

  test('an answer that was used already signs nobody in; one who is signed in goes on', async () => {
    fresh()
    const { location, cookie } = await begin(service)
    const back = await atProvider(provider, location)
    const first = await comeBack(service, back, cookie)
    equal(first.status, 303)
    await assertRefused(await comeBack(service, back, cookie), 'used')
    const session = (first.headers.get('set-cookie') ?? '').split(';')[0] ?? ''
    const again = await comeBack(service, back, `${cookie}; ${session}`)
    deepEqual([again.status, again.headers.get('location')], [303, '/desk/'])
  })

  test('an answer counts only in the browser that began, with its own state', async () => {
    fresh()
    const [mine, theirs] = [await begin(service), await begin(service)]
    const back = await atProvider(provider, mine.location)
    await assertRefused(await comeBack(service, back, ''), 'lost')
    await assertRefused(await comeBack(service, back, theirs.cookie), 'lost')
    await assertRefused(await comeBack(service, back, `${mine.cookie.slice(0, -2)}AA`), 'lost')
    const state = new URL(theirs.location).searchParams.get('state') ?? ''
    const mixed = back.replace(/state=[^&]+/, `state=${state}`)
    await assertRefused(await comeBack(service, mixed, mine.cookie), 'lost')
    // Begun by both, so the state is known, and the code is of the other sign-in.
    const both = await begin(service, '', mine.cookie)
    const other = new URL(both.location).searchParams.get('state') ?? ''
    await assertRefused(
      await comeBack(service, back.replace(/state=[^&]+/, `state=${other}`), both.cookie),
      'used',
    )
  })

  test('two tabs may sign in at once', async () => {
    fresh()
    const one = await begin(service, '?next=/desk/month')
    const two = await begin(service, '?next=/desk/venues', one.cookie)
    const [backOne, backTwo] = [
      await atProvider(provider, one.location),
      await atProvider(provider, two.location),
    ]
    equal((await comeBack(service, backOne, two.cookie)).headers.get('location'), '/desk/month')
    equal((await comeBack(service, backTwo, two.cookie)).headers.get('location'), '/desk/venues')
  })

  test('many tabs with long addresses keep the cookie below what browsers keep', async () => {
    fresh()
    let cookie = ''
    for (let tab = 0; tab < 12; tab++)
      cookie = (await begin(service, `?next=/desk/${'x'.repeat(900)}`, cookie)).cookie
    ok(cookie.length < 4096, String(cookie.length))
    const last = await begin(service, '', cookie)
    equal((await comeBack(service, await atProvider(provider, last.location), last.cookie)).status, 303)
  })

  test('who cancels at the provider is told so, without the texts of the provider', async () => {
    fresh()
    provider.who = ''
    const { answer } = await signInBy(service, provider)
    await assertRefused(answer, 'denied')
    doesNotMatch(answer.body, /a text of the provider|access_denied/)
  })

  for (const [what, why, fault] of [
    ['a page in place of tokens', 'unusable', changed('/token', () => '<!doctype html><title>Oh</title>')],
    [
      'a megabyte of groups',
      'unusable',
      changed('/me', (body) => ({
        ...body,
        groups: Array.from({ length: 40_000 }, (_, i) => `group number ${i} of many`),
      })),
    ],
    [
      'a megabyte of tokens',
      'unusable',
      changed('/token', (body) => ({ ...body, more: 'x'.repeat(1_000_000) })),
    ],
    [
      'a subject of 300 characters',
      'unusable',
      changed('/me', (body) => ({ ...body, sub: 's'.repeat(300) })),
    ],
    ['keys that are none', 'unusable', changed('/jwks', () => ({ keys: 'none' }))],
    ['503', 'silent', answered((_, response) => response.writeHead(503).end())],
    [
      'a redirect to another address',
      'unusable',
      answered((_, response) => response.writeHead(302, { location: `${service.origin}/` }).end()),
    ],
    ['nothing: the connection ends', 'silent', answered((request) => request.destroy())],
  ] as [string, keyof typeof refusals, (provider: TestProvider) => void][])
    test(`a provider that answers with ${what} signs nobody in`, async () => {
      fresh()
      const { location, cookie } = await begin(service)
      const back = await atProvider(provider, location)
      fault(provider)
      await assertRefused(await comeBack(service, back, cookie), why)
    })

  test('sign-out ends the session here, and offers the provider’s', async () => {
    fresh()
    const { cookie } = await signInBy(service, provider)
    const out = await service.post('~/desk/sign-out', new URLSearchParams(), 'anonymous', {
      cookie,
      origin: new URL(service.origin).origin,
    })
    equal(out.headers.get('location'), '/desk/sign-in?signed-out')
    equal((await service.page('/desk/', { cookie })).status, 303)
    const page = await service.shown('/desk/sign-in?signed-out')
    match(page, /<a href="\/desk\/openid\/sign-out">Sign out of Riverside University too<\/a>/)
    const led = await service.page('/desk/openid/sign-out')
    const to = new URL(led.headers.get('location') ?? '')
    equal(to.origin + to.pathname, `${provider.issuer}/session/end`)
    deepEqual(Object.fromEntries(to.searchParams), {
      client_id: 'kalends',
      post_logout_redirect_uri: `${service.origin}/desk/sign-in`,
    })
    equal((await fetch(to)).status, 200)
  })

  test('a form that was sent after the session had ended goes on after a sign-in elsewhere', async () => {
    fresh()
    const { cookie } = await signInBy(service, provider)
    await service.app.database.write((tx) =>
      tx.updateTable('sessions').set({ seen_utc: '2020-01-01 00:00:00' }).execute(),
    )
    const { origin } = new URL(service.origin)
    const post = (fields: Record<string, string>, from: string) =>
      service.post('~/desk/venues/new', new URLSearchParams({ venue: 'Town hall', ...fields }), 'anonymous', {
        cookie: from,
        origin,
        accept: 'text/html',
        'content-type': 'application/x-www-form-urlencoded',
      })
    const kept = await post({}, cookie)
    equal(kept.status, 401)
    match(kept.body, /target="_blank" href="\/desk\/openid\/start"/)
    match(kept.body, /<input type="hidden" name="venue" value="Town hall">/)
    equal((await post({ 'desk-password': '', 'desk-elsewhere': '1' }, cookie)).status, 401)
    const anew = await signInBy(service, provider)
    equal((await post({ 'desk-password': '', 'desk-elsewhere': '1' }, anew.cookie)).status, 303)
  })

  test('with passwords off the form is shown at ?local alone, and still signs in', async () => {
    fresh()
    await using hidden = await startService({
      ...provider.settings,
      oidc_default_role: 'author',
      passwords: 'off',
    })

    await giveDeskPassword(hidden, 'editor')
    const page = await hidden.shown('/desk/sign-in')
    match(page, /<a class="button main" href="\/desk\/openid\/start">/)
    doesNotMatch(page, /name="password"/)
    match(await hidden.shown('/desk/sign-in?local'), /name="password"/)
    const { origin } = new URL(hidden.origin)
    const form = (password: string) =>
      hidden.post('~/desk/sign-in', new URLSearchParams({ login: 'editor', password }), 'anonymous', {
        origin,
        accept: 'text/html',
      })
    equal((await form(DESK_PASSWORD)).status, 303)
    const wrong = await form('a wrong password')
    equal(wrong.status, 401)
    match(wrong.body, /name="password"/)
    doesNotMatch((await (await sitAtDesk(hidden, 'author')).get('/desk/me')).body, /Change the password/)
  })

  for (const [what, why, change] of [
    ['is down', 'silent', answered((request) => request.destroy())],
    [
      'answers HTML',
      'unusable',
      answered((_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>')),
    ],
    [
      'names another issuer',
      'unusable',
      changed('/.well-known/openid-configuration', (body) => ({
        ...body,
        issuer: 'https://elsewhere.example',
      })),
    ],
    [
      'answers without end',
      'unusable',
      answered((_, response) =>
        response.writeHead(200, { 'content-type': 'application/json' }).end(`"${'x'.repeat(2_000_000)}"`),
      ),
    ],
    [
      'names a private address beside its own',
      'unusable',
      changed('/.well-known/openid-configuration', (body) => ({
        ...body,
        token_endpoint: 'http://10.0.0.7/token',
      })),
    ],
    [
      'sends people to a script',
      'unusable',
      changed('/.well-known/openid-configuration', (body) => ({
        ...body,
        authorization_endpoint: 'javascript:alert(1)',
      })),
    ],
  ] as [string, keyof typeof refusals, (provider: TestProvider) => void][])
    test(`while the issuer ${what} there is a page, and passwords sign in`, async () => {
      fresh()
      change(provider)
      await using bad = await startService({ ...provider.settings, oidc_default_role: 'author' })

      await giveDeskPassword(bad, 'editor')
      match(await bad.shown('/desk/sign-in'), /Sign in with Riverside University/)
      const started = await bad.page(START)
      if (started.status !== 303) await assertRefused(started, why)
      else await assertRefused((await signInBy(bad, provider)).answer, why)
      const { origin } = new URL(bad.origin)
      const signedIn = await bad.post(
        '~/desk/sign-in',
        new URLSearchParams({ login: 'editor', password: DESK_PASSWORD }),
        'anonymous',
        { origin },
      )
      equal(signedIn.status, 303)
    })
})
