import { equal, ok } from 'node:assert/strict'
import { TAKES_TEXT, type Tab } from './browsers.ts'
import { PATIENCE_MS } from './waiting.ts'

/** A person at a browser who uses only mouse and keyboard. */
export interface Person {
  tab: Tab
  press: (selector: string) => Promise<void>
  type: (text: string) => Promise<void>
  key: (name: string) => Promise<void>
  tabTo: (selector: string) => Promise<void>
  choose: (selector: string, path: string) => Promise<void>
  drag: (selector: string, to: string, before?: () => Promise<void>) => Promise<void>
  goes: (action: () => Promise<void>) => Promise<void>
  see: (selector: string) => Promise<void>
  /** What was done since `begin`, in words, for failures. */
  done: string[]
  begin: () => void
}

export function personAt(tab: Tab): Person {
  const done: string[] = []
  const until = async (what: string, isSo: () => Promise<boolean>) => {
    const start = Date.now()
    // Evaluating fails while the page is being replaced.
    while (!(await isSo().catch(() => false))) {
      ok(Date.now() - start < PATIENCE_MS, `${what} after: ${done.join(', ')}`)
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
  const has = (selector: string) =>
    tab.evaluate<boolean>(`Boolean(document.querySelector(${JSON.stringify(selector)}))`)
  const see = (selector: string) => until(`There is no ${selector}`, () => has(selector))
  /** Nobody presses what still moves: a picture that arrives shifts what is below it. */
  const restingPoint = async (selector: string) => {
    let point = { x: Number.NaN, y: Number.NaN }
    await until(`${selector} never stands still`, async () => {
      const before = point
      point = await pointOf(tab, selector)
      return point.x === before.x && point.y === before.y
    })
    return point
  }
  const key = async (name: string) => {
    done.push(name)
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
    },
    press: async (selector) => {
      await see(selector)
      const { x, y } = await restingPoint(selector)
      done.push(`press ${selector}`)
      for (const action of ['move', 'down', 'up'] as const) await tab.mouse(action, x, y)
    },
    type: async (text) => {
      // A page sets the focus shortly after it has loaded.
      await until('Nothing that takes text has the focus', () =>
        tab.evaluate<boolean>(`Boolean(${TAKES_TEXT})`),
      )
      done.push(`type “${text}”`)
      for (const one of text) await tab.key(one === '\n' ? 'Enter' : one)
    },
    tabTo: async (selector) => {
      let steps = 0
      while (!(await hasFocus(selector))) {
        ok(steps < 80, `No number of steps leads to ${selector}`)
        steps += 1
        await tab.key('Tab')
      }
      done.push(`Tab × ${steps} to ${selector}`)
    },
    choose: async (selector, path) => {
      done.push(`choose a file for ${selector}`)
      await tab.chooseFile(selector, path)
    },
    drag: async (selector, to, before) => {
      const [from, goal] = [await pointOf(tab, selector), await pointOf(tab, to)]
      done.push(`drag ${selector} to ${to}`)
      await tab.mouse('move', from.x, from.y)
      await tab.mouse('down', from.x, from.y)
      await tab.mouse('move', (from.x + goal.x) / 2, (from.y + goal.y) / 2)
      await tab.mouse('move', goal.x, goal.y)
      await before?.()
      await tab.mouse('up', goal.x, goal.y)
    },
    goes: async (action) => {
      await tab.evaluate(`document.documentElement.setAttribute('data-seen', '')`)
      await action()
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
      return { x, y, over: width > 0 && element.contains(found) ? '' : (found?.outerHTML ??
        'nothing').slice(0, 200) }
    }
    const seen = look()
    if (seen.over === '') return seen
    element.scrollIntoView({ block: 'center', behavior: 'instant' })
    return look()
  })()`)
  equal(point.over, '', `what lies over ${selector}`)
  return point
}
