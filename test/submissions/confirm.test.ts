import { deepEqual, doesNotMatch, equal, match, ok, rejects } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { submissionPrunings } from '../../src/features/submissions/submission-store.ts'
import { dropOld } from '../../src/store/storage/pruning.ts'
import { sitAtDesk } from '../support/desk.ts'
import { pluck } from '../support/lists.ts'
import { faultsOfMail } from '../support/markup.ts'
import { type ReceivedMail, startRelay, type TestRelay } from '../support/relay.ts'
import { startService, type TestService } from '../support/service.ts'
import { concert, leadsTo, linkIn, postForm, publish, suggest } from '../support/suggestions.ts'

/** A service whose suggestions are confirmed by e-mail. */
async function startConfirmed(settings: Record<string, string> = {}) {
  const relay = await startRelay()
  const service = await startService({
    submissions: 'confirmed',
    submissions_address: '100',
    submissions_network: '100',
    mail: relay.address,
    mail_from: 'calendar@example.org',
    trusted_proxy: 'loopback',
    ...settings,
  })
  return {
    relay,
    service,
    [Symbol.asyncDispose]: async () => {
      await service.close()
      await relay.close()
    },
  }
}

const about =
  (words: string) =>
  ({ mail }: ReceivedMail) =>
    (mail.subject ?? '').includes(words)

const rowsOf = ({ app }: TestService) =>
  app.database.read.selectFrom('submissions').selectAll().orderBy('id').execute()

/** As if messages that strangers caused were older. */
const later = ({ app }: TestService) =>
  app.database.write((tx) =>
    tx
      .updateTable('mail_messages')
      .set({ created_utc: '2020-01-01 00:00:00' })
      .where('by_stranger', '=', 1)
      .execute(),
  )

/** Suggests and confirms. Returns the path of the sender's page. */
async function confirmed(
  service: TestService,
  relay: TestRelay,
  fields: Record<string, string>,
): Promise<string> {
  const sent = await suggest(service, fields)
  equal(leadsTo(sent), '/events/community/add/sent/', String(sent.body))
  const message = await relay.mailTo(fields.address ?? '', about(`Please confirm: ${fields.title}`))
  const done = await postForm(service, linkIn(message), {})
  equal(done.status, 303, String(done.body))
  return leadsTo(done)
}

