import assert from 'node:assert/strict'
import { TAKES_TEXT, type Tab } from './browsers.ts'
import { PATIENCE_MS } from './waiting.ts'

const KEY_MS = 40
const DEED_MS = 1100

/**
 * A person at a browser who uses only mouse and keyboard. Every action is counted, with the time a person
 * would need for it.
 */
export interface Person {
  tab: Tab
  press: (selector: string) => Promise<void>
  type: (text: string) => Promise<void>
  key: (name: string) => Promise<void>
  tabTo: (selector: string) => Promise<void>
  choose: (selector: string, path: string) => Promise<void>
  drag: (selector: string, to: string, before?: () => Promise<void>) => Promise<void>
  goes: (deed: () => Promise<void>) => Promise<void>
  see: (selector: string) => Promise<void>
  /** The actions since `begin`, in words. */
  done: string[]
  begin: () => void
  /**
   * The actions since `begin`, the seconds a person needs for them with typing, and the seconds spent waiting
   * for pages, which depend on the machine.
   */
  sum: () => { actions: number; seconds: number; waited: number }
}

export function personAt(tab: Tab): Person {
  let count = { actions: 0, spent: 0, waited: 0 }
  const done: string[] = []
  const act = (words: string, actions = 1) => {
    done.push(words)
    count.actions += actions
    count.spent += actions * DEED_MS
  }
  const until = async (what: string, isSo: () => Promise<boolean>) => {
    const start = Date.now()
    // Evaluating fails while the page is being replaced.
    while (!(await isSo().catch(() => false))) {
      assert.ok(Date.now() - start < PATIENCE_MS, `${what} after: ${done.join(', ')}`)
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    count.waited += Date.now() - start
  }
  const has = (selector: string) =>
    tab.evaluate<boolean>(`Boolean(document.querySelector(${JSON.stringify(selector)}))`)
  const see = (selector: string) => until(`There is no ${selector}`, () => has(selector))
  const key = async (name: string) => {
    act(name)
    await tab.key(name)
  }
  const hasFocus = (selector: string) =>
    tab.evaluate<boolean>(`Boolean(document.activeElement?.matches(${JSON.stringify(selector)}))`)
  const isThere = `Boolean(document.documentElement?.hasAttribute('data-seen'))`
  return {
    tab,
    done,
    see,
    key,
    begin: () => {
      done.length = 0
      count = { actions: 0, spent: 0, waited: 0 }
    },
    sum: () => {
      const [seconds = 0, waited = 0] = [count.spent, count.waited].map((ms) => Math.round(ms / 100) / 10)
      return { actions: count.actions, seconds, waited }
    },
    press: async (selector) => {
      await see(selector)
      const { x, y } = await pointOf(tab, selector)
      act(`press ${selector}`)
      for (const deed of ['move', 'down', 'up'] as const) await tab.mouse(deed, x, y)
    },
    type: async (text) => {
      // A page sets the focus shortly after it has loaded.
      await until('Nothing that takes text has the focus', () =>
        tab.evaluate<boolean>(`Boolean(${TAKES_TEXT})`),
      )
      done.push(`type “${text}”`)
      count.spent += [...text].length * KEY_MS
      for (const one of text) await tab.key(one === '\n' ? 'Enter' : one)
    },
    tabTo: async (selector) => {
      let steps = 0
      while (!(await hasFocus(selector))) {
        assert.ok(steps < 80, `No number of steps leads to ${selector}`)
        steps += 1
        await tab.key('Tab')
      }
      act(`Tab × ${steps} to ${selector}`, steps)
    },
    choose: async (selector, path) => {
      act(`choose a file for ${selector}`, 3)
      await tab.chooseFile(selector, path)
    },
    drag: async (selector, to, before) => {
      const [from, goal] = [await pointOf(tab, selector), await pointOf(tab, to)]
      act(`drag ${selector} to ${to}`)
      await tab.mouse('move', from.x, from.y)
      await tab.mouse('down', from.x, from.y)
      await tab.mouse('move', (from.x + goal.x) / 2, (from.y + goal.y) / 2)
      await tab.mouse('move', goal.x, goal.y)
      await before?.()
      await tab.mouse('up', goal.x, goal.y)
    },
    goes: async (deed) => {
      await tab.evaluate(`document.documentElement.setAttribute('data-seen', '')`)
      await deed()
      await until('No other page came', async () =>
        tab.evaluate<boolean>(
          `!${isThere} && document.readyState === 'complete' && document.body.children.length > 0`,
        ),
      )
    },
  }
}

async function pointOf(tab: Tab, selector: string): Promise<{ x: number; y: number }> {
  const point = await tab.evaluate<{ x: number; y: number; over: string }>(`(() => {
    const element = document.querySelector(${JSON.stringify(selector)})
    const look = () => {
      const { left, top, width, height } = element.getBoundingClientRect()
      const [x, y] = [left + width / 2, top + height / 2]
      const found = document.elementFromPoint(x, y)
      return { x, y, over: width > 0 && element.contains(found) ? '' : (found?.outerHTML ?? 'nothing').slice(0, 200) }
    }
    const seen = look()
    if (seen.over === '') return seen
    element.scrollIntoView({ block: 'center', behavior: 'instant' })
    return look()
  })()`)
  assert.equal(point.over, '', `what lies over ${selector}`)
  return point
}
