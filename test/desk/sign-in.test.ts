import { deepEqual, doesNotMatch, equal, match, notEqual, ok } from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { sql } from 'kysely'
import { addSignInLink } from '../../src/calendar/people/desk-passwords.ts'
import { listSessions } from '../../src/calendar/people/sessions.ts'
import { getUserByLogin } from '../../src/calendar/people/users.ts'
import { statement } from '../../src/store/storage/statement.ts'
import { databaseName } from '../support/database.ts'
import { DESK_PASSWORD, giveDeskPassword, sitAtDesk } from '../support/desk.ts'
import { type Answer, credentialsOf, serviceForTests, type TestService } from '../support/service.ts'
import { until } from '../support/waiting.ts'

function browserOf(service: TestService, address = '192.0.2.1') {
  const { origin } = new URL(service.origin)
  const from = { 'x-forwarded-for': address, accept: 'text/html' }
  return {
    get: (path: string, headers: Record<string, string> = {}) =>
      service.get(`~${path}`, 'anonymous', { ...from, ...headers }),
    post: (path: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
      service.post(`~${path}`, new URLSearchParams(fields), 'anonymous', {
        ...from,
        origin,
        'content-type': 'application/x-www-form-urlencoded',
        ...headers,
      }),
  }
}

const cookieIn = ({ headers }: Answer) => (headers.get('set-cookie') ?? '').split(';')[0] ?? ''
const GOOD = { login: 'editor', password: DESK_PASSWORD }

describe('signing in to the desk', () => {
  const service = serviceForTests({ trusted_proxy: '127.0.0.1' })
  let browser: ReturnType<typeof browserOf>

  before(async () => {
    await giveDeskPassword(service, 'editor')
    browser = browserOf(service)
  })

  test('who comes without a session is led to the form, and back to where they wanted to go', async () => {
    const asked = await browser.get('/desk/events?tab=draft&page=2')
    equal(asked.status, 303)
    const form = await browser.get(asked.headers.get('location') ?? '')
    equal(form.status, 200)
    match(form.body, /<input type="hidden" name="next" value="\/desk\/events\?tab=draft&amp;page=2">/)
    const signedIn = await browser.post('/desk/sign-in', { ...GOOD, next: '/desk/events?tab=draft&page=2' })
    deepEqual([signedIn.status, signedIn.headers.get('location')], [303, '/desk/events?tab=draft&page=2'])
    equal((await browser.get('/desk/venues', { cookie: cookieIn(signedIn) })).status, 200)
    for (const [path, to] of [
      ['/desk', '/desk/'],
      ['/wp-admin/', '/desk/'],
      ['/wp-admin/edit.php?post_type=tribe_events', '/desk/'],
      ['/wp-login.php', '/desk/sign-in'],
    ] as const)
      equal((await browser.get(path)).headers.get('location'), to, path)
  })

  test('the cookie is HttpOnly, Lax and for the whole host; on http it is not Secure', async () => {
    const { headers } = await browser.post('/desk/sign-in', GOOD)
    match(
      headers.get('set-cookie') ?? '',
      /^kalends=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=7776000$/,
    )
  })

  test('signing in makes a new id, and ends the session before; a planted id opens nothing', async () => {
    const first = cookieIn(await browser.post('/desk/sign-in', GOOD))
    const second = cookieIn(await browser.post('/desk/sign-in', GOOD, { cookie: first }))
    notEqual(first, second)
    equal((await browser.get('/desk/', { cookie: first })).status, 303)
    equal((await browser.get('/desk/', { cookie: second })).status, 200)
    const planted = `kalends=${'A'.repeat(43)}`
    const third = cookieIn(await browser.post('/desk/sign-in', GOOD, { cookie: planted }))
    notEqual(third, planted)
    equal((await browser.get('/desk/', { cookie: planted })).status, 303)
  })

  test('a wrong password and an unknown login get the same page, which keeps what was typed', async () => {
    const wrong = await browser.post('/desk/sign-in', { login: 'editor', password: 'a wrong password' })
    const unknown = await browser.post('/desk/sign-in', { login: 'nobody', password: 'a wrong password' })
    deepEqual([wrong.status, unknown.status], [401, 401])
    equal(wrong.body.replaceAll('editor', 'nobody'), unknown.body)
    match(wrong.body, /<title>Error: /)
    match(wrong.body, /value="editor"/)
    doesNotMatch(wrong.body, /a wrong password/)
    equal(wrong.headers.get('set-cookie'), null)
  })

  test('guesses are slowed, then turned away with 429, and the owner signs in elsewhere', async () => {
    const guesser = browserOf(service, '203.0.113.9')
    const statuses: number[] = []
    const guess = async () => {
      const { status, headers } = await guesser.post('/desk/sign-in', {
        login: 'editor',
        password: 'guessed password',
      })
      statuses.push(status)
      if (status === 429) match(headers.get('retry-after') ?? '', /^\d+$/)
    }
    await Promise.all(Array.from({ length: 200 }, guess))
    ok(statuses.filter((status) => status === 401).length <= 22, String(statuses))
    // An overloaded service answers some guesses with 503 without checking them.
    ok(
      statuses.every((status) => [401, 429, 503].includes(status)),
      String(statuses),
    )
    ok(statuses.includes(429))
    equal((await browser.post('/desk/sign-in', GOOD)).status, 303)
  })

  test('after signing in one is led to paths of this site alone', async () => {
    for (const next of [
      '//evil.example',
      '/\\evil.example',
      '\t//evil.example',
      '/\t/evil.example',
      'https://evil.example/',
      'javascript:alert(1)',
      'evil',
      '/\r\nSet-Cookie: a=b',
      '\\\\evil',
    ]) {
      const { status, headers } = await browser.post('/desk/sign-in', { ...GOOD, next })
      deepEqual([status, headers.get('location')], [303, '/desk/'], JSON.stringify(next))
      equal((await browser.get(`/desk/sign-in?${new URLSearchParams({ next })}`)).status, 200)
    }
    const { headers } = await browser.post('/desk/sign-in', { ...GOOD, next: '/events/?a=b%2F' })
    equal(headers.get('location'), '/events/?a=b%2F')
    const { headers: led } = await browser.post('/desk/sign-in', { ...GOOD, next: '/寺 \u202e?a=é' })
    equal(led.get('location'), '/%E5%AF%BA%20%E2%80%AE?a=%C3%A9')
  })

  test('the desk takes forms alone: JSON is none, however deep', async () => {
    const deep = `{"title":${'{"a":'.repeat(1500)}1${'}'.repeat(1500)}}`
    const editor = await sitAtDesk(service, 'editor')
    for (const cookie of ['', editor.cookie]) {
      const headers = { 'content-type': 'application/json', accept: 'text/html', cookie }
      const { status, body } = await service.post('~/desk/events/new', deep, 'anonymous', headers)
      equal(status, cookie === '' ? 401 : 422)
      doesNotMatch(body, /a\]/)
    }
  })

  test('an address too long for a header is not gone back to', async () => {
    const { status, headers } = await browser.get(`/desk/events?search=${'%20'.repeat(2000)}`)
    deepEqual([status, headers.get('location')], [303, '/desk/sign-in'])
    const signedIn = await browser.post('/desk/sign-in', { ...GOOD, next: `/${'é'.repeat(2000)}` })
    deepEqual([signedIn.status, signedIn.headers.get('location')], [303, '/desk/'])
  })

  test('the cookie opens no part of REST, and no credential of REST opens the desk', async () => {
    const cookie = cookieIn(await browser.post('/desk/sign-in', GOOD))
    equal((await browser.get('/wp-json/wp/v2/users/me', { cookie })).status, 401)
    equal((await service.post('/venues', { venue: 'Forged' }, 'anonymous', { cookie })).status, 401)
    equal((await browser.get('/desk/', credentialsOf('editor'))).status, 303)
    equal((await browser.post('/desk/venues/new', { venue: 'Forged' }, credentialsOf('editor'))).status, 401)
  })

  test('a POST of another site is refused, whatever a proxy says of the host; programs pass', async () => {
    const editor = await sitAtDesk(service, 'editor')
    const own = new URL(service.origin).origin
    const post = (headers: Record<string, string>) => {
      const { origin = '', ...others } = headers
      return service.post(
        '~/desk/tags/new',
        new URLSearchParams({ name: crypto.randomUUID() }),
        'anonymous',
        {
          cookie: editor.cookie,
          'content-type': 'application/x-www-form-urlencoded',
          ...(origin !== '' && { origin }),
          ...others,
        },
      )
    }
    const passing = [
      {},
      { origin: own },
      { 'sec-fetch-site': 'same-origin', origin: own },
      { 'sec-fetch-site': 'none' },
    ]
    for (const headers of passing) equal((await post(headers)).status, 303, JSON.stringify(headers))
    const forged = [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin: own.replace('http:', 'https:') },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site', origin: own },
      { 'sec-fetch-site': 'cross-site', origin: own },
      { origin: 'https://evil.example', host: 'evil.example', 'x-forwarded-host': 'evil.example' },
    ]
    for (const headers of forged) {
      const { status, body } = await post(headers)
      equal(status, 403, JSON.stringify(headers))
      match(body, /KALENDS_SITE_URL/)
    }
    equal((await browser.post('/desk/sign-in', GOOD, { origin: 'https://evil.example' })).status, 403)
  })

  test('no GET changes anything: signing out is a POST', async () => {
    const editor = await sitAtDesk(service, 'editor')
    equal((await editor.get('/desk/sign-out')).status, 404)
    equal((await editor.get('/desk/')).status, 200)
    const out = await editor.post('/desk/sign-out', {})
    deepEqual([out.status, out.headers.get('location')], [303, '/desk/sign-in'])
    match(out.headers.get('set-cookie') ?? '', /^kalends=; Path=\/; HttpOnly; SameSite=Lax; Max-Age=0$/)
    equal((await editor.get('/desk/')).status, 303)
  })

  test('pages before signing in are kept, indexed and framed by nobody either', async () => {
    for (const path of ['/desk/sign-in', '/desk/set-up/nothing']) {
      const { headers } = await browser.get(path)
      equal(headers.get('cache-control'), 'no-store')
      equal(headers.get('x-robots-tag'), 'noindex')
      equal(headers.get('x-frame-options'), 'DENY')
      match(headers.get('content-security-policy') ?? '', /frame-ancestors 'none'/)
      equal(headers.get('referrer-policy'), 'same-origin')
      equal(headers.get('cross-origin-opener-policy'), 'same-origin')
    }
  })

  test('no other site is allowed to read the desk, signed in or not', async () => {
    const { cookie } = await sitAtDesk(service, 'editor')
    for (const headers of [{}, { cookie }])
      for (const path of ['/desk/', '/desk/sign-in', '/desk/search?q=x']) {
        const sent = { ...headers, origin: 'https://elsewhere.example' }
        const answer = await service.get(`~${path}`, 'anonymous', sent)
        equal(answer.headers.get('access-control-allow-origin'), null, path)
      }
  })

  test('what was typed is text, whatever it holds', async () => {
    const login = '"><script>alert(1)</script>\u202e'
    const { body } = await browser.post('/desk/sign-in', { login, password: 'a wrong password' })
    doesNotMatch(body, /<script>alert/)
    match(body, /&quot;&gt;&lt;script&gt;/)
  })

  test('a megabyte of login or password is refused unread, and an odd form gets a page', async () => {
    const other = browserOf(service, '203.0.113.20')
    for (const name of ['login', 'password']) {
      equal((await other.post('/desk/sign-in', { ...GOOD, [name]: 'x'.repeat(1_000_000) })).status, 413, name)
    }
    equal((await other.post('/desk/sign-in', { ...GOOD, password: 'x'.repeat(15_000) })).status, 401)
    equal((await other.post('/desk/sign-in', {})).status, 401)
    const odd = [
      'login[]=editor&password[]=x',
      'login[a][b]=editor&password=x',
      '%%%=%ff',
      '\0',
      '{"login":"editor"}',
    ]
    for (const body of odd) {
      const headers = { 'content-type': 'application/x-www-form-urlencoded' }
      const { status } = await service.post('~/desk/sign-in', body, 'anonymous', headers)
      ok([400, 401, 429].includes(status), `${body}: ${status}`)
    }
  })

  test('a form whose session has ended asks for the password, keeps what was typed, goes on', async () => {
    const { database } = service.app
    const editor = await sitAtDesk(service, 'editor')
    await database.write((tx) =>
      tx.updateTable('sessions').set({ seen_utc: '2020-01-01 00:00:00' }).execute(),
    )
    const description = `<b>long</b> ${'x'.repeat(40_000)}`
    const typed = { venue: 'Kept <i>whole</i>', description, city: 'Cork', step_free: 'yes' }
    const asked = await editor.post('/desk/venues/new', typed)
    equal(asked.status, 401)
    const kept = Object.fromEntries(
      [...asked.body.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)">/g)].map(
        ([, name, value]) => [
          name,
          value.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&'),
        ],
      ),
    )
    deepEqual(kept, typed)
    const again = (password: string) =>
      editor.post('/desk/venues/new', { ...kept, 'desk-login': 'editor', 'desk-password': password })
    const wrong = await again('a wrong password')
    equal(wrong.status, 401)
    match(wrong.body, /value="Kept &lt;i&gt;whole&lt;\/i&gt;"/)
    const { venue: _venue, ...nameless } = kept
    const faulty = await editor.post('/desk/venues/new', {
      ...nameless,
      venue: '',
      'desk-login': 'editor',
      'desk-password': DESK_PASSWORD,
    })
    equal(faulty.status, 422)
    match(faulty.body, /class="rail"/)
    const saved = await again(DESK_PASSWORD)
    equal(saved.status, 303)
    match(saved.headers.get('location') ?? '', /^\/desk\/venues\/\d+\?saved$/)
    const [, id] = /venues\/(\d+)/.exec(saved.headers.get('location') ?? '') ?? []
    const { body } = await service.get(`/venues/${id}`)
    deepEqual([body.city, body.step_free], ['Cork', true])
    const cookie = cookieIn(saved)
    equal((await browser.get('/desk/venues', { cookie })).status, 200)
  })

  test('a form without any session before is not kept, and lists in a kept form stay lists', async () => {
    const far = browserOf(service, '198.51.100.99')
    equal((await far.post('/desk/venues/new', { venue: 'x'.repeat(20_000) })).status, 413)
    const planted = { cookie: `kalends=${'A'.repeat(43)}` }
    equal((await far.post('/desk/venues/new', { venue: 'x'.repeat(20_000) }, planted)).status, 413)
    const { cookie } = await sitAtDesk(service, 'editor')
    await service.app.database.write((tx) =>
      tx.updateTable('sessions').set({ seen_utc: '2020-01-01 00:00:00' }).execute(),
    )
    const post = (headers: Record<string, string>) =>
      service.post('~/desk/events/new', 'tags[]=1&tags[]=2&a=0&a=1&b[c][d]=e', 'anonymous', {
        'content-type': 'application/x-www-form-urlencoded',
        ...headers,
      })
    const unkept = await post(planted)
    equal(unkept.status, 401)
    doesNotMatch(unkept.body, /name="(?:tags|a|b)\b/)
    match(unkept.body, /action="\/desk\/sign-in"/)
    const kept = await post({ cookie })
    const names = [...kept.body.matchAll(/type="hidden" name="([^"]+)" value="([^"]*)"/g)].map(
      ([, n, v]) => `${n}=${v}`,
    )
    deepEqual(names, ['tags[]=1', 'tags[]=2', 'a=0', 'a=1', 'b[c][d]=e'])
    const forged = await far.post(
      '/desk/venues/new',
      { venue: 'Forged', 'desk-login': 'editor', 'desk-password': DESK_PASSWORD },
      { origin: 'https://evil.example' },
    )
    equal(forged.status, 403)
  })

  test('sessions are of their users: where they began is kept', async () => {
    const { database } = service.app
    const editor = await getUserByLogin(database.read, 'editor')
    const far = browserOf(service, '198.51.100.77')
    await far.post('/desk/sign-in', GOOD, { 'user-agent': 'A browser' })
    const sessions = await listSessions(database.read, editor, Date.now())
    ok(sessions.some(({ address, client }) => address === '198.51.100.77' && client === 'A browser'))
  })
})

