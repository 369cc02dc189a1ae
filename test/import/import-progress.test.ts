import { deepEqual, doesNotMatch, equal, match, ok } from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { describeFar, openProgress } from '../../src/features/imports/import-report.ts'
import { migrate } from '../../src/store/storage/migrate.ts'
import { openDatabase } from '../../src/store/storage/open-database.ts'
import { MAIN, programEnvironment } from '../support/environment.ts'
import { temporaryFolder } from '../support/folder.ts'
import { isWhole } from '../support/rounds.ts'
import { serverHere } from '../support/server.ts'
import { addUsers, onDay } from '../support/service.ts'

const far = { records: 1500, done: 30, total: 120, elapsed: 3000 }

describe('the line of progress', () => {
  test('has a bar, the share, the rate and the time left, whatever the width of the terminal', () => {
    equal(
      describeFar(far, 100),
      '[==========------------------------------] 25 %, 1500 records, 500 a second, 9 s left',
    )
    for (let columns = 1; columns < 200; columns++) {
      const line = describeFar(far, columns)
      ok(line.length < columns, `${columns}: ${line}`)
      if (columns > 45) match(line, /9 s left$/)
    }
    match(describeFar(far, 70), /^\[==-{8}\] 25 %/)
    equal(describeFar(far, 60), '25 %, 1500 records, 500 a second, 9 s left')
  })

  test('says no more than is known: of no total, of nothing done, of the end', () => {
    equal(describeFar({ ...far, total: 0 }, 80), '1500 records, 500 a second')
    equal(describeFar({ records: 0, done: 0, total: 0, elapsed: 0 }, 80), '0 records')
    const asking = { records: 0, done: 0, total: 0, elapsed: 900, asking: 'https://town.example/' }
    equal(describeFar(asking, 80), 'asking https://town.example/')
    equal(describeFar({ ...asking, records: 2 }, 80), '2 records, 2 a second')
    match(describeFar({ records: 0, done: 0, total: 7, elapsed: 90 }, 80), /\] 0 %, 0 records$/)
    match(describeFar({ ...far, records: 1, done: 130 }, 80), /^\[=+\] 100 %, 1 record, 0 a second$/)
  })

  test('has a long time in its two largest units', () => {
    match(describeFar({ ...far, elapsed: 65_000 }, 80), /3 min 15 s left/)
    match(describeFar({ ...far, elapsed: 3_000_000 }, 80), /2 h 30 min left/)
  })

  test('is a plain one now and then where there is no terminal', async () => {
    const written: string[] = []
    const stream = {
      isTTY: false,
      write: (text: string) => written.push(text),
    } as unknown as NodeJS.WriteStream
    const counts = { created: 5, updated: 0, unchanged: 1, left: 0, trashed: 0, failed: 0 }
    const source = { total: () => 12, progress: () => 6 }
    const patient = await openProgress(source, stream)
    patient.show(counts)
    patient.close()
    deepEqual(written, [])
    const eager = await openProgress(source, stream, 0)
    eager.show(counts)
    eager.close()
    match(written.join(''), /^50 %, 6 records, \d+ a second, \d+ s left\n$/)
  })
})

const root = fileURLToPath(new URL('../..', import.meta.url))
const SCRIPT = '/usr/bin/script'

async function onTerminal(
  source: string,
  columns: number,
  seen: (shown: string, type: (keys: string) => void) => void = () => undefined,
): Promise<string> {
  const folder = temporaryFolder()
  const address = `sqlite:${join(folder, 'kalends.sqlite')}`
  const database = await openDatabase(address)
  await migrate(database)
  await addUsers({ database })
  await database.close()
  const command =
    `stty cols ${columns}; exec '${process.execPath}' '${MAIN}' ` +
    `--database '${address}' --data '${folder}' import '${source}'`
  const child = spawn(SCRIPT, ['-qefc', command, '/dev/null'], {
    cwd: root,
    env: programEnvironment({ TERM: 'xterm' }),
  })
  let shown = ''
  child.stdout.on('data', (part) => {
    shown += String(part).replaceAll('\x1b', '<ESC>')
    seen(shown, (keys) => child.stdin.write(keys))
  })
  await new Promise((resolve) => child.once('close', resolve))
  return shown
}

const event = (id: number) => ({
  id,
  title: `A very long name ${'of an event '.repeat(20)}${id}`,
  ...onDay('2027-01-01', '10:00:00', '11:00:00'),
})

describe('an import on a terminal', { skip: !existsSync(SCRIPT) }, () => {
  test('shows a bar that fits, and leaves the terminal as it was, the report on its own line', async () => {
    const folder = temporaryFolder()
    const file = join(folder, 'events.ndjson')
    await writeFile(file, Array.from({ length: 600 }, (_, i) => JSON.stringify(event(i + 1))).join('\n'))
    for (const columns of isWhole ? [100, 30] : [100]) {
      const shown = await onTerminal(file, columns)
      const lines = shown.split('<ESC>[1G').slice(1)
      ok(lines.length > 1, shown)
      for (const line of lines) ok((line.split('<ESC>')[0] ?? '').length < columns, `${columns}: ${line}`)
      if (columns > 40) match(lines.at(-1) ?? '', /100 %, 600 records, \d+ a second/)
      match(shown, /<ESC>\[\?25h.*\r\nRun 1: 600 made, /s)
      doesNotMatch(shown, /NaN|NULL|INF/)
    }
  })

  for (const [what, path, answers] of [
    ['a site that stops in the middle', 'wp-json/tribe/events/v1', true],
    ...(isWhole ? [['an address that says nothing', 'town.ics', false] as const] : []),
  ] as const)
    test(`says that it asks ${what}, and the first Ctrl-C ends it and gives the terminal back`, async () => {
      const site = await serverHere((_request, response) => answers && response.writeHead(200).write('{'))
      let isTyped = false
      const shown = await onTerminal(`${site}/${path}?key=secret`, 80, (so, type) => {
        if (isTyped || !so.includes(`asking ${site}/${path}`)) return
        isTyped = true
        type('\x03')
      })
      match(shown, /<ESC>\[\?25h<ESC>\[\?7h/)
      doesNotMatch(shown, /Run 1|secret/)
    })
})
