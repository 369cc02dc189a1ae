import { deepEqual, doesNotMatch, equal, fail, match } from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../src/app.ts'
import { addSignInLink } from '../../src/calendar/people/desk-passwords.ts'
import { getUserByLogin } from '../../src/calendar/people/users.ts'
import { type AtDesk, DESK_PASSWORD, sitAtDesk } from '../support/desk.ts'
import { day, onDay, serviceForTests, startService } from '../support/service.ts'
import { until } from '../support/waiting.ts'

const service = serviceForTests({ timezone: '' })
/** Once the first test has given a password, which ends sessions. */
let admin: AtDesk

const makeLink = (login: string, now = Date.now(), inviter = 0) =>
  service.app.database.write(async (tx) => {
    const user = await getUserByLogin(tx, login)
    return `/desk/set-up/${await addSignInLink(tx, user, now, { inviter })}`
  })
const fill = (path: string, fields: Record<string, string>) =>
  service.post(`~${path}`, new URLSearchParams(fields), 'anonymous', {
    accept: 'text/html',
    origin: new URL(service.origin).origin,
    'content-type': 'application/x-www-form-urlencoded',
  })

const DAY = 86_400_000

test('the first administrator gives name, language, zone, currency, their name and a password', async () => {
  // Made over REST before anybody had a look at the desk.
  const { id } = await service.event({ title: 'Concert', ...onDay('2027-06-01', '19:30:00', '21:00:00') })
  const link = await makeLink('admin')
  const { body } = await service.page(link, { 'accept-language': 'de-AT, en;q=0.5' })
  match(body, /<html lang="de">/)
  match(body, /<option value="de" selected>/)
  match(body, /<option value="EUR" selected>/)
  match(body, /value="Europe\/Dublin">Dublin – jetzt \d/)
  match(body, /readonly value="admin"/)
  const fields = {
    ...{ name: 'St Brigid’s', language: 'en', timezone: 'Europe/Dublin', currency: 'EUR' },
    ...{ person: 'Mary Byrne', password: DESK_PASSWORD, role: 'subscriber', pages_accent: '#123456' },
  }
  for (const wrong of [
    { timezone: 'Dublin' },
    { language: 'la' },
    { currency: 'Euro' },
    { person: 'a\nb' },
  ]) {
    const refused = await fill(link, { ...fields, ...wrong })
    deepEqual([refused.status, refused.body.includes('aria-invalid')], [422, true], JSON.stringify(wrong))
    match(refused.body, /value="St Brigid’s"/)
  }
  const done = await fill(link, fields)
  deepEqual([done.status, done.headers.get('location')], [303, '/desk/'])
  await until(async () => {
    const { name, timezone_string } = (await service.get('~/wp-json/')).body
    return name === 'St Brigid’s' && timezone_string === 'Europe/Dublin'
  }, 'the settings are not in effect')
  const user = await getUserByLogin(service.app.database.read, 'admin')
  deepEqual([user.name, user.role], ['Mary Byrne', 'administrator'])
  admin = await sitAtDesk(service, 'admin')
  const { start_date, timezone } = await service.read(`/events/${id}`)
  deepEqual([start_date, timezone], ['2027-06-01 19:30:00', 'Europe/Dublin'])
  match((await admin.get('/desk/settings')).body, /Currency<\/dt><dd><b dir="auto">EUR</)
})

test('Settings say what is set and where, and what owners change holds on every node at once', async (t) => {
  const other = await startApp(service.config)
  t.after(other.stop)
  const page = async (port: number) => (await fetch(`http://localhost:${port}/events/`)).text()
  const there = () => page(other.port)
  match(await there(), /<html lang="en">/)
  const { body } = await admin.get('/desk/settings')
  match(body, /Time zone<\/dt><dd><b dir="auto">Europe\/Dublin<\/b><small>set at the desk/)
  match(body, /Data folder<\/dt><dd><b[^>]*>[^<]+<\/b><small>by the flag --data/)
  for (const [, label = ''] of body.matchAll(/<dt>([^<]+)/g)) doesNotMatch(label, /\.$/)
  match(body, /Days that the history is kept<\/dt><dd><b[^>]*>365<\/b><small>by default/)
  equal((await admin.post('/desk/settings', { language: 'fr', clock: '12' })).status, 303)
  await until(async () => (await there()).includes('<html lang="fr">'), 'not in French there')
  match(await page(service.app.port), /<html lang="fr">/)
  equal((await admin.post('/desk/settings', { language: 'la' })).status, 422)
  await admin.post('/desk/settings', { language: 'en', clock: 'auto' })
  const editor = await sitAtDesk(service, 'editor')
  equal((await editor.get('/desk/settings')).status, 403)
})

