import { deepEqual, doesNotMatch, equal, match, ok } from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { kalends } from '../support/commands.ts'
import { sitAtDesk } from '../support/desk.ts'
import { pluck } from '../support/lists.ts'
import { faultsOfMail } from '../support/markup.ts'
import { startRelay } from '../support/relay.ts'
import { day, startService } from '../support/service.ts'
import { until } from '../support/waiting.ts'

async function desk(t: TestContext, isOn = true) {
  const relay = await startRelay()
  const service = await startService(isOn ? { mail: relay.address, mail_from: 'calendar@example.org' } : {})
  t.after(async () => {
    await service.close()
    await relay.close()
  })
  return { relay, service, admin: await sitAtDesk(service, 'admin') }
}

const linkIn = (text = '') => /http\S+\/desk\/set-up\/[\w-]{43}/.exec(text)?.[0]

test('an invitation and a link for a new password go by e-mail where it is on', async (t) => {
  const { relay, admin } = await desk(t)
  const invited = { login: 'nina', email: 'nina@example.com', name: 'Nina', role: 'author' }
  const { body } = await admin.post('/desk/people/new', invited)
  match(body, /It was also sent to nina@example\.com/)
  const { mail } = await relay.mailTo('nina@example.com')
  equal(linkIn(mail.text), linkIn(body))
  match(mail.text ?? '', /You sign in as nina\./)
  deepEqual(await faultsOfMail(relay.received), [])
  const without = await admin.post('/desk/people/new', { login: 'otto', role: 'author' })
  doesNotMatch(without.body, /also sent/)
  ok(linkIn(without.body))
})

test('without e-mail nothing is queued, and the desk offers links to copy alone', async (t) => {
  const { service, admin } = await desk(t, false)
  const invited = { login: 'nina', email: 'nina@example.com', role: 'author' }
  const { body } = await admin.post('/desk/people/new', invited)
  ok(linkIn(body))
  doesNotMatch(body, /also sent/)
  deepEqual(await service.app.database.read.selectFrom('mail_messages').select('id').execute(), [])
})

test('authors hear once that an event was published, sent back, changed or removed', async (t) => {
  const { relay, service } = await desk(t)
  const editor = await sitAtDesk(service, 'editor')
  const { database } = service.app
  await until(
    async () => (await database.read.selectFrom('mail_marks').selectAll().execute()).length === 1,
    'changes are not followed',
  )
  const make = (title: string, status = 'pending') =>
    service.event({ title, status, ...day }, status === 'pending' ? 'contributor' : 'author')
  const fair = await make('Fair &amp; market')
  const talk = await make('Talk')
  const walk = await make('Walk', 'publish')
  await editor.save(`/desk/inbox/event/${fair.id}/publish`, {})
  await editor.save(`/desk/inbox/event/${talk.id}/send-back`, { note: 'When does it end?\nAnd where?' })
  await service.update(`/events/${walk.id}`, { title: 'Long walk' }, 'editor')
  const published = await relay.mailTo('contributor@example.org', ({ mail }) =>
    /^Published/.test(mail.subject ?? ''),
  )
  equal(published.mail.subject, 'Published: Fair & market')
  match(published.mail.text ?? '', new RegExp(`${service.origin}/event/fair-market/`))
  const back = await relay.mailTo('contributor@example.org', ({ mail }) =>
    /^Sent back/.test(mail.subject ?? ''),
  )
  match(
    back.mail.text ?? '',
    /editor has sent “Talk” back to you\.[\s\S]*> When does it end\?\n> And where\?/,
  )
  const changed = await relay.mailTo('author@example.org')
  match(changed.mail.text ?? '', /editor has changed your event “Long walk”/)
  await service.update(`/events/${walk.id}`, { title: 'Longer walk' }, 'author')
  await service.remove(`/events/${walk.id}`, 'editor')
  await relay.mailTo('author@example.org', ({ mail }) => mail.subject === 'Removed: Longer walk')
  const all = relay.received.map(({ to, mail }) => `${to} ${mail.subject}`)
  deepEqual(all.sort(), [
    'author@example.org Changed: Long walk',
    'author@example.org Removed: Longer walk',
    'contributor@example.org Published: Fair & market',
    'contributor@example.org Sent back: Talk',
  ])
  deepEqual(await faultsOfMail(relay.received), [])
})