describe('links that set up a password', () => {
  const service = serviceForTests()
  let browser: ReturnType<typeof browserOf>
  const NEW = 'a new battery horse'

  before(async () => {
    browser = browserOf(service)
  })

  const linkFor = async (login: string, purpose?: 'demo') => {
    const { database } = service.app
    const token = await database.write(async (tx) =>
      addSignInLink(tx, await getUserByLogin(tx, login), Date.now(), { purpose }),
    )
    return `/desk/set-up/${token}`
  }

  test('there is no open set-up page', async () => {
    for (const path of ['/desk/set-up', '/desk/set-up/']) equal((await browser.get(path)).status, 303)
    for (const path of ['/desk/set-up/x', `/desk/set-up/${'A'.repeat(43)}`, '/desk/set-up/%00']) {
      ok([303, 404].includes((await browser.get(path)).status), path)
      notEqual((await browser.post(path, { password: NEW })).status, 200, path)
    }
  })

  test('on an empty calendar the page asks for its name too; the password alone is enough', async () => {
    const link = await linkFor('admin')
    const form = await browser.get(link)
    equal(form.status, 200)
    match(form.body, /name="name"/)
    const short = await browser.post(link, { password: 'too short', name: 'Choirs <of> Cork' })
    equal(short.status, 422)
    match(short.body, /value="Choirs &lt;of&gt; Cork"/)
    match(short.body, /id="password"[^>]*aria-invalid="true" aria-describedby="password-hint password-error"/)
    const done = await browser.post(link, { password: NEW, name: 'Choirs of Cork' })
    deepEqual([done.status, done.headers.get('location')], [303, '/desk/'])
    const today = () => browser.get('/desk/', { cookie: cookieIn(done) })
    equal((await today()).status, 200)
    await until(async () => (await today()).body.includes('Choirs of Cork'), 'the name was not taken in')
    equal((await browser.get(link)).status, 404)
    equal((await browser.post(link, { password: NEW })).status, 404)
    doesNotMatch((await browser.get(await linkFor('editor'))).body, /name="name"/)
  })

  test('of two who post at once one wins', async () => {
    const link = await linkFor('author')
    const answers = await Promise.all([1, 2, 3].map((i) => browser.post(link, { password: `${NEW} ${i}` })))
    deepEqual(answers.map(({ status }) => status).sort(), [303, 404, 404])
    const won = answers.findIndex(({ status }) => status === 303) + 1
    equal((await browser.post('/desk/sign-in', { login: 'author', password: `${NEW} ${won}` })).status, 303)
  })

  test('a link that somebody opens who is signed in is for its user, not for them', async () => {
    const editor = await sitAtDesk(service, 'editor')
    const link = await linkFor('contributor')
    match((await editor.get(link)).body, /value="contributor"/)
    const done = await editor.post(link, { password: NEW })
    equal(done.status, 303)
    match((await browser.get('/desk/', { cookie: cookieIn(done) })).body, /title="contributor"/)
  })

  test('a link of the demo signs in by one press, and not by being opened', async () => {
    const link = await linkFor('admin', 'demo')
    for (let i = 0; i < 2; i += 1) {
      const form = await browser.get(link)
      equal(form.status, 200)
      equal(form.headers.get('set-cookie'), null)
    }
    const done = await browser.post(link, {})
    equal((await browser.get('/desk/', { cookie: cookieIn(done) })).status, 200)
    equal((await browser.post(link, {})).status, 404)
    equal((await browser.post(await linkFor('editor'), {})).status, 422)
  })
})

