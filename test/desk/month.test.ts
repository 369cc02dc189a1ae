import { deepEqual, doesNotMatch, equal, match, notDeepEqual } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { deskHere, sitAtDesk } from '../support/desk.ts'
import { onDay, serviceForTests } from '../support/service.ts'

describe('the month to plan on', () => {
  const service = serviceForTests()
  const editor = deskHere(service, 'editor')

  const at = (day: string, from = '19:00:00', to = '21:00:00') => onDay(day, from, to)
  const startOf = async (id: number) => (await service.get(`/events/${id}`, 'editor')).body.start_date

  test('shows drafts and hidden events, and others’ drafts to those alone who may edit them', async () => {
    await service.event({ title: 'Planned quietly', ...at('2027-03-10'), status: 'draft' })
    await service.event({ title: 'Listed nowhere', ...at('2027-03-11'), hide_from_listings: true })
    const { status, body } = await editor.get('/desk/month/2027-03')
    equal(status, 200)
    match(body, /class="entry draft[^>]*>.{0,200}Planned quietly/)
    match(body, /Listed nowhere/)
    const contributor = await sitAtDesk(service, 'contributor')
    doesNotMatch((await contributor.get('/desk/month/2027-03')).body, /Planned quietly/)
  })

  test('a day with 300 events shows the first ones, a way to add one and a way to all of them', async () => {
    for (let batch = 0; batch < 6; batch++)
      await Promise.all(
        Array.from({ length: 50 }, (_, i) =>
          service.event({ title: `Stall ${batch}-${i}`, ...at('2027-05-08') }),
        ),
      )
    const { body } = await editor.get('/desk/month/2027-05')
    match(body, /href="\/desk\/events\/new\?start_date=2027-05-08"/)
    match(body, /href="\/desk\/month\/2027-05\?day=2027-05-08#day">\+295 more</)
    const whole = await editor.get('/desk/month/2027-05?day=2027-05-08')
    equal(
      whole.body
        .split('id="day"')[1]
        ?.split('</section>')[0]
        ?.match(/Stall \d+-\d+<\/a>/g)?.length,
      300,
    )
  })

  test('an event moves to another day at the same time, and back', async () => {
    const { id } = await service.event({ title: 'Choir', ...at('2027-03-27') })
    const moved = await editor.post('/desk/month/move', { id: String(id), day: '2027-04-03' })
    equal(moved.status, 303)
    equal(moved.headers.get('location'), `/desk/month/2027-04?moved=${id}&from=2027-03-27`)
    equal(await startOf(id), '2027-04-03 19:00:00')
    const { body } = await editor.get(moved.headers.get('location') ?? '')
    match(body, /Choir is on Saturday,? (3 April|April 3) now/)
    match(body, /<div class="notice"><form class="undo"/)
    match(body, />[^<]*: 1 event<\/span>/)
    await editor.post('/desk/month/move', { id: String(id), day: '2027-03-27', recurrence_scope: 'this' })
    equal(await startOf(id), '2027-03-27 19:00:00')
    await editor.post('/desk/month/move', { id: String(id), days: '-7' })
    equal(await startOf(id), '2027-03-20 19:00:00')
  })

  test('of a date of a series it asks which dates are meant', async () => {
    const first = await service.event({
      title: 'Jazz',
      ...at('2027-09-02'),
      recurrence: 'RRULE:FREQ=WEEKLY;COUNT=4',
    })
    const list = await service.get('/events?search=Jazz&start_date=2027-09-01&end_date=2027-10-01')
    const [, second] = list.body.events
    const asked = await editor.post('/desk/month/move', { id: String(second.id), day: '2027-09-10' })
    equal(asked.status, 200)
    match(asked.body, /name="recurrence_scope" value="following"/)
    await editor.save('/desk/month/move', {
      id: String(second.id),
      day: '2027-09-10',
      recurrence_scope: 'this',
    })
    equal(await startOf(second.id), '2027-09-10 19:00:00')
    equal(await startOf(first.id), '2027-09-02 19:00:00')
  })

  test('undo moves the same dates of a series back', async () => {
    await service.event({ title: 'Quartet', ...at('2027-10-05'), recurrence: 'RRULE:FREQ=WEEKLY;COUNT=4' })
    const list = '/events?search=Quartet&start_date=2027-10-01&end_date=2027-11-01'
    const starts = async () =>
      (await service.get(list)).body.events.map((event: { start_date: string }) => event.start_date)
    const [before, { body }] = [await starts(), await service.get(list)]
    for (const [at, scope] of [[0, 'all'] as const, [2, 'following'] as const]) {
      const id = String(body.events[at].id)
      const day = `2027-10-${at === 0 ? '06' : '20'}`
      const moved = await editor.post('/desk/month/move', { id, day, recurrence_scope: scope })
      notDeepEqual(await starts(), before)
      const { body: shown } = await editor.get(moved.headers.get('location') ?? '')
      const undo = shown.split('<form class="undo"')[1]?.split('</form>')[0] ?? ''
      const fields = [...undo.matchAll(/name="(\w+)" value="([^"]*)"/g)].map(([, name, value]) => [
        name,
        value,
      ])
      await editor.post('/desk/month/move', Object.fromEntries(fields))
      deepEqual(await starts(), before, scope)
    }
  })

  test('who may not edit an event has no way to move it, and is refused', async () => {
    const { id } = await service.event({ title: 'Theirs', ...at('2027-07-01') })
    const author = await sitAtDesk(service, 'author')
    doesNotMatch((await author.get('/desk/month/2027-07')).body, new RegExp(`chosen=${id}`))
    equal((await author.post('/desk/month/move', { id: String(id), day: '2027-07-02' })).status, 403)
  })

  test('wrong months, days and ids are told, and nothing is changed', async () => {
    for (const path of ['/desk/month/2027-13', '/desk/month/now', '/desk/month/0000-01'])
      equal((await editor.get(path)).status, 404, path)
    const { id } = await service.event({ title: 'Fixed', ...at('2027-08-01') })
    for (const day of ['2027-02-31', '', 'tomorrow', '99999-01-01'])
      equal((await editor.post('/desk/month/move', { id: String(id), day })).status, 400, day)
    equal((await editor.post('/desk/month/move', { id: '0', day: '2027-08-02' })).status, 404)
    equal(await startOf(id), '2027-08-01 19:00:00')
  })
})
