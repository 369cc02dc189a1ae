import { deepEqual, doesNotMatch, equal, match, ok } from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { ROLES, type Role } from '../../src/calendar/people/caller.ts'
import { addSignInLink } from '../../src/calendar/people/desk-passwords.ts'
import {
  deactivateUser,
  findUserByLogin,
  getUserByLogin,
  isActive,
  listUsers,
  reactivateUser,
} from '../../src/calendar/people/users.ts'
import { findIdentity, settleUser } from '../../src/features/openid-connect/identities.ts'
import { kalends } from '../support/commands.ts'
import { deskHere, giveDeskPassword, sitAtDesk } from '../support/desk.ts'
import { begin, signInBy } from '../support/openid-browser.ts'
import { startProvider, type TestProvider } from '../support/openid-provider.ts'
import { fc, rounds } from '../support/rounds.ts'
import { startService, type TestService } from '../support/service.ts'

describe('people who sign in with an account of the organisation', () => {
  let provider: TestProvider
  let service: TestService

  before(async () => {
    provider = await startProvider()
    service = await startService({
      ...provider.settings,
      oidc_roles: 'groups staff=author; groups chiefs=editor; groups owners=administrator',
    })
  })
  after(async () => {
    await service.close()
    await provider.close()
  })

  const user = (login: string) => getUserByLogin(service.app.database.read, login)
  const as = (
    sub: string,
    claims: Record<string, unknown>,
    ways: { query?: string; cookie?: string } = {},
  ) => {
    provider.reset()
    provider.who = sub
    provider.accounts.set(sub, claims)
    return signInBy(service, provider, ways)
  }
  const titleOf = (body: string) => /<h1>(.*?)<\/h1>/.exec(body)?.[1]

  test('the first sign-in makes an account by the table, name and role follow at each sign-in', async () => {
    const claims = { name: 'Anna Lund', preferred_username: 'anna', groups: ['staff', 'sports'] }
    await as('a-1', claims)
    const made = await user('anna')
    deepEqual([made.name, made.role, made.email], ['Anna Lund', 'author', ''])
    await as('a-1', { ...claims, name: 'Anna Holm', groups: ['chiefs', 'staff'] })
    deepEqual([(await user('anna')).name, (await user('anna')).role], ['Anna Holm', 'editor'])
    equal((await listUsers(service.app.database.read)).filter(({ name }) => /Anna/.test(name)).length, 1)
  })

  test('nobody without a row gets in; who has lost theirs loses the role and all sessions', async () => {
    const stranger = await as('s-1', { name: 'Stranger', preferred_username: 'stranger', groups: ['sports'] })
    equal(stranger.answer.status, 403)
    equal(titleOf(stranger.answer.body), 'You have no access to this calendar')
    equal(await findUserByLogin(service.app.database.read, 'stranger'), undefined)
    const { cookie } = await as('l-1', { preferred_username: 'leaver', groups: ['chiefs'] })
    equal((await service.page('/desk/', { cookie })).status, 200)
    equal((await as('l-1', { preferred_username: 'leaver', groups: [] })).answer.status, 403)
    equal((await user('leaver')).role, 'subscriber')
    equal((await service.page('/desk/', { cookie })).status, 303)
  })

  test('no account is taken over by a name or an e-mail address, confirmed or not', async () => {
    const claims = {
      name: 'Somebody',
      preferred_username: 'admin',
      email: 'editor@example.org',
      email_verified: true,
      groups: ['staff'],
    }
    await as('t-1', claims)
    equal(await findIdentity(service.app.database.read, (await user('admin')).id), undefined)
    equal(await findIdentity(service.app.database.read, (await user('editor')).id), undefined)
    const made = await user('admin-2')
    deepEqual([made.name, made.role, made.email], ['Somebody', 'author', ''])
    await as('t-2', { ...claims, preferred_username: 'Ünal Öz/x', email: 'new@example.org' })
    equal((await user('unal-oz-x')).email, 'new@example.org')
    await as('t-3', { ...claims, preferred_username: '\u0000\u202e', name: '' })
    equal((await user('editor-2')).name, 'editor-2')
  })

  test('who is deactivated here stays out, and nothing of them changes', async () => {
    const claims = { name: 'Dora', preferred_username: 'dora', groups: ['staff'] }
    await as('d-1', claims)
    const { id } = await user('dora')
    await service.app.database.write((tx) => deactivateUser(tx, id, Date.now()))
    const { answer, cookie } = await as('d-1', { ...claims, name: 'Dora the second', groups: ['owners'] })
    equal(answer.status, 403)
    match(answer.body, /This account is deactivated/)
    equal(cookie, '')
    deepEqual([(await user('dora')).name, (await user('dora')).role], ['Dora', 'author'])
  })

  describe('accounts that exist', () => {
    const admin = deskHere(
      new Proxy({} as TestService, { get: (_, name) => Reflect.get(service, name) }),
      'admin',
    )
    const author = deskHere(
      new Proxy({} as TestService, { get: (_, name) => Reflect.get(service, name) }),
      'author',
    )

    const linkFor = async (login: string) => {
      const found = await user(login)
      return service.app.database.write((tx) => addSignInLink(tx, found, Date.now()))
    }

    test('are connected by a link of an administrator, once', async () => {
      const token = await linkFor('contributor')
      const page = await service.shown(`/desk/set-up/${token}`)
      ok(
        page.includes(`href="/desk/openid/start?link_token=${token}">Use my account of Riverside University`),
      )
      const claims = { name: 'Carl', preferred_username: 'carl', groups: ['staff'] }
      equal((await as('c-1', claims, { query: `?link_token=${token}` })).answer.status, 303)
      const connected = await user('contributor')
      deepEqual([connected.name, connected.role], ['Carl', 'author'])
      equal(await findUserByLogin(service.app.database.read, 'carl'), undefined)
      const again = await as('c-2', claims, { query: `?link_token=${token}` })
      deepEqual([again.answer.status, titleOf(again.answer.body)], [404, 'This link is no longer valid'])
    })

    test('are connected by their owner, signed in, by a link that no other site can make', async () => {
      const account = await author.get('/desk/me')
      const query = /href="\/desk\/openid\/start(\?connect=[\w-]+)"/.exec(account.body)?.[1] ?? ''
      for (const [connect, cookie] of [
        ['?connect=', author.cookie],
        ['?connect=AAAA', author.cookie],
        [query, admin.cookie],
        [query, ''],
      ] as const) {
        const { status, body } = await service.page(`/desk/openid/start${connect}`, { cookie })
        deepEqual([status, titleOf(body)], [403, 'Nothing was connected'], connect)
      }
      const claims = { name: 'Arthur', preferred_username: 'arthur', groups: ['staff'] }
      const { answer, cookie } = await as('u-1', claims, { query, cookie: author.cookie })
      deepEqual([answer.status, answer.headers.get('location')], [303, '/desk/me'])
      equal((await user('author')).name, 'Arthur')
      const shown = await service.shown('/desk/me', { cookie })
      match(shown, /Connected with [\u2068]*Arthur/)
      match(shown, /Without a password you sign in with it alone/)
      equal((await as('u-1', claims)).answer.status, 303)
    })

    test('are not connected to an account that signs in somebody else, nor after a sign-out', async () => {
      const token = await linkFor('subscriber')
      const taken = await as('u-1', { name: 'Arthur', groups: ['staff'] }, { query: `?link_token=${token}` })
      deepEqual([taken.answer.status, titleOf(taken.answer.body)], [409, 'This account is connected already'])
      const editor = await service.page('/desk/me', { cookie: admin.cookie })
      const query = /\?connect=[\w-]+/.exec(editor.body)?.[0] ?? ''
      const begun = await begin(service, query, admin.cookie)
      const state = new URL(begun.location).searchParams.get('state')
      const back = await service.page(`/desk/openid/return?state=${state}&code=x`, { cookie: begun.cookie })
      deepEqual([back.status, titleOf(back.body)], [403, 'Nothing was connected'])
    })

    test('show at People how each signs in, where administrators disconnect them', async () => {
      await giveDeskPassword(service, 'author')
      const { id } = await user('author')
      const people = await admin.get('/desk/people')
      match(people.body, /<small>author · Writer · Riverside University · Password/)
      match(
        people.body,
        /<small>editor · Editor( · last seen[^<]*)?<\/small><\/div><span class="state">No password yet/,
      )
      match(people.body, /<small>anna · Editor · Riverside University · last seen[^<]*<\/small><\/div><\/li>/)
      match((await admin.get(`/desk/people/${id}`)).body, /Connected with [\u2068]*Arthur/)
      const other = await sitAtDesk(service, 'author')
      equal((await other.post(`/desk/people/${id}/openid`, {})).status, 403)
      equal((await admin.post(`/desk/people/${id}/openid`, {})).status, 303)
      equal(await findIdentity(service.app.database.read, id), undefined)
      match((await admin.get(`/desk/people/${id}`)).body, /Not connected with an account there/)
    })

    test('leave by themselves only with a password', async () => {
      const { cookie } = await as('w-1', { name: 'Wilma', preferred_username: 'wilma', groups: ['staff'] })
      const { origin } = new URL(service.origin)
      const leave = () =>
        service.post('~/desk/me/openid', new URLSearchParams(), 'anonymous', { cookie, origin })
      equal((await leave()).status, 403)
      const { id } = await user('wilma')
      ok(await findIdentity(service.app.database.read, id))
      doesNotMatch(await service.shown('/desk/me', { cookie }), />Disconnect</)
    })

    test('the history says who did it', async () => {
      const audit = await kalends(['audit', '--database', service.config.database, '--limit', '200'])
      match(audit.out, /anna +create +user +\d+/)
      match(audit.out, /anna: editor/)
      match(audit.out, /contributor +grant +user +\d+ +\d+ +contributor: OpenID Connect, author/)
      match(audit.out, /admin +revoke[^\n]*author: OpenID Connect/)
    })
  })

  test('the last administrator keeps the role, whatever the provider says', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), async (steps) => {
        const { database } = service.app
        const active = async () =>
          (await listUsers(database.read)).filter((one) => one.role === 'administrator' && isActive(one))
        ok((await active()).length > 0)
        for (const { who, role, does } of steps) {
          const subject = `property-${who}`
          const before = (await listUsers(database.read)).find(({ login }) => login === subject)
          if (does !== 'sign in') {
            const target = before ?? (await user('admin'))
            await database
              .write((tx) =>
                does === 'reactivate'
                  ? reactivateUser(tx, target.id)
                  : deactivateUser(tx, target.id, Date.now()),
              )
              .catch(() => undefined)
          } else {
            const claimed = { issuer: 'x', subject, name: '', logins: [subject], email: '', role }
            const settled = await database.write((tx) =>
              settleUser(tx, claimed, { token: '', user: 0 }, true, Date.now()),
            )
            const after = (await listUsers(database.read)).find(({ login }) => login === subject)
            const isLast =
              before?.role === 'administrator' && (await active()).every(({ id }) => id === before.id)
            const expected =
              before && !isActive(before)
                ? before.role
                : isLast
                  ? 'administrator'
                  : (role ?? (before && 'subscriber'))
            equal(after?.role, expected)
            equal(settled.refusal === undefined, role !== undefined && (!before || isActive(before)))
          }
          ok((await active()).length > 0)
        }
      }),
      { numRuns: rounds(8) },
    )
  })
})

const step = fc.record({
  who: fc.integer({ min: 1, max: 3 }),
  role: fc.option(fc.constantFrom<Role>(...ROLES), { nil: undefined }),
  does: fc.constantFrom('sign in', 'sign in', 'sign in', 'deactivate', 'reactivate'),
})