describe('the desk of a site with https', () => {
  const service = serviceForTests({ site_url: 'https://calendar.example.org' })
  before(async () => {
    await giveDeskPassword(service, 'editor')
  })

  const at = (path: string, fields: Record<string, string>, headers: Record<string, string>) =>
    fetch(`http://127.0.0.1:${service.app.port}${path}`, {
      method: 'POST',
      body: new URLSearchParams(fields),
      headers,
      redirect: 'manual',
    })

  test('its cookie is Secure and bound to the host', async () => {
    const { status, headers } = await at('/desk/sign-in', GOOD, { origin: 'https://calendar.example.org' })
    equal(status, 303)
    match(
      headers.get('set-cookie') ?? '',
      /^__Host-kalends=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=7776000; Secure$/,
    )
  })

  test('behind a proxy its own address counts; another gets a page that says what to set', async () => {
    const origin = `http://127.0.0.1:${service.app.port}`
    const refused = await at('/desk/sign-in', GOOD, { origin })
    equal(refused.status, 403)
    const body = await refused.text()
    match(body, /KALENDS_SITE_URL/)
    ok(body.includes(origin))
    ok(body.includes('href="https://calendar.example.org/desk/"'))
  })
})

describe('a service without the desk', () => {
  const service = serviceForTests({ desk: 'off' })

  test('none of its addresses answer, and the index names no way to ask for passwords', async () => {
    const browser = browserOf(service)
    for (const path of ['/desk/', '/desk/sign-in', '/wp-login.php', '/wp-admin/'])
      equal((await browser.get(path)).status, 404, path)
    const { body } = await service.get('~/wp-json/')
    deepEqual(body.authentication, { 'application-passwords': { endpoints: {} } })
  })
})

