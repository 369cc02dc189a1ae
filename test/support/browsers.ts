import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { setTimeout as sleep } from 'node:timers/promises'
import { PATIENCE_MS } from './waiting.ts'

/** A headless browser. */
export interface Browser {
  /** Opens an empty tab. */
  open: () => Promise<Tab>
  close: () => Promise<void>
}

/** The window and the preferences with which a page is shown. */
export interface Sight {
  width: number
  height?: number
  scheme?: 'light' | 'dark'
  /** False blocks the scripts of the page; scripts that tests evaluate run anyway. */
  scripts?: boolean
  /** The zoom of the page, 1 by default. */
  zoom?: number
  forcedColors?: boolean
}

export interface Tab {
  look: (sight: Sight) => Promise<void>
  goTo: (address: string) => Promise<void>
  /** Evaluates an expression in the page and returns its awaited value. */
  evaluate: <Value>(expression: string) => Promise<Value>
  /** Switches the page to its print style or back; undefined in a browser that cannot. */
  showPrinted?: (isPrinted: boolean) => Promise<void>
  /**
   * Presses and releases a key, named as in `KeyboardEvent.key`, with modifiers in front: `Tab`, `x`,
   * `Alt+n`.
   */
  key: (name: string) => Promise<void>
  /** Moves the mouse to a point of the window, or presses or releases its left button there. */
  mouse: (deed: 'move' | 'down' | 'up', x: number, y: number) => Promise<void>
  /** Chooses a file in a file input, as the dialog of the browser does. */
  chooseFile: (selector: string, path: string) => Promise<void>
  /** Answers to the next `prompt` dialogs, in order. Other dialogs are accepted. */
  answers: string[]
  /** Takes a screenshot of the whole page as PNG. */
  picture: () => Promise<Buffer>
  /** Addresses that pages have requested since the tab was opened. */
  requested: string[]
  /**
   * Errors and warnings of pages: log entries, uncaught exceptions, and violations of the
   * Content-Security-Policy.
   */
  complaints: string[]
}

/**
 * Waits until an expression is true in the current page or the next one. Fails with the text of the page
 * after `PATIENCE_MS`.
 */
export async function untilShown(tab: Tab, expression: string): Promise<void> {
  const start = performance.now()
  // Evaluating fails while the page is being replaced.
  while (!(await tab.evaluate<boolean>(`Boolean(${expression})`).catch(() => false))) {
    if (performance.now() - start > PATIENCE_MS)
      assert.fail(`${expression}: ${await tab.evaluate('document.body.innerText.slice(0, 2000)')}`)
    await sleep(25)
  }
}

/**
 * An expression that is true once a text field has the focus, which a page sets shortly after it has loaded.
 */
export const TAKES_TEXT = `document.activeElement?.matches('input, textarea, select, [contenteditable]')`

/** The path of axe-core, or undefined where it is not installed. */
export const axePath = findPackage('axe-core/axe.min.js')

/** Returns the path of a file of a package, or undefined where the package is not installed. */
export function findPackage(name: string): string | undefined {
  try {
    return createRequire(import.meta.url).resolve(name)
  } catch {
    return undefined
  }
}

/**
 * A script that runs axe and returns its violations, also of these rules, which are off by default. What a
 * fixed bar covers is none, since it scrolls. With PAGES_CHECK=all, axe also loads the style sheets itself.
 */
export function axeScript(...rules: readonly string[]): string {
  const enabled = Object.fromEntries(rules.map((rule) => [rule, { enabled: true }]))
  return `(async () => {
    ${readFileSync(axePath ?? '', 'utf8')}
    const { violations: all } = await axe.run(document, { resultTypes: ['violations'], rules: ${JSON.stringify(enabled)}, preload: ${process.env.PAGES_CHECK === 'all'} })
    const violations = all
      .map((one) => ({ ...one, nodes: one.nodes.filter(({ failureSummary }) => !failureSummary.includes('obscured')) }))
      .filter(({ nodes }) => nodes.length > 0)
    return violations.map(({ id, nodes }) => id + ': ' + nodes.slice(0, 3).map((node) => node.html.slice(0, 160) + ' ' + node.failureSummary).join(' | '))
  })()`
}

/** Returns the first path of each kind of page. Pages of one kind differ only in record, day or query. */
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

/** Splits the name of a key, such as `Alt+n`, into the key and its modifiers. */
export function keyIn(name: string): { key: string; held: string[] } {
  const held = name.length > 1 ? name.split('+') : []
  return { key: held.pop() ?? name, held }
}
