import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { signInBy } from '../support/openid-browser.ts'
import { startProvider } from '../support/openid-provider.ts'
import { startService, type TestService } from '../support/service.ts'

const provider = await startProvider()

describe('signing in with an account of the organisation', () => {
  let service: TestService
  before(async () => {
    service = await startService({
      ...provider.settings,
      oidc_roles: 'groups staff=author; groups chiefs=editor',
    })
    provider.accounts.set('anna-1', {
      name: 'Anna Lund',
      preferred_username: 'anna',
      groups: ['staff', 'sports'],
    })
  })
  after(async () => {
    await service.close()
    await provider.close()
  })

  test('the first time makes the account', async () => {
    provider.who = 'anna-1'
    const { answer, cookie } = await signInBy(service, provider)
    assert.deepEqual([answer.status, answer.headers.get('location')], [303, '/desk/'], answer.body)
    const page = await service.shown('/desk/me', { cookie })
    assert.match(page, /Anna Lund/)
  })
})
