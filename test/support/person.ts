import assert from 'node:assert/strict'
import { TAKES_TEXT, type Tab } from './browsers.ts'
import { PATIENCE_MS } from './waiting.ts'

/** What typing one key takes a person, and what another deed does: finding what to press, and pressing it. */
const KEY_MS = 40
const DEED_MS = 1100

/** Somebody at a browser, who has a mouse and a keyboard and no other way. Everything done is counted, and takes a person's time. */
export interface Person {
  tab: Tab
  /** Moves the mouse to what a selector names, and presses it. */
  press: (selector: string) => Promise<void>
  /** Types into what has the focus; is no action of its own. */
  type: (text: string) => Promise<void>
  /** Presses a key that types nothing, or keys together. */
  key: (name: string) => Promise<void>
  /** Goes on by the Tab key until what a selector names has the focus; each press is an action. */
  tabTo: (selector: string) => Promise<void>
  /** Chooses a file for a control, which takes two presses in the dialog of the system. */
  choose: (selector: string, path: string) => Promise<void>
  /** Drags what a selector names to another; `before` what happens before it is let go. */
  drag: (selector: string, to: string, before?: () => Promise<void>) => Promise<void>
  /** Does something that leads to another page, and waits for that. */
  goes: (deed: () => Promise<void>) => Promise<void>
  /** Waits until the page has what a selector names. */
  see: (selector: string) => Promise<void>
  /** Everything that was done since it was begun to count, in words. */
  done: string[]
  begin: () => void
  /** How many actions that was beyond typing, what they take a person, and how long the pages were waited for, which says more of the machine. */
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
    // A page that goes away takes its answer with it.
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
      // A page gives a control the focus a moment after it has come.
      await until('Nothing that takes text has the focus', () => tab.evaluate<boolean>(`Boolean(${TAKES_TEXT})`))
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
        tab.evaluate<boolean>(`!${isThere} && document.readyState === 'complete' && document.body.children.length > 0`),
      )
    },
  }
}

/** The middle of what a selector names, scrolled to where nothing lies over it. */
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
