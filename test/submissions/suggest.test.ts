import { deepEqual, doesNotMatch, equal, match, notEqual, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import sharp from 'sharp'
import { DAY_MS, formatUtc } from '../../src/base/text/zones.ts'
import {
  dropOldSenders,
  exportSender,
  forgetSender,
  submissionPrunings,
  trustAddress,
} from '../../src/features/submissions/submission-store.ts'
import { dropOld } from '../../src/store/storage/pruning.ts'
import { call } from '../support/assistant.ts'
import { deskHere } from '../support/desk.ts'
import { pluck } from '../support/lists.ts'
import { onDay, serviceForTests, startService } from '../support/service.ts'
import {
  ADD,
  concert,
  formToken,
  leadsTo,
  postForm,
  publish,
  seenBy,
  suggest,
} from '../support/suggestions.ts'

const open = {
  submissions: 'open',
  trusted_proxy: 'loopback',
  mcp: 'read',
  submissions_address: '400',
  submissions_network: '400',
  submissions_hour: '4000',
}

describe('suggestions of events without e-mail', () => {
  const service = serviceForTests(open)
  const editor = deskHere(service, 'editor')

  const rows = () => service.app.database.read.selectFrom('submissions').selectAll().orderBy('id').execute()
  const last = async () => (await rows()).at(-1)

  /** Sends a suggestion that must be taken. Returns the path of its page, and its row. */
  async function taken(fields: Record<string, string>, sending = {}) {
    const answer = await suggest(service, fields, sending)
    equal(answer.status, 303, String(answer.body))
    const row = await last()
    ok(row)
    return { mine: leadsTo(answer), row }
  }

  test('off there is no page and no link; on it is linked from pages, the frame and embed.js', async () => {
    await using closed = await startService()
    equal((await closed.page(ADD)).status, 404)
    equal((await closed.page('/add')).status, 404)
    for (const path of ['/', '/events/', '/embed/frame/', '/embed.js'])
      doesNotMatch(await closed.shown(path), /community\/add/, path)
    for (const path of ['/', '/events/', '/embed/frame/', '/embed.js'])
      match(await service.shown(path), /community\/add/, path)
    match(await service.shown(ADD), /<h1 tabindex="-1">Suggest an event<\/h1>/)
    match(await service.shown('/events/community/add'), /Suggest an event/)
    for (const path of ['/add', '/add/', '/events/add', '/events/add/'])
      equal(leadsTo(await service.page(path)), ADD, path)
  })

  test('what waits is in no list, feed, sitemap, change or answer to assistants', async () => {
    const { row } = await taken({ ...concert, title: 'Lantern walk', start_date: '2027-05-08' })
    const public_ = [
      '/events/',
      '/events.ics',
      '/events.rss',
      '/events.json',
      '/sitemap-2027-05.xml',
      '/events/2027-05-08/',
    ]
    const seen = async () => {
      const pages = await Promise.all(public_.map((path) => service.page(path)))
      const list = await service.get('/events?search=lantern&start_date=2027-01-01')
      const found = await call(service, 'search_events', { words: 'lantern', start_date: '2027-01-01' })
      const { body: feed } = await service.get('~/wp-json/kalends/v1/changes?per_page=50', 'admin')
      const answers = [list.body.events, found.structuredContent, feed.changes]
      const records = answers.map((answer) => JSON.stringify(answer))
      return [...pages.map(({ body }) => String(body)), ...records].filter((text) => /lantern/i.test(text))
    }
    deepEqual(await seen(), [])
    equal((await publish(editor, row.id)).status, 303)
    equal((await seen()).length, 8)
    const { body } = await service.get('/events?search=lantern&start_date=2027-01-01')
    equal(body.events[0].venue.venue, 'Miller’s barn, Low Lane 3')
    equal(body.events[0].start_date, '2027-05-08 19:30:00')
  })

  test('a filled trap, a quick form, one without token or sent twice succeed as spam', async () => {
    const token = await formToken(service)
    const first = { ...concert, title: 'The first one', start_date: '2027-02-02' }
    const good = await suggest(service, first, { token })
    const shape = (location: string) => location.replace(/token=[\w-]{43}$/, 'token=…')
    const before = (await rows()).length
    const bots = [
      await suggest(service, { ...concert, second_subject: 'buy' }),
      await suggest(service, concert, { token: await formToken(service, 1000) }),
      await suggest(service, concert, { token: 'x' }),
      await suggest(service, { ...concert, title: 'Another text' }, { token }),
      await suggest(service, first, { token }),
    ]
    for (const bot of bots) {
      equal(bot.status, good.status)
      equal(shape(leadsTo(bot)), shape(leadsTo(good)))
      equal(bot.body, good.body)
      const names = (answer: typeof bot) => [...answer.headers.keys()].sort().join()
      equal(names(bot), names(good))
      match(await service.shown(leadsTo(bot)), /It waits for the editors/)
      notEqual(leadsTo(bot), leadsTo(good), 'the page of the first sender')
    }
    const added = (await rows()).slice(before)
    deepEqual(pluck(added, 'state'), ['spam', 'spam', 'spam', 'spam', 'spam'])
    doesNotMatch((await editor.get('/desk/suggestions')).body, /Another text/)
    match((await editor.get('/desk/suggestions?pile=spam')).body, /Another text/)
    await dropOld(service.app.database, 0, Date.now() + 29 * 86_400_000, 1e9, submissionPrunings)
    ok((await rows()).some(({ state }) => state === 'spam'))
    await dropOld(service.app.database, 0, Date.now() + 31 * 86_400_000, 1e9, submissionPrunings)
    ok(!(await rows()).some(({ state }) => state === 'spam'))
  })

  test('the same form sent again, as by a double click, counts once and leads to the same page', async () => {
    const sending = { token: await formToken(service), from: '192.0.2.7' }
    const fields = { ...concert, title: 'Twice', start_date: '2027-02-03' }
    const [one, other] = [await suggest(service, fields, sending), await suggest(service, fields, sending)]
    equal(leadsTo(one), leadsTo(other))
    equal((await rows()).filter(({ title }) => title === 'Twice').length, 1)
  })

  test('a form of more than a day is shown again as it was typed, and can be sent then', async () => {
    const old = await suggest(
      service,
      { ...concert, title: 'Slow typist' },
      { token: await formToken(service, 90_000_000) },
    )
    equal(old.status, 422)
    match(old.body, /open for more than a day/)
    match(old.body, /value="Slow typist"/)
    const token = /\?form=([^"&]+)/.exec(old.body)?.[1] ?? ''
    equal((await suggest(service, { ...concert, title: 'Slow typist' }, { token })).status, 303)
    equal((await suggest(service, concert, { token: await formToken(service, -3_600_000) })).status, 422)
  })

  test('faults stand at their fields by the declarations, and what was typed stays', async () => {
    const answer = await suggest(service, {
      ...concert,
      title: '',
      start_date: '2027-02-31',
      website: 'javascript:alert(1)',
      address: 'Ada <ada@example.org>',
      sign_language: 'x'.repeat(2000),
    })
    equal(answer.status, 422)
    for (const name of ['title', 'start_date', 'website', 'address', 'sign_language'])
      match(answer.body, new RegExp(`id="${name}-error"`), name)
    match(answer.body, /Songs &amp; stories/)
    const past = await suggest(service, { ...concert, start_date: '2026-01-02' })
    match(past.body, /That is in the past/)
  })

  test('addresses: line breaks, names, 320 characters, international domains, tags', async () => {
    for (const address of [
      'a@b.example\r\nBcc: c@d.example',
      `${'a'.repeat(300)}@example.org`,
      'a b@example.org',
      '@example.org',
    ])
      equal((await suggest(service, { ...concert, address })).status, 422, address)
    const { row } = await taken({
      ...concert,
      title: 'Of Jürgen',
      address: 'J.Doe+kalends@BÜCHER.example',
      sender_name: 'Jürgen\r\nBcc: x@y.example',
    })
    equal(row.address, 'J.Doe+kalends@xn--bcher-kva.example')
    doesNotMatch(row.sender_name, /[\r\n]/)
    await publish(editor, row.id)
    const { body } = await service.get('/events?search=jürgen&start_date=2027-01-01')
    const page = await service.shown(new URL(body.events[0].url).pathname)
    const ics = await service.shown('/events.ics')
    for (const text of [JSON.stringify(body), page, ics]) doesNotMatch(text, /bcher|BÜCHER|J\.Doe/i)
    equal(String((await service.page(`/desk/suggestions/${row.id}`)).body).includes('bcher'), false)
  })

  test('HTML is shown as text, and addresses in texts are links that search engines pass over', async () => {
    const { row } = await taken({
      ...concert,
      title: 'Tags <b>& more</b>',
      description: '<script>alert(1)</script> see https://example.org/x?a=1&b=2.',
    })
    await publish(editor, row.id)
    const { body } = await service.get('/events?search=tags&start_date=2027-01-01')
    const [event] = body.events
    const page = await service.shown(new URL(event.url).pathname)
    match(page, /Tags &lt;b&gt;&amp; more&lt;\/b&gt;/)
    match(page, /&lt;script&gt;alert\(1\)/)
    match(page, /<a href="https:\/\/example\.org\/x\?a=1&amp;b=2" rel="nofollow ugc">[^<]+<\/a>\./)
  })

  test('a likely double is shown before sending, and can be sent all the same', async () => {
    await service.event({ title: 'Harvest market', ...onDay('2027-09-04', '09:00:00', '15:00:00') })
    const market = {
      ...concert,
      title: 'harvest Market',
      start_date: '2027-09-04',
      start_time: '09:00',
      end_time: '',
    }
    const token = await formToken(service)
    const asked = await suggest(service, market, { token })
    equal(asked.status, 200)
    match(asked.body, /Is it this one\?[\s\S]*Harvest market/)
    const seen = /name="seen" value="([\d ]+)"/.exec(asked.body)?.[1] ?? ''
    const { row } = await taken({ ...market, seen }, { token })
    match((await editor.get(`/desk/suggestions/${row.id}`)).body, /Perhaps the same: Harvest market/)
  })

  test('a picture is private until it is published, without metadata, and goes when rejected', async () => {
    const pixels = await sharp({ create: { width: 3000, height: 1500, channels: 3, background: '#246' } })
      .withExifMerge({ IFD0: { Copyright: 'secret place' } })
      .jpeg()
      .toBuffer()
    const file = new Blob([new Uint8Array(pixels)], { type: 'image/jpeg' })
    const pictures = () => service.app.database.read.selectFrom('submission_pictures').selectAll().execute()
    const { row } = await taken({ ...concert, title: 'With a poster', image_alt: 'A barn' }, { file })
    const [kept] = await pictures()
    const bytes = Buffer.from(kept?.content ?? '', 'base64')
    const { width, exif, format } = await sharp(bytes).metadata()
    deepEqual([width, exif, format], [1600, undefined, 'webp'])
    equal((await service.get('~/wp-json/wp/v2/media')).body.length, 0)
    match((await editor.get(`/desk/suggestions/${row.id}`)).body, /src="data:image\/webp;base64,/)
    await publish(editor, row.id)
    const { body } = await service.get('/events?search=poster&start_date=2027-01-01')
    equal(body.events[0].image.width, 1600)
    equal((await pictures()).length, 0)
    const other = await taken({ ...concert, title: 'Refused poster' }, { file })
    equal((await pictures()).length, 1)
    await editor.post(`/desk/suggestions/${other.row.id}`, { act: 'reject', reason: 'No.' })
    equal((await pictures()).length, 0)
    const text = new Blob(['no image'], { type: 'image/png' })
    const refused = await suggest(service, { ...concert, title: 'No picture' }, { file: text })
    equal(refused.status, 422)
    match(refused.body, /id="image-error"/)
  })

  test('a picture is read only with a good token, and a form of more than 64 kB never', async () => {
    const large = new Blob([new Uint8Array(200_000)], { type: 'image/png' })
    const answer = await suggest(service, concert, { token: 'none', file: large })
    equal(answer.status, 413)
    match(answer.body, /<h1/)
    equal((await suggest(service, { ...concert, description: 'x'.repeat(70_000) })).status, 413)
  })

  test('it repeats by the week or month up to 52 dates, with an end', async () => {
    const weekly = { ...concert, title: 'Choir', start_date: '2027-01-05', repeats: 'weekly' }
    match((await suggest(service, weekly)).body, /id="repeat_until-error"/)
    match((await suggest(service, { ...weekly, repeat_until: '2029-01-01' })).body, /more than 52 dates/)
    const { row } = await taken({ ...weekly, repeat_until: '2027-02-02' })
    await publish(editor, row.id)
    equal((await service.get('/events?search=choir&start_date=2027-01-01')).body.total, 5)
    const monthly = await taken({
      ...weekly,
      title: 'Repair shop',
      venue_name: 'Shed',
      repeats: 'monthly',
      repeat_until: '2027-04-30',
    })
    await publish(editor, monthly.row.id)
    const shops = await service.get('/events?search=repair&start_date=2027-01-01')
    deepEqual(
      shops.body.events.map((one: { start_date: string }) => one.start_date.slice(0, 10)),
      ['2027-01-05', '2027-02-02', '2027-03-02', '2027-04-06'],
    )
  })

  test('more than five links, and the text of another address, lie aside', async () => {
    const { row } = await taken({ ...concert, title: 'Links', description: 'https://a.example '.repeat(6) })
    equal(row.aside, 'links')
    await taken({ ...concert, title: 'Same text', address: 'one@example.org' })
    equal((await taken({ ...concert, title: 'Same text', address: 'two@example.org' })).row.aside, 'repeated')
    match((await editor.get('/desk/suggestions?pile=aside')).body, /More than five links/)
    doesNotMatch((await editor.get('/desk/suggestions')).body, /More than five links/)
  })

  test('the secret link shows, changes, withdraws and deletes it; editors end it', async () => {
    const { mine, row } = await taken({ ...concert, title: 'Barn dance', start_date: '2027-05-18' })
    const page = await service.page(mine)
    equal(page.headers.get('referrer-policy'), 'no-referrer')
    match(page.headers.get('x-robots-tag') ?? '', /noindex/)
    equal((await service.page(`${mine}=%3E`)).status, 200)
    const stored = await service.app.database.read.selectFrom('submission_links').selectAll().execute()
    ok(!JSON.stringify(stored).includes(mine.slice(-43)))
    const { address: _a, sender_name: _n, ...rest } = concert
    const event = { ...rest, start_date: '2027-05-18' }
    await postForm(service, mine, { ...event, title: 'Barn dance', start_time: '20:00', act: 'change' })
    match((await last())?.typed ?? '', /20:00/)
    await editor.post(`/desk/suggestions/${row.id}`, { act: 'send-back', reason: 'Which barn?' })
    match((await service.page(mine)).body, /Which barn\?/)
    await postForm(service, mine, {
      ...event,
      title: 'Barn dance',
      start_time: '20:00',
      venue_name: 'Old barn',
      act: 'change',
    })
    await publish(editor, row.id)
    const find = async () =>
      (await service.get('/events?search=barn%20dance&start_date=2027-01-01')).body.events
    const [published] = await find()
    equal(published.venue.venue, 'Old barn')
    match((await service.page(mine)).body, /It is published\./)
    await postForm(service, mine, {
      ...event,
      title: 'Barn dance',
      start_time: '18:00',
      venue_name: 'Old barn',
      captions: 'yes',
      act: 'change',
    })
    equal((await find())[0].start_date, '2027-05-18 20:00:00')
    match((await service.page(mine)).body, /Your change waits for the editors/)
    match(
      (await editor.get(`/desk/suggestions/${row.id}`)).body,
      /<td dir="auto">20:00<\/td><td dir="auto">18:00<\/td>/,
    )
    await service.update(`/events/${published.id}`, { cost: '7' })
    equal((await publish(editor, row.id)).status, 303)
    const [changed] = await find()
    deepEqual([changed.start_date, changed.cost, changed.captions], ['2027-05-18 18:00:00', '$7', true])
    await postForm(service, mine, { act: 'forget' })
    const kept = (await rows()).find(({ id }) => id === row.id)
    deepEqual([kept?.sender_name, kept?.address, kept?.note], ['', '', ''])
    equal((await service.page(mine)).status, 404)
    equal((await find()).length, 1)
    const other = await taken({ ...concert, title: 'Gone at once' })
    await publish(editor, other.row.id)
    await postForm(service, other.mine, { act: 'withdraw' })
    equal((await service.get('/events?search=gone&start_date=2027-01-01')).body.total, 0)
    await editor.post(`/desk/suggestions/${other.row.id}`, { act: 'revoke' })
    equal((await service.page(other.mine)).status, 404)
  })

  test('what its sender changes between look and click is not published, alone or among many', async () => {
    const { mine, row } = await taken({ ...concert, title: 'Nice walk', start_date: '2027-05-21' })
    const { address: _a, sender_name: _n, ...rest } = concert
    const change = (title: string) =>
      postForm(service, mine, { ...rest, start_date: '2027-05-21', title, act: 'change' })
    const find = async () => (await service.get('/events?search=walk&start_date=2027-05-20')).body.events
    const pile = await editor.get('/desk/suggestions')
    const [, seen = ''] = new RegExp(`name="seen" value="(${row.id}\\.[\\w-]+)"`).exec(pile.body) ?? []
    await change('Casino walk')
    const many = await editor.post('/desk/suggestions', { act: 'publish', id: String(row.id), seen })
    match(many.headers.get('location') ?? '', /done=changed/)
    deepEqual(await find(), [])
    for (const path of ['/desk/suggestions', `/desk/suggestions/${row.id}`])
      await editor.post(path, { act: 'publish', id: String(row.id) })
    deepEqual(await find(), [], 'published without a look at it')
    await publish(editor, row.id)
    equal((await find())[0].title, 'Casino walk')
    await change('Quiet walk')
    await editor.post(`/desk/suggestions/${row.id}`, { act: 'publish' })
    equal((await find())[0].title, 'Casino walk', 'a change was published without a look at it')
    const one = await editor.get(`/desk/suggestions/${row.id}`)
    const [, wording = ''] = /name="seen" value="([\w-]+)"/.exec(one.body) ?? []
    await change('Loud walk')
    const late = await editor.post(`/desk/suggestions/${row.id}`, { act: 'publish', seen: wording })
    match(late.headers.get('location') ?? '', /done=changed/)
    equal((await find())[0].title, 'Casino walk')
    doesNotMatch((await editor.get('/desk/suggestions?done=publish&count=abc')).body, /NaN/)
    const newest = await seenBy(editor, row.id)
    notEqual(newest, '')
    const [gone] = await Promise.all([
      postForm(service, mine, { act: 'withdraw' }),
      editor.post(`/desk/suggestions/${row.id}`, { act: 'publish', seen: newest }),
    ])
    equal(gone.status, 303)
    deepEqual(await find(), [])
  })

  test('name and address go some months after the decision; what was not published goes whole', async () => {
    const { row: published } = await taken({ ...concert, title: 'Kept event' })
    await publish(editor, published.id)
    const { row: refused } = await taken({ ...concert, title: 'Refused event' })
    await editor.post(`/desk/suggestions/${refused.id}`, { act: 'reject', reason: 'No.' })
    const { row: waiting } = await taken({ ...concert, title: 'Waiting event' })
    const drop = (days: number) =>
      service.app.database.write((tx) => dropOldSenders(tx, formatUtc(Date.now() + days * DAY_MS), 100))
    await drop(-1)
    ok((await rows()).some(({ id, address }) => id === published.id && address !== ''))
    await drop(1)
    const left = await rows()
    equal(left.find(({ id }) => id === published.id)?.address, '')
    equal(
      left.find(({ id }) => id === refused.id),
      undefined,
    )
    equal(left.find(({ id }) => id === waiting.id)?.address, concert.address)
    equal((await service.app.database.write((tx) => forgetSender(tx, concert.address))) > 0, true)
    ok(!(await rows()).some(({ address }) => address === concert.address))
    equal((await service.get('/events?search=kept&start_date=2027-01-01')).body.total, 1)
  })

  test('that an address is trusted is exported, and forgotten with it', async () => {
    const { read, write } = service.app.database
    const address = 'trusted@example.org'
    await write((tx) => trustAddress(tx, address, 1, Date.now()))
    const kept = async () => (await exportSender(read, address)).map((row) => Object.values(row).slice(0, 2))
    deepEqual(await kept(), [['trust', address]])
    equal(await write((tx) => forgetSender(tx, address)), 1)
    deepEqual(await kept(), [])
  })

  test('the network of a sender goes after a day, that of a picture that waits, too', async () => {
    const red = { width: 8, height: 8, channels: 3, background: 'red' } as const
    const png = await sharp({ create: red }).png().toBuffer()
    const { row } = await taken({ ...concert, title: 'With a network' }, { file: new Blob([png]) })
    const { read } = service.app.database
    const networks = async () => {
      const picture = read.selectFrom('submission_pictures').select('block').where('form', '=', row.form)
      const own = (await rows()).find(({ id }) => id === row.id)
      return [own?.block, (await picture.executeTakeFirst())?.block]
    }
    deepEqual(await networks(), [row.block, row.block])
    await dropOld(service.app.database, 0, Date.now() + 23 * 3_600_000, 1e9, submissionPrunings)
    deepEqual(await networks(), [row.block, row.block])
    await dropOld(service.app.database, 0, Date.now() + 25 * 3_600_000, 1e9, submissionPrunings)
    deepEqual(await networks(), ['', ''])
  })

  test('the version of the terms is kept with each suggestion; other terms leave it', async () => {
    await using agreed = await startService({ ...open, submissions_terms: 'https://example.org/terms-2' })
    match(await agreed.shown(ADD), /href="https:\/\/example\.org\/terms-2"/)
    match((await suggest(agreed, concert)).body, /id="terms-error"/)
    equal((await suggest(agreed, { ...concert, terms: '1' })).status, 303)
    const { database } = agreed.config
    await using later = await startService({ ...open, database, submissions_terms: 'https://example.org/3' })
    equal((await suggest(later, { ...concert, title: 'Later', terms: '1' })).status, 303)
    const rows = await agreed.app.database.read
      .selectFrom('submissions')
      .select('terms')
      .orderBy('id')
      .execute()
    const versions = rows.map(({ terms }) => terms)
    deepEqual(versions, ['https://example.org/terms-2', 'https://example.org/3'])
  })

  test('an address a day, a network and the site an hour have limits, and what was typed stays', async () => {
    await using tight = await startService({
      ...open,
      submissions_address: '8',
      submissions_network: '16',
      submissions_hour: '40',
    })
    const send = (more: object, from: string) => suggest(tight, { ...concert, ...more }, { from })
    for (const at of [1, 2]) equal((await send({ title: `Mine ${at}` }, `198.51.${at}.1`)).status, 303)
    const over = await send({ title: 'Mine 3' }, '198.51.9.1')
    equal(over.status, 429)
    match(over.body, /value="Mine 3"/)
    match(over.body, /enough suggestions today/)
    equal(over.headers.get('retry-after'), '86400')
    for (const at of [1, 2, 3, 4])
      equal((await send({ title: `N ${at}`, address: `n${at}@example.net` }, `192.0.2.${at}`)).status, 303)
    match((await send({ title: 'N 5', address: 'n5@example.net' }, '192.0.2.200')).body, /From your network/)
    for (const at of [1, 2, 3, 4])
      equal((await send({ title: `S ${at}`, address: '' }, `198.18.${at}.1`)).status, 303)
    match((await send({ title: 'S 5', address: '' }, '198.18.77.1')).body, /enough suggestions just now/)
  })

  test('above a set number forms ask for proof of work; others lie aside', async () => {
    await using busy = await startService({ ...open, submissions_proof: '1' })
    for (const title of ['One', 'Two']) await suggest(busy, { ...concert, title, address: '' })
    // Counts are kept for half a minute: a service that has just begun counts anew.
    await using next = await startService({ ...open, submissions_proof: '1', database: busy.config.database })
    match(await next.shown(ADD), /data-proof="16" data-worker="[^"]+\/suggest-proof-[^"]+\.js"/)
    await suggest(next, { ...concert, title: 'Without', address: '' })
    const row = await next.app.database.read
      .selectFrom('submissions')
      .selectAll()
      .orderBy('id', 'desc')
      .executeTakeFirst()
    equal(row?.aside, 'proof')
  })

  test('an editor deals with 500 suggestions, of which 450 are spam, in under five minutes', async () => {
    await using full = await startService(open)
    const made = Array.from({ length: 500 }, (_, at) => ({
      ...blank,
      title: at % 10 === 0 ? `Fair ${at}` : `Pills ${at}`,
      form: String(at),
      digest: String(at),
      typed: JSON.stringify({
        title: [at % 10 === 0 ? `Fair ${at}` : `Pills ${at}`],
        start_date: ['2027-03-01'],
        start_time: ['10:00'],
      }),
    }))
    await full.app.database.write((tx) => tx.insertInto('submissions').values(made).execute())
    const { sitAtDesk } = await import('../support/desk.ts')
    const desk = await sitAtDesk(full, 'editor')
    match((await desk.get('/desk/')).body, /All 500 suggestions/)
    let presses = 1
    for (let page = 0; page < 10; page++) {
      const { body } = await desk.get('/desk/suggestions')
      const fairs = [...body.matchAll(/name="id" value="(\d+)"[^>]*aria-label="Fair/g)].map(
        ([, id]) => id ?? '',
      )
      const shown = /name="shown" value="([\d ]+)"/.exec(body)?.[1] ?? ''
      const seen = [...body.matchAll(/name="seen" value="(\d+\.[\w-]+)"/g)].map(([, one]) => one ?? '')
      await desk.post('/desk/suggestions?pile=waiting', { act: 'rest', id: fairs, shown })
      await desk.post('/desk/suggestions?pile=waiting', { act: 'publish', id: fairs, seen })
      // Each form forgets the ticks of the one before.
      presses += 2 * (fairs.length + 1)
    }
    // A tick or click takes 1.1 s, and 40 answers may take 4 s each.
    ok(presses * 1.1 + 40 * 4 < 300, `${presses} presses`)
    const states = Object.groupBy(
      await full.app.database.read.selectFrom('submissions').select('state').execute(),
      ({ state }) => state,
    )
    deepEqual([states.spam?.length, states.published?.length], [450, 50])
    equal((await full.get('/events?start_date=2027-01-01&per_page=1')).body.total, 50)
  })

  test('the form speaks four languages', async () => {
    for (const [language, text] of [
      ['de', 'Veranstaltung vorschlagen'],
      ['fr', 'Proposer un événement'],
      ['es', 'Proponer un evento'],
    ] as const)
      match(await service.shown(`${ADD}?lang=${language}`), new RegExp(`<h1 tabindex="-1">${text}</h1>`))
  })
})

const blank = {
  state: 'waiting',
  aside: '',
  proposed: '',
  start_utc: '2027-03-01 10:00:00',
  end_utc: '2027-03-01 12:00:00',
  sender_name: 'x',
  address: 'x@example.org',
  domain: 'example.org',
  block: '',
  language: 'en',
  note: '',
  reply: '',
  reviewer: 0,
  event: 0,
  image: 0,
  terms: '',
  created_utc: '2026-11-27 10:00:00',
  confirmed_utc: '',
  decided_utc: '',
  changed_utc: '2026-11-27 10:00:00',
} as const
