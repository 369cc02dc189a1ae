import { fail } from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { setTimeout as sleep } from 'node:timers/promises'
import { rounds } from './rounds.ts'
import { PATIENCE_MS } from './waiting.ts'

export interface Browser {
  open: () => Promise<Tab>
  close: () => Promise<void>
}

export interface Sight {
  width: number
  height?: number
  scheme?: 'light' | 'dark'
  scripts?: boolean
  zoom?: number
  forcedColors?: boolean
}

/** A narrow and a wide window, with and without scripts, in one language each, in all with TEST_ROUNDS=4. */
export const SIGHTS = [320, 1280].flatMap((width, wide) =>
  [true, false].flatMap((scripts) => {
    const languages = ['en', 'de', 'fr', 'es']
    const first = 2 * wide + Number(scripts)
    const chosen = [...languages.slice(first), ...languages].slice(0, Math.min(4, rounds(1)))
    return chosen.map((language) => ({ width, scripts, language }))
  }),
)

export interface Tab {
  look: (sight: Sight) => Promise<void>
  goTo: (address: string) => Promise<void>
  evaluate: <Value>(expression: string) => Promise<Value>
  showPrinted?: (isPrinted: boolean) => Promise<void>
  key: (name: string) => Promise<void>
  mouse: (action: 'move' | 'down' | 'up', x: number, y: number) => Promise<void>
  chooseFile: (selector: string, path: string) => Promise<void>
  answers: string[]
  picture: () => Promise<Buffer>
  /** Addresses that pages have requested since the tab was opened. */
  requested: string[]
  complaints: string[]
}

export async function untilShown(tab: Tab, expression: string): Promise<void> {
  const start = performance.now()
  // Evaluating fails while the page is being replaced.
  while (!(await tab.evaluate<boolean>(`Boolean(${expression})`).catch(() => false))) {
    if (performance.now() - start > PATIENCE_MS)
      fail(`${expression}: ${await tab.evaluate('document.body.innerText.slice(0, 2000)')}`)
    await sleep(25)
  }
}

export const TAKES_TEXT = `document.activeElement?.matches('input, textarea, select, [contenteditable]')`

export const axePath = findPackage('axe-core/axe.min.js')

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
    const { violations: all } = await axe.run(document, { resultTypes: ['violations'], rules:
      ${JSON.stringify(enabled)}, preload: ${process.env.PAGES_CHECK === 'all'} })
    const violations = all
      .map((one) => ({ ...one, nodes: one.nodes.filter(({ failureSummary }) =>
        !failureSummary.includes('obscured')) }))
      .filter(({ nodes }) => nodes.length > 0)
    return violations.map(({ id, nodes }) => id + ': ' + nodes.slice(0, 3).map((node) => node.html.slice(0,
      160) + ' ' + node.failureSummary).join(' | '))
  })()`
}

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

export function keyIn(name: string): { key: string; held: string[] } {
  const held = name.length > 1 ? name.split('+') : []
  return { key: held.pop() ?? name, held }
}
