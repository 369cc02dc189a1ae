import { deepEqual, equal, match, notEqual, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { addCredential, type CredentialLimits } from '../../src/calendar/people/credentials.ts'
import { findUser } from '../../src/calendar/people/users.ts'
import { type Answer, type Reader, serviceForTests } from '../support/service.ts'

const service = serviceForTests()
const MINE = '~/wp-json/wp/v2/users/me/application-passwords'
const ADDRESS = /\/wp-json\/wp\/v2\/users\/(\d+)\/application-passwords\/([\da-f-]{36})$/
const PROGRAM = '3fa85f64-5717-4562-b3fc-2c963f66afa6'
const theirs = (as: Reader) => `~/wp-json/wp/v2/users/${service.userIds[as]}/application-passwords`

function assertProblem({ status, body }: Answer, expected: number, code: string): void {
  deepEqual([status, body.code, body.data?.status], [expected, code, expected])
}

function ask(authorization: string, method: string, path: string, body?: unknown): Promise<Answer> {
  return service.request('anonymous', method, path, body, { authorization })
}

const basic = (login: string, password: string) =>
  `Basic ${Buffer.from(`${login}:${password}`).toString('base64')}`

async function given(
  login: string,
  kind: 'password' | 'token',
  limits: CredentialLimits = {},
): Promise<string> {
  const { database } = service.app
  const secret = await database.write(async (tx) => {
    const user = await findUser(tx, service.userIds[login] ?? 0)
    ok(user)
    return addCredential(tx, user, kind, `${kind} of ${login}`, Date.now(), undefined, limits)
  })
  return kind === 'token' ? `Bearer ${secret}` : basic(login, secret)
}

describe('application passwords below wp/v2', () => {
  test('are made by their owner, shown once, and sign in', async () => {
    const sent = { name: ' Phone <b>of</b>\nAnna ', app_id: PROGRAM.toUpperCase() }
    const { status, headers, body } = await service.post(MINE, sent, 'subscriber')
    equal(status, 201)
    const members = ['uuid', 'app_id', 'name', 'created', 'last_used', 'last_ip', 'password', '_links']
    deepEqual(Object.keys(body), members)
    deepEqual([body.name, body.app_id, body.last_used, body.last_ip], ['Phone of Anna', PROGRAM, null, null])
    match(body.uuid, /^[\da-f]{8}-[\da-f]{4}-5[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/)
    match(body.created, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/)
    match(body.password, /^(?:[A-Za-z0-9]{4} ){5}[A-Za-z0-9]{4}$/)
    match(headers.get('cache-control') ?? '', /no-store/)
    const address = headers.get('location') ?? ''
    deepEqual(body._links, { self: [{ href: address }] })
    deepEqual(ADDRESS.exec(address)?.slice(1), [String(service.userIds.subscriber), body.uuid])
    const me = await ask(basic('subscriber', body.password), 'GET', '~/wp-json/wp/v2/users/me')
    deepEqual([me.status, me.body.id], [200, service.userIds.subscriber])
    const { password: _password, ...shown } = body
    deepEqual((await service.get(address.replace(service.origin, '~'), 'subscriber')).body, shown)
    const { body: listed } = await service.get(MINE, 'subscriber')
    deepEqual(listed.at(-1), shown)
    deepEqual((await service.get(`${theirs('subscriber')}/`, 'subscriber')).body, listed)
  })

  test('are shown by context and _fields', async () => {
    const { body: made } = await service.post(MINE, { name: 'Contexts' }, 'author')
    const known = { uuid: made.uuid, app_id: '', name: 'Contexts' }
    const { body: embedded } = await service.get(`${MINE}/${made.uuid}?context=embed`, 'author')
    deepEqual(embedded, { ...known, _links: made._links })
    for (const context of ['view', 'edit'])
      equal(
        (await service.get(`${MINE}/${made.uuid}?context=${context}`, 'author')).body.created,
        made.created,
      )
    const { body: listed } = await service.get(`${MINE}?context=embed&_fields=uuid,name`, 'author')
    deepEqual(listed.at(-1), { uuid: made.uuid, name: 'Contexts', _links: made._links })
    for (const path of [MINE, `${MINE}/introspect`, `${MINE}/${made.uuid}`])
      assertProblem(await service.get(`${path}?context=raw`, 'author'), 400, 'rest_invalid_param')
  })

  test('are given another name, and nothing else, by POST, PUT and PATCH', async () => {
    const { body: made } = await service.post(MINE, { name: 'Before', app_id: PROGRAM }, 'author')
    const { password: _password, ...shown } = made
    for (const method of ['POST', 'PUT', 'PATCH']) {
      const sent = { name: `By ${method}`, app_id: '', password: 'x', created: '2000-01-01T00:00:00' }
      const { status, body } = await service.request('author', method, `${MINE}/${made.uuid}`, sent)
      deepEqual([status, body], [200, { ...shown, name: `By ${method}` }])
    }
    const { body } = await service.put(`${MINE}/${made.uuid.toUpperCase()}`, {}, 'author')
    deepEqual(body, { ...shown, name: 'By PATCH' })
    equal((await ask(basic('author', made.password), 'GET', MINE)).status, 200)
  })

  test('are taken away one by one or all at once, and no token with them', async () => {
    const token = await given('contributor', 'token')
    const [first, second] = [await given('contributor', 'password'), await given('contributor', 'password')]
    equal((await ask(token, 'GET', MINE)).body.length, 3)
    const { _links, ...previous } = (await ask(first, 'GET', `${MINE}/introspect`)).body
    const removed = await ask(second, 'DELETE', `${MINE}/${previous.uuid}?force=true`)
    deepEqual([removed.status, removed.body], [200, { deleted: true, previous }])
    assertProblem(await ask(first, 'GET', MINE), 401, 'incorrect_password')
    assertProblem(
      await ask(second, 'DELETE', `${MINE}/${previous.uuid}`),
      404,
      'rest_application_password_not_found',
    )
    const all = await ask(second, 'DELETE', MINE)
    deepEqual([all.status, all.body], [200, { deleted: true, count: 2 }])
    assertProblem(await ask(second, 'GET', MINE), 401, 'incorrect_password')
    const none = await ask(token, 'DELETE', MINE)
    deepEqual([none.status, none.body], [200, { deleted: true, count: 0 }])
    deepEqual((await ask(token, 'GET', MINE)).body, [])
  })

  test('tell which of them a request came with', async () => {
    const own = await given('editor', 'password', { scopes: ['media'] })
    for (const path of [MINE, theirs('editor')]) {
      const { status, body } = await ask(own, 'GET', `${path}/introspect`)
      deepEqual([status, body.name], [200, 'password of editor'])
    }
    const token = await given('editor', 'token')
    assertProblem(await ask(token, 'GET', `${MINE}/introspect`), 404, 'rest_no_authenticated_app_password')
    const code = 'rest_cannot_introspect_app_password_for_non_authenticated_user'
    assertProblem(await service.get(`${theirs('editor')}/introspect`, 'author'), 403, code)
    assertProblem(await service.get(`${theirs('editor')}/introspect`), 401, code)
    assertProblem(await service.get(`${MINE}/introspect`), 401, 'rest_not_logged_in')
  })

  const REFUSED: readonly (readonly [method: string, path: string, code: string])[] = [
    ['GET', '', 'rest_cannot_list_application_passwords'],
    ['POST', '', 'rest_cannot_create_application_passwords'],
    ['DELETE', '', 'rest_cannot_delete_application_passwords'],
    ['GET', '/', 'rest_cannot_read_application_password'],
    ['PUT', '/', 'rest_cannot_edit_application_password'],
    ['DELETE', '/', 'rest_cannot_delete_application_password'],
  ]

  test('are nobody else’s, be they known or not', async () => {
    const { body: made } = await service.post(MINE, { name: 'Mine' }, 'editor')
    const addresses = [theirs('editor'), '~/wp-json/wp/v2/users/0/application-passwords']
    addresses.push('~/wp-json/wp/v2/users/99999999999999999999/application-passwords')
    for (const [method, path, code] of REFUSED) {
      const end = path && `/${made.uuid}`
      for (const address of addresses) {
        for (const as of ['subscriber', 'author', 'admin'] as const)
          assertProblem(await service.request(as, method, address + end, { name: 'Theirs' }), 403, code)
        assertProblem(
          await service.request('anonymous', method, address + end, { name: 'Theirs' }),
          401,
          code,
        )
      }
      const mine = await service.request('anonymous', method, MINE + end, { name: 'Theirs' })
      assertProblem(mine, 401, 'rest_not_logged_in')
      equal(mine.headers.get('allow'), '')
    }
    equal((await service.get(`${MINE}/${made.uuid}`, 'editor')).body.name, 'Mine')
    assertProblem(
      await service.get(`${MINE}/${made.uuid}`, 'admin'),
      404,
      'rest_application_password_not_found',
    )
  })

  test('that have scopes or an end reach no others and make none', async () => {
    for (const limits of [{ scopes: ['write-all'] as const }, { expires: Date.now() + 3_600_000 }]) {
      const limited = await given('admin', 'password', limits)
      const { body: own } = await ask(limited, 'GET', `${MINE}/introspect`)
      const { body: other } = await service.post(MINE, { name: 'Unlimited' }, 'admin')
      for (const [method, path, code] of REFUSED)
        assertProblem(
          await ask(limited, method, MINE + (path && `/${other.uuid}`), { name: 'Theirs' }),
          403,
          code,
        )
      equal((await ask(limited, 'PUT', `${MINE}/${own.uuid}`, { name: 'Limited' })).body.name, 'Limited')
      equal((await ask(limited, 'GET', `${MINE}/${own.uuid}`)).body.name, 'Limited')
      equal((await ask(limited, 'DELETE', `${MINE}/${own.uuid}`)).body.deleted, true)
      assertProblem(await ask(limited, 'GET', MINE), 401, 'incorrect_password')
    }
  })

  test('are refused without a name, and with a name or program that cannot be one', async () => {
    const missing = await service.post(MINE, { app_id: PROGRAM }, 'anonymous')
    assertProblem(missing, 400, 'rest_missing_callback_param')
    deepEqual(missing.body.data.params, ['name'])
    const wrong = [{ name: '' }, { name: ' \n' }, { name: 'x'.repeat(251) }, { name: 7 }, { name: ['x'] }]
    for (const sent of [...wrong, { name: 'x', app_id: 'me' }, { name: 'x', app_id: [PROGRAM] }]) {
      const answer = await service.post(MINE, sent, 'author')
      assertProblem(answer, 400, 'rest_invalid_param')
      deepEqual(Object.keys(answer.body.data.params), ['app_id' in sent ? 'app_id' : 'name'])
    }
    const form = await service.post(MINE, new URLSearchParams({ name: 'Form', app_id: '' }), 'author')
    deepEqual([form.status, form.body.name, form.body.app_id], [201, 'Form', ''])
    assertProblem(await service.get(`${MINE}/no-uuid`, 'author'), 404, 'rest_application_password_not_found')
    assertProblem(
      await service.get('~/wp-json/wp/v2/users/you/application-passwords', 'author'),
      404,
      'rest_no_route',
    )
    assertProblem(await service.post(`${MINE}/introspect`, {}, 'author'), 404, 'rest_no_route')
  })

  test('are described in the index with their parameters, and are part of no batch', async () => {
    const { body } = await service.get('~/wp-json/wp/v2')
    const path = '/wp/v2/users/(?P<user_id>(?:[\\d]+|me))/application-passwords'
    const [many, one] = [body.routes[path], body.routes[`${path}/(?P<uuid>[\\w\\-]+)`]]
    deepEqual(many.methods, ['GET', 'POST', 'DELETE'])
    deepEqual(one.methods, ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])
    deepEqual(body.routes[`${path}/introspect`].methods, ['GET'])
    deepEqual(Object.keys(many.endpoints[1].args), ['app_id', 'name'])
    equal(many.endpoints[1].args.name.required, true)
    deepEqual([Object.keys(one.endpoints[1].args), one.endpoints[1].args.name.required], [['name'], false])
    const requests = [{ path: MINE.replace('~/wp-json', ''), body: { name: 'Batch' } }]
    const batch = await service.post('~/wp-json/batch/v1', { requests })
    equal(batch.body.responses[0].body.code, 'rest_batch_not_allowed')
  })

  test('are a hundred at most, also where many are made at once, and no key keeps them', async () => {
    await service.remove(MINE, 'subscriber')
    const token = await given('subscriber', 'token')
    const key = { 'idempotency-key': 'password', authorization: token }
    const once = () => service.post(MINE, { name: 'Once' }, 'anonymous', key)
    const [first, again] = [await once(), await once()]
    notEqual(first.body.password, again.body.password)
    const made: Answer[] = []
    for (let round = 0; round < 10; round++) {
      const name = `Round ${round}`
      made.push(...(await Promise.all(Array.from({ length: 10 }, () => ask(token, 'POST', MINE, { name })))))
    }
    deepEqual(
      [201, 409].map((status) => made.filter((answer) => answer.status === status).length),
      [98, 2],
    )
    for (const refused of made.filter(({ status }) => status === 409))
      assertProblem(refused, 409, 'too-many-passwords')
    equal((await ask(token, 'GET', MINE)).body.length, 100)
  })
})
