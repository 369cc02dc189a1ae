import { deepEqual, doesNotMatch, equal, match, notEqual, ok } from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { startApp } from '../../src/app.ts'
import { addCredential } from '../../src/calendar/people/credentials.ts'
import { listSessions } from '../../src/calendar/people/sessions.ts'
import { findUserByLogin, getUserByLogin, insertUser } from '../../src/calendar/people/users.ts'
import { kalends } from '../support/commands.ts'
import { DESK_PASSWORD, deskHere, giveDeskPassword, sitAtDesk } from '../support/desk.ts'
import { credentialsOf, day, PASSWORD, serviceForTests } from '../support/service.ts'
import { until } from '../support/waiting.ts'

describe('people at the desk', () => {
  const service = serviceForTests()
  const admin = deskHere(service, 'admin')

  const user = (login: string) => getUserByLogin(service.app.database.read, login)
  const linkIn = (body: string) =>
    new URL(/value="(http[^"]+\/desk\/set-up\/[\w-]{43})"/.exec(body)?.[1] ?? '').pathname
  const restAs = (login: 'author' | 'contributor') =>
    service.get('~/wp-json/wp/v2/users/me', 'anonymous', credentialsOf(login))

  test('administrators see who there is, and nobody else does', async () => {
    const { status, body } = await admin.get('/desk/people')
    equal(status, 200)
    for (const login of ['admin', 'editor', 'author', 'contributor', 'subscriber'])
      ok(body.includes(`<small>${login} · `), login)
    for (const login of ['editor', 'author', 'contributor', 'subscriber']) {
      const other = await sitAtDesk(service, login)
      const { id } = await user('author')
      for (const path of ['/desk/people', '/desk/people/new', `/desk/people/${id}`])
        equal((await other.get(path)).status, 403, `${login} ${path}`)
      equal((await other.post('/desk/people/new', { login: 'intruder', role: 'administrator' })).status, 403)
      equal((await other.post(`/desk/people/${id}`, { do: 'save', role: 'administrator' })).status, 403)
      doesNotMatch((await other.get('/desk/')).body, /href="\/desk\/people"/)
    }
    equal((await user('author')).role, 'author')
    equal(await findUserByLogin(service.app.database.read, 'intruder'), undefined)
  })

  describe('a right that is taken away', () => {
    const makeUsed = async (login: string) => {
      const { database } = service.app
      const add = { login, email: `${login}@example.org`, name: login, role: 'author' } as const
      const made = await database.write(async (tx) => {
        const one = await insertUser(tx, add, Date.now())
        await addCredential(tx, one, 'password', 'test', Date.now(), PASSWORD)
        return one
      })
      const authorization = `Basic ${Buffer.from(`${login}:${PASSWORD}`).toString('base64')}`
      const create = async () =>
        (await service.post('/events', { title: 'Mine', ...day }, 'anonymous', { authorization })).status
      equal(await create(), 201)
      return { id: made.id, create }
    }

    test('at the desk is gone at once', async () => {
      const [gone, demoted, revoked] = await Promise.all(['gone', 'demoted', 'revoked'].map(makeUsed))
      await admin.post(`/desk/people/${gone?.id}`, { do: 'deactivate' })
      equal(await gone?.create(), 401)
      await admin.post(`/desk/people/${demoted?.id}`, { do: 'save', name: 'demoted', role: 'subscriber' })
      equal(await demoted?.create(), 403)
      const own = await sitAtDesk(service, 'revoked')
      const [, path = ''] =
        /action="(\/desk\/me\/passwords\/\d+)"/.exec((await own.get('/desk/me')).body) ?? []
      equal((await own.post(path, {})).status, 303)
      equal(await revoked?.create(), 401)
    })

    test('on the command line is gone soon', async () => {
      const env = { KALENDS_DATABASE: service.config.database, KALENDS_DATA: service.config.data }
      const taken = [
        { words: ['user', 'deactivate', 'commanded-0'], status: 401 },
        { words: ['user', 'role', 'commanded-1', 'subscriber'], status: 403 },
        { words: ['password', 'revoke', 'commanded-2', '--all'], status: 401 },
      ]
      const used = await Promise.all(taken.map(({ words }) => makeUsed(words[2] ?? '')))
      for (const { words } of taken) equal((await kalends(words, env)).code, 0)
      for (const [i, { words, status }] of taken.entries())
        await until(async () => (await used[i]?.create()) === status, words.join(' '))
    })
  })

  test('an invitation makes an account and a link, at which the person chooses a password', async () => {
    const typed = { login: 'Grace', name: 'Grace <b>H</b>', email: 'grace@example.org', role: 'contributor' }
    const invited = await admin.post('/desk/people/new', typed)
    equal(invited.status, 200)
    match(invited.body, /Grace &lt;b&gt;H&lt;\/b&gt;/)
    equal((await user('grace')).role, 'contributor')
    match((await admin.get('/desk/people')).body, /No password yet/)
    const link = linkIn(invited.body)
    const chosen = await service.post(
      `~${link}`,
      new URLSearchParams({ password: DESK_PASSWORD }),
      'anonymous',
      { 'content-type': 'application/x-www-form-urlencoded' },
    )
    equal(chosen.status, 303)
    const again = await admin.post('/desk/people/new', { login: 'grace', role: 'contributor' })
    equal(again.status, 422)
    match(again.body, /id="login"[^>]*aria-invalid="true" aria-describedby="login-hint login-error"/)
    for (const wrong of [
      { login: 'a b' },
      { login: '' },
      { login: 'x\0' },
      { email: 'nowhere' },
      { role: 'king' },
      { name: 'a\nb' },
    ]) {
      const { status, body } = await admin.post('/desk/people/new', {
        login: 'heidi',
        role: 'author',
        ...wrong,
      })
      equal(status, 422, JSON.stringify(wrong))
      match(body, /<title>Error: /)
    }
    equal(await findUserByLogin(service.app.database.read, 'heidi'), undefined)
  })

  test('another role, a new password and a deactivation end sessions on every node at once', async (t) => {
    const other = await startApp(service.config)
    t.after(other.stop)
    const { id } = await user('author')
    const actions = [
      { do: 'save', role: 'contributor' },
      { do: 'save', role: 'author' },
      { do: 'deactivate' },
    ]
    for (const action of actions) {
      const { cookie } = await sitAtDesk(service, 'author')
      const there = async () =>
        (await fetch(`http://localhost:${other.port}/desk/`, { headers: { cookie }, redirect: 'manual' }))
          .status
      equal(await there(), 200)
      await admin.post(`/desk/people/${id}`, action)
      equal(await there(), 303, JSON.stringify(action))
    }
    await admin.post(`/desk/people/${id}`, { do: 'reactivate' })
  })

  test('who is deactivated signs in nowhere, and is let in again with all they had', async () => {
    await giveDeskPassword(service, 'contributor')
    const contributor = await sitAtDesk(service, 'contributor')
    const { id } = await user('contributor')
    const signIn = () =>
      service.post(
        '~/desk/sign-in',
        new URLSearchParams({ login: 'contributor', password: DESK_PASSWORD }),
        'anonymous',
        { 'content-type': 'application/x-www-form-urlencoded' },
      )
    equal((await restAs('contributor')).status, 200)
    equal((await signIn()).status, 303)
    await admin.post(`/desk/people/${id}`, { do: 'deactivate' })
    match((await admin.get('/desk/people')).body, /Deactivated/)
    equal((await contributor.get('/desk/')).status, 303)
    equal((await signIn()).status, 401)
    await until(async () => (await restAs('contributor')).status === 401, 'REST still lets them in', 25)
    await admin.post(`/desk/people/${id}`, { do: 'link' })
    await admin.post(`/desk/people/${id}`, { do: 'reactivate' })
    equal((await restAs('contributor')).status, 200)
    equal((await signIn()).status, 303)
  })

  test('a link that an administrator makes replaces a forgotten password', async () => {
    await giveDeskPassword(service, 'editor')
    const { id } = await user('editor')
    const made = await admin.post(`/desk/people/${id}`, { do: 'link' })
    match((await admin.get(linkIn(made.body))).body, /value="editor"/)
    equal((await admin.get(`/desk/people/${id}`)).body.includes(linkIn(made.body)), false, 'shown once')
  })

  test('an administrator gives somebody a new name and address, never that of somebody else', async () => {
    const { id, role } = await user('author')
    const save = (email: string) => admin.post(`/desk/people/${id}`, { do: 'save', name: 'Ada', role, email })
    equal((await save('Ada@Example.org')).status, 303)
    match((await admin.get(`/desk/people/${id}`)).body, /name="email"[^>]* value="ada@example.org"/)
    for (const wrong of ['not an address', 'x\0@example.org']) equal((await save(wrong)).status, 422, wrong)
    await admin.post(`/desk/people/${(await user('contributor')).id}`, {
      do: 'save',
      role: 'contributor',
      email: 'c@example.org',
    })
    const taken = await save('c@example.org')
    equal(taken.status, 422)
    match(taken.body, /already is a user with the login or e-mail address c@example.org/)
    equal((await save('')).status, 303)
    match((await admin.get(`/desk/people/${id}`)).body, /name="email"[^>]* value=""/)
  })

  test('records are handed over, and an account that owns some is not deleted before', async () => {
    const { id: venue } = await service.create('/venues', { venue: 'Handed over' }, 'author')
    const { id } = await user('author')
    const kept = await admin.post(`/desk/people/${id}`, { do: 'remove' })
    equal(kept.status, 422)
    match(kept.body, /owns records/)
    for (const heir of ['nobody', '', 'author', 'x\0'])
      equal((await admin.post(`/desk/people/${id}`, { do: 'hand-over', heir })).status, 422, heir)
    equal((await admin.post(`/desk/people/${id}`, { do: 'hand-over', heir: 'editor' })).status, 303)
    equal((await service.get(`/venues/${venue}`)).body.author, String((await user('editor')).id))
    const removed = await admin.post(`/desk/people/${id}`, { do: 'remove' })
    deepEqual([removed.status, removed.headers.get('location')], [303, '/desk/people'])
    equal((await admin.get(`/desk/people/${id}`)).status, 404)
  })

  test('nobody locks themselves out, and the last administrator stays', async () => {
    const { id } = await user('admin')
    for (const action of ['deactivate', 'remove', 'save'])
      equal((await admin.post(`/desk/people/${id}`, { do: action, role: 'subscriber' })).status, 403, action)
    const second = await admin.post('/desk/people/new', { login: 'second', role: 'administrator' })
    equal(second.status, 200)
    const other = await sitAtDesk(service, 'second')
    await Promise.all([
      other.post(`/desk/people/${id}`, { do: 'deactivate' }),
      admin.post(`/desk/people/${(await user('second')).id}`, { do: 'deactivate' }),
    ])
    const left = [await user('admin'), await user('second')].filter(
      ({ deactivated_utc }) => deactivated_utc === '',
    )
    equal(left.length, 1)
    const last = left[0]?.login ?? ''
    equal((await (last === 'admin' ? admin : other).get('/desk/people')).status, 200)
  })

  test('an unknown person or action is a page that says so', async () => {
    const someone = await sitAtDesk(
      service,
      (await user('admin')).deactivated_utc === '' ? 'admin' : 'second',
    )
    for (const path of ['/desk/people/999999', '/desk/people/x', '/desk/people/0'])
      equal((await someone.get(path)).status, 404, path)
    const { id } = await user('subscriber')
    for (const action of ['constructor', 'toString', 'x'])
      equal((await someone.post(`/desk/people/${id}`, { do: action })).status, 404, action)
  })
})

