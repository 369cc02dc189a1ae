import { deepEqual, doesNotMatch, equal, match } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { listCredentials } from '../../src/calendar/people/credentials.ts'
import { getUserByLogin } from '../../src/calendar/people/users.ts'
import { deskHere } from '../support/desk.ts'
import { serviceForTests } from '../support/service.ts'

const PAGE = '/wp-admin/authorize-application.php'
const ASKED = {
  app_name: 'Pocket Calendar',
  app_id: '2b1a5ba2-8f1c-4c0e-9b8a-1c6c8a1f0d11',
  success_url: 'https://app.example/back?state=1',
}
const at = (asked: Record<string, string>) => `${PAGE}?${new URLSearchParams(asked)}`

describe('application passwords by consent', () => {
  const service = serviceForTests()
  const author = deskHere(service, 'author')

  const passwords = async () => {
    const { read } = service.app.database
    return listCredentials(read, await getUserByLogin(read, 'author'))
  }
  const meWith = (login: string, password: string) =>
    service.get('~/wp-json/wp/v2/users/me', 'anonymous', {
      authorization: `Basic ${Buffer.from(`${login}:${password}`).toString('base64')}`,
    })

  test('the root index says where, and who has not signed in is led through the form and back', async () => {
    const { body } = await service.get('~/wp-json/')
    equal(body.authentication['application-passwords'].endpoints.authorization, service.origin + PAGE)
    const stranger = await service.get(`~${at(ASKED)}`)
    equal(stranger.status, 303)
    const next =
      new URL(stranger.headers.get('location') ?? '', service.origin).searchParams.get('next') ?? ''
    const page = await author.get(next)
    equal(page.status, 200)
    match(page.body, /Pocket Calendar/)
  })

  test('the page says who asks, for whom and where the password goes; opening gives nothing', async () => {
    const before = (await passwords()).length
    const { status, body, headers } = await author.get(at(ASKED))
    equal(status, 200)
    match(body, /Pocket Calendar/)
    match(body, /You are signed in as author\./)
    match(body, /sent to app\.example\./)
    match(headers.get('content-security-policy') ?? '', /form-action 'self' https:\/\/app\.example;/)
    match(headers.get('content-security-policy') ?? '', /frame-ancestors 'none'/)
    equal((await passwords()).length, before)
  })

  test('a yes hands back the site, the login and a password that works, with what was chosen', async () => {
    const { status, headers } = await author.post(at(ASKED), {
      answer: 'approve',
      access: 'some',
      scope: ['write-own'],
    })
    equal(status, 303)
    const back = new URL(headers.get('location') ?? '')
    equal(back.origin + back.pathname, 'https://app.example/back')
    const { state, site_url, user_login, password } = Object.fromEntries(back.searchParams)
    deepEqual({ state, site_url, user_login }, { state: '1', site_url: service.origin, user_login: 'author' })
    match(password ?? '', /^\w{24}$/)
    const me = await meWith('author', password ?? '')
    equal(me.status, 200)
    equal(me.body.capabilities.upload, undefined)
    equal(me.body.capabilities.edit, true)
    const made = (await passwords()).at(-1)
    deepEqual([made?.name, made?.scope], ['Pocket Calendar', 'write-own'])
  })

  test('a program with its own scheme gets the same; a fragment stays behind what is added', async () => {
    const asked = { ...ASKED, success_url: 'pocket-calendar://signed-in/here#top' }
    const page = await author.get(at(asked))
    match(page.headers.get('content-security-policy') ?? '', /form-action 'self' pocket-calendar:;/)
    const { headers } = await author.post(at(asked), { answer: 'approve', access: 'all' })
    const location = headers.get('location') ?? ''
    match(
      location,
      /^pocket-calendar:\/\/signed-in\/here\?site_url=[^#]+&user_login=author&password=\w{24}#top$/,
    )
  })

  test('a no leads to reject_url, or back with success=false, and gives nothing', async () => {
    const before = (await passwords()).length
    const no = async (asked: Record<string, string>) =>
      (await author.post(at(asked), { answer: 'reject' })).headers.get('location')
    equal(await no(ASKED), 'https://app.example/back?state=1&success=false')
    equal(await no({ ...ASKED, reject_url: 'https://app.example/no' }), 'https://app.example/no')
    equal(await no({ app_name: 'Pocket Calendar' }), '/desk/')
    equal((await author.post(at(ASKED), {})).status, 200, 'neither yes nor no asks again')
    equal((await author.post(at(ASKED), { answer: 'approve', access: 'some' })).status, 422)
    equal((await passwords()).length, before)
  })

  test('without an address the password is shown, once', async () => {
    const shown = await author.post(at({ app_name: 'A script' }), { answer: 'approve', access: 'all' })
    equal(shown.status, 200)
    equal(shown.headers.get('cache-control'), 'no-store')
    const [, secret = ''] = /value="(\w{4}(?: \w{4}){5})"/.exec(shown.body) ?? []
    equal((await meWith('author', secret)).status, 200)
    equal((await author.get(at({ app_name: 'A script' }))).body.includes(secret), false)
  })

  test('a program that asks again has a password already, known by its app_id, not by its name', async () => {
    const asked = { app_name: 'Twice', app_id: '9D3F0A52-0d7c-4f9e-a1f7-2f5d6f3f1b11' }
    doesNotMatch((await author.get(at(asked))).body, /given a password before/)
    await author.post(at(asked), { answer: 'approve', access: 'all' })
    const renamed = { app_name: 'Renamed', app_id: asked.app_id.toLowerCase() }
    match((await author.get(at(renamed))).body, /given a password before, on \w+ \d+, \d{4}/)
    doesNotMatch((await author.get(at({ app_name: 'Twice' }))).body, /given a password before/)
  })

  test('no password goes where anybody listens, where code runs, or to an address that hides', async () => {
    const before = (await passwords()).length
    const wrong = [
      'http://app.example/back',
      'http://127.0.0.1:8080/',
      'javascript:alert(1)',
      'javascript://app.example/%0aalert(1)',
      'data:text/html,x',
      'data://app.example/x',
      'file:///etc/passwd',
      'intent://app.example#Intent;end',
      'https://user:secret@app.example/',
      'https://app.example;script-src/',
      "https://app.example' 'unsafe-inline/",
      'mailto:a@example.org',
      '//app.example/',
      '/desk/',
      'nothing',
      `https://app.example/${'x'.repeat(3000)}`,
    ]
    for (const address of wrong)
      for (const name of ['success_url', 'reject_url']) {
        const asked = { ...ASKED, [name]: address }
        equal((await author.get(at(asked))).status, 400, `${name} ${address.slice(0, 60)}`)
        equal((await author.post(at(asked), { answer: 'approve' })).status, 400, address.slice(0, 60))
      }
    equal((await author.get(at({ ...ASKED, app_id: 'not-a-uuid' }))).status, 400)
    equal((await author.get(at({ ...ASKED, app_name: '' }))).status, 400)
    equal((await author.get(at({ ...ASKED, app_name: 'x'.repeat(5000) }))).status, 400)
    equal((await passwords()).length, before)
  })

  test('the name of a program is text, and turns nothing around', async () => {
    const { body } = await author.get(
      at({ ...ASKED, app_name: '<img src=x onerror=alert(1)>\u202egnp.\u0000' }),
    )
    doesNotMatch(body, /<img/)
    doesNotMatch(body, /\u202e/)
    match(body, /&lt;img src=x onerror=alert\(1\)&gt;gnp\./)
  })

  test('another site cannot say yes in somebody’s place', async () => {
    const before = (await passwords()).length
    const forged = await author.post(at(ASKED), { answer: 'approve' }, { origin: 'https://evil.example' })
    equal(forged.status, 403)
    const fetched = await author.post(at(ASKED), { answer: 'approve' }, { 'sec-fetch-site': 'cross-site' })
    equal(fetched.status, 403)
    equal((await passwords()).length, before)
  })
})
