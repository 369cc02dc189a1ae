import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { untilShown } from '../support/browsers.ts'
import { noChromium, startChromiumHere } from '../support/chromium.ts'
import { sitAtDesk } from '../support/desk.ts'
import { drawPng } from '../support/pictures.ts'
import { serviceForTests } from '../support/service.ts'

/** Milliseconds that people take for a key and a click. */
const KEY_MS = 40
const CLICK_MS = 1100

describe('a season from a table in a browser', noChromium, () => {
  const service = serviceForTests({ timezone: 'Europe/Dublin' })
  const browser = startChromiumHere()

  const beginAtDesk = async () => {
    const { cookie } = await sitAtDesk(service, 'editor')
    const tab = await browser.open()
    await tab.look({ width: 1280, height: 900 })
    const [name, value] = cookie.split('=')
    await tab.send('Network.setCookie', { name, value, url: service.origin })
    await tab.goTo(new URL('/desk/', service.origin).href)
    const done = { clicks: 0, keys: 0 }
    const click = async (selector: string) => {
      done.clicks += 1
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
      done.keys += 1 + text.length
      await tab.evaluate('document.activeElement.select()')
      await tab.send('Input.insertText', { text })
    }
    const paste = async (rows: readonly string[]) => {
      await click('.rail a[href="/desk/import"]')
      await untilShown(tab, `document.querySelector('#text')`)
      await click('#text')
      done.keys += 2
      await tab.evaluate(`(() => {
        const clipboardData = new DataTransfer()
        clipboardData.setData('text/plain', ${JSON.stringify(rows.join('\n'))})
        document.activeElement.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true,
          cancelable: true }))
      })()`)
    }
    return { tab, done, click, mend, paste }
  }

  test('forty events of which two rows have faults are in within 40 seconds and 12 clicks', async () => {
    const { tab, done, click, mend, paste } = await beginAtDesk()
    const rows = Array.from({ length: 40 }, (_, at) => {
      const day = at === 6 ? '31.02.2027' : `${(at % 28) + 1}.${(at % 9) + 1}.2027`
      return [day, at === 20 ? '25:70' : '19:30', `Evening ${at}`, `Hall ${at % 4}`, '€12'].join('\t')
    })
    const started = performance.now()
    await paste(rows)
    await untilShown(tab, `document.querySelectorAll('[aria-invalid]').length === 2`)
    await mend('input[name="cell_7_0"]', '28.2.2027')
    await mend('input[name="cell_21_1"]', '19:30')
    await click('button.main[value="import"]')
    await untilShown(
      tab,
      `document.querySelector('#notice')?.textContent.includes('40 events are in as drafts')`,
    )
    const { clicks, keys } = done
    const seconds = (performance.now() - started + clicks * CLICK_MS + keys * KEY_MS) / 1000
    assert.ok(clicks <= 12 && seconds < 40, `${clicks} clicks, ${keys} keys, ${seconds} s`)
    await click('#notice button[value="undo"]')
    await untilShown(tab, `document.querySelector('#notice')?.textContent.includes('taken back')`)
    const { body } = await service.get('/events?start_date=2027-01-01&status=draft', 'editor')
    assert.equal(body.total, 0)
  })

  test('a season with a new picture is in with six clicks and nothing typed', async () => {
    const { tab, done, click, paste } = await beginAtDesk()
    const folder = await mkdtemp(join(tmpdir(), 'kalends-picture-'))
    after(() => rm(folder, { recursive: true, force: true }))
    await writeFile(join(folder, 'season.png'), await drawPng(60, 40, '#0b6e5f'))
    await paste(['12.12.2027\t19:30\tBrahms\tHall', '13.12.2027\t19:30\tJazz\tBar'])
    await untilShown(tab, `document.querySelector('#picture-file')`)
    await tab.send('Page.setInterceptFileChooserDialog', { enabled: true })
    await click('#picture-file')
    // Opening it in the dialog of the system is a click as well.
    done.clicks += 1
    await tab.chooseFile('#picture-file', join(folder, 'season.png'))
    await click('button.main[value="import"]')
    await untilShown(
      tab,
      `document.querySelector('#notice')?.textContent.includes('2 events are in as drafts')`,
    )
    assert.deepEqual([done.clicks <= 6, done.keys], [true, 2], `${done.clicks} clicks`)
    const { body } = await service.get('/events?start_date=2027-12-01&status=draft', 'editor')
    const pictured = body.events.filter(({ image }: { image: { url: string } }) =>
      image.url.endsWith('season.png'),
    )
    assert.equal(pictured.length, 2)
  })
})
