import type { Chromium, ChromiumTab } from './chromium.ts'
import { sitAtDesk } from './desk.ts'
import type { Reader, TestService } from './service.ts'

export const type = (tab: ChromiumTab, text: string) => tab.send('Input.insertText', { text })

export async function openTab(
  browser: Chromium,
  service: TestService,
  path: string,
  login?: Reader,
): Promise<ChromiumTab> {
  const tab = await browser.open()
  await tab.look({ width: 1280 })
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
    ${ms > 0 ? `await new Promise((done) => setTimeout(done, ${ms}))` : ''}
    ${status > 0 ? `return new Response('{}', { status: ${status} })` : 'return ask(...asked)'}
  }
})()`
