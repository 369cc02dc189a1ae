import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { setTimeout as sleep } from 'node:timers/promises'
import { PATIENCE_MS } from './waiting.ts'

/** A browser without windows that looks at pages. */
export interface Browser {
  /** Opens an empty tab. */
  open: () => Promise<Tab>
  close: () => Promise<void>
}

/** How a page is looked at. */
export interface Sight {
  width: number
  height?: number
  scheme?: 'light' | 'dark'
  /** Whether the page gets its scripts; those that look at it run in any case. */
  scripts?: boolean
  /** How much larger than usual it is shown. */
  zoom?: number
  forcedColors?: boolean
}

export interface Tab {
  look: (sight: Sight) => Promise<void>
  goTo: (address: string) => Promise<void>
  /** The value of an expression, awaited. */
  evaluate: <Value>(expression: string) => Promise<Value>
  /** Shows the page as it is printed, or as on a screen again; undefined where a browser cannot be told to. */
  showPrinted?: (isPrinted: boolean) => Promise<void>
  /** Presses a key and lets it go, by its name in `KeyboardEvent.key`, after modifiers: `Tab`, `x`, `Alt+n`. */
  key: (name: string) => Promise<void>
  /** Moves the mouse to a point of the window, or presses its first button there, or lets it go. */
  mouse: (deed: 'move' | 'down' | 'up', x: number, y: number) => Promise<void>
  /** Chooses a file in a control, as the dialog of the browser does. */
  chooseFile: (selector: string, path: string) => Promise<void>
  /** What is typed into the coming questions of the page (`prompt`), in their order; others are agreed to. */
  answers: string[]
  /** A PNG of the whole page. */
  picture: () => Promise<Buffer>
  /** Addresses that were asked for since the tab was opened. */
  requested: string[]
  /** What was written to the console, and what the policy of the page forbade. */
  complaints: string[]
}

/** Waits until an expression holds in a page, also in the one that comes after it; fails with what the page says when that never happens. */
export async function untilShown(tab: Tab, expression: string): Promise<void> {
  const start = performance.now()
  // A page that goes away takes its answer with it.
  while (!(await tab.evaluate<boolean>(`Boolean(${expression})`).catch(() => false))) {
    if (performance.now() - start > PATIENCE_MS)
      assert.fail(`${expression}: ${await tab.evaluate('document.body.innerText.slice(0, 2000)')}`)
    await sleep(25)
  }
}

/** What takes text has the focus, which a page gives it a moment after it has come. */
export const TAKES_TEXT = `document.activeElement?.matches('input, textarea, select, [contenteditable]')`

/** Where axe-core is; undefined where it is not installed. */
export const axePath = findPackage('axe-core/axe.min.js')

/** The path of a file of a package that may be missing. */
export function findPackage(name: string): string | undefined {
  try {
    return createRequire(import.meta.url).resolve(name)
  } catch {
    return undefined
  }
}

/** What has axe look at a page; its value is a list of what it objects to. Unless all is looked at, it reads no style sheets of its own. */
export function axeScript(): string {
  return `(async () => {
    ${readFileSync(axePath ?? '', 'utf8')}
    const { violations } = await axe.run(document, { resultTypes: ['violations'], preload: ${process.env.PAGES_CHECK === 'all'} })
    return violations.map(({ id, nodes }) => id + ': ' + nodes.slice(0, 3).map((node) => node.html.slice(0, 160) + ' ' + node.failureSummary).join(' | '))
  })()`
}

/** The first page of each kind: those of one kind differ in their record, their day or their query. */
export function firstOfKinds(paths: readonly string[]): ReadonlySet<string> {
  const kindOf = (path: string) =>
    path
      .replace(/\?.*/, '')
      .replace(/^\/((?:events\/)?(?:event|venue|organizer|series|category|tag))\/.*/, '/$1')
      .replace(/[\w-]{20,}|\d[\d-]*/g, '#')
  return new Set(
    Map.groupBy(paths, kindOf)
      .values()
      .flatMap(([first]) => (first === undefined ? [] : [first])),
  )
}

/** A key with the modifiers that are held meanwhile. */
export function keyIn(name: string): { key: string; held: string[] } {
  const held = name.length > 1 ? name.split('+') : []
  return { key: held.pop() ?? name, held }
}