describe('one’s own account at the desk', () => {
  const service = serviceForTests()
  before(async () => {
    await giveDeskPassword(service, 'author')
  })

  const sessionsOf = async (login: string) => {
    const { read } = service.app.database
    return listSessions(read, await getUserByLogin(read, login), Date.now())
  }

  test('the name is changed, and a wrong one is told at its field', async () => {
    const author = await sitAtDesk(service, 'author')
    equal((await author.post('/desk/me', { name: ' Ann\u202e <i>A</i> ' })).status, 303)
    doesNotMatch((await author.get('/desk/me')).body, /<i>A/)
    const wrong = await author.post('/desk/me', { name: '' })
    equal(wrong.status, 422)
    match(wrong.body, /id="name"[^>]*aria-invalid="true"/)
    equal((await author.post('/desk/me', { name: 'x'.repeat(300) })).status, 422)
  })

  test('a new password wants the old one, ends all sessions, and goes on here with a new id', async () => {
    const [here, there] = [await sitAtDesk(service, 'author'), await sitAtDesk(service, 'author')]
    const change = (current: string, password: string) =>
      here.post('/desk/me/password', { current, password })
    const next = 'a new battery horse'
    equal((await change('a wrong password', next)).status, 422)
    equal((await change(DESK_PASSWORD, 'short')).status, 422)
    equal((await there.get('/desk/')).status, 200)
    const changed = await change(DESK_PASSWORD, next)
    deepEqual([changed.status, changed.headers.get('location')], [303, '/desk/me?password'])
    const cookie = (changed.headers.get('set-cookie') ?? '').split(';')[0] ?? ''
    notEqual(cookie, here.cookie)
    for (const old of [here, there]) equal((await old.get('/desk/')).status, 303)
    equal((await service.get('~/desk/me', 'anonymous', { cookie })).status, 200)
    await giveDeskPassword(service, 'author')
  })

  test('whoever sits down at an open desk cannot guess its password for long', async () => {
    const author = await sitAtDesk(service, 'author')
    const statuses: number[] = []
    for (let i = 0; i < 12; i += 1) {
      const sent = { current: `wrong password ${i}`, password: 'a new battery horse' }
      statuses.push((await author.post('/desk/me/password', sent)).status)
    }
    // Another test may have sent a wrong password within the last minute, so the tenth may be refused
    // already.
    ok(
      statuses.slice(0, 9).every((status) => status === 422),
      String(statuses),
    )
    deepEqual(statuses.slice(10), [429, 429])
  })

  test('sessions are listed by browser and ended one by one or all but this', async () => {
    const editor = await sitAtDesk(service, 'editor')
    const [second, third] = [await sitAtDesk(service, 'editor'), await sitAtDesk(service, 'editor')]
    const stranger = await sitAtDesk(service, 'author')
    const hashes = (await sessionsOf('editor')).map(({ hash }) => hash)
    const { body } = await editor.get('/desk/me')
    match(body, /This browser/)
    equal(hashes.filter((hash) => body.includes(`value="${hash}"`)).length, 2)
    for (const hash of hashes) await stranger.post('/desk/me/sessions', { session: hash })
    equal((await sessionsOf('editor')).length, 3, 'nobody ends those of others')
    const others = hashes.filter((hash) => body.includes(`value="${hash}"`))
    await editor.post('/desk/me/sessions', { session: others[0] ?? '' })
    equal((await sessionsOf('editor')).length, 2)
    await editor.post('/desk/me/sessions', { session: 'others' })
    equal((await sessionsOf('editor')).length, 1)
    equal((await editor.get('/desk/')).status, 200)
    deepEqual([(await second.get('/desk/')).status, (await third.get('/desk/')).status], [303, 303])
  })

  test('nobody has more than a hundred application passwords', async () => {
    const author = await sitAtDesk(service, 'author')
    await service.app.database.write(async (tx) => {
      for (let i = 1; i < 100; i++)
        await addCredential(tx, await getUserByLogin(tx, 'author'), 'password', `${i}`, 0)
    })
    for (const [path, expected] of [
      ['/desk/me/passwords', 422],
      ['/wp-admin/authorize-application.php?app_name=One+more', 400],
    ] as const) {
      const sent = { for: 'one more', access: 'all', answer: 'approve' }
      const { status, body } = await author.post(path, sent)
      equal(status, expected, path)
      match(body, /more than 100 passwords/)
    }
  })

  test('an application password is shown once, listed by name, scope and use, and taken away', async () => {
    const editor = await sitAtDesk(service, 'editor')
    const made = await editor.post('/desk/me/passwords', {
      for: 'Phone <b>',
      access: 'some',
      scope: ['media', 'root'],
    })
    equal(made.status, 200)
    const [, secret = ''] = /value="(\w{4}(?: \w{4}){5})"/.exec(made.body) ?? []
    const use = () =>
      service.get('~/wp-json/wp/v2/users/me', 'anonymous', {
        authorization: `Basic ${Buffer.from(`editor:${secret}`).toString('base64')}`,
      })
    const me = await use()
    equal(me.status, 200)
    deepEqual(Object.keys(me.body.capabilities), ['upload'])
    const { body } = await editor.get('/desk/me')
    match(body, /Phone &lt;b&gt;/)
    match(body, /Upload pictures/)
    equal(body.includes(secret), false)
    const ids = [...body.matchAll(/\/desk\/me\/passwords\/(\d+)/g)].map(([, id]) => id)
    const stranger = await sitAtDesk(service, 'author')
    equal((await stranger.post(`/desk/me/passwords/${ids.at(-1)}`, {})).status, 303)
    equal((await use()).status, 200, 'nobody takes away those of others')
    equal((await editor.post(`/desk/me/passwords/${ids.at(-1)}`, {})).status, 303)
    await until(async () => (await use()).status === 401, 'it still opens REST', 25)
    for (const wrong of [
      { for: '' },
      { for: 'a\nb' },
      { for: 'x', access: 'some' },
      { for: 'x'.repeat(300) },
    ])
      equal(
        (await editor.post('/desk/me/passwords', { access: 'all', ...wrong })).status,
        422,
        JSON.stringify(wrong),
      )
  })
})
