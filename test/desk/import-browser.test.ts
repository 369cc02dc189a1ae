import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { untilShown } from '../support/browsers.ts'
import { noChromium, startChromiumHere } from '../support/chromium.ts'
import { sitAtDesk } from '../support/desk.ts'
import { serviceForTests } from '../support/service.ts'

/** Milliseconds that people take for a key and a click. */
const KEY_MS = 40
const CLICK_MS = 1100

describe('a season from a table in a browser', noChromium, () => {
  const service = serviceForTests({ timezone: 'Europe/Dublin' })
  const browser = startChromiumHere()

  test('forty events of which two rows have faults are in within 40 seconds and 12 clicks', async () => {
    const { cookie } = await sitAtDesk(service, 'editor')
    const tab = await browser.open()
    await tab.look({ width: 1280, height: 900 })
    const [name, value] = cookie.split('=')
    await tab.send('Network.setCookie', { name, value, url: service.origin })
    await tab.goTo(new URL('/desk/', service.origin).href)
    let [clicks, keys] = [0, 0]
    const click = async (selector: string) => {
      clicks += 1
      await tab.evaluate(
        `document.querySelector(${JSON.stringify(selector)}).scrollIntoView({ block: 'center' })`,
      )
      const [x, y] = await tab.evaluate<[number, number]>(
        '(({ x, y, width, height }) => [x + width / 2, y + height / ' +
          `2])(document.querySelector(${JSON.stringify(selector)}).getBoundingClientRect())`,
      )
      await tab.mouse('move', x, y)
      await tab.mouse('down', x, y)
      await tab.mouse('up', x, y)
    }
    const mend = async (selector: string, text: string) => {
      await click(selector)
      // All of it is chosen by one key and typed over.
      keys += 1 + text.length
      await tab.evaluate('document.activeElement.select()')
      await tab.send('Input.insertText', { text })
    }
    const rows = Array.from({ length: 40 }, (_, at) => {
      const day = at === 6 ? '31.02.2027' : `${(at % 28) + 1}.${(at % 9) + 1}.2027`
      return [day, at === 20 ? '25:70' : '19:30', `Evening ${at}`, `Hall ${at % 4}`, '€12'].join('\t')
    })
    const started = performance.now()
    await click('.rail a[href="/desk/import"]')
    await untilShown(tab, `document.querySelector('#text')`)
    await click('#text')
    keys += 2
    await tab.evaluate(`(() => {
      const clipboardData = new DataTransfer()
      clipboardData.setData('text/plain', ${JSON.stringify(rows.join('\n'))})
      document.activeElement.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
    })()`)
    await untilShown(tab, `document.querySelectorAll('[aria-invalid]').length === 2`)
    await mend('input[name="cell_7_0"]', '28.2.2027')
    await mend('input[name="cell_21_1"]', '19:30')
    await click('button.main[value="import"]')
    await untilShown(
      tab,
      `document.querySelector('#notice')?.textContent.includes('40 events are in as drafts')`,
    )
    const seconds = (performance.now() - started + clicks * CLICK_MS + keys * KEY_MS) / 1000
    assert.ok(clicks <= 12 && seconds < 40, `${clicks} clicks, ${keys} keys, ${seconds} s`)
    await click('#notice button[value="undo"]')
    await untilShown(tab, `document.querySelector('#notice')?.textContent.includes('taken back')`)
    const { body } = await service.get('/events?start_date=2027-01-01&status=draft', 'editor')
    assert.equal(body.total, 0)
  })
})
