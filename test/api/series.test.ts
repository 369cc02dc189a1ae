import { deepEqual, equal, match, notEqual, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { pluck } from '../support/lists.ts'
import { onDay, serviceForTests } from '../support/service.ts'

const service = serviceForTests({ timezone: 'Europe/Berlin' })

const YEAR = 2027
const TUESDAY = (() => {
  for (let day = 1; ; day++) {
    const date = new Date(Date.UTC(YEAR, 9, day))
    if (date.getUTCDay() === 2) return date.toISOString().slice(0, 10)
  }
})()

const market = (more: object = {}) => ({
  title: 'Market',
  ...onDay(TUESDAY, '19:00:00', '21:00:00'),
  recurrence: 'RRULE:FREQ=WEEKLY;COUNT=10',
  ...more,
})

const occurrencesOf = async (series: number, more = '') =>
  (
    await service.get(
      `/events?post_parent=${series}&per_page=50&start_date=2000-01-01&end_date=2100-01-01${more}`,
    )
  ).body

test('an event with a recurrence answers with its first occurrence, and its dates are events', async () => {
  const first = await service.create(
    '/events',
    market({ title: 'Flea Market', slug: 'flea', categories: ['Fairs'] }),
  )
  equal(first.start_date, `${TUESDAY} 19:00:00`)
  deepEqual(Object.keys(first).slice(-2), ['recurrence', 'post_parent'])
  const { series } = first.recurrence
  equal(first.post_parent, series)
  equal(first.recurrence.rrule, 'FREQ=WEEKLY;COUNT=10')
  deepEqual(first.recurrence.rule, { frequency: 'weekly', interval: 1, count: 10 })
  equal(first.recurrence.id, `${TUESDAY} 19:00:00`)
  deepEqual(first.recurrence.overrides, [])
  equal(first.recurrence.text, 'every Tuesday, 10 times')
  equal(first.slug, `flea-${TUESDAY}`)

  const { events, total } = await occurrencesOf(series)
  equal(total, 10)
  deepEqual(events[0], first)
  equal(new Set(events.map(({ id }: { id: number }) => id)).size, 10)
  for (const event of events) {
    equal(event.start_date.slice(11), '19:00:00')
    equal(event.slug, `flea-${event.start_date.slice(0, 10)}`)
    equal(event.recurrence.id, event.start_date)
    equal(event.categories[0].count, 10)
  }
  // 19:00 stays 19:00 when the clocks change, so there are two UTC times.
  equal(
    new Set(events.map(({ utc_start_date }: { utc_start_date: string }) => utc_start_date.slice(11))).size,
    2,
  )
  const asEditor = (await service.get(`/events?post_parent=${series}&per_page=50`, 'editor')).body
  deepEqual(asEditor.events, events)
  const single = (await service.get(`/events/${events[3].id}`)).body
  deepEqual(Object.keys(single).slice(-3), ['json_ld', 'recurrence', 'post_parent'])
  deepEqual(single.recurrence, events[3].recurrence)
})

test('a recurrence is read from text, list and object, and empty ones mean none', async () => {
  const forms = [
    'RRULE:FREQ=WEEKLY;COUNT=3',
    ['RRULE:FREQ=WEEKLY;COUNT=3'],
    { frequency: 'weekly', count: 3 },
  ]
  for (const recurrence of forms) {
    const { recurrence: shown, post_parent } = await service.event(market({ recurrence }))
    equal(shown.rrule, 'FREQ=WEEKLY;COUNT=3')
    equal((await occurrencesOf(post_parent)).total, 3)
  }
  for (const recurrence of ['', null, []]) {
    equal((await service.event(market({ recurrence }))).recurrence, undefined)
  }
})

test('an occurrence, a series and parts of their recurrence can be posted as a copy', async () => {
  const shown = await service.event(market({ title: 'Copied', tags: ['copies'] }))
  const second = (await occurrencesOf(shown.post_parent)).events[1]
  const series = (await service.get(`~/wp-json/kalends/v1/series/${shown.post_parent}`)).body
  const { rrule, rule } = shown.recurrence
  for (const sent of [shown, second, { ...series, id: undefined }, market({ recurrence: { rrule } })]) {
    const copy = await service.event(sent)
    notEqual(copy.post_parent, shown.post_parent)
    equal(copy.start_date, sent.start_date)
    equal((await occurrencesOf(copy.post_parent)).total, 10)
  }
  const byRule = await service.create(
    '/events',
    market({ recurrence: { rule, text: 'weekly', overrides: [] } }),
  )
  equal(byRule.recurrence.rrule, rrule)
  const dates = await service.event(market({ recurrence: `RDATE:${YEAR}1224T190000` }))
  equal((await service.event(dates)).recurrence, undefined)
  equal((await service.put(`/events/${shown.id}`, { recurrence: { series: shown.post_parent } })).status, 200)
})

test('a recurrence of another product is read where it is one rule, else passed over', async () => {
  const rules = (rule: object, more: object = {}) => ({
    rules: [rule],
    exclusions: [],
    description: '',
    ...more,
  })
  const week = { day: ['2', '5'] }
  for (const [sent, rrule] of [
    [{ type: 'weekly', end_type: 'never' }, 'FREQ=WEEKLY'],
    [{ type: 'daily', end_type: 'after', end_count: '3' }, 'FREQ=DAILY;COUNT=3'],
    [
      { type: 'Monthly', interval: 2, end_type: 'on', end_date: `${YEAR + 1}-02-01` },
      'FREQ=MONTHLY;INTERVAL=2;UNTIL=',
    ],
    [rules({ type: 'Every Year', 'end-type': 'Never' }), 'FREQ=YEARLY'],
    [
      rules({
        type: 'Every Week',
        custom: { 'same-time': 'yes', interval: 1, week },
        'end-type': 'After',
        'end-count': 4,
      }),
      'FREQ=WEEKLY;COUNT=4;BYDAY=TU,FR',
    ],
    [
      [{ type: 'Custom', custom: { type: 'Daily', interval: '3' }, 'end-type': 'Never' }],
      'FREQ=DAILY;INTERVAL=3',
    ],
    [
      { rrule: { freq: 'weekly', byweekday: ['tu', 'FR'], dtstart: market().start_date } },
      'FREQ=WEEKLY;BYDAY=TU,FR',
    ],
    [{ freq: 'DAILY', count: 3 }, 'FREQ=DAILY;COUNT=3'],
  ] as const) {
    const { status, body, headers } = await service.post('/events', market({ recurrence: sent }))
    equal(status, 201, JSON.stringify(body))
    ok(body.recurrence.rrule.startsWith(rrule), body.recurrence.rrule)
    equal(headers.get('x-kalends-ignored'), null)
    const again = await service.put(`/events/${body.id}`, market({ title: 'Pushed', recurrence: sent }))
    equal(again.status, 200, JSON.stringify(again.body))
  }
  for (const sent of [
    { type: 'none' },
    { type: 'weekly', days: ['monday'] },
    { type: 'weekly', end_type: 'after' },
    { rules: [] },
    rules({ type: 'Custom', custom: { type: 'Monthly', month: { number: 'First', day: 1 } } }),
    rules({ type: 'weekly' }, { exclusions: [{ type: 'Date' }] }),
    { rules: [{ type: 'weekly' }, { type: 'daily' }] },
    { type: 'weekly', end: 'the first of June' },
    { type: 'constructor' },
    ...['type', 'interval', 'end', 'end_type', 'count'].map((name) => ({
      type: 'weekly',
      [name]: { toString: 1 },
    })),
    { type: 'weekly', custom: { week: { day: { toString: 1 } } } },
    { rrule: { freq: 'weekly', bysetpos: 2 } },
    { rrule: { rrule: { freq: 'weekly' } } },
  ]) {
    const { status, body, headers } = await service.post('/events', market({ recurrence: sent }))
    deepEqual([status, headers.get('x-kalends-ignored')], [201, 'recurrence'], JSON.stringify(sent))
    equal(body.recurrence, undefined)
    equal(
      (await service.put(`/events/${body.id}`, { recurrence: sent })).headers.get('x-kalends-ignored'),
      'recurrence',
    )
  }
  equal((await service.post('/events', market({ recurrence: { often: true } }))).status, 400)
})

test('a recurrence whose rule is a list or no text never makes a series a single event', async () => {
  const shown = await service.event(market())
  const put = (recurrence: object) =>
    service.put(`/events/${shown.id}`, { recurrence, recurrence_scope: 'all' })
  for (const recurrence of [{ rrule: 5 }, { rrule: {} }, { rrule: true }, { lines: 5 }, { rule: 5 }]) {
    await put(recurrence)
    equal((await occurrencesOf(shown.post_parent)).total, 10, JSON.stringify(recurrence))
  }
  for (const recurrence of [{ rrule: ['FREQ=WEEKLY;COUNT=4'] }, { lines: 'RRULE:FREQ=WEEKLY;COUNT=4' }])
    equal((await put(recurrence)).body.recurrence?.rrule, 'FREQ=WEEKLY;COUNT=4')
})

test('the parent filter finds nothing for an event, and refuses what is no event or series', async () => {
  const { recurrence: _, ...plain } = market()
  const event = await service.event(plain)
  equal((await occurrencesOf(event.id)).total, 0)
  equal((await service.get('/events?post_parent=99999999')).status, 400)
})

test('a recurrence that cannot be is refused, and names the part', async () => {
  const wrong: [unknown, string][] = [
    ['RRULE:FREQ=SECONDLY', 'RRULE:FREQ'],
    ['RRULE:FREQ=DAILY;COUNT=2;UNTIL=20300101T000000Z', ''],
    ['RRULE:FREQ=DAILY;BYHOUR=1,2,3', 'RRULE:BYHOUR'],
    ['nonsense', ''],
    [{ frequency: 'hourly' }, 'frequency'],
  ]
  for (const [recurrence, part] of wrong) {
    const { status, body } = await service.post('/events', market({ recurrence }))
    equal(status, 400, JSON.stringify(body))
    deepEqual(Object.keys(body.data.params), ['recurrence'])
    if (part) equal(body.data.details.recurrence.data.part, part)
  }
  equal((await service.post('/events', market({ recurrence: 7 }))).status, 400)
})

test('a series of years with many dates is written up to the horizon', async () => {
  const { post_parent } = await service.event(market({ recurrence: 'RRULE:FREQ=WEEKLY' }))
  const { total } = await occurrencesOf(post_parent)
  // Two years ahead of today, to the end of that day.
  const horizon = new Date()
  horizon.setUTCFullYear(horizon.getUTCFullYear() + 2)
  const days = (Date.parse(`${horizon.toISOString().slice(0, 10)}`) - Date.parse(TUESDAY)) / 86_400_000
  ok(Math.abs(total - 1 - days / 7) < 1.2, `${total} occurrences`)
  const endless = await service.post(
    '/events',
    market({ start_date: '1980-01-01 10:00', end_date: '1980-01-01 11:00', recurrence: 'RRULE:FREQ=DAILY' }),
  )
  equal(endless.status, 400)
})

test('a collapsed list shows the next occurrence of each series, and tells of those after it', async () => {
  const place = await service.create('/venues', { venue: 'Collapsed' })
  const { recurrence: _, ...plain } = market({
    title: 'Plain',
    venue: place.id,
    ...onDay(`${YEAR}-01-02`, '08:00', '09:00'),
  })
  const single = await service.event(plain)
  const series: { id: number; post_parent: number }[] = []
  for (const title of ['One', 'Two', 'Three'])
    series.push(await service.event(market({ title, venue: place.id })))
  const ask = async (query: string, as: 'anonymous' | 'editor') =>
    (await service.get(`/events?venue=${place.id}&start_date=${YEAR}-01-01&end_date=2100-01-01&${query}`, as))
      .body
  for (const as of ['anonymous', 'editor'] as const) {
    const { events, total, total_pages, next_rest_url } = await ask('collapse=series&per_page=3', as)
    deepEqual([total, total_pages], [4, 2])
    deepEqual(pluck(events, 'id'), [single.id, series[0]?.id, series[1]?.id])
    match(next_rest_url, /collapse=series/)
    equal(events[0].next_occurrences, undefined)
    equal(events[1].next_occurrences.length, 5)
    ok(events[1].next_occurrences[0].start_date > events[1].start_date)
    equal((await ask('hide_subsequent_recurrences=true', as)).total, 4)
    equal((await ask('hide_subsequent_recurrences=false', as)).total, 31)
    equal((await ask('', as)).total, 31)
  }
  // When the first occurrence is removed, the next one takes its place.
  await service.remove(`/events/${series[0]?.id}`)
  equal((await ask('collapse=series', 'anonymous')).total, 4)
  equal((await service.get('/events?collapse=venue')).status, 400)
})

test('a series that begins beyond the horizon has its first occurrence', async () => {
  for (const recurrence of ['RRULE:FREQ=WEEKLY', 'RRULE:FREQ=WEEKLY;COUNT=5']) {
    const far = { start_date: `${YEAR + 4}-05-01 10:00`, end_date: `${YEAR + 4}-05-01 11:00`, recurrence }
    const first = await service.event(market(far))
    equal(first.start_date, `${YEAR + 4}-05-01 10:00:00`)
    equal((await occurrencesOf(first.post_parent)).total, 1)
  }
})