describe('the desk of a calendar that can only be read', {
  skip: databaseName() !== 'sqlite' && 'on SQLite',
}, () => {
  const service = serviceForTests()
  before(async () => {
    await giveDeskPassword(service, 'editor')
  })

  test('it says so, shows no form that would write, and goes on once it may', async () => {
    const run = (text: string) =>
      statement<Record<never, never>>()(() => sql.raw(text))(service.app.database.read, {})
    const browser = browserOf(service)
    const editor = await sitAtDesk(service, 'editor')
    await run('pragma query_only = on')
    const refused = await browser.post('/desk/sign-in', GOOD)
    equal(refused.status, 503)
    match(refused.body, /can only be read just now/)
    const form = await browser.get('/desk/sign-in')
    equal(form.status, 503)
    doesNotMatch(form.body, /name="password"/)
    const page = await editor.get('/desk/venues/new')
    equal(page.status, 200)
    match(page.body, /<main id="main" class="readonly">/)
    match(page.body, /can only be read just now/)
    const saved = await editor.post('/desk/venues/new', { venue: 'Kept nowhere' })
    equal(saved.status, 503)
    match(saved.body, /can only be read just now/)
    await run('pragma query_only = off')
    equal((await browser.post('/desk/sign-in', GOOD)).status, 303)
    doesNotMatch((await editor.get('/desk/venues/new')).body, /can only be read just now/)
  })
})
