import { deepEqual, equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { holdsUpNobody } from '../support/longest-turn.ts'
import { credentialsOf, serviceForTests } from '../support/service.ts'

const service = serviceForTests()

/** The most bytes of a description. */
const MOST = 200_000
const long = (part: string) => part.repeat(Math.floor(MOST / Buffer.byteLength(part)))

const HOSTILE: Readonly<Record<string, string>> = {
  tags: long('<b>'),
  'line breaks in a tag': `<b>${long('<br>').slice(3)}`,
  cells: long('<td>'),
  paragraphs: long('<p>x</p>\n'),
  nested: '<div>'.repeat(18_000) + '</div>'.repeat(18_000),
  lists: long('<ul><li>'),
  'blanks before a line end': `a${' '.repeat(MOST - 5)}b\nc`,
  lines: long('a\n'),
  ampersands: long('&'),
  marks: `a${long('&#789;').slice(6)}`,
  'marks with what is not seen': `a${long('\u0315\u200b').slice(3)}`,
  words: Array.from({ length: 33_000 }, (_, i) => i.toString(36).padStart(5, 'x')).join(' '),
}

const MOST_MS = 100

for (const [name, text] of Object.entries(HOSTILE)) {
  test(`a long description of ${name} is written, listed, found, read without a wait`, async () => {
    for (const as of ['author', 'admin'] as const) {
      await holdsUpNobody(`${name} by ${as}`, MOST_MS, async (round) => {
        const day = { start_date: '2027-05-05', end_date: '2027-05-05' }
        const venue = await service.post(
          '/venues',
          { venue: `${name} ${as} ${round}`, description: text },
          as,
        )
        const event = await service.post(
          '/events',
          { title: name, ...day, description: text, venue: venue.body.id },
          as,
        )
        deepEqual([venue.status, event.status], [201, 201])
        const paths = [
          `/events/${event.body.id}`,
          `/events?include=${event.body.id}`,
          `/venues/${venue.body.id}`,
        ]
        for (const path of [
          ...paths,
          `/venues?search=${encodeURIComponent(`${name} ${as} ${round}`)}`,
          '/events?search=nowhere',
        ]) {
          for (const reader of ['anonymous', as] as const)
            equal((await service.get(path, reader)).status, 200, path)
        }
        const changed = await service.put(`/events/${event.body.id}`, { excerpt: text }, as)
        equal(changed.body.description, event.body.description)
      })
    }
  })
}

test('a list of the longest events is sent in many turns', async () => {
  const HOW_MANY = 15
  const [day, text] = ['2028-05-05', long('&')]
  for (let i = 0; i < HOW_MANY; i++) {
    const sent = { title: `Long ${i}`, start_date: day, end_date: day, description: text, excerpt: text }
    equal((await service.post('/events', sent, 'author')).status, 201)
  }
  for (const as of ['anonymous', 'editor'] as const) {
    await holdsUpNobody(`the list of ${as}`, MOST_MS, async () => {
      // Read piece by piece: parsing 30 MB of JSON would block this thread, too.
      const path = `/events?per_page=50&start_date=${day}`
      const { status, body } = await fetch(service.base + path, { headers: credentialsOf(as) })
      equal(status, 200)
      let bytes = 0
      for await (const piece of body ?? []) bytes += piece.length
      ok(bytes > HOW_MANY * MOST * 2 * '&amp;'.length, `${bytes} bytes`)
    })
  }
})

const UNTIL_CUT_MS = 1500

test('the stems of many long texts are written without holding anything up', async () => {
  let words = 0
  const text = () => Array.from({ length: 2000 }, () => `walking${(words++).toString(36)}`).join(' ')
  const day = { start_date: '2027-05-06', end_date: '2027-05-06' }
  const write = async (round: number) => {
    const events = Array.from({ length: 16 }, (_, i) => ({
      title: `Stems ${round} ${i}`,
      ...day,
      description: text(),
    }))
    for (const { status } of await Promise.all(events.map((event) => service.post('/events', event))))
      equal(status, 201)
  }
  // Writing the stems of sixteen texts in one turn took 42 to 76 ms.
  await holdsUpNobody('writing stems', 35, () => sleep(UNTIL_CUT_MS), write)
})
