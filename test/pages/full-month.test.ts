import { equal, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { serviceForTests } from '../support/service.ts'

const service = serviceForTests({}, { fill })

const EVENTS = 300
const MONTH = '/events/month/2027-05/'
const two = (number: number) => String(number).padStart(2, '0')
const WORDS = 'Concert|Reading|Flea market|Choir|Guided walk|Workshop|Exhibition|Story time'.split('|')
const PLACES = ['Town Hall', 'Library', 'Old Mill', 'Harbour', 'Museum']

function eventOf(number: number) {
  const on = `2027-05-${two(1 + (number % 30))}`
  const [word, place] = [WORDS[number % WORDS.length], PLACES[number % PLACES.length]]
  return {
    title: `${word} number ${number * 7919} at the ${place}`,
    excerpt: `The ${number}th ${word} of the year, with guests from ${number * 104_729} towns.`,
    start_date: `${on} ${two(9 + (number % 12))}:${two((number * 7) % 60)}:00`,
    end_date: `${on} ${two(10 + (number % 12))}:${two((number * 7) % 60)}:00`,
    categories: [WORDS[number % WORDS.length]],
  }
}

async function fill(): Promise<void> {
  for (const name of WORDS) await service.create('/categories', { name })
  for (let first = 0; first < EVENTS; first += 20)
    await Promise.all(Array.from({ length: 20 }, (_, i) => service.event(eventOf(first + i))))
}

const page = async (path: string): Promise<string> => {
  const { status, body } = await service.page(path)
  equal(status, 200)
  return body
}

describe('a month of three hundred events', () => {
  test('has them all within its weight', async () => {
    const body = await page(MONTH)
    const shown = new Set(body.match(/href="\/event\/[^"]+"/g)).size
    const others = [...body.matchAll(/class="rest"><a[^>]+>\+(\d+) more/g)].reduce(
      (sum, [, more]) => sum + Number(more),
      0,
    )
    equal(shown + others, EVENTS)
    for (const compress of [gzipSync, brotliCompressSync]) ok(compress(body).length < 50_000)
  })
})