test('what the start of the service gives wins, and the page says so', async () => {
  await using held = await startService({ timezone: 'Asia/Tokyo', language: 'de' })
  const desk = await sitAtDesk(held, 'admin')
  const { body } = await desk.get('/desk/settings')
  doesNotMatch(body, /name="(?:timezone|language)"/)
  match(body, /Asia\/Tokyo<\/b><small>durch die Option --timezone/)
  await desk.post('/desk/settings', { timezone: 'UTC', currency: 'CHF' })
  const { timezone_string } = (await held.get('~/wp-json/')).body
  equal(timezone_string, 'Asia/Tokyo')
})

test('everybody has the desk in their own language, and visitors have that of the calendar', async () => {
  const editor = await sitAtDesk(service, 'editor')
  equal((await editor.post('/desk/me', { name: 'editor', language: 'es' })).status, 303)
  const { body } = await editor.get('/desk/events')
  match(body, /<html lang="es">/)
  match(body, />Eventos</)
  match((await admin.get('/desk/events')).body, /<html lang="en">/)
  match((await service.page('/events/')).body, /<html lang="en">/)
  await editor.post('/desk/me', { name: 'editor', language: '' })
  match((await editor.get('/desk/events')).body, /<html lang="en">/)
})

test('Today lists what is still to do until it is done or waved away', async () => {
  const has = async (text: string) => (await admin.get('/desk/')).body.includes(text)
  deepEqual([await has('Logo and colour'), await has('Put it on your website')], [true, true])
  equal(await has('Import events'), false, 'there is an event')
  await admin.post('/desk/steps', { step: 'website' })
  await admin.post('/desk/look', { pages_accent: '#8a2be2' })
  deepEqual([await has('Logo and colour'), await has('Still to do')], [false, false])
})

test('an invitation lasts seven days, says whom to ask later, is made again or revoked', async () => {
  await admin.post('/desk/people/new', {
    login: 'tom',
    name: 'Tom <b>',
    email: 'tom@example.org',
    role: 'author',
  })
  const tom = await getUserByLogin(service.app.database.read, 'tom')
  const again = await admin.post(`/desk/people/${tom.id}`, { do: 'link' })
  match(again.body, /href="mailto:tom%40example\.org\?subject=/)
  const [, link = ''] = /value="https?:\/\/[^/]+(\/desk\/set-up\/[\w-]{43})"/.exec(again.body) ?? []
  equal((await service.page(link)).status, 200)
  const people = await admin.get('/desk/people')
  match(people.body, /Tom &lt;b&gt;.*good until .*value="revoke"/s)

  const soon = await makeLink('tom', Date.now() - 7 * DAY + 60_000, service.userIds.admin)
  equal((await service.page(soon)).status, 200)
  const expired = await makeLink('tom', Date.now() - 7 * DAY - 60_000, service.userIds.admin)
  const gone = await service.page(expired)
  equal(gone.status, 404)
  match(gone.body, /Ask \u2068Mary Byrne\u2069 for a new one/)
  match((await admin.get('/desk/people')).body, /expired/)
  for (const unknown of [link, `/desk/set-up/${'A'.repeat(43)}`])
    doesNotMatch((await service.page(unknown)).body, /Mary/)

  const fresh = await makeLink('tom', Date.now(), service.userIds.admin)
  equal((await admin.post(`/desk/people/${tom.id}`, { do: 'revoke' })).status, 303)
  equal((await service.page(fresh)).status, 404)
  const last = await makeLink('tom', Date.now(), service.userIds.admin)
  equal((await fill(last, { person: 'Thomas', password: `${DESK_PASSWORD} too` })).status, 303)
  equal((await getUserByLogin(service.app.database.read, 'tom')).name, 'Thomas')
  const reset = await makeLink('tom', Date.now() - 31 * 60_000, service.userIds.admin)
  equal((await service.page(reset)).status, 404)
  doesNotMatch((await service.page(reset)).body, /Mary/)
})

test('what was published by mistake is a draft again by one click, unless it was changed', async () => {
  const { id } = await service.event({ title: 'Early', status: 'draft', ...day })
  const saved = await admin.post(`/desk/events/${id}`, { title: 'Early', status: 'publish' })
  const { body } = await admin.get(saved.headers.get('location') ?? '')
  const form =
    /Published · <form[^>]*action="([^"]+)">.*?name="version" value="(\d+)".*?value="draft">Undo/s.exec(body)
  const [, path = '', version = ''] = form ?? fail(body)
  await service.update(`/events/${id}`, { title: 'Not so early' })
  equal((await admin.post(path, { version, status: 'draft' })).status, 412)
  await admin.post(path, { status: 'draft' })
  const { status, title } = await service.read(`/events/${id}`, 'admin')
  deepEqual([status, title], ['draft', 'Not so early'])
})
