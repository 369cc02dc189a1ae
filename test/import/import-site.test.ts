import { deepEqual, doesNotMatch, equal, match } from 'node:assert/strict'
import type { RequestListener } from 'node:http'
import { after, before, describe, test } from 'node:test'
import { serverHere } from '../support/server.ts'
import { onDay, PASSWORD } from '../support/service.ts'
import { type Calendar, startCalendar } from './calendar-command.ts'

const ALL = '/events?start_date=2000-01-01&end_date=2100-01-01&per_page=50'

const event = (id: number) => ({
  id,
  title: `Event ${id}`,
  ...onDay('2026-07-05', '20:00:00', '21:00:00'),
  timezone: 'UTC',
  modified_utc: '2026-01-01 00:00:00',
})

/** Answers with the pages of events that `pages` gives, and with empty lists of everything else. */
function namespace(
  pages: (page: number) => { status?: number; headers?: Record<string, string>; body: unknown },
): RequestListener {
  return (request, response) => {
    const url = new URL(request.url ?? '', 'http://x')
    const list = url.pathname.split('/').at(-1) ?? ''
    const {
      status = 200,
      headers = {},
      body,
    } = list === 'events'
      ? pages(Number(url.searchParams.get('page')))
      : { body: { [list]: [], total: 0, total_pages: 0 } }
    response.writeHead(status, headers).end(typeof body === 'string' ? body : JSON.stringify(body))
  }
}

const PATH = '/wp-json/tribe/events/v1'

describe('an import of a site', () => {
  let source: Calendar
  let calendar: Calendar
  before(async () => {
    source = await startCalendar({ timezone: 'Europe/Berlin' })
    calendar = await startCalendar({ timezone: 'Europe/Berlin' })
    await source.service.create('/categories', { name: 'Music', slug: 'music' })
    for (let i = 1; i <= 60; i++)
      await source.service.event({
        title: `Evening ${i} & more`,
        ...onDay(`2026-07-${String((i % 28) + 1).padStart(2, '0')}`, '20:00:00', '22:00:00'),
        categories: ['music'],
        venue: { venue: 'Hall', city: 'Kilvara' },
      })
    await source.service.event({
      title: 'Draft',
      status: 'draft',
      start_date: '2026-07-05',
      end_date: '2026-07-05',
    })
  })
  after(async () => {
    await source.close()
    await calendar.close()
  })

  test('finds the interface, reads every page, and writes nothing the second time', async () => {
    const address = source.service.origin
    const { out, err, code } = await calendar.kalends('import', address)
    equal(code, 0, out + err)
    const [theirs, ours] = [(await source.service.get(ALL)).body, (await calendar.service.get(ALL)).body]
    equal(ours.total, 60)
    for (const [index, event] of ours.events.entries())
      for (const field of ['title', 'slug', 'start_date', 'utc_end_date', 'timezone', 'date_utc', 'status'])
        equal(event[field], theirs.events[index][field], field)
    equal((await calendar.service.get('/venues')).body.total, 1)
    const before = await calendar.rows()
    match((await calendar.kalends('import', address)).out, /0 made, 0 changed/)
    equal(await calendar.rows(), before)
  })

  test('reads drafts with a login, whose password stands in a file', async () => {
    const password = await calendar.file('password', `${PASSWORD}\n`)
    const address = source.service.base
    match(
      (await calendar.kalends('import', '--login', 'admin', address)).err,
      /Keep the application password in a file/,
    )
    const out = await calendar.run(
      0,
      'import',
      '--name',
      'drafts',
      '--same-as',
      'none',
      '--login',
      'admin',
      '--password-file',
      password,
      '--dry-run',
      address,
    )
    match(out, /6\d made/)
    match(out, /Nothing was written/)
  })

  test('waits when it is asked to, and goes on', async () => {
    let asked = 0
    const address = await serverHere(
      namespace((page) =>
        page === 1 && ++asked === 1
          ? { status: 429, headers: { 'retry-after': '0' }, body: '' }
          : { body: { events: page === 1 ? [event(1)] : [], total: 1, total_pages: 1 } },
      ),
    )
    await calendar.run(0, 'import', '--dry-run', address + PATH)
    equal(asked, 2)
  })

  test('says which address answers what it cannot use, and keeps what is in', async () => {
    const html = await serverHere(namespace(() => ({ body: '<!doctype html><title>Maintenance</title>' })))
    const { code, err } = await calendar.kalends('import', html + PATH)
    equal(code, 1)
    match(
      err,
      new RegExp(
        '^http://127\\.0\\.0\\.1:\\d+/wp-json/tribe/events/v1/events\\?\\S+ answers with HTML in place ' +
          'of events\\.\\n$',
      ),
    )
    const none = await serverHere((_request, response) => response.writeHead(404).end())
    match((await calendar.kalends('import', none)).err, /does not lead to an event interface/)
    const gone = { code: 'rest_no_route', message: 'No route was found.', data: { status: 404 } }
    for (const body of [gone, '<!doctype html><title>404</title>', '']) {
      const listless = await serverHere(namespace(() => ({ status: 404, body })))
      for (const words of [['--dry-run'], []]) {
        const { code, err } = await calendar.kalends('import', ...words, listless + PATH)
        deepEqual([code, /\/events\?\S+ answers with status 404/.test(err)], [1, true], err)
      }
    }
    const endless = await serverHere(
      namespace((page) => ({
        body: { events: [event(Math.min(page, 3))], total: 9, total_pages: page + 1 },
      })),
    )
    match(
      (await calendar.kalends('import', endless + PATH)).err,
      /gives the same answer for every page of events from page 3 on\./,
    )
    match((await calendar.kalends('imports')).out, / failed /)
  })

  test('does not take events for gone while the list changes under way', async () => {
    let total = 3
    const address = await serverHere(
      namespace((page) => ({
        body: { events: page <= total ? [event(100 + page)] : [], total, total_pages: total },
      })),
    )
    const first = await calendar.kalends('import', address + PATH)
    equal(first.code, 0, first.err)
    total = 2
    match((await calendar.kalends('import', address + PATH)).out, /event 103 .* is gone from the source/)
    let calls = 0
    const moving = await serverHere(
      namespace((page) => ({
        body: { events: page <= 2 ? [event(100 + page)] : [], total: 3 - calls++, total_pages: 2 },
      })),
    )
    doesNotMatch(
      (await calendar.kalends('import', '--name', `${address}${PATH}`, moving + PATH)).out,
      /gone from the source/,
    )
  })

  test('keeps the password off the command line', async () => {
    const { err } = await calendar.kalends('import', 'https://me:secret@calendar.example')
    match(err, /Name the login with --login/)
    doesNotMatch(err, /secret/)
  })
})
