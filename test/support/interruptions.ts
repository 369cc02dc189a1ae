import { untilShown } from './browsers.ts'
import type { Chromium, ChromiumTab } from './chromium.ts'
import { sitAtDesk } from './desk.ts'
import type { Reader, TestService } from './service.ts'

export const type = (tab: ChromiumTab, text: string) => tab.send('Input.insertText', { text })

/** Notes what a page waits for: answers, another page, and timers of less than ten seconds. */
const WATCHED = `(() => {
  const [later, cancel, ask] = [setTimeout, clearTimeout, fetch]
  const waits = { answers: new Set(), timers: new Set(), isLeaving: false }
  window.setTimeout = (work, ms = 0, ...more) => {
    const id = later(() => { waits.timers.delete(id); work(...more) }, ms)
    if (ms < 10_000) waits.timers.add(id)
    return id
  }
  window.clearTimeout = (id) => { waits.timers.delete(id); cancel(id) }
  window.fetch = async (...asked) => {
    const one = {}
    waits.answers.add(one)
    try {
      const answer = await ask(...asked)
      await answer.clone().arrayBuffer().catch(() => undefined)
      return answer
    } finally { later(() => waits.answers.delete(one)) }
  }
  window.navigation.addEventListener('navigate', ({ destination }) => {
    waits.isLeaving ||= !destination.sameDocument
  })
  window.navigation.addEventListener('navigateerror', () => { waits.isLeaving = false })
  addEventListener('pageshow', () => { waits.isLeaving = false })
  window.isAnswered = () => waits.answers.size === 0 && !waits.isLeaving && document.readyState === 'complete'
  window.isSettled = () => isAnswered() && waits.timers.size === 0
})()`

/** Waits until the page has its answers. */
export const untilAnswered = (tab: ChromiumTab) => untilShown(tab, 'isAnswered()')

/** Waits until the page waits for nothing any more. */
export const untilSettled = (tab: ChromiumTab) => untilShown(tab, 'isSettled()')

/** Waits until a request was answered by `answered`. */
export const untilMet = (tab: ChromiumTab) => untilShown(tab, 'window.met > 0')

export async function openTab(
  browser: Chromium,
  service: TestService,
  path: string,
  login?: Reader,
): Promise<ChromiumTab> {
  const tab = await browser.open()
  await tab.look({ width: 1280 })
  await tab.send('Page.addScriptToEvaluateOnNewDocument', { source: WATCHED })
  if (login !== undefined) {
    const [name, value] = (await sitAtDesk(service, login)).cookie.split('=')
    await tab.send('Network.setCookie', { name, value, url: service.origin })
  }
  await tab.goTo(new URL(path, service.origin).href)
  return tab
}

export const answered = (match: string, { ms = 0, status = 0 } = {}) => `(() => {
  const ask = window.before ??= window.fetch
  window.fetch = async (...asked) => {
    if (!String(asked[0]?.url ?? asked[0]).includes(${JSON.stringify(match)})) return ask(...asked)
    window.met = (window.met ?? 0) + 1
    ${ms > 0 ? `await new Promise((done) => setTimeout(done, ${ms}))` : ''}
    ${status > 0 ? `return new Response('{}', { status: ${status} })` : 'return ask(...asked)'}
  }
})()`
