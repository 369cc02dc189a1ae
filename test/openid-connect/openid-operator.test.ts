import { deepEqual, doesNotMatch, equal, match, rejects } from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { kalends } from '../support/commands.ts'
import { scratchDatabase } from '../support/database.ts'
import { temporaryFolder } from '../support/folder.ts'
import { startLoggedService } from '../support/logged-service.ts'
import { startProvider, type TestProvider } from '../support/openid-provider.ts'
import { type Settings, startService } from '../support/service.ts'
import { until } from '../support/waiting.ts'

describe('operators of a calendar with OpenID Connect', () => {
  let provider: TestProvider
  before(async () => {
    provider = await startProvider()
  })
  after(() => provider.close())

  const folder = temporaryFolder()
  const flagsOf = (settings: Settings) =>
    Object.entries({ data: folder, ...settings }).flatMap(([name, value]) => [
      `--${name.replaceAll('_', '-')}`,
      value,
    ])
  async function findingsOf(settings: Settings): Promise<string[]> {
    const { out } = await kalends([...flagsOf({ ...provider.settings, ...settings }), 'doctor'])
    return out.split('\n').filter((line) => /^\w+ +sign-in /.test(line))
  }

  test('hear from the doctor whether the issuer answers as one', async () => {
    provider.reset()
    const [fine = '', roles = ''] = await findingsOf({})
    match(fine, /^ok +sign-in +http:\/\/127\.0\.0\.1:\d+ answers as an OpenID Connect provider\.$/)
    match(roles, /^warning +sign-in +No claim gives a role, so only people who were invited get in\.$/)
    equal((await findingsOf({ oidc_default_role: 'author' })).length, 1)
    provider.change['/.well-known/openid-configuration'] = (body) => ({
      ...body,
      issuer: 'https://a.example',
    })
    match((await findingsOf({}))[0] ?? '', /^error .*is not the document of this issuer \(\w+\)\.$/)
    provider.answer = (request) => request.destroy()
    match((await findingsOf({}))[0] ?? '', /^error .*does not answer \(ECONNRESET\)\.$/)
    match(
      (await findingsOf({ oidc_client_secret_file: join(folder, 'nothing') }))[0] ?? '',
      /^error .*KALENDS_OIDC_CLIENT_SECRET_FILE cannot be read/,
    )
  })

  test('are told at the start what is wrong with the settings', async () => {
    const short = join(folder, 'short')
    writeFileSync(short, 'secret')
    for (const [settings, message] of [
      [
        { ...provider.settings, oidc_roles: 'staff=author' },
        /KALENDS_OIDC_ROLES takes rows such as "groups staff=author", not "staff=author"/,
      ],
      [{ ...provider.settings, oidc_roles: 'groups staff=king' }, /not "groups staff=king"/],
      [{ ...provider.settings, oidc_client_id: '' }, /needs KALENDS_OIDC_CLIENT_ID/],
      [{ ...provider.settings, oidc_client_secret_file: short }, /fewer than 16 characters/],
      [{ passwords: 'off' }, /KALENDS_PASSWORDS=off needs KALENDS_OIDC_ISSUER/],
      [{ oidc_issuer: 'http://sso.example.org' }, /takes the https address of an issuer/],
      [
        { oidc_issuer: 'https://sso.example.org/.well-known/openid-configuration' },
        /without \/\.well-known\//,
      ],
    ] as [Settings, RegExp][])
      await rejects(async () => startService(settings), message, String(message))
  })

  test('find a reason in the log, and nothing of what the provider answered', async (t) => {
    provider.reset()
    const scratch = await scratchDatabase()
    const service = await startLoggedService({
      ...provider.settings,
      oidc_default_role: 'author',
      database: scratch.address,
      data: folder,
      log_level: 'debug',
    })
    t.after(async () => {
      await service.end()
      await scratch.remove()
    })
    const start = await fetch(`${new URL(service.base).origin}/desk/openid/start`, { redirect: 'manual' })
    const cookie = (start.headers.get('set-cookie') ?? '').split(';')[0] ?? ''
    const state = new URL(start.headers.get('location') ?? '').searchParams.get('state') ?? ''
    const back =
      `${new URL(service.base).origin}/desk/openid/return?state=` +
      `${state}&iss=${encodeURIComponent(provider.issuer)}`
    const answers = [
      'error=access_denied&error_description=WORDS-OF-THE-PROVIDER',
      'code=CODE-OF-THE-PROVIDER',
    ]
    for (const answer of answers) await fetch(`${back}&${answer}`, { headers: { cookie } })
    provider.change['/token'] = () => ({ error: 'invalid_client', error_description: 'MORE-WORDS' })
    await fetch(`${back}&code=ANOTHER-CODE`, { headers: { cookie } })
    await until(() => service.log().filter(({ msg }) => msg === 'sign-in refused').length === 3, 'no lines')
    deepEqual(
      service.log().flatMap(({ msg, reason, code }) => (msg === 'sign-in refused' ? [[reason, code]] : [])),
      [
        ['denied', 'access_denied'],
        ['used', 'invalid_grant'],
        ['unusable', 'invalid_client'],
      ],
    )
    doesNotMatch(service.printed(), /WORDS|-CODE|CODE-|at exchangeCode/)
    doesNotMatch(service.printed(), new RegExp(`${state}|${cookie.slice(-40)}`))
  })
})
