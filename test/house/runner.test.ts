import { deepEqual } from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '../support/folder.ts'
import { writeProgram } from '../support/grouped-files.ts'

// Promises of the runner that only show where a test misbehaves.

const SOURCES = {
  'loops.test.mjs': "import { test } from 'node:test'\ntest('loops', () => { for (;;); })\n",
  'waits.test.mjs':
    "import { test } from 'node:test'\nsetInterval(() => " +
    "0, 1000)\ntest('waits', () => new Promise(() => 0))\n",
}

for (const [name, source] of Object.entries(SOURCES))
  test(`a file that ${name.split('.')[0]} for ever is ended`, async () => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, name), source)
    const program = writeProgram([name], folder, folder, {}, 1000)
    const running = spawn(process.execPath, [program])
    deepEqual(await once(running, 'exit'), [null, 'SIGKILL'])
  })
