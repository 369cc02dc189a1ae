import { doesNotMatch, match, ok } from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { migrate } from '../../src/store/storage/migrate.ts'
import { openDatabase } from '../../src/store/storage/open-database.ts'
import { MAIN, programEnvironment } from '../support/environment.ts'
import { temporaryFolder } from '../support/folder.ts'
import { isWhole } from '../support/rounds.ts'
import { serverHere } from '../support/server.ts'
import { addUsers, onDay } from '../support/service.ts'

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
