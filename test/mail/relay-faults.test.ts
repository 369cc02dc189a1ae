import { deepEqual, equal, ok } from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { sql } from 'kysely'
import { formatUtc, utcToMs } from '../../src/base/text/zones.ts'
import { writeLetter } from '../../src/features/mail/letter.ts'
import { openRelay, type Relay } from '../../src/features/mail/mail-relay.ts'
import {
  claimMessage,
  insertMessage,
  type NewMessage,
  queueMessage,
  settleMessage,
} from '../../src/features/mail/outbox.ts'
import { planIssues } from '../../src/features/mail/plan-issues.ts'
import { letterheadOf, type MailSender, sendMail, stopMail } from '../../src/features/mail/send-mail.ts'
import {
  changeRhythm,
  confirmSubscription,
  insertSubscription,
} from '../../src/features/mail/subscription-store.ts'
import { isPostgres } from '../../src/store/storage/database.ts'
import { pluck } from '../support/lists.ts'
import { publicContext } from '../support/public-context.ts'
import { startRelay } from '../support/relay.ts'
import { startService, type TestService, testConfig } from '../support/service.ts'
import { until } from '../support/waiting.ts'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

const letter = { subject: 'Hello', blocks: [{ kind: 'text', text: 'Good day.' }] } as const
const message = (to: string): NewMessage => ({ to, language: 'en', topic: 'test', letter })

const relayAt = (address: string, patience?: Parameters<typeof openRelay>[1]) =>
  openRelay(
    testConfig('unused', { mail: address, mail_from: 'calendar@example.org' }),
    patience,
  ) as Promise<Relay>

/** Sends when it is told to. */
async function sending(t: TestContext) {
  const relay = await startRelay()
  const service = await startService()
  const { database, site } = service.app
  const { images } = await publicContext(service.app)
  const told: string[] = []
  const sender: MailSender = {
    ...{ database, site, relay: await relayAt(relay.address), perHour: 1000, icon: () => '' },
    ground: { database, site, images },
    report: (error) => told.push(String(error)),
    onSettled: ({ recipient }, { kind }) => told.push(`${recipient} ${kind}`),
    ...{ stopping: new AbortController(), round: undefined, restsUntil: 0, unsettled: undefined },
  }
  t.after(async () => {
    await stopMail(sender)
    await service.close()
    await relay.close()
  })
  const queue = (to: string) => database.write((tx) => queueMessage(tx, message(to), Date.now()))
  /** All that waits is due, and the relay is no longer left alone. */
  const sendAll = async () => {
    const due = { next_utc: '2020-01-01 00:00:00' }
    await database.write((tx) =>
      tx.updateTable('mail_messages').set(due).where('next_utc', '<>', '').execute(),
    )
    await sendMail(sender, Date.now() + 2 * MINUTE)
  }
  return { relay, service, sender, told, queue, sendAll }
}

const statesOf = async ({ app }: TestService) => {
  const rows = await app.database.read.selectFrom('mail_messages').selectAll().orderBy('id').execute()
  return rows.map(({ recipient, state, status, attempts }) => [recipient, state, status, attempts])
}

test('a relay that hangs up after DATA gets the same message again, each failure told', async (t) => {
  const { relay, service, told, queue, sendAll } = await sending(t)
  relay.fault = () => ({ at: 'cut after data' })
  await queue('ann@example.com')
  await queue('ben@example.com')
  await sendAll()
  deepEqual(await statesOf(service), [
    ['ann@example.com', 'waiting', 0, 1],
    ['ben@example.com', 'waiting', 0, 0],
  ])
  relay.fault = () => undefined
  await sendAll()
  deepEqual(told, ['ann@example.com relay', 'ann@example.com sent', 'ben@example.com sent'])
  const [first, again] = relay.received.filter(({ to }) => to === 'ann@example.com')
  equal(again?.mail.messageId, first?.mail.messageId)
  equal(again?.mail.text, first?.mail.text)
})

test('421 stops a round, 451 and 550 concern their message alone', async (t) => {
  const { relay, service, queue, sendAll } = await sending(t)
  relay.fault = (to) => {
    const [, at, status] = /^(recipient|data)(\d+)@/.exec(to) ?? []
    return at === 'recipient' || at === 'data' ? { at, status: Number(status) } : undefined
  }
  const refused = ['recipient550', 'data550', 'recipient451', 'data451', 'well', 'recipient421', 'last']
  for (const name of refused) await queue(`${name}@example.com`)
  await sendAll()
  const states = await statesOf(service)
  // A relay that answers 421 closes the line, which may be seen first.
  ok([0, 421].includes(Number(states[5]?.splice(2, 1)[0])))
  deepEqual(states, [
    ['recipient550@example.com', 'given_up', 550, 1],
    ['data550@example.com', 'given_up', 550, 1],
    ['recipient451@example.com', 'waiting', 451, 1],
    ['data451@example.com', 'waiting', 451, 1],
    ['well@example.com', 'sent', 250, 1],
    ['recipient421@example.com', 'waiting', 1],
    ['last@example.com', 'waiting', 0, 0],
  ])
  equal(relay.connections(), 1)
})

