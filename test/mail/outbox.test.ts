import { deepEqual, doesNotMatch, equal, match, ok } from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { formatUtc } from '../../src/base/text/zones.ts'
import { entriesWithin, writeLetter } from '../../src/features/mail/letter.ts'
import { parseMailAddress } from '../../src/features/mail/mail-address.ts'
import { type NewMessage, queueMessage } from '../../src/features/mail/outbox.ts'
import { kalends } from '../support/commands.ts'
import { patient, scratchDatabase } from '../support/database.ts'
import { sitAtDesk } from '../support/desk.ts'
import { pluck } from '../support/lists.ts'
import { faultsOfMessage } from '../support/markup.ts'
import { readMessage, startRelay } from '../support/relay.ts'
import { type Settings, startService, type TestService } from '../support/service.ts'
import { until } from '../support/waiting.ts'

const letter = (subject: string): NewMessage['letter'] => ({
  subject,
  blocks: [
    { kind: 'text', text: 'Somebody wrote <b>this</b> & more.' },
    { kind: 'quote', text: 'First line\nSecond line' },
    { kind: 'button', text: 'Open it', url: 'https://example.org/?a=1&b=2' },
    { kind: 'facts', rows: [['When', 'Tomorrow at 10']] },
  ],
})

const message = (to: string, values: Partial<NewMessage> = {}): NewMessage => ({
  to,
  language: 'en',
  topic: 'test',
  letter: letter('Hello'),
  ...values,
})

async function mailing(t: TestContext, settings: Settings = {}) {
  const relay = await startRelay()
  const service = await startService({ mail: relay.address, mail_from: 'calendar@example.org', ...settings })
  t.after(async () => {
    await service.close()
    await relay.close()
  })
  return { relay, service }
}

const queue = ({ app }: TestService, queued: NewMessage, now = Date.now()) =>
  app.database.write((tx) => queueMessage(tx, queued, now))

const rowsOf = ({ app }: TestService, to: string) =>
  app.database.read.selectFrom('mail_messages').selectAll().where('recipient', '=', to).execute()

test('a message arrives as text and HTML of the same content, kept only until sent', async (t) => {
  const { relay, service } = await mailing(t, { site_name: 'Tübingen “Town”' })
  await queue(service, message('reader@example.com', { letter: letter('Grüße aus Tübingen') }))
  const received = await relay.mailTo('reader@example.com')
  const { mail, from } = received
  equal(from, 'calendar@example.org')
  equal(mail.subject, 'Grüße aus Tübingen')
  deepEqual(mail.from?.value, [{ name: 'Tübingen “Town”', address: 'calendar@example.org' }])
  equal(mail.headers.get('auto-submitted'), 'auto-generated')
  const read = readMessage(received)
  deepEqual(read.defects, [])
  deepEqual(pluck(read.parts, 'type'), ['text/plain', 'text/html'])
  const [text, html] = read.parts.map((part) => part.text)
  for (const words of ['Somebody wrote <b>this</b> & more.', '> Second line', 'When: Tomorrow at 10'])
    ok(text?.includes(words), words)
  ok(html?.includes('Somebody wrote &lt;b&gt;this&lt;/b&gt; &amp; more.'))
  ok(html?.includes('href="https://example.org/?a=1&amp;b=2"'))
  await until(
    async () => (await rowsOf(service, 'reader@example.com'))[0]?.state === 'sent',
    'the message is not settled',
  )
  equal((await rowsOf(service, 'reader@example.com'))[0]?.content, '')
})

