import { deepEqual, doesNotMatch, equal, match, ok } from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { formatUtc } from '../../src/base/text/zones.ts'
import type { Submission } from '../../src/features/submissions/submission-tables.ts'
import { tellEditors } from '../../src/features/submissions/tell-editors.ts'
import { addWebhook } from '../../src/features/webhooks/webhook-store.ts'
import { type AtDesk, sitAtDesk } from '../support/desk.ts'
import { pluck } from '../support/lists.ts'
import { startRelay, type TestRelay } from '../support/relay.ts'
import { startService, type TestService, USERS } from '../support/service.ts'
import { concert, confirmLinkTo, postForm, suggest } from '../support/suggestions.ts'
import { until } from '../support/waiting.ts'

const TRUSTED = '/desk/suggestions/trusted'
const MINUTE = 60_000
const UTC = '2026-11-27 10:00:00'

describe('suggestions and those who decide about them', () => {
  let relay: TestRelay
  let service: TestService
  const desks: Partial<Record<(typeof USERS)[number], AtDesk>> = {}
  const at = (login: (typeof USERS)[number]): AtDesk => {
    const desk = desks[login]
    ok(desk)
    return desk
  }

  before(async () => {
    relay = await startRelay()
    service = await startService({
      submissions: 'confirmed',
      mail: relay.address,
      mail_from: 'calendar@example.org',
      trusted_proxy: 'loopback',
      webhook_hosts: '127.0.0.1',
    })
    await service.app.database.write((tx) =>
      tx.updateTable('users').set({ email: 'admin@example.org' }).where('login', '=', 'admin').execute(),
    )
    for (const login of USERS) desks[login] = await sitAtDesk(service, login)
  })
  after(async () => {
    await service.close()
    await relay.close()
  })

  /** Of messages to editors, whose times lie ahead: none is sent. */
  const queued = async () =>
    (
      await service.app.database.read
        .selectFrom('mail_messages')
        .select(['recipient', 'content'])
        .where('topic', '=', 'suggestions')
        .orderBy('id')
        .execute()
    ).map(({ recipient, content }) => ({ recipient, content, subject: JSON.parse(content).subject }))
  const tell = (now: number) => tellEditors(service.app.database, service.app.site, now)

  async function confirmed(fields: Record<string, string>): Promise<Submission> {
    await suggest(service, { ...concert, ...fields })
    await postForm(service, await confirmLinkTo(relay, fields.address ?? '', fields.title ?? ''), {})
    const row = await service.app.database.read
      .selectFrom('submissions')
      .selectAll()
      .where('title', '=', fields.title ?? '')
      .executeTakeFirst()
    ok(row)
    return row
  }

  test('editors alone list trusted addresses', async () => {
    for (const login of ['author', 'contributor', 'subscriber'] as const) {
      for (const path of [TRUSTED, '/desk/suggestions'])
        equal((await at(login).get(path)).status, 403, `${login} ${path}`)
      equal((await at(login).post(TRUSTED, { act: 'trust', address: 'club@example.org' })).status, 403, login)
    }
    equal((await service.page(TRUSTED)).status, 303)
    const editor = at('editor')
    match((await editor.get('/desk/suggestions')).body, /href="\/desk\/suggestions\/trusted"/)
    const wrong = await editor.post(TRUSTED, { act: 'trust', address: 'Ada <ada@example.org>' })
    equal(wrong.status, 422)
    match(wrong.body, /id="address-error"/)
    await editor.post(TRUSTED, { act: 'trust', address: 'Club@EXAMPLE.org' })
    await editor.post(TRUSTED, { act: 'trust', address: 'choir@example.org' })
    match((await at('admin').get(TRUSTED)).body, /Club@example\.org<\/bdi><small><bdi>editor/)
    equal((await confirmed({ title: 'Rehearsal', address: 'choir@example.org' })).state, 'published')
    await at('admin').post(TRUSTED, { act: 'distrust', address: 'choir@example.org' })
    doesNotMatch((await editor.get(TRUSTED)).body, /choir@/)
    const { database } = service.app
    const many = Array.from({ length: 499 }, (_, n) => ({
      address: `m${n}@x.org`,
      user: 1,
      created_utc: UTC,
    }))
    await database.write((tx) => tx.insertInto('trusted_senders').values(many).execute())
    const over = await editor.post(TRUSTED, { act: 'trust', address: 'one@too.many' })
    equal(over.status, 422)
    match(over.body, /500 addresses are trusted already/)
    const { id } = await confirmed({ title: 'One too many', address: 'many@example.org' })
    const beside = await editor.post(`/desk/suggestions/${id}`, { act: 'trust' })
    match(beside.body, /action="\/desk\/suggestions\/trusted"[\s\S]*500 addresses are trusted already/)
    await database.write((tx) => tx.deleteFrom('trusted_senders').execute())
  })

  test('a webhook of an administrator gets what has come, never from whom', async () => {
    const received: { type: string; data: Record<string, unknown> }[] = []
    const server = createServer(async (request, response) => {
      let text = ''
      for await (const chunk of request) text += String(chunk)
      received.push(JSON.parse(text))
      response.writeHead(204).end()
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const add = (events: string, is_private: number) =>
      service.app.database.write((tx) =>
        addWebhook(tx, { url: `http://127.0.0.1:${port}/${events}`, events, is_private }, Date.now()),
      )
    await add('submission.received', 1)
    await add('*', 0)
    const { status } = await service.post(
      '~/wp-json/kalends/v1/webhooks',
      { url: `http://127.0.0.1:${port}/rest`, events: 'submission.*', private: true, enabled: false },
      'admin',
    )
    equal(status, 201)
    await suggest(service, { ...concert, title: 'A bot’s', second_subject: 'x' })
    await suggest(service, { ...concert, title: 'Not confirmed', address: 'no@example.org' })
    const { id } = await confirmed({ title: 'Told elsewhere', address: 'told@example.org' })
    await service.create('/venues', { venue: 'Told last' })
    await until(() => received.length === 2, 'the webhooks were not told')
    server.closeAllConnections()
    server.close()
    deepEqual(received.map(({ type }) => type).sort(), ['submission.received', 'venue.created'])
    const { data } = received.find(({ type }) => type === 'submission.received') ?? {}
    deepEqual(Object.keys(data ?? {}), ['kind', 'id', 'title', 'utc_start_date', 'desk_url'])
    deepEqual([data?.id, data?.title], [id, 'Told elsewhere'])
    match(String(data?.desk_url), new RegExp(`/desk/suggestions/${id}$`))
  })

  test('editors hear of new suggestions at most once an hour, unless they want none', async () => {
    const { database } = service.app
    await database.write((tx) => tx.deleteFrom('submissions').execute())
    await confirmed({ title: 'First <fair>', address: 'f1@example.org' })
    const now = Date.now()
    await tell(now)
    deepEqual(await queued(), [], 'told before others could come')
    const { body } = await at('editor').get('/desk/suggestions')
    match(body, /First &lt;fair&gt;<\/a>[\s\S]*You get a message when suggestions come/)
    await at('admin').post('/desk/suggestions', { act: 'quiet' })
    match((await at('admin').get('/desk/suggestions')).body, /You get no message/)
    await Promise.all([tell(now + 2 * MINUTE), tell(now + 2 * MINUTE)])
    const [first, ...others] = await queued()
    deepEqual([first?.recipient, first?.subject, others], ['editor@example.org', 'One new suggestion', []])
    match(first?.content ?? '', /First <fair>.*\/desk\/suggestions\/\d+"/)
    doesNotMatch(first?.content ?? '', /f1@|Ada Miller/)
    for (const title of ['Second fair', 'Third fair'])
      await confirmed({ title, address: `${title.slice(0, 5)}@example.org` })
    await database.write((tx) =>
      tx
        .updateTable('submissions')
        .set({ changed_utc: formatUtc(now + 30 * MINUTE) })
        .where('title', 'like', '%d fair')
        .execute(),
    )
    await tell(now + 40 * MINUTE)
    equal((await queued()).length, 1, 'within the hour')
    await tell(now + 70 * MINUTE)
    deepEqual(pluck(await queued(), 'subject'), ['One new suggestion', '2 new suggestions'])
    await tell(now + 200 * MINUTE)
    equal((await queued()).length, 2, 'told of nothing new')
    await at('admin').post('/desk/suggestions', { act: 'tell' })
    await tell(now + 200 * MINUTE)
    deepEqual((await queued()).map(({ recipient }) => recipient).at(-1), 'admin@example.org')
  })
})