test('an author whose address cannot be written to keeps nobody else from hearing', async (t) => {
  const { relay, service, admin } = await desk(t)
  const { database } = service.app
  await until(
    async () => (await database.read.selectFrom('mail_marks').selectAll().execute()).length === 1,
    'changes are not followed',
  )
  const invited = { login: 'dots', email: 'do..ts@example.com', role: 'author' }
  const { body } = await admin.post('/desk/people/new', invited)
  ok(linkIn(body))
  doesNotMatch(body, /also sent/)
  const dots = await database.read.selectFrom('users').select('id').where('login', '=', 'dots').execute()
  const { id } = await service.event({ title: 'Silent', ...day, author: dots[0]?.id }, 'admin')
  await service.update(`/events/${id}`, { title: 'Silent still' }, 'editor')
  const heard = await service.event({ title: 'Heard', ...day }, 'author')
  await service.update(`/events/${heard.id}`, { title: 'Heard now' }, 'editor')
  await relay.mailTo('author@example.org', ({ mail }) => mail.subject === 'Changed: Heard now')
})

test('many changes at once are one message to an author', async (t) => {
  const { relay, service } = await desk(t)
  const { database } = service.app
  await until(
    async () => (await database.read.selectFrom('mail_marks').selectAll().execute()).length === 1,
    'changes are not followed',
  )
  const ids: number[] = []
  for (let at = 0; at < 25; at++)
    ids.push((await service.event({ title: `Event ${at}`, ...day }, 'author')).id)
  const batch = ids.map((id) => ({
    method: 'PUT',
    path: `/tribe/events/v1/events/${id}`,
    body: { cost: '5' },
  }))
  const { status } = await service.post(
    '~/wp-json/batch/v1',
    { validation: 'require-all-validate', requests: batch },
    'editor',
  )
  equal(status, 207)
  const { mail } = await relay.mailTo('author@example.org', ({ mail }) =>
    /were changed/.test(mail.subject ?? ''),
  )
  match(mail.text ?? '', /And \d+ more\./)
  ok((mail.text?.match(/^\* Changed/gm) ?? []).length <= 20)
})

test('all that is kept of an address is exported and removed, by command and at the desk', async (t) => {
  const { relay, service, admin } = await desk(t)
  const { database, data } = service.config
  const run = (...words: string[]) => kalends(['--database', database, '--data', data, 'people', ...words])
  const subscribe = (address: string) =>
    service.post('~/subscribe/', new URLSearchParams({ address, rhythm: 'daily' }), 'anonymous')
  await subscribe('ann@example.com')
  await relay.mailTo('ann@example.com')
  const kept = await run('export', 'ann@EXAMPLE.com')
  equal(kept.err, '')
  deepEqual(pluck(JSON.parse(kept.out).mail, 'kept'), ['subscriber', 'subscription', 'message'])
  doesNotMatch(kept.out, /secret/)
  match(
    (await admin.post('/desk/mail', { address: 'ann@example.com', do: 'look' })).body,
    /&quot;subscriber&quot;/,
  )
  match((await run('forget', 'ann@example.com')).out, /^Rows removed: 3\./)
  equal((await run('export', 'ann@example.com')).out, '{}\n')
  await subscribe('ben@example.com')
  await relay.mailTo('ben@example.com')
  await admin.save('/desk/mail', { address: 'ben@example.com', do: 'forget' })
  equal((await run('export', 'ben@example.com')).out, '{}\n')
  match((await run('forget', 'nobody')).err, /nobody is no e-mail address/)
  equal((await admin.post('/desk/mail', { address: 'x y', do: 'forget' })).status, 422)
})

test('a forgotten password has a link sent, and nobody learns who has an account', async (t) => {
  const { relay, service } = await desk(t)
  const { body } = await service.page('/desk/sign-in')
  match(String(body), /href="\/desk\/forgotten"/)
  const ask = async (login: string) => {
    const form = new URLSearchParams({ login })
    const sent = await service.post('~/desk/forgotten', form, 'anonymous', { accept: 'text/html' })
    return [sent.status, String(sent.body)]
  }
  const known = await ask('author@example.org')
  deepEqual(await ask('nobody@example.org'), known)
  equal(known[0], 200)
  const { mail } = await relay.mailTo('author@example.org')
  const path = new URL(linkIn(mail.text) ?? '').pathname
  // A second request within ten seconds sends nothing, and leaves the first link good.
  deepEqual(await ask('author'), known)
  equal((await service.page(path)).status, 200)
  const { service: without } = await desk(t, false)
  doesNotMatch(String((await without.page('/desk/sign-in')).body), /forgotten/)
})