test('no word of a message can begin a header, or turn the text behind it', async (t) => {
  const { relay, service } = await mailing(t, { site_name: 'Town\r\nBcc: \u202ea@example.org' })
  await queue(
    service,
    message('hurt@example.com', { letter: letter('Hi\r\nBcc: b@example.org\r\n\r\nBody') }),
  )
  const { headers } = readMessage(await relay.mailTo('hurt@example.com'))
  equal(headers.bcc, undefined)
  equal(headers.subject, 'Hi Bcc: b@example.org Body')
  deepEqual(relay.tried, ['hurt@example.com'])
  const turning = 'Photo \u202egnp.exe\u202c \u2067x\u2069\u0000\u0085y \ud800'
  const blocks: NewMessage['letter']['blocks'] = [
    { kind: 'heading', text: turning },
    { kind: 'text', text: turning },
    { kind: 'small', text: turning },
    { kind: 'quote', text: turning },
    { kind: 'button', text: turning, url: 'https://example.org/' },
    { kind: 'link', text: turning, url: 'https://example.org/' },
    { kind: 'facts', rows: [[turning, turning]] },
    { kind: 'entries', entries: [{ title: turning, url: '', lines: [turning] }] },
    { kind: 'picture', url: 'https://example.org/a.png', alt: turning, width: 900, height: 600 },
  ]
  await queue(service, message('turned@example.com', { letter: { subject: turning, blocks } }))
  const turned = await relay.mailTo('turned@example.com')
  const { headers: plain, parts } = readMessage(turned)
  equal(plain.subject, 'Photo gnp.exe x y \ufffd')
  deepEqual(turned.mail.from?.value, [{ name: 'Town Bcc: a@example.org', address: 'calendar@example.org' }])
  for (const { text } of parts) {
    equal(text.match(/Photo gnp\.exe x y \ufffd/g)?.length, text.includes('<html') ? 12 : 11)
    doesNotMatch(text, /[\u202a-\u202e\u2066-\u2069\u0085]/)
  }
  deepEqual(await faultsOfMessage(parts[1]?.text ?? ''), [])
})

test('no text makes a message larger than 100 kB', () => {
  const text = '"'.repeat(20_000)
  const entry = { title: text, url: `https://example.org/${'x'.repeat(200)}`, lines: [text, text] }
  const blocks: NewMessage['letter']['blocks'] = [
    { kind: 'heading', text },
    { kind: 'text', text },
    { kind: 'quote', text },
    { kind: 'facts', rows: [[text, text]] },
    { kind: 'entries', entries: entriesWithin(Array(60).fill(entry), 34_000) },
    { kind: 'entries', entries: entriesWithin(Array(20).fill(entry), 10_000) },
  ]
  const head = { language: 'en', name: text, url: 'https://example.org', icon: '', foot: [] } as const
  const written = writeLetter({ subject: text, blocks }, head)
  ok(Buffer.byteLength(written.html) < 100_000, String(Buffer.byteLength(written.html)))
  equal(written.subject.length, 150)
})

test('addresses have one spelling, and none a name, a second address or more than 254 characters', () => {
  equal(parseMailAddress(' Ana+list@BÜCHER.example '), 'Ana+list@xn--bcher-kva.example')
  const wrong = [
    'a@b@c',
    'a@example.org\r\nBcc: b@example.org',
    'Ana <a@example.org>',
    'a@example.org, b@example.org',
    'ünal@example.org',
    '"a b"@example.org',
    'a..b@example.org',
    '@example.org',
    'a@',
    'a@127.0.0.1',
    `${'a'.repeat(65)}@example.org`,
    `a@${'b.'.repeat(158)}org`,
  ]
  for (const text of wrong) equal(parseMailAddress(text), undefined, text)
})

test('a message refused for good is given up and told, one refused for now is tried again', async (t) => {
  const { relay, service } = await mailing(t, { metrics: '127.0.0.1:0' })
  relay.fault = (to) =>
    to.startsWith('gone')
      ? { at: 'recipient', status: 550 }
      : to.startsWith('busy')
        ? { at: 'recipient', status: 451 }
        : undefined
  await queue(service, message('gone@example.com'))
  await queue(service, message('busy@example.com'))
  await queue(service, message('well@example.com'))
  await relay.mailTo('well@example.com')
  const [gone] = await rowsOf(service, 'gone@example.com')
  deepEqual([gone?.state, gone?.status, gone?.next_utc, gone?.content], ['given_up', 550, '', ''])
  const [busy] = await rowsOf(service, 'busy@example.com')
  deepEqual([busy?.state, busy?.status, busy?.attempts], ['waiting', 451, 1])
  ok(busy && busy.next_utc > formatUtc(Date.now() + 30_000))
  const { database, data } = service.config
  const { out } = await kalends(['--database', database, '--data', data, 'doctor'])
  match(out, /E-mails given up: 1\. The relay answered 550\./)
  doesNotMatch(out, /gone@example\.com/)
  const [address = ''] = /http:\S+\/metrics/.exec(service.app.told.join('\n')) ?? []
  const metrics = await (await fetch(address)).text()
  match(metrics, /^kalends_mail_given_up 1$/m)
  match(metrics, /^kalends_mail_waiting 1$/m)
  for (const [outcome, count] of Object.entries({ sent: 1, failed: 1, given_up: 1 }))
    match(metrics, new RegExp(`^kalends_mail_attempts_total{outcome="${outcome}"} ${count}$`, 'm'))
  const admin = await sitAtDesk(service, 'admin')
  match((await admin.get('/desk/')).body, /E-mails given up: 1\./)
  match((await admin.get('/desk/mail')).body, /gone@example\.com[\s\S]*Given up/)
  relay.fault = () => undefined
  await service.app.database.write((tx) =>
    tx
      .updateTable('mail_messages')
      .set({ next_utc: '2020-01-01 00:00:00' })
      .where('state', '=', 'waiting')
      .execute(),
  )
  await relay.mailTo('busy@example.com')
})

