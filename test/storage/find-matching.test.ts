import { deepEqual, equal } from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type SqlBool, sql } from 'kysely'
import { hasSearchedWords, parseSearch } from '../../src/base/text/search.ts'
import type { Database } from '../../src/store/storage/database.ts'
import { countIds, hasId, type IdSet } from '../../src/store/storage/id-set.ts'
import { migrate } from '../../src/store/storage/migrate.ts'
import { openDatabase } from '../../src/store/storage/open-database.ts'
import { alsoMatching } from '../../src/store/storage/search/search-index.ts'
import { onSqlite, type ScratchDatabase, scratchDatabase } from '../support/database.ts'
import { fc, rounds } from '../support/rounds.ts'

const EVENTS = 5000
const AT_ONCE = 100
const SYLLABLES =
  'ka ri mo ten sel bra vin dor lu ap ost ing er an hof lin mar che to ga ja zz eve ni ng'.split(' ')
const SIGNS = [...'夏祭東京🎏%_-"']

let scratch: ScratchDatabase
let database: Database
const texts = new Map<number, string>()

function makeNumbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

function textOf(next: () => number): string {
  const word = () => {
    const which = Math.floor(4000 ** next())
    const length = 1 + (which % 4)
    const word = Array.from({ length }, (_, i) => SYLLABLES[(which * (i + 3)) % SYLLABLES.length]).join('')
    return which % 11 === 0 ? `${word}${which}` : word
  }
  const sign = () => SIGNS[Math.floor(next() * next() * SIGNS.length)] ?? ''
  const words = (most: number) => Array.from({ length: 1 + Math.floor(next() * most) }, word).join(' ')
  return `${words(3)}${sign()}\n\n${words(12)} ${sign()}${sign()}`.trim()
}

before(async () => {
  scratch = await scratchDatabase()
  database = await openDatabase(scratch.address)
  await migrate(database)
  const next = makeNumbers(11)
  const rows = Array.from({ length: EVENTS }, () => textOf(next))
  // Most rows come before the migration, which indexes them; the rest come one by one and may not be indexed
  // yet.
  await insert(rows.slice(0, EVENTS - 50))
  await migrate(database)
  for (const row of rows.slice(EVENTS - 50)) await insert([row])
})
after(async () => {
  await database.close()
  await scratch.remove()
})

async function insert(folded: readonly string[]): Promise<void> {
  const time = '2027-01-01 00:00:00'
  const times = {
    date: time,
    date_utc: time,
    modified: time,
    modified_utc: time,
    start_date: time,
    end_date: time,
  }
  const columns = { author: 1, status: 'publish', trusted: 1, title: '', timezone: 'UTC' }
  await database.write(async (tx) => {
    for (let from = 0; from < folded.length; from += AT_ONCE) {
      const some = folded.slice(from, from + AT_ONCE)
      const made = await tx
        .insertInto('records')
        .values(some.map(() => ({ kind: 'event' })))
        .returning('id')
        .execute()
      const rows = made.map(({ id }, at) => {
        const search = some[at] ?? ''
        texts.set(id, search)
        const own = { id, slug: `event-${id}`, search, utc_start_date: time, utc_end_date: time }
        return { ...columns, ...times, ...own }
      })
      await tx
        .insertInto('events')
        .values(rows as never)
        .execute()
    }
  })
}

function listed(ids: IdSet): number[] {
  return [...texts.keys()].filter((id) => hasId(ids, id))
}

function expected(search: string): number[] {
  const wanted = parseSearch(search)
  return [...texts].flatMap(([id, text]) => (hasSearchedWords(wanted, text) ? [id] : []))
}

describe('the events that a search finds', () => {
  const searches = [
    ['a', 'a letter that is nearly everywhere'],
    ['in', 'two letters of thousands of words'],
    ['ka', 'a syllable'],
    ['karimo', 'part of some words'],
    ['zz', 'letters of few words'],
    ['xyz', 'letters of no word'],
    ['夏', 'a sign'],
    ['東%', 'two signs side by side'],
    ['%', 'a sign that means something elsewhere'],
    ['a*', 'a word that looks like a pattern'],
    ['-a', 'all without a letter'],
    ['-xyz', 'all without letters of no word'],
    ['a in er', 'several short words'],
    ['ka -ri', 'one without the other'],
    ['ka -ri -夏 -"a ka"', 'one without several others'],
    ['"a ka"', 'a phrase within two words'],
    ['"ri ri"', 'a phrase of common words'],
    ['" "', 'a blank'],
  ] as const
  for (const [search, told] of searches) {
    test(`are those whose texts contain ${told}: ${search}`, async () => {
      deepEqual(listed(await database.findMatching(parseSearch(search))), expected(search))
    })
  }

  test('are those whose texts contain any piece of any of them', async () => {
    const piece = fc
      .tuple(fc.nat(), fc.nat(), fc.integer({ min: 1, max: 14 }), fc.constantFrom('', '', '-'))
      .map(([which, from, length, minus]) => {
        const text = [...texts.values()][which % texts.size] ?? ''
        const word = [...text].slice(from % text.length).slice(0, length)
        return `${minus}"${word.join('').replaceAll('\n', ' ')}"`
      })
    const search = fc.array(piece, { minLength: 1, maxLength: 3 }).map((words) => words.join(' '))
    await fc.assert(
      fc.asyncProperty(search, async (text) => {
        deepEqual(listed(await database.findMatching(parseSearch(text))), expected(text))
      }),
      { numRuns: rounds(37) },
    )
  })

  for (const search of ['karimo', 'a', '-xyz', 'xyz', 'ka -ri']) {
    test(`are what is left of a query that is narrowed to them: ${search}`, async () => {
      const searched = await alsoMatching(database.read, parseSearch(search), database.findMatching)
      const rows = await database.read
        .selectFrom('events')
        .select('id')
        .where(searched(sql<SqlBool>`slug like '%7%'`))
        .orderBy('id')
        .execute()
      deepEqual(
        rows.map(({ id }) => id),
        expected(search).filter((id) => String(id).includes('7')),
      )
    })
  }

  test('are found while others are being written, removed and rewritten', async () => {
    const next = makeNumbers(12)
    const ids = [...texts.keys()]
    for (let round = 0; round < 200; round++) {
      const id = ids[Math.floor(next() * ids.length)] ?? 0
      const text = textOf(next)
      const change = round % 3
      if (change === 0) await insert([text])
      else if (texts.has(id))
        await database.write(async (tx) => {
          if (change === 1)
            await tx.updateTable('events').set({ search: text }).where('id', '=', id).execute()
          else await tx.deleteFrom('events').where('id', '=', id).execute()
        })
      if (change === 1 && texts.has(id)) texts.set(id, text)
      if (change === 2) texts.delete(id)
      if (round % 5 === 0) {
        const search = text.split(/\s+/).at(round % 3) ?? 'a'
        deepEqual(listed(await database.findMatching(parseSearch(search))), expected(search), search)
      }
    }
    const other = listed(await database.findMatching(parseSearch('-ka')))
    deepEqual(other, expected('-ka'))
  })

  test('are found in memory, which no thread could open', onSqlite, async () => {
    const memory = await openDatabase('sqlite::memory:')
    await migrate(memory)
    equal(countIds(await memory.findMatching(parseSearch('a'))), 0)
    await memory.close()
  })

  test('are none when the search was for something that is in none, however much else is asked', async () => {
    equal(countIds(await database.findMatching(parseSearch('a in xyzzy'))), 0)
  })
})