test('a message is tried for 24 hours with growing pauses, and then given up', async () => {
  await using service = await startService()
  const { write, read } = service.app.database
  const start = Date.now()
  await write((tx) => queueMessage(tx, message('busy@example.com'), start))
  const later = { kind: 'later', status: 451, error: 'not now' } as const
  const pauses: number[] = []
  for (let now = start; ; ) {
    const claimed = await write((tx) => claimMessage(tx, 10, now))
    ok(claimed)
    const isGivenUp = await write((tx) => settleMessage(tx, claimed, later, now))
    const { next_utc } = await read.selectFrom('mail_messages').select('next_utc').executeTakeFirstOrThrow()
    if (isGivenUp) break
    pauses.push((utcToMs(next_utc) - utcToMs(formatUtc(now))) / MINUTE)
    now = utcToMs(next_utc)
  }
  deepEqual(
    pauses,
    pauses.toSorted((a, b) => a - b),
  )
  const hours = pauses.reduce((sum, pause) => sum + pause, 0) / 60
  ok(hours > 23 && hours <= 24, String(hours))
})

/** Answers as a relay does, until it has the message: then a space a moment, for ever. */
async function startDripping(t: TestContext, says: (line: string) => string): Promise<string> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    let drips: NodeJS.Timeout | undefined
    socket.on('error', () => undefined)
    socket.on('close', () => clearInterval(drips))
    socket.write(says('hello'))
    socket.on('data', (data) => {
      const text = data.toString()
      if (text.endsWith('\r\n.\r\n')) drips = setInterval(() => socket.write('250-\r\n'), 20)
      else socket.write(says(text.slice(0, 4).toUpperCase()))
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`
}

test('a relay that says nothing, or a word at a time for ever, is left', async (t) => {
  const { site } = (await sending(t)).service.app
  const outgoing = {
    ...writeLetter(letter, letterheadOf(site, { language: 'en' })),
    ...{ to: 'ann@example.com', fromName: 'Town', messageId: '<1@example.org>' },
  }
  const patience = { connect: 200, silent: 200, attempt: 400 }
  const mute = await startDripping(t, () => '')
  const slow = await startDripping(t, (line) =>
    line === 'HELLO' ? '220 here\r\n' : line === 'DATA' ? '354 go on\r\n' : '250 fine\r\n',
  )
  for (const address of [mute, slow]) {
    const relay = await relayAt(address, patience)
    const { kind, answer } = await relay.send(outgoing, new AbortController().signal)
    deepEqual([kind, answer !== ''], ['relay', true])
    relay.close()
  }
})

test('messages go by one connection, ten a second', async (t) => {
  const { relay, service } = await sending(t)
  const pooled = await relayAt(relay.address)
  t.after(() => pooled.close())
  const written = writeLetter(letter, letterheadOf(service.app.site, { language: 'en' }))
  const start = performance.now()
  const sent = Array.from({ length: 11 }, (_, at) =>
    pooled.send(
      { ...written, to: `r${at}@example.com`, fromName: 'Town', messageId: `<${at}@example.org>` },
      new AbortController().signal,
    ),
  )
  const kinds = (await Promise.all(sent)).map(({ kind }) => kind)
  deepEqual(kinds, Array(11).fill('sent'))
  ok(performance.now() - start > 900)
  equal(relay.connections(), 1)
})

test('a message that could not be noted as sent is noted first, not sent again', async (t) => {
  const { relay, service, told, queue, sendAll } = await sending(t)
  const { database } = service.app
  await queue('ann@example.com')
  await queue('ben@example.com')
  const run = (statement: string) => database.write((tx) => sql.raw(statement).execute(tx))
  // One more row that was sent has no room, as on a full disk.
  await queue('old@example.com')
  const old = { state: 'sent', next_utc: '', settled_utc: '2020-01-01 00:00:00' } as const
  await database.write((tx) =>
    tx.updateTable('mail_messages').set(old).where('recipient', '=', 'old@example.com').execute(),
  )
  await run("create unique index full_disk on mail_messages (state) where state = 'sent'")
  await sendAll()
  await sendAll()
  equal(told.length, 2)
  ok(told.every((line) => !line.includes('@')))
  await run('drop index full_disk')
  await sendAll()
  deepEqual(pluck(relay.received, 'to'), ['ann@example.com', 'ben@example.com'])
  deepEqual(
    (await statesOf(service)).map(([, state]) => state),
    ['sent', 'sent', 'sent'],
  )
})

test('a clock that jumps ahead and back repeats no issue and keeps no message', async () => {
  await using service = await startService()
  const { database, site } = service.app
  const { read, write } = database
  const now = Date.now()
  await write(async (tx) => {
    const asked = { kind: 'list', query: '', event: 0, rhythm: 'daily', weekday: 1 } as const
    const address = { address: 'ann@example.com', language: 'en', timezone: '' } as const
    const made = await insertSubscription(tx, { ...address, ...asked }, now)
    ok(made.is === 'new')
    const due = { next_utc: formatUtc(now), told: '' }
    await confirmSubscription(tx, made.subscription.id, due, now)
  })
  const plan = async (at: number) => {
    await planIssues(database, site, at)
    const { next_utc } = await read
      .selectFrom('mail_subscriptions')
      .select('next_utc')
      .executeTakeFirstOrThrow()
    const issues = await read.selectFrom('mail_messages').select('name').execute()
    return [Math.ceil((utcToMs(next_utc) - at) / DAY), issues.length]
  }
  deepEqual(await plan(now), [1, 1])
  deepEqual(await plan(now + 40 * DAY), [1, 2])
  deepEqual(await plan(now), [1, 2])
  deepEqual(await plan(now), [1, 2])
  // What a process of the future has taken is free at once.
  const ahead = await write((tx) => claimMessage(tx, 10, now + 40 * DAY))
  const back = [
    await write((tx) => claimMessage(tx, 10, now)),
    await write((tx) => claimMessage(tx, 10, now)),
  ]
  ok(back.some((one) => one && one.id === ahead?.id))
})

test('days that are changed while an issue is planned count', async (t) => {
  const service = await startService()
  t.after(() => service.close())
  const { database, site } = service.app
  const now = Date.now()
  const asked = { kind: 'list', query: '', event: 0, rhythm: 'daily', weekday: 1 } as const
  const address = { address: 'ann@example.com', language: 'en', timezone: '' } as const
  const id = await database.write(async (tx) => {
    const made = await insertSubscription(tx, { ...address, ...asked }, now)
    ok(made.is === 'new')
    await confirmSubscription(tx, made.subscription.id, { next_utc: formatUtc(now), told: '' }, now)
    return made.subscription.id
  })
  const next_utc = formatUtc(now + 3 * DAY)
  let planned: Promise<void> | undefined
  await database.write(async (tx) => {
    await changeRhythm(tx, id, { rhythm: 'weekly', weekday: 3, next_utc })
    planned = planIssues(database, site, now)
    if (!isPostgres(tx)) return
    const waiting = sql`select from pg_locks join pg_stat_activity a using (pid)
      where not granted and a.datname = current_database()`
    await until(async () => (await waiting.execute(database.read)).rows.length === 1, 'it does not wait')
  })
  await planned
  const { read } = database
  const kept = read.selectFrom('mail_subscriptions').select(['rhythm', 'next_utc'])
  deepEqual(await kept.executeTakeFirst(), { rhythm: 'weekly', next_utc })
  deepEqual(await read.selectFrom('mail_messages').select('name').execute(), [])
})

test('two services that plan together queue one issue, and one name is one message', async (t) => {
  const service = await startService()
  const other = await startService({ database: service.config.database })
  t.after(async () => {
    await other.close()
    await service.close()
  })
  const { database, site } = service.app
  const now = Date.now()
  await database.write(async (tx) => {
    for (let at = 0; at < 30; at++) {
      const asked = { kind: 'list', query: '', event: 0, rhythm: 'daily', weekday: 1 } as const
      const address = { address: `r${at}@example.com`, language: 'en', timezone: '' } as const
      const made = await insertSubscription(tx, { ...address, ...asked }, now)
      ok(made.is === 'new')
      await confirmSubscription(tx, made.subscription.id, { next_utc: formatUtc(now), told: '' }, now)
    }
  })
  await Promise.all([planIssues(database, site, now), planIssues(other.app.database, site, now)])
  const issues = await database.read.selectFrom('mail_messages').select(['name', 'recipient']).execute()
  equal(issues.length, 30)
  equal(new Set(issues.map(({ recipient }) => recipient)).size, 30)
  const [{ name, recipient } = { name: '', recipient: '' }] = issues
  const again = {
    name,
    recipient,
    language: 'en',
    topic: 'issue',
    content: '{}',
    until_utc: '',
    by_stranger: 0,
  }
  equal(await database.write((tx) => insertMessage(tx, again, now)), false)
})
