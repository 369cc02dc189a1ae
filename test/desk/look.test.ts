import { deepEqual, doesNotMatch, equal, match, notEqual, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { type AtDesk, sitAtDesk } from '../support/desk.ts'
import { day, serviceForTests, startService } from '../support/service.ts'

const service = serviceForTests({}, { fill })
let admin: AtDesk

async function fill(): Promise<void> {
  admin = await sitAtDesk(service, 'admin')
  await service.event({ title: 'Choir', ...day }, 'editor')
}

const SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><path d="M0 0h9v9z"/></svg>'
const front = async () => String((await service.page('/')).body)
const version = async () =>
  /name="version" value="(\d+)"/.exec((await admin.get('/desk/look')).body)?.[1] ?? ''

async function send(
  fields: Record<string, string | Blob>,
): Promise<{ status: number; location: string; text: string }> {
  const body = new FormData()
  for (const [name, value] of Object.entries(fields)) body.append(name, value)
  const { origin } = new URL(service.origin)
  const headers = { cookie: admin.cookie, origin, accept: 'text/html' }
  const answer = await fetch(`${service.origin}/desk/look`, {
    method: 'POST',
    body,
    headers,
    redirect: 'manual',
  })
  return { status: answer.status, location: answer.headers.get('location') ?? '', text: await answer.text() }
}

test('an administrator sets name, colour, logo and a page in one form, for visitors at once', async () => {
  const saved = await send({
    version: await version(),
    site_name: 'Blue Door',
    pages_sentence: 'Jazz below the street',
    pages_accent: '#aa3300',
    pages_corner: 'square',
    pages_links: 'Bar /bar/\r\nHome https://a.example/',
    pages_logo: new Blob([SVG], { type: 'image/svg+xml' }),
    slug_0: 'bar',
    text_0: '# The bar\r\n\r\nOpens at six.',
  })
  deepEqual([saved.status, saved.location], [303, '/desk/look?saved'])
  const html = await front()
  for (const part of [
    'Blue Door',
    'Jazz below the street',
    'class="logo"',
    'href="/bar/">Bar</a>',
    'https://a.example/',
  ])
    ok(html.includes(part), part)
  const form = String((await admin.get('/desk/look?saved')).body)
  for (const part of [
    'The look is saved',
    'value="Blue Door"',
    '<option value="square" selected>',
    'name="remove_pages_logo"',
    '# The bar',
  ])
    ok(form.includes(part), part)
})

test('a form with a fault keeps what was typed, names the field, and saves nothing', async () => {
  const before = await front()
  const wrong = await send({
    site_name: 'Typed',
    pages_imprint: 'javascript:alert(1)',
    pages_logo: new Blob(['<html>']),
    slug_0: 'events',
    text_0: '# Mine',
  })
  equal(wrong.status, 422)
  for (const part of [
    'value="Typed"',
    'id="pages_imprint-error"',
    'id="pages_logo-error"',
    'href="#pages_texts"',
    '# Mine',
  ])
    ok(wrong.text.includes(part), part)
  equal(await front(), before)
})

test('of two who set the look at once, the second one is told and loses nothing', async () => {
  const both = await version()
  equal((await send({ version: both, pages_sentence: 'First' })).status, 303)
  const second = await send({ version: both, pages_sentence: 'Second' })
  equal(second.status, 422)
  match(second.text, /Somebody has changed the look meanwhile/)
  match(second.text, /value="Second"/)
  match(await front(), /First/)
})

test('the room warns of a colour that cannot be read, and not of that of a fresh calendar', async () => {
  await using fresh = await startService()
  const owner = await sitAtDesk(fresh, 'admin')
  for (const path of ['/desk/look', '/desk/look/preview'])
    doesNotMatch((await owner.get(path)).body, /class="warning"/, path)
  const warned = async (pages_accent: string, pages_scheme: string) =>
    /class="warning">On (light|dark)/.exec(
      (await owner.post('/desk/look/preview', { pages_accent, pages_scheme })).body,
    )?.[1]
  equal(await warned('#ffff00', 'auto'), 'light')
  equal(await warned('#ffff00', 'dark'), undefined)
  equal(await warned('#000080', 'dark'), 'dark')
  equal(await warned('#000080', 'auto'), undefined)
})

test('a preview is the front page as typed, in a frame of this site, seen by nobody else', async () => {
  const before = await front()
  const typed = {
    site_name: 'Tried',
    pages_accent: '#ffff00',
    pages_header: 'band',
    pages_intro: '**Welcome**',
    pages_links: 'x javascript:y',
  }
  const { status, body, headers } = await admin.post('/desk/look/preview', typed)
  equal(status, 200)
  match(body, /Tried/)
  match(body, /<strong>Welcome<\/strong>/)
  doesNotMatch(body, /javascript:/)
  match(body, /contrast of 1\.\d and needs 4\.5/)
  match(body, /<header inert/)
  match(headers.get('content-security-policy') ?? '', /frame-ancestors 'self'/)
  deepEqual([headers.get('x-frame-options'), headers.get('cache-control')], ['SAMEORIGIN', 'no-store'])
  const [, path = ''] = /<link rel="stylesheet" href="([^"]*\/desk\/look\/style[^"]*)"/.exec(body) ?? []
  const style = await admin.get(path.replaceAll('&amp;', '&'))
  match(style.headers.get('content-type') ?? '', /^text\/css/)
  match(style.body, /\.top\{border:0;background:var\(--accent\)/)
  equal(await front(), before)
  const room = await admin.get('/desk/look')
  match(room.headers.get('content-security-policy') ?? '', /frame-src 'self'/)
  match(room.headers.get('content-security-policy') ?? '', /frame-ancestors 'none'/)
  for (const address of ['/desk/look/preview', '/desk/look/style']) {
    equal((await (await sitAtDesk(service, 'editor')).get(address)).status, 403)
    notEqual((await fetch(service.origin + address, { redirect: 'manual' })).status, 200)
  }
})

test('a look of a megabyte is refused before it is read', async () => {
  equal((await send({ pages_logo: new Blob([new Uint8Array(1_100_000)]) })).status, 413)
})

test('one press takes the whole look back, and the desk never depended on it', async () => {
  match(await front(), /Blue Door/)
  equal((await admin.post('/desk/look/reset', {})).status, 303)
  const html = await front()
  for (const part of ['Blue Door', 'class="logo"', '/bar/']) ok(!html.includes(part), part)
})

test('a value that the start names is shown and not asked for', async () => {
  await using held = await startService({ site_name: 'Held' })
  const { body } = await (await sitAtDesk(held, 'admin')).get('/desk/look')
  match(body, /Held<\/b><\/p><p class="hint">This was set when the service was started\./)
  doesNotMatch(body, /name="site_name"/)
})
