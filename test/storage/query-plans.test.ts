import { deepEqual, doesNotMatch, equal, ifError, match, ok } from 'node:assert/strict'
import type { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { sql } from 'kysely'
import type { Context } from '../../src/calendar/declare/context.ts'
import type { Caller } from '../../src/calendar/people/caller.ts'
import { publishDue } from '../../src/calendar/series/series-upkeep.ts'
import { findClashes } from '../../src/features/desk/clashes.ts'
import { findDeskPage } from '../../src/features/desk/desk-events.ts'
import { DESK_TABS } from '../../src/features/desk/desk-list-runs.ts'
import { findAsTyped } from '../../src/features/desk/find-as-typed.ts'
import { pickNames } from '../../src/features/desk/picked-names.ts'
import {
  countInbox,
  listPendingEvents,
  listWaitingProposals,
} from '../../src/features/desk/review/proposal-store.ts'
import { findVenuesOf } from '../../src/features/feeds/venues-of-events.ts'
import { listDirectory, listLetters } from '../../src/features/pages/linked-directory.ts'
import { suggest } from '../../src/features/pages/suggestions.ts'
import { emptyIndex, putEvent } from '../../src/store/memory/event-index.ts'
import { readIndex } from '../../src/store/memory/event-index-read.ts'
import { type Database, type Db, type ReadInLane, runQueries } from '../../src/store/storage/database.ts'
import { makeIdSet } from '../../src/store/storage/id-set.ts'
import { migrateWithin, stepNames } from '../../src/store/storage/migrate.ts'
import { queryBuilder } from '../../src/store/storage/sqlite/sqlite-builders.ts'
import { connect, prepareKept } from '../../src/store/storage/sqlite/sqlite-connection.ts'
import { onSqlite } from '../support/database.ts'
import { onDay } from '../support/service.ts'
import { openScratch } from './open.ts'

const kernelSteps = stepNames([])

test('the old slugs of a record are found without reading those of others', onSqlite, async (t) => {
  const { database } = await openScratch(t)
  const { rows } = await sql<{
    detail: string
  }>`explain query plan delete from old_slugs where kind = 'event' and record = 7
    and slug not in (select slug from old_slugs where kind = 'event' and record = 7 order by left_utc desc
      limit 20)`.execute(database.read)
  const searches = rows.map(({ detail }) => detail).filter((detail) => /SEARCH|SCAN/.test(detail))
  equal(searches.length, 2)
  for (const detail of searches) match(detail, /old_slugs_record \(record=\? AND kind=\?\)/)
})

interface Plan {
  text: string
  steps: string[]
}

async function plannedBy(
  work: (db: Db) => Promise<unknown>,
  fill?: (connection: DatabaseSync) => void,
): Promise<Plan[]> {
  const connection = connect(':memory:', 1024)
  const prepare = prepareKept(connection)
  const texts = new Set<string>()
  const db = queryBuilder((text) => {
    texts.add(text)
    return prepare(text)
  })
  await migrateWithin(db, kernelSteps)
  fill?.(connection)
  texts.clear()
  await work(db)
  const plans = [...texts].map((text) => {
    const plan = connection.prepare(`explain query plan ${text}`).all()
    return { text, steps: plan.map(({ detail }) => String(detail)) }
  })
  connection.close()
  return plans
}

const plansOf = async (work: (db: Db) => Promise<unknown>) =>
  (await plannedBy(work)).map(({ steps }) => steps)

test('reading the calendar into memory touches no row of an event', onSqlite, async () => {
  const plans = await plannedBy(async (db) => {
    const index = await readIndex(db, new Map(), new AbortController().signal, { report: ifError })
    equal(index.series[(index.slotOf[9] ?? 0) - 1], 7)
  }, insertOccurrence)
  const reads = plans.filter(({ text }) => / from "events" where/.test(text))
  equal(reads.length, 6, reads.map(({ text }) => text).join('\n'))
  for (const { text, steps } of reads) for (const step of steps) match(step, /USING COVERING INDEX/, text)
})

test('the inbox reads what waits and nothing else, in its order', onSqlite, async () => {
  const place = { since_utc: '2027-01-01 00:00:00', what: 'event', id: 7 } as const
  const plans = await plannedBy(async (db) => {
    for (const author of [undefined, 3]) {
      await listPendingEvents(db, author, place, 20)
      await listWaitingProposals(db, author, place, 20)
      await countInbox(db, author)
    }
  })
  ok(plans.length >= 6)
  for (const { text, steps } of plans)
    for (const step of steps) {
      const byAuthor = /^SEARCH (e|events) /.test(step) && /author = \?/.test(text)
      if (byAuthor) match(step, /events_pending_author/, text)
      doesNotMatch(step, /SCAN (?!CONSTANT)(?!e$|p$)|TEMP B-TREE/, text)
    }
})

const editor: Caller = { id: 1, login: 'editor', role: 'editor' }
const contributor: Caller = { id: 2, login: 'contributor', role: 'contributor' }
const readInLane: ReadInLane = async (db, _lane, queries) => (await runQueries(db, queries)) as never

test('links of meetings that are due are found by their index', onSqlite, async () => {
  const plans = await plansOf((db) => publishDue({ read: db } as Database, Date.now()))
  const found = plans.flat().filter((step) => step.includes('events_online'))
  deepEqual(found, ['SEARCH events USING INDEX events_online (online_from<?)'])
  doesNotMatch(plans.flat().join('\n'), /SCAN events/)
})

test('what is suggested is read by its ids and the beginnings of names', onSqlite, async () => {
  const site = { timezone: 'UTC' } as Context['site']
  const index = emptyIndex()
  const links = { terms: [], ancestors: [], venues: [], organizers: [], access: [], series: 0, attendance: 0 }
  const times = { ...onDay('2031-05-10', '20:00:00', '22:00:00'), date: '2031-01-01 10:00:00' }
  putEvent(index, { id: 1, ...times, ...links, featured: false, free: false })
  const plans = await plansOf(async (db) => {
    await sql`insert into stems (rowid, words) values (1, 'hall =hall')`.execute(db)
    await sql`insert into named_stems (stem) values ('=hall')`.execute(db)
    await suggest('hal', { db, readInLane, site, now: 0, memory: { index } } as Context)
  })
  const read = plans.flat().filter((step) => /^(SCAN|SEARCH) (venues|organizers|terms|events)\b/.test(step))
  ok(read.length >= 6)
  for (const step of read)
    match(
      step,
      new RegExp(
        '^SEARCH \\w+ USING (INTEGER PRIMARY KEY \\(rowid=\\?\\)|INDEX \\w+_folded \\(folded>\\? AND ' +
          'folded<\\?\\)|COVERING INDEX terms_parent \\(parent=\\?\\))$',
      ),
    )
  const named = plans.flat().filter((step) => /^(SCAN|SEARCH) (name_stems|other)\b/.test(step))
  ok(named.length >= 9)
  for (const step of named) match(step, /^SEARCH \w+ USING .*\(kind=\? AND (stem|doc)/)
})

const isOfWords = (step: string) =>
  /^SCAN (stems .*VIRTUAL TABLE INDEX|waiting|meant_terms|linked|unindexed_events|\(subquery-\d+\))/.test(
    step,
  )

for (const caller of [editor, contributor]) {
  test(`clashes of a draft are found in the index of lists, for a ${caller.login}`, onSqlite, async () => {
    const times = { utc_start_date: '2027-01-01 10:00:00', utc_end_date: '2027-01-01 11:00:00' }
    const draft = { title: 'Choir practice', ...times, venues: [3] }
    const plans = await plansOf((db) => findClashes([draft], { db, readInLane, caller }))
    equal(plans.length, 2)
    for (const plan of plans) {
      const near = plan.filter((step) => / events\b/.test(step))
      match(
        near[0] ?? '',
        /events USING COVERING INDEX events_listed \(status=\? AND hide_from_listings=\? AND start_date>/,
      )
      deepEqual(near.slice(1), ['SEARCH events USING INTEGER PRIMARY KEY (rowid=?)'])
    }
  })

  test(`names for pickers are found in the index of names, for a ${caller.login}`, onSqlite, async () => {
    for (const kind of ['venue', 'organizer', 'category', 'tag'] as const) {
      const plans = await plansOf((db) => pickNames(kind, 'hall', { db, caller }, 8))
      equal(plans.length, 2)
      for (const plan of plans) {
        match(plan[0] ?? '', /named USING (COVERING )?INDEX \w+_folded/, kind)
        // Contributors see terms in use and those of their own events, which are few.
        for (const step of plan.slice(1)) doesNotMatch(step, /^SCAN (?!above\b)/, kind)
      }
    }
  })

  test(
    `what is typed is looked for in indexes and newest texts, for a ${caller.login}`,
    onSqlite,
    async () => {
      const site = { timezone: 'UTC' } as Context['site']
      const findMatching = async () => makeIdSet(0)
      const plans = await plansOf((db) =>
        findAsTyped('choir 7', { db, readInLane, caller, findMatching, site, now: 0 }),
      )
      ok(plans.length >= 7, `${plans.length}`)
      const scans = plans.flat().filter((step) => step.startsWith('SCAN'))
      const isBounded = (step: string) =>
        new RegExp(
          '^SCAN named USING COVERING INDEX (venues|organizers)_folded$|^SCAN (found|next|begun' +
            '|same|CONSTANT ROW|json_each)\\b',
        ).test(step) || isOfWords(step)
      deepEqual([...new Set(scans.filter((step) => !isBounded(step)))], ['SCAN events'])
    },
  )
}

for (const caller of [editor, contributor])
  test(`the list of the desk goes along indexes alone, for a ${caller.login}`, onSqlite, async () => {
    const site = { timezone: 'UTC', language: 'en' } as Context['site']
    const now = Date.UTC(2027, 0, 1)
    const after = { start: '2027-05-01 10:00:00', id: 7 }
    for (const tab of DESK_TABS)
      for (const more of [
        {},
        { after },
        { before: after },
        { author: 5 },
        { from: '2027-02-01', to: '2027-03-01' },
      ]) {
        const list = { tab, sort: 'start', ...more } as const
        const findMatching = async () => makeIdSet(0)
        const plans = await plansOf((db) =>
          findDeskPage({ db, readInLane, caller, findMatching, site, now } as unknown as Context, list, 50),
        )
        const steps = plans.flat().filter((step) => / events\b/.test(step))
        ok(steps.length > 0)
        for (const step of steps)
          match(
            step,
            new RegExp(
              'USING COVERING INDEX events_(listed \\(status=\\? AND hide_from_listings=\\?|lasting ' +
                '\\(status=\\? AND hide_from_listings=\\? AND end_date>|author \\(author=)|USING INTEGER ' +
                'PRIMARY KEY',
            ),
            `${tab} ${JSON.stringify(more)}`,
          )
      }
  })

function insertOccurrence(connection: DatabaseSync): void {
  const times = { ...onDay('2027-01-01', '10:00:00', '11:00:00'), date: '2026-01-01 10:00:00' }
  const set: Record<string, string | number> = { id: 9, series: 7, status: 'publish', ...times }
  const names = connection.prepare(`select name from pragma_table_info('events')`).all()
  const columns = names.map(({ name }) => String(name))
  connection.exec('pragma foreign_keys = off')
  connection
    .prepare(`insert into events (${columns.join(', ')}) values (${columns.map(() => '?').join(', ')})`)
    .run(...columns.map((name) => set[name] ?? 0))
}

test('directories walk the index of names, and sort nothing but what they show', onSqlite, async () => {
  const plans = await plansOf(async (db) => {
    for (const kind of ['venue', 'organizer'] as const) {
      await listDirectory(db, kind, { letter: 'm', words: 'old mill' }, { offset: 100, most: 101 })
      await listLetters(db, kind)
    }
  })
  equal(plans.length, 4)
  for (const plan of plans) {
    const reads = plan.filter((step) => /(SEARCH|SCAN) listed/.test(step))
    ok(reads.length >= 1, plan.join('\n'))
    for (const step of reads) match(step, /(venues|organizers)_folded \(folded>/)
  }
})

test('the venues of events on a map are found by these events', onSqlite, async () => {
  const plans = await plansOf((db) => findVenuesOf(db, [9]))
  const reads = plans.flat().filter((step) => /(SEARCH|SCAN) (event_)?venues/.test(step))
  deepEqual(reads, [
    'SEARCH event_venues USING PRIMARY KEY (event=?)',
    'SEARCH venues USING INTEGER PRIMARY KEY (rowid=?)',
  ])
})