test('a relay that answers 421 is left alone, and what a future clock has put off is sent', async (t) => {
  const { relay, service } = await mailing(t)
  relay.fault = () => ({ at: 'data', status: 421 })
  await queue(service, message('one@example.com'))
  await queue(service, message('two@example.com'))
  await until(async () => (await rowsOf(service, 'one@example.com'))[0]?.attempts === 1, 'nothing is tried')
  deepEqual(relay.tried, ['one@example.com'])
  equal((await rowsOf(service, 'two@example.com'))[0]?.attempts, 0)
  const { relay: other, service: next } = await mailing(t)
  await queue(next, message('late@example.com'), Date.now() + 400 * 86_400_000)
  await other.mailTo('late@example.com')
})

test('two services with one outbox send each message once, no more an hour than is set', async (t) => {
  const scratch = await scratchDatabase('users')
  const relay = await startRelay()
  const settings = {
    database: patient(scratch.address),
    mail: relay.address,
    mail_from: 'calendar@example.org',
    mail_per_hour: '12',
  }
  const services = await Promise.all([startService(settings), startService(settings)])
  t.after(async () => {
    for (const service of services) await service.close()
    await relay.close()
    await scratch.remove()
  })
  const [first] = services
  ok(first)
  await first.app.database.write(async (tx) => {
    for (let at = 0; at < 15; at++)
      await queueMessage(tx, message(`r${at}@example.com`, { once: `one ${at}` }), Date.now())
    for (let at = 0; at < 15; at++)
      equal(await queueMessage(tx, message(`r${at}@example.com`, { once: `one ${at}` }), Date.now()), false)
  })
  await until(() => relay.received.length >= 12, 'they do not arrive')
  const states = first.app.database.read.selectFrom('mail_messages').select(['state', 'attempts'])
  await until(
    async () => (await states.execute()).filter(({ state }) => state === 'sent').length === 12,
    'they are not settled',
  )
  equal((await states.execute()).filter(({ state }) => state === 'waiting').length, 3)
  equal(relay.received.length, 12)
  equal(new Set(relay.received.map(({ to }) => to)).size, 12)
})

test('strangers cause few messages to one address', async (t) => {
  const { service } = await mailing(t, { mail: 'smtp://127.0.0.1:9' })
  const start = Date.now()
  const sent: boolean[] = []
  for (const seconds of [0, 5, 11, 22, 33, 44, 55, 66, 77, 88, 99, 110, 121])
    sent.push(await queue(service, message('a@example.com', { isByStranger: true }), start + seconds * 1000))
  deepEqual(sent, [true, false, ...Array(9).fill(true), false, false])
})

test('kalends mail test says what the relay answers', async (t) => {
  const { relay, service } = await mailing(t)
  const { database, data } = service.config
  const settings = [
    '--database',
    database,
    '--data',
    data,
    '--mail',
    relay.address,
    '--mail-from',
    'a@example.org',
  ]
  const taken = await kalends([...settings, 'mail', 'test', 'you@example.com'])
  match(taken.out, /^The relay answered: 250 /)
  relay.fault = () => ({ at: 'recipient', status: 550 })
  const refused = await kalends([...settings, 'mail', 'test', 'you@example.com'])
  match(refused.err, /The message was not taken: .*550/)
  equal(refused.code, 1)
  const off = await kalends(['--database', database, '--data', data, 'mail', 'test', 'you@example.com'])
  match(off.err, /E-mail is off/)
})