describe('suggestions that are confirmed by e-mail', () => {
  test('need e-mail: the start says so in one sentence', async () => {
    await rejects(startService({ submissions: 'confirmed' }), /KALENDS_SUBMISSIONS=confirmed needs e-mail/)
  })

  test('reach nobody before a button; the link changes nothing by itself, and works once', async () => {
    await using here = await startConfirmed()
    const { service, relay } = here
    const editor = await sitAtDesk(service, 'editor')
    const sent = await suggest(service, { ...concert, title: 'Night swim' })
    equal(leadsTo(sent), '/events/community/add/sent/')
    match(await service.shown(leadsTo(sent)), /Look into your mail/)
    const path = linkIn(await relay.mailTo(concert.address))
    for (const method of ['GET', 'HEAD', 'GET']) {
      const looked = await service.request('anonymous', method, `~${path}`, undefined, {
        accept: 'text/html',
      })
      equal(looked.status, 200)
      equal(looked.headers.get('referrer-policy'), 'no-referrer')
    }
    equal((await rowsOf(service))[0]?.state, 'unconfirmed')
    doesNotMatch((await editor.get('/desk/suggestions')).body, /Night swim/)
    doesNotMatch((await editor.get('/desk/inbox')).body, /Night swim/)
    const done = await postForm(service, path, {})
    equal(done.status, 303)
    match(await service.shown(leadsTo(done)), /It waits for the editors/)
    match((await editor.get('/desk/inbox')).body, /Night swim/)
    equal((await postForm(service, path, {})).status, 404)
    match((await service.page(path)).body, /Get a link to your suggestions/)
    const received = await relay.mailTo(concert.address, about('Received'))
    match(await service.shown(linkIn(received)), /Night swim/)
  })

  test('expire with their picture after 48 hours; those beyond 1,000 are 503', async () => {
    await using here = await startConfirmed({ submissions_hour: '10000', submissions_address: '10000' })
    const { service } = here
    await suggest(service, { ...concert, title: 'Never confirmed' })
    const { database } = service.app
    const [row] = await rowsOf(service)
    ok(row)
    const { id: _, ...blank } = row
    await database.write((tx) =>
      tx
        .insertInto('submission_pictures')
        .values({
          form: row.form,
          block: '',
          mime_type: 'image/webp',
          content: '',
          created_utc: row.created_utc,
        })
        .execute(),
    )
    const many = Array.from({ length: 999 }, (__, at) => ({
      ...blank,
      form: `f${at}`,
      digest: `d${at}`,
    }))
    for (let at = 0; at < many.length; at += 100)
      await database.write((tx) =>
        tx
          .insertInto('submissions')
          .values(many.slice(at, at + 100))
          .execute(),
      )
    const over = await suggest(service, { ...concert, title: 'One too many', address: 'late@example.org' })
    equal(over.status, 503)
    match(over.body, /value="One too many"/)
    const later = (hours: number) =>
      dropOld(database, 0, Date.now() + hours * 3_600_000, 1e9, submissionPrunings)
    await later(47)
    ok((await rowsOf(service)).some(({ title }) => title === 'Never confirmed'))
    await later(49)
    equal((await rowsOf(service)).length, 0)
    equal((await database.read.selectFrom('submission_pictures').selectAll().execute()).length, 0)
  })

  test('decisions are told with changes of an editor, a note, a reason, and links that lead on', async () => {
    await using here = await startConfirmed()
    const { service, relay } = here
    const editor = await sitAtDesk(service, 'editor')
    const idOf = async (title: string) => (await rowsOf(service)).find((row) => row.title === title)?.id
    await confirmed(service, relay, { ...concert, title: 'Slide evening', start_date: '2027-06-01' })
    const { address: _a, sender_name: _n, ...event } = concert
    await publish(editor, await idOf('Slide evening'), {
      ...event,
      title: 'Slide evening',
      start_date: '2027-06-01',
      start_time: '20:15',
    })
    const published = await relay.mailTo(concert.address, about('Published: Slide evening'))
    match(published.mail.text ?? '', /The editors have changed this[\s\S]*From[\s\S]*20:15/)
    match(await service.shown(linkIn(published)), /It is published/)
    const second = { ...concert, title: 'Knife course', address: 'bo@example.org' }
    await confirmed(service, relay, second)
    await editor.post(`/desk/suggestions/${await idOf('Knife course')}`, {
      act: 'send-back',
      reason: 'Which <kitchen>?\nAnd when?',
    })
    const back = await relay.mailTo('bo@example.org', about('look at it again'))
    match(back.mail.text ?? '', /Which <kitchen>\?/)
    match(String(back.mail.html), /Which &lt;kitchen&gt;\?/)
    const mine = linkIn(back)
    await postForm(service, mine, {
      ...event,
      title: 'Knife course',
      start_date: '2027-06-11',
      venue_name: 'School kitchen',
      act: 'change',
    })
    await editor.post(`/desk/suggestions/${await idOf('Knife course')}`, {
      act: 'reject',
      reason: 'Not here.',
    })
    const rejected = await relay.mailTo('bo@example.org', about('Declined'))
    match(rejected.mail.text ?? '', /Not here\.[\s\S]*Songs & stories/)
    equal(relay.received.filter(({ to }) => to === 'bo@example.org').length, 4)
    await editor.post(`/desk/suggestions/${await idOf('Knife course')}`, { act: 'reject', reason: 'Again.' })
    equal(
      (
        await service.app.database.read
          .selectFrom('mail_messages')
          .select('id')
          .where('recipient', '=', 'bo@example.org')
          .execute()
      ).length,
      4,
    )
    deepEqual(await faultsOfMail(relay.received), [])
  })

  test('an address that editors trust is published once confirmed; what lies aside still waits', async () => {
    await using here = await startConfirmed()
    const { service, relay } = here
    const editor = await sitAtDesk(service, 'editor')
    await confirmed(service, relay, { ...concert, title: 'First talk', address: 'club@example.org' })
    const [first] = await rowsOf(service)
    await editor.post(`/desk/suggestions/${first?.id}`, { act: 'trust' })
    match((await editor.get(`/desk/suggestions/${first?.id}`)).body, /Stop trusting this address/)
    await later(service)
    const mine = await confirmed(service, relay, {
      ...concert,
      title: 'Second talk',
      address: 'club@example.org',
    })
    match(await service.shown(mine), /It is published/)
    const { body } = await service.get('/events?search=second&start_date=2027-01-01')
    equal(body.events[0].author, String(service.userIds.editor))
    const links = 'https://a.example '.repeat(6)
    await later(service)
    const other = await confirmed(service, relay, {
      ...concert,
      title: 'Third talk',
      address: 'club@example.org',
      description: links,
    })
    match(await service.shown(other), /It waits for the editors/)
  })

  test('a lost link is sent to the stored address alone, and any address gets the same page', async () => {
    await using here = await startConfirmed()
    const { service, relay } = here
    await confirmed(service, relay, { ...concert, title: 'Lost and found' })
    await later(service)
    const path = '/events/community/add/link/'
    const pages = [
      await postForm(service, path, { address: concert.address }),
      await postForm(service, path, { address: 'nobody@example.org' }),
    ]
    equal(pages[0]?.body, pages[1]?.body)
    const message = await relay.mailTo(concert.address, about('Your links'))
    match(await service.shown(linkIn(message)), /Lost and found/)
    ok(!relay.tried.includes('nobody@example.org'))
    match((await postForm(service, linkIn(message), { act: 'forget' })).body, /Your data are deleted/)
    const messages = await service.app.database.read.selectFrom('mail_messages').selectAll().execute()
    ok(!JSON.stringify(messages).includes(concert.address))
  })

  test('messages are in the language of the form', async () => {
    await using here = await startConfirmed()
    const { service, relay } = here
    await suggest(service, { ...concert, title: 'Chorabend' }, { language: 'de' })
    const message = await relay.mailTo(concert.address)
    match(message.mail.subject ?? '', /Bitte bestätigen: Chorabend/)
    match(linkIn(message), /lang=de$/)
    match(await service.shown(linkIn(message)), /Ja, ich habe diese Veranstaltung vorgeschlagen/)
  })

  test('a second suggestion within ten seconds, which no message could follow, is shown again', async () => {
    await using here = await startConfirmed()
    const { service } = here
    await suggest(service, concert)
    const soon = await suggest(service, { ...concert, title: 'Too soon' })
    equal(soon.status, 429)
    match(soon.body, /on its way to this address already/)
    match(soon.body, /value="Too soon"/)
    equal((await rowsOf(service)).length, 1)
  })

  test('bots cause no message', async () => {
    await using here = await startConfirmed()
    const { service } = here
    await suggest(service, { ...concert, second_subject: 'x' })
    await suggest(service, concert, { token: 'none' })
    const { read } = service.app.database
    equal((await read.selectFrom('mail_messages').select('id').execute()).length, 0)
    deepEqual(pluck(await rowsOf(service), 'state'), ['spam', 'spam'])
  })
})
