import { equal, match, ok } from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { DESK_PASSWORD, giveDeskPassword } from '../support/desk.ts'
import { atProvider, begin, comeBack } from '../support/openid-browser.ts'
import { startProvider, type TestProvider } from '../support/openid-provider.ts'
import { startService, type TestService } from '../support/service.ts'

describe('a provider that keeps everybody waiting', () => {
  let provider: TestProvider
  let service: TestService
  before(async () => {
    provider = await startProvider()
    service = await startService({ ...provider.settings, oidc_default_role: 'author' })
    await giveDeskPassword(service, 'editor')
    provider.accounts.set('anna-1', { name: 'Anna' })
    provider.who = 'anna-1'
  })
  after(async () => {
    await service.close()
    await provider.close()
  })

  test('holds up nobody, at the start and on the way back, and is given up after five seconds', async () => {
    const { location, cookie } = await begin(service)
    const back = await atProvider(provider, location)
    // It begins an answer and never ends it.
    provider.answer = (_, response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).write('{')
    await using slow = await startService({ ...provider.settings, oidc_default_role: 'author' })

    const since = performance.now()
    const waiting = [
      ...Array.from({ length: 40 }, () => slow.page('/desk/openid/start')),
      comeBack(service, back, cookie),
    ]
    for (const { origin, request, shown } of [slow, service]) {
      if (origin === slow.origin) await giveDeskPassword(slow, 'editor')
      await shown('/desk/sign-in')
      const form = new URLSearchParams({ login: 'editor', password: DESK_PASSWORD })
      const signedIn = await request('anonymous', 'POST', '~/desk/sign-in', form, {
        origin: new URL(origin).origin,
      })
      equal(signedIn.status, 303)
    }
    const before = performance.now() - since
    const answers = await Promise.all(waiting)
    const waited = performance.now() - since
    ok(before < 4000 && waited > 4500, `${before} and ${waited} ms`)
    for (const { status } of answers) ok(status === 503 || status === 429, String(status))
    match(answers.at(-1)?.body, /<h1>Riverside University does not answer<\/h1>/)
    ok(answers.filter(({ status }) => status === 429).length > 5)
  })
})
