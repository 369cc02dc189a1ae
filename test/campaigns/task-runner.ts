import { ok } from 'node:assert/strict'
import type { Sight, Tab } from '../support/browsers.ts'
import type { ChromiumTab } from '../support/chromium.ts'
import { type Person, personAt } from '../support/person.ts'

/** Milliseconds that people take for a key and a press. They are counted, not slept. */
const KEY_MS = 40
const PRESS_MS = 1100

/** A person at a browser whose keys and presses are counted. */
export interface Hands extends Person {
  tab: ChromiumTab
  /** Presses the first element in sight that has this text. */
  pressNamed: (selector: string, text: string | RegExp) => Promise<void>
  /** Types over what a field has. */
  typeOver: (selector: string, text: string) => Promise<void>
  paste: (text: string) => Promise<void>
  text: (selector?: string) => Promise<string>
}

export interface Task {
  name: string
  /** Where there is one: why it cannot be tried yet. */
  skipped?: string
  sight?: Sight
  /** The most that people may need. */
  most: { presses: number; seconds: number }
  run: (hands: Hands) => Promise<void>
}

export interface TaskFigures {
  name: string
  presses: number
  keys: number
  seconds: number
  skipped?: string
  problem?: string
}

interface Spent {
  presses: number
  keys: number
}

export async function runTask(task: Task, tab: ChromiumTab): Promise<TaskFigures> {
  const spent: Spent = { presses: 0, keys: 0 }
  const { name, skipped, most } = task
  if (skipped !== undefined) return { name, ...spent, seconds: 0, skipped }
  const problem = await problemOf(async () => {
    await tab.look({ height: 900, ...(task.sight ?? { width: 1280 }) })
    await task.run(handsAt(tab, spent))
  })
  const seconds = (spent.presses * PRESS_MS + spent.keys * KEY_MS) / 1000
  const isMore = spent.presses > most.presses || seconds > most.seconds
  const told =
    problem ?? (isMore ? `more than ${most.presses} presses or ${most.seconds} seconds` : undefined)
  return { name, ...spent, seconds, ...(told !== undefined && { problem: told }) }
}

async function problemOf(work: () => Promise<void>): Promise<string | undefined> {
  try {
    await work()
    return undefined
  } catch (error) {
    return error instanceof Error ? (error.stack ?? error.message) : String(error)
  }
}

function handsAt(tab: ChromiumTab, spent: Spent): Hands {
  const person = personAt(tab)
  const press = (selector: string) => {
    spent.presses += 1
    return person.press(selector)
  }
  const type = (text: string) => {
    spent.keys += [...text].length
    return person.type(text)
  }
  const key = (name: string) => {
    spent.keys += 1
    return person.key(name)
  }
  return {
    ...person,
    tab,
    press,
    type,
    key,
    tabTo: async (selector) => {
      const before = person.done.length
      await person.tabTo(selector)
      spent.keys += Number(/× (\d+)/.exec(person.done[before] ?? '')?.[1] ?? 0)
    },
    choose: (selector, path) => {
      // One press opens the list of files, one chooses the file.
      spent.presses += 2
      return person.choose(selector, path)
    },
    drag: (selector, to, before) => {
      spent.presses += 1
      return person.drag(selector, to, before)
    },
    pressNamed: async (selector, text) => {
      await seeNamed(person, selector, text)
      await press('[data-pressed]')
    },
    typeOver: async (selector, text) => {
      await press(selector)
      await key('Control+a')
      await type(text)
    },
    paste: async (text) => {
      spent.keys += 1
      await tab.evaluate(`(() => {
        const clipboardData = new DataTransfer()
        clipboardData.setData('text/plain', ${JSON.stringify(text)})
        const paste = { clipboardData, bubbles: true, cancelable: true }
        document.activeElement.dispatchEvent(new ClipboardEvent('paste', paste))
      })()`)
    },
    text: (selector = 'main') =>
      tab.evaluate<string>(`document.querySelector(${JSON.stringify(selector)})?.innerText ?? ''`),
  }
}

/** Waits until an element in sight has the text, and marks it. */
async function seeNamed({ tab, see }: Person, selector: string, text: string | RegExp): Promise<void> {
  const pattern = typeof text === 'string' ? new RegExp(`^${RegExp.escape(text)}`) : text
  const mark = `(() => {
    for (const one of document.querySelectorAll('[data-pressed]')) delete one.dataset.pressed
    const found = [...document.querySelectorAll(${JSON.stringify(selector)})].find((one) =>
      one.checkVisibility() && ${pattern}.test((one.getAttribute('aria-label') ?? one.innerText).trim()))
    if (found) found.dataset.pressed = ''
    return found !== undefined
  })()`
  await see(selector)
  ok(await tab.evaluate<boolean>(mark), `no ${selector} with the text ${text}: ${await titleOf(tab)}`)
}

const titleOf = (tab: Tab) => tab.evaluate<string>(`location.pathname + ' ' + document.title`)

/** Task → possible, presses, keys, seconds. */
export function taskTable(all: readonly TaskFigures[]): string {
  const width = Math.max(...all.map(({ name }) => name.length))
  const lines = all.map(({ name, presses, keys, seconds, skipped, problem }) => {
    const numbers = [presses, keys, seconds.toFixed(1)].map((number) => String(number).padStart(9)).join('')
    const state = skipped === undefined ? (problem === undefined ? 'yes' : 'NO') : 'skipped'
    const why = skipped ?? problem?.split('\n')[0] ?? ''
    return `${name.padEnd(width)}  ${state.padEnd(8)}${skipped === undefined ? numbers : ''} ${why}`.trimEnd()
  })
  const heads = ['presses', 'keys', 'seconds'].map((head) => head.padStart(9)).join('')
  return [`${'task'.padEnd(width)}  possible${heads}`, ...lines].join('\n')
}
