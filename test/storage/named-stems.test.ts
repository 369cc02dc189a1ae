import { deepEqual, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { stemSome } from '../../src/store/storage/search/search-index.ts'
import { onSqlite } from '../support/database.ts'
import { day, startService } from '../support/service.ts'

test('stems that no title has any more are forgotten as others are cut', onSqlite, async () => {
  await using service = await startService()
  const { database } = service.app
  const cut = async () => {
    await database.write((tx) => stemSome(tx, 10))
    const { rows } = await sql<{ stem: string }>`select stem from named_stems`.execute(database.read)
    return rows.map(({ stem }) => stem)
  }
  const { id } = await service.event({ title: 'Zoo', ...day })
  await service.event({ title: 'Harp', ...day })
  deepEqual((await cut()).sort(), ['=harp', '=zoo'])
  let known: string[] = ['=zoo']
  for (let rounds = 0; known.includes('=zoo') && rounds < 200; rounds++) {
    await service.update(`/events/${id}`, { title: rounds % 2 === 0 ? 'Lute' : 'Drum' })
    known = await cut()
  }
  ok(!known.includes('=zoo'), 'a stem that nothing has is kept')
  ok(known.includes('=harp') && (known.includes('=lute') || known.includes('=drum')), known.join(' '))
})
