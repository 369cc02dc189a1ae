import { deepEqual, doesNotMatch, equal, match, ok } from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { deskHere, sitAtDesk } from '../support/desk.ts'
import { pluck } from '../support/lists.ts'
import { serviceForTests, startService } from '../support/service.ts'

/** Returns the controls of the form below a quick line, as a browser would send them. */
function controlsIn(body: string): Record<string, string | string[]> {
  const form = /<form class="understood[\s\S]*?<\/form>/.exec(body)?.[0] ?? ''
  const controls: Record<string, string | string[]> = {}
  for (const [tag] of form.matchAll(/<input\b[^>]*>/g)) {
    const name = /name="([^"]*)"/.exec(tag)?.[1] ?? ''
    const value = (/value="([^"]*)"/.exec(tag)?.[1] ?? '').replaceAll('&#39;', "'").replaceAll('&amp;', '&')
    if (tag.includes('type="checkbox"') && !tag.includes(' checked')) continue
    if (name.endsWith('[]')) controls[name.slice(0, -2)] = [...(controls[name.slice(0, -2)] ?? []), value]
    else controls[name] = value
  }
  return controls
}

describe('an event in one line', () => {
  const service = serviceForTests({ timezone: 'Europe/Dublin' })
  const editor = deskHere(service, 'editor')

  before(async () => {
    await service.create('/venues', { venue: 'St Mary’s', city: 'Cork' })
    await service.create('/categories', { name: 'Music' })
  })

  const read = (line: string, as = editor) => as.post('/desk/quick', { line })

  test('a line fills title, date, times, venue, categories, says them back, saves nothing', async () => {
    const { status, body } = await read('Choir practice, 14 May 2027 19:30-21:00, St Mary’s #music #choir')
    equal(status, 200)
    const controls = controlsIn(body)
    deepEqual(
      [controls.title, controls.start_time, controls.end_time, controls.venue_name, controls.new_tags],
      ['Choir practice', '19:30', '21:00', 'St Mary’s', ['choir']],
    )
    match(String(controls.start_date), /Fri.*14 May 2027/)
    match(body, /Found in the directory · Cork/)
    match(body, /Friday,? 14 May 2027/)
    equal((await service.get('/events?start_date=2000-01-01')).body.total, 0)
  })

  test('what was understood is saved by one more press, as the form would save it', async () => {
    const shown = await read('Choir evening, 15 May 2027 19:30-21:00, St Mary’s #music #singing')
    await editor.save('/desk/events/new', { ...controlsIn(shown.body), status: 'publish' })
    const { body } = await service.get('/events?start_date=2027-05-15&end_date=2027-05-15')
    const [event] = body.events
    equal(event.title, 'Choir evening')
    deepEqual([event.start_date, event.end_date], ['2027-05-15 19:30:00', '2027-05-15 21:00:00'])
    equal(event.venue.venue, 'St Mary’s')
    deepEqual(pluck(event.categories, 'name'), ['Music'])
    deepEqual(pluck(event.tags, 'name'), ['singing'])
  })

  test('a line without a time is not said to be without a day', async () => {
    match((await read('Choir 14 May 2027')).body, /No time was found in the line/)
    match((await read('Choir 19:30')).body, /No day was found in the line/)
  })

  test('an unknown venue stays text that will be made, and a rule makes a series', async () => {
    const { body } = await read('Yoga every tuesday 18:00 until 1 june 2027 @ The Old Barn')
    match(body, /Will be created/)
    const controls = controlsIn(body)
    equal(controls.venue_name, 'The Old Barn')
    await editor.save('/desk/events/new', { ...controls, status: 'publish' })
    const found = (await service.get('/events?search=yoga&per_page=50')).body
    ok(found.total > 10)
    equal(found.events[0].venue.venue, 'The Old Barn')
    match(found.events.at(-1).start_date, / 18:00:00$/)
  })

  test('the form of an event takes over all of it', async () => {
    const { body } = await read('Fair 16 May 2027 10:00-16:00 @ The Green #music #fun')
    const query = new URLSearchParams()
    for (const [name, value] of Object.entries(controlsIn(body)))
      if (typeof value === 'string') query.append(name, value)
      else for (const one of value) query.append(`${name}[]`, one)
    const form = await editor.get(`/desk/events/new?${query}`)
    equal(form.status, 200)
    for (const text of ['Fair', '16 May 2027', '10:00', '16:00', 'The Green'])
      match(form.body, new RegExp(`value="[^"]*${text}`), text)
    match(form.body, /name="categories\[\]"[^>]*checked/)
  })

  test('a line without a day says so, and the form that it fills names it as a fault', async () => {
    const { status, body } = await read('Something nice')
    equal(status, 200)
    match(body, /No day was found in the line\./)
    const saved = await editor.post('/desk/events/new', { ...controlsIn(body), status: 'publish' })
    equal(saved.status, 422)
    match(saved.body, /value="Something nice"/)
  })

  test('a line is text, bounded, and not for those who make no events', async () => {
    doesNotMatch((await read('<script>alert(1)</script> 3 May 2027')).body, /<script>alert/)
    equal((await read('x'.repeat(301))).status, 422)
    equal((await read('')).status, 200)
    equal((await read('Party 3 May 2027', await sitAtDesk(service, 'subscriber'))).status, 403)
    const contributor = await read('Party 3 May 2027', await sitAtDesk(service, 'contributor'))
    match(contributor.body, /name="status" value="pending"/)
    doesNotMatch(contributor.body, /name="status" value="publish"/)
  })

  test('Today has a place for the line', async () => {
    match((await editor.get('/desk/')).body, /<form class="quick" method="post" action="\/desk\/quick">/)
  })

  test('12/4 is in April where English is written so, and in December where it is not', async () => {
    for (const [timezone, day] of [
      ['Europe/Dublin', '12 April 2027'],
      ['America/Chicago', 'December 4, 2027'],
    ] as const) {
      const own = await startService({ language: 'en', timezone })
      const { body } = await (await sitAtDesk(own, 'editor')).post('/desk/quick', {
        line: 'Choir 12/4/2027 19:30',
      })
      await own.close()
      ok(body.includes(day), timezone)
    }
  })

  for (const [language, line, day] of [
    ['de', 'Chorprobe Freitag 19:30', 'Freitag'],
    ['fr', 'Chorale vendredi 19h30', 'vendredi'],
    ['es', 'Coro viernes 19:30', 'viernes'],
  ] as const)
    test(`a line is understood in the language of the site: ${language}`, async () => {
      const own = await startService({ language })
      const { body } = await (await sitAtDesk(own, 'editor')).post('/desk/quick', { line })
      await own.close()
      equal(controlsIn(body).start_time, '19:30')
      match(body, new RegExp(day, 'i'))
    })
})
