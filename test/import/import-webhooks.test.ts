import { deepEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { serverHere } from '../support/server.ts'
import { onDay } from '../support/service.ts'
import { until } from '../support/waiting.ts'
import { startCalendar } from './calendar-command.ts'

const ICALENDAR = [
  'BEGIN:VCALENDAR',
  'VERSION:2.0',
  'PRODID:-//test//test//EN',
  ...['one', 'two'].flatMap((name) => [
    'BEGIN:VEVENT',
    `UID:${name}@example.org`,
    'DTSTAMP:20270101T000000Z',
    'DTSTART:20270401T100000Z',
    'DTEND:20270401T120000Z',
    `SUMMARY:Imported ${name}`,
    'END:VEVENT',
  ]),
  'END:VCALENDAR',
  '',
].join('\r\n')

test('webhooks are told what an import by command creates, nothing by a repeated one', async () => {
  await using calendar = await startCalendar({ webhook_hosts: '127.0.0.1' })
  const { service } = calendar
  const told: string[] = []
  const url = await serverHere(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += String(chunk)
    const { type, data } = JSON.parse(text)
    told.push(`${type} ${data.record?.title}`)
    response.writeHead(204).end()
  })
  await service.create('~/wp-json/kalends/v1/webhooks', { url, events: ['event.*'] })
  const path = await calendar.file('events.ics', ICALENDAR)
  await calendar.run(0, 'import', path)
  await until(() => told.length >= 2, 'the messages')
  deepEqual(told.sort(), ['event.created Imported one', 'event.created Imported two'])
  await calendar.run(0, 'import', path)
  await service.event({ title: 'Last', ...onDay('2027-04-02', '10:00', '11:00') })
  await until(() => told.length >= 3, 'the last message')
  deepEqual(told.slice(2), ['event.created Last'])
})
