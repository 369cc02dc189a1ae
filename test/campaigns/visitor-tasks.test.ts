import { deepEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { noChromium } from '../support/chromium.ts'
import { taskTable } from './task-runner.ts'
import { runVisitorTasks } from './visitor-tasks-campaign.ts'

// `npm run desk:tasks` prints the table. The campaign moves the clock by `mock.timers`, so this file has a
// process of its own.

test('visitors are where they want to be after few presses', noChromium, async (t) => {
  const all = await runVisitorTasks()
  t.diagnostic(taskTable(all))
  deepEqual(
    all.flatMap(({ name, problem }) => (problem === undefined ? [] : [`${name}: ${problem}`])),
    [],
  )
})
