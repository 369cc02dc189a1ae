import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Command } from 'commander'
import { formatUtc } from '../../src/base/text/zones.ts'
import { registerAuditCommand } from '../../src/features/accounts/audit-command.ts'
import { dropOld } from '../../src/store/storage/pruning.ts'
import { type RecordedChange, recordChange, type Writer } from '../../src/store/storage/recording.ts'
import { runCommand } from '../support/commands.ts'
import { scratchDatabase } from './scratch-database.ts'

const DAY_MS = 86_400_000

const anna: Writer = {
  user: 2,
  login: 'anna',
  address: '192.0.2.7',
  client: 'Browser/1.0',
  request: 'request-1',
}
const bob: Writer = {
  user: 3,
  login: 'bob',
  address: '192.0.2.8',
  client: 'Script\n\u001b[2J/2',
  request: 'request-2',
}

async function audited(t: TestContext) {
  const { database } = await scratchDatabase(t)
  const act = (
    by: Writer,
    kind: RecordedChange['kind'],
    record: number,
    action: 'create' | 'update',
    name: string,
  ) =>
    database.write(
      async (tx) => recordChange(tx, { kind, record, wasPublic: false, isPublic: true }, { action, name }),
      by,
    )
  await act(anna, 'event', 10, 'create', 'Concert')
  await act(bob, 'venue', 11, 'create', 'Hall')
  await act(bob, 'event', 10, 'update', 'Concert of old')
  await act(anna, 'term', 10, 'update', 'Music')
  const register = (program: Command) =>
    registerAuditCommand(program, async () => ({ ...database, close: async () => undefined }))
  const audit = (...words: string[]) => runCommand(register, ['audit', ...words])
  const named = async (...words: string[]) =>
    (await audit('--json', ...words)).out
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line).name)
  return { database, audit, named }
}

test('acts are listed the newest first, with who, what, from where and by which request', async (t) => {
  const { audit } = await audited(t)
  const { out } = await audit()
  const lines = out.trimEnd().split('\n')
  match(
    lines[0] ?? '',
    /^TIME \(UTC\) +USER +ACT +KIND +ID +SEQUENCE +NAME +CHANGED +ADDRESS +CLIENT +REQUEST$/,
  )
  match(
    lines[1] ?? '',
    /^20\S+ \S+ +anna +update +term +10 +\d+ +Music +- +192\.0\.2\.7 +Browser\/1\.0 +request-1$/,
  )
  match(lines[4] ?? '', /anna +create +event +10 +\d+ +Concert /)
  equal(lines.length, 5)
})

test('nothing that a client calls itself steers the terminal', async (t) => {
  const { audit } = await audited(t)
  const { out } = await audit('--user', 'bob')
  ok(!out.includes('\u001b') && out.includes('Script [2J/2'))
})

test('they are narrowed by user, kind, record and time, and limited', async (t) => {
  const { named } = await audited(t)
  deepEqual(await named('--user', 'Anna'), ['Music', 'Concert'])
  deepEqual(await named('--user', '3'), ['Concert of old', 'Hall'])
  deepEqual(await named('--kind', 'event'), ['Concert of old', 'Concert'])
  deepEqual(await named('--record', '10'), ['Music', 'Concert of old', 'Concert'])
  deepEqual(await named('--record', '10', '--kind', 'event', '--user', 'bob'), ['Concert of old'])
  deepEqual(await named('--limit', '1'), ['Music'])
  const tomorrow = formatUtc(Date.now() + DAY_MS)
  deepEqual(await named('--since', tomorrow), [])
  equal((await named('--since', '1h')).length, 4)
  equal((await named('--until', tomorrow.slice(0, 10))).length, 4)
  deepEqual(await named('--until', '1w'), [])
})

test('a wrong option is refused in one sentence', async (t) => {
  const { audit } = await audited(t)
  const refusals: [string[], RegExp][] = [
    [
      ['--kind', 'meal'],
      new RegExp(
        "argument 'meal' is invalid\\. Allowed choices are event, venue, organizer, image, " +
          'series, term, user, settings, webhook, backup\\.',
      ),
    ],
    [['--record', 'ten'], /^--record takes a whole number from 1 on, not "ten"\.\n$/],
    [['--limit', '0'], /^--limit takes a whole number from 1 on, not "0"\.\n$/],
    [['--since', '2026-02-30'], /^--since takes a time such as .*, not "2026-02-30"\.\n$/],
    [
      ['--since', 'yesterday'],
      /^--since takes a time such as 12h, 90d, 4w, 2026-11-20 or 2026-11-20 18:00, not "yesterday"\.\n$/,
    ],
    [['--until', '2026-13-45'], /^--until takes a time such as/],
  ]
  for (const [words, said] of refusals) {
    const { code, err, out } = await audit(...words)
    deepEqual([code, out], [1, ''])
    match(err, said)
  }
})

test('the history is kept for as many days as are set, or for ever', async (t) => {
  const { database, named } = await audited(t)
  await dropOld(database, 30, Date.now() + 29 * DAY_MS)
  await dropOld(database, 0, Date.now() + 3650 * DAY_MS)
  equal((await named()).length, 4)
  await dropOld(database, 30, Date.now() + 31 * DAY_MS)
  deepEqual(await named(), [])
  // Acts after that are listed again.
  await database.write(async (tx) =>
    recordChange(
      tx,
      { kind: 'event', record: 12, wasPublic: false, isPublic: true },
      { action: 'create', name: 'New' },
    ),
  )
  deepEqual(await named(), ['New'])
})
