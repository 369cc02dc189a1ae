import { deepEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { noChromium } from '../support/chromium.ts'
import { runDeskTasks } from './desk-tasks-campaign.ts'
import { taskTable } from './task-runner.ts'

// `npm run desk:tasks` prints the table.

test('people do their tasks at the desk with few presses and keys', noChromium, async (t) => {
  const all = await runDeskTasks()
  t.diagnostic(taskTable(all))
  deepEqual(
    all.flatMap(({ name, problem }) => (problem === undefined ? [] : [`${name}: ${problem}`])),
    [],
  )
})
