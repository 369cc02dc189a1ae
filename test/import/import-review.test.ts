import { deepEqual, match } from 'node:assert/strict'
import { test } from 'node:test'
import { onDay } from '../support/service.ts'
import { type Calendar, startCalendar } from './calendar-command.ts'

const ical = (events: string[]) =>
  ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//x//x//EN', ...events, 'END:VCALENDAR', ''].join('\r\n')
const one = (uid: string, summary: string, more = '') =>
  [
    'BEGIN:VEVENT',
    `UID:${uid}`,
    `SUMMARY:${summary}`,
    'DTSTART:20270501T180000Z',
    'DTEND:20270501T190000Z',
    more,
    'END:VEVENT',
  ]
    .filter(Boolean)
    .join('\r\n')

const statuses = async ({ service }: Calendar): Promise<Record<string, string>> => {
  const { body } = await service.get(
    '/events?start_date=1990-01-01&status=publish,pending,draft,private&per_page=50',
    'admin',
  )
  return Object.fromEntries(
    body.events.map(({ title, status }: { title: string; status: string }) => [title, status]),
  )
}

test('what an import brings waits for review where asked, and a reviewer alone publishes it', async () => {
  await using calendar = await startCalendar()
  const file = async (events: string[]) => calendar.file('town.ics', ical(events))
  const run = async (events: string[], ...words: string[]) =>
    calendar.kalends('import', '--review', '--name', 'town', ...words, await file(events))
  const both = [one('a', 'First'), one('b', 'Second'), one('s', 'Weekly', 'RRULE:FREQ=WEEKLY;COUNT=3')]
  const preview = await run(both, '--dry-run')
  match(preview.out, /0 coming, 0 past; and not: 0 private, 3 draft, pending or scheduled/)
  match((await run(both)).out, /0 coming, 0 past; and not: 0 private, 3 draft, pending or scheduled/)
  deepEqual(await statuses(calendar), { First: 'pending', Second: 'pending', Weekly: 'pending' })
  match((await run(both)).out, /0 made, 0 changed, 3 unchanged/)
  const { body } = await calendar.service.get('/events?start_date=1990-01-01&status=pending', 'admin')
  const [first] = body.events
  await calendar.service.update(`/events/${first.id}`, { status: 'publish' })
  const changed = [
    one('a', 'First!'),
    one('b', 'Second!'),
    one('s', 'Weekly!', 'RRULE:FREQ=WEEKLY;COUNT=3'),
    one('c', 'Third'),
  ]
  for (const policy of ['keep', 'overwrite']) {
    await run(changed, '--conflicts', policy)
    deepEqual(await statuses(calendar), {
      'First!': 'publish',
      'Second!': 'pending',
      'Weekly!': 'pending',
      Third: 'pending',
    })
  }
  await calendar.kalends(
    'import',
    '--every',
    '6h',
    '--review',
    '--name',
    'other',
    'https://other.example/x.ics',
  )
  match((await calendar.rows()).toString(), /--review/)
  match((await calendar.kalends('imports', 'undo', '--review', '1')).err, /unknown option/)
})

test('a source that says what is published has it waiting as well, and its drafts stay drafts', async () => {
  await using calendar = await startCalendar()
  const at = onDay('2027-05-01', '10:00:00', '12:00:00')
  const lines = [
    { id: 1, title: 'Public', status: 'publish', ...at },
    { id: 2, title: 'Draft', status: 'draft', ...at },
  ]
  const source = await calendar.file('town.ndjson', lines.map((line) => JSON.stringify(line)).join('\n'))
  await calendar.kalends('import', '--review', source)
  deepEqual(await statuses(calendar), { Public: 'pending', Draft: 'draft' })
  await calendar.kalends('import', '--review', '--conflicts', 'overwrite', source)
  deepEqual(await statuses(calendar), { Public: 'pending', Draft: 'draft' })
})
