import { deepEqual, equal, match } from 'node:assert/strict'
import { test } from 'node:test'
import { componentsOf } from '../../src/features/imports/component-reader.ts'
import { englishMessage } from '../../src/features/imports/import-messages.ts'

async function read(lines: Iterable<string>): Promise<string[]> {
  async function* bytes() {
    for (const line of lines) yield Buffer.from(`${line}\r\n`)
  }
  const found: string[] = []
  for await (const one of componentsOf(bytes()))
    found.push('reason' in one ? englishMessage(one.reason) : `${one.name} ${one.properties.length}`)
  return found
}

function* repeated(count: number, line: string): Generator<string> {
  for (let i = 0; i < count; i++) yield line
}

test('components within components cost their event, however many they are', async () => {
  const good = ['BEGIN:VEVENT', 'UID:good', 'END:VEVENT']
  const deep = [
    'BEGIN:VEVENT',
    ...repeated(20_000, 'BEGIN:DEEP'),
    ...repeated(20_000, 'END:DEEP'),
    'END:VEVENT',
  ]
  const wide = ['BEGIN:VEVENT', ...repeated(3000, 'BEGIN:VALARM'), 'END:VEVENT']
  const many = ['BEGIN:VEVENT', ...repeated(6000, 'BEGIN:VALARM\r\nEND:VALARM'), 'END:VEVENT']
  for (const lines of [deep, wide, many]) {
    const [first = '', second] = await read([...lines, ...good])
    match(first, /has more than 5000 lines|nested components/)
    equal(second, 'VEVENT 1')
  }
})

test('lines outside of all components are kept up to a limit', async () => {
  const found = await read([...repeated(10_000, 'X-NOTHING:1'), 'BEGIN:VEVENT', 'UID:a', 'END:VEVENT'])
  deepEqual(found, ['VCALENDAR 5000', 'VEVENT 1'])
})
