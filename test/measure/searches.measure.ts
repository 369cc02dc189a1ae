import { ok } from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { openScratch } from '../storage/open.ts'
import { medianMs } from '../support/thread-time.ts'

test('a search that takes long is hardly any work for the thread that answers', async (t) => {
  const { database } = await openScratch(t)
  const query = {
    compile: () =>
      sql<{ n: number }>`with recursive up (n) as (select 1 union all select n + 1 from up where n < 1000000)
        select count(*) as n from up`.compile(database.read),
  }
  const aside = await medianMs(() => database.readInLane(database.read, 'search', [query]))
  const onThread = await medianMs(() => database.read.executeQuery(query.compile()))
  ok(aside < onThread / 4, `${aside} ms, and ${onThread} ms on the thread itself`)
})
