// Does what people do at the desk and on the pages, in Chromium, and counts their presses and keys:
//   npm run desk:tasks [-- --only choir]
import { campaignOptions } from '../support/campaign-options.ts'
import { runDeskTasks } from './desk-tasks-campaign.ts'
import { type TaskFigures, taskTable } from './task-runner.ts'
import { runVisitorTasks } from './visitor-tasks-campaign.ts'

const { only } = campaignOptions('Does what people do at the desk, and counts their presses and keys.', {
  only: { about: 'tasks with this word in their name', value: undefined },
})
const tell = ({ name, problem }: TaskFigures) => {
  if (problem !== undefined) console.error(`${name}: ${problem}`)
}
const words = only === undefined ? [] : [only]
const all = [...(await runDeskTasks(words, tell)), ...(await runVisitorTasks(words, tell))]
console.log(taskTable(all))
process.exitCode = all.some(({ problem }) => problem !== undefined) ? 1 : 0
