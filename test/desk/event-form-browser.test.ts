import { deepEqual, doesNotMatch, equal, match, ok } from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { TAKES_TEXT, untilShown } from '../support/browsers.ts'
import { noChromium, type startChromium, startChromiumHere } from '../support/chromium.ts'
import { sitAtDesk } from '../support/desk.ts'
import { answered } from '../support/interruptions.ts'
import { onDay, serviceForTests } from '../support/service.ts'

type Chromium = Awaited<ReturnType<typeof startChromium>>
type ChromiumTab = Awaited<ReturnType<Chromium['open']>>

const WARNS =
  "(() => { const leaving = new Event('beforeunload', { cancelable: " +
  'true }); dispatchEvent(leaving); return leaving.defaultPrevented })()'
const UNBOUNDED = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: -1 }

describe('the form of an event in a browser', noChromium, () => {
  const service = serviceForTests({ timezone: 'Europe/Oslo' })
  const browser = startChromiumHere()
  let cookie: string

  before(async () => {
    await service.create('/venues', { venue: 'The Blue Kettle', city: 'Kilvara' })
    cookie = (await sitAtDesk(service, 'editor')).cookie
  })

  async function open(
    path: string,
    scripts = true,
    as = cookie,
    ready = "document.querySelector('.event-form.alive')",
  ): Promise<ChromiumTab> {
    const tab = await browser.open()
    await tab.look({ width: 1280, scripts })
    const [name, value] = as.split('=')
    await tab.send('Network.setCookie', { name, value, url: service.origin })
    await tab.goTo(new URL(path, service.origin).href)
    if (scripts) await untilShown(tab, ready)
    return tab
  }

  /** Until the description has the focus, without its editor. */
  async function openSlowly(path: string, latency: number): Promise<ChromiumTab> {
    const tab = await open(path)
    await tab.send('Network.setCacheDisabled', { cacheDisabled: true })
    await tab.send('Network.emulateNetworkConditions', { ...UNBOUNDED, latency })
    await tab.evaluate('window.isBefore = true; setTimeout(() => location.reload())')
    await untilShown(tab, "!window.isBefore && document.getElementById('description')")
    equal(await tab.evaluate("document.querySelector('.rich-frame')"), null)
    await tab.evaluate("document.getElementById('description').focus()")
    return tab
  }

  async function type(tab: ChromiumTab, text: string): Promise<void> {
    await untilShown(tab, TAKES_TEXT)
    await tab.send('Input.insertText', { text })
  }

  const complaintsOf = ({ complaints }: ChromiumTab) => complaints.filter((one) => !one.includes('503'))

  const saved = async (title: string) => {
    const { body } = await service.get(
      `/events?search=${encodeURIComponent(title)}&start_date=2020-01-01`,
      'admin',
    )
    return body.events[0]
  }

  test('Enter sends no form that is long or cannot be taken back, and makes a chip of a tag', async () => {
    const admin = (await sitAtDesk(service, 'admin')).cookie
    const [venue, category] = [
      await service.create('/venues', { venue: 'Twice' }),
      await service.create('/categories', { name: 'Twice' }),
    ]
    for (const [path, scripts, only = 'form.edit input'] of [
      ['/desk/events/new?start_date=2027-06-11&start_time=19:00', true],
      ['/desk/events/new?start_date=2027-06-11&start_time=19:00', false],
      ['/desk/venues/new', false],
      ['/desk/categories/new', false],
      ['/desk/look', false],
      ['/desk/people/new', false],
      [`/desk/people/${service.userIds.author}`, false, '#heir'],
      [`/desk/venues/${venue.id}/merge`, false, '#into'],
      [`/desk/categories/${category.id}/merge`, false, '#into'],
    ] as const) {
      const tab = await open(path, scripts, admin)
      const count = await tab.evaluate<number>(
        `(window.lines = [...document.querySelectorAll('${only}')].filter((one) => ` +
          '/^(text|url|email|search|number)$/.test(one.type) && one.checkVisibility())).length',
      )
      for (let at = 0; at < count; at++) {
        await tab.evaluate(`lines[${at}].focus()`)
        await type(tab, 'jazz')
        await tab.key('Enter')
      }
      ok(count > 0, path)
      await sleep(300)
      equal(await tab.evaluate('location.pathname + location.search'), path)
      if (scripts) ok(await tab.evaluate("document.querySelector('#tags .chip input[value*=jazz]').checked"))
    }
    for (const status of ['publish', 'draft', 'pending']) {
      const { body } = await service.get(
        `/events?search=jazz&start_date=2020-01-01&status=${status}`,
        'admin',
      )
      equal(body.total, 0, status)
    }
  })

  for (const waited of [0, 200])
    test(`Enter takes the name marked ${waited} ms after the last letter, though others come`, async () => {
      const times = onDay('2027-06-09', '19:00:00', '21:00:00')
      const { id } = await service.event({ title: `Marked ${waited}`, ...times })
      const tab = await open(`/desk/events/${id}`)
      await tab.evaluate("document.getElementById('venue_name').focus()")
      await type(tab, 'The Bl')
      await untilShown(tab, "document.querySelector('.names:not([hidden]) li')")
      await tab.evaluate(answered('', { ms: 500 }))
      await type(tab, 'u')
      await sleep(waited)
      await tab.key('ArrowDown')
      await sleep(1000)
      await tab.key('Enter')
      equal(await tab.evaluate("document.getElementById('venue_name').value"), 'The Blue Kettle')
      await sleep(1000)
      equal(await tab.evaluate('location.pathname'), `/desk/events/${id}`)
      equal(await tab.evaluate("document.querySelectorAll('.names:not([hidden])').length"), 0)
    })

  test('the end moves with the start, and what was understood is said beneath', async () => {
    const { id } = await service.event({
      title: 'Moved',
      ...onDay('2027-06-10', '19:00:00', '21:30:00'),
      timezone: 'Europe/Oslo',
    })
    const tab = await open(`/desk/events/${id}`)
    await untilShown(tab, "document.getElementById('when-words').textContent.includes('2 hours')")
    await tab.evaluate(
      "document.getElementById('start_time').focus(); document.getElementById('start_time').select()",
    )
    await type(tab, '8.15pm')
    // After a pause in typing, the form shows the duration so far.
    await untilShown(tab, "document.getElementById('when-words').textContent.includes('1 hour, 15 minutes')")
    await tab.key('Tab')
    await tab.key('Tab')
    await untilShown(tab, "document.getElementById('end_time').value === '22:45'")
    equal(await tab.evaluate("document.getElementById('start_time').value"), '20:15')
    match(
      String(await tab.evaluate("document.getElementById('when-words').textContent")),
      /10 June 2027.*2 hours, 30 minutes/,
    )
  })

  test('the editor leaves a description alone until it is edited, then writes what was edited', async () => {
    const description = '<!-- wp:paragraph -->\n<p>Kept  so</p>\n<!-- /wp:paragraph -->'
    const { id } = await service.event({
      title: 'Blocks',
      description,
      ...onDay('2027-06-10', '19:00:00', '21:30:00'),
    })
    const tab = await open(`/desk/events/${id}`)
    await tab.evaluate("document.getElementById('description').focus()")
    await untilShown(tab, "document.querySelector('.rich-frame .text')")
    equal(await tab.evaluate("document.getElementById('description').value"), description)
    await type(tab, 'Edited: ')
    await untilShown(tab, "document.getElementById('description').value.includes('Edited')")
    deepEqual(complaintsOf(tab), [])
    const pasted = '<p style="mso-x:1" onclick="x()">From <b>Word</b><script>x()</script></p>'
    await tab.evaluate(`(() => {
      const data = new DataTransfer()
      data.setData('text/html', ${JSON.stringify(pasted)})
      document.querySelector('.rich-frame .text').dispatchEvent(new ClipboardEvent('paste', { clipboardData:
        data, bubbles: true, cancelable: true }))
    })()`)
    await untilShown(tab, "document.getElementById('description').value.includes('Word')")
    doesNotMatch(
      String(await tab.evaluate("document.getElementById('description').value")),
      /script|onclick|mso/,
    )
  })

  const RAW = [
    [
      'text with blank lines',
      'Para one.\n\nPara two\nline b.',
      '<p>Para one.</p><p>Para two<br>line b.!</p>',
    ],
    ['Windows line ends', 'One\r\n\r\n\r\nTwo\r\nthree', '<p>One</p><p>Two<br>three!</p>'],
    [
      'markup within lines',
      'Tom & <b>Ann\nBell</b>\n\n<a href="https://a.example/">Tickets</a> < 5<br>\nlast',
      '<p>Tom &amp; <b>Ann<br>Bell</b></p><p><a href="https://a.example/">Tickets</a> &lt; 5<br>last!</p>',
    ],
    [
      'signs that begin no tag or entity',
      'https://a.example/?a=1&copy=2\n5 <b and x<y & <!>\n\nlast <i',
      '<p>https://a.example/?a=1&amp;copy=2<br>5 &lt;b and x&lt;y &amp;</p><p>last &lt;i!</p>',
    ],
    [
      'looks of other editors',
      '<p class="lead" style="text-align:center" id="title">a</p><hr><p><span ' +
        'lang="de">b</span> <del>c</del></p><p></p>end',
      '<p class="lead" style="text-align:center" id="title">a</p><hr><p><span ' +
        'lang="de">b</span> <del>c</del></p><p>end!</p>',
    ],
    [
      'text around blocks',
      'Before\n<h3>Head</h3>\nafter\n\nend',
      '<p>Before</p><h3>Head</h3><p>after</p><p>end!</p>',
    ],
    [
      'blocks of other editors',
      '<div>One</div><div>Two<section>Three</section></div>four',
      /One<\/\w+>.*Two.*<\w+>Three.*<p>four!<\/p>$/,
    ],
    [
      'a table',
      '<table><tbody><tr><td>a</td><td>b</td></tr></tbody></table>end',
      /<td>a<\/td><td>b<\/td>.*<p>end!<\/p>$/,
    ],
  ] as const

  test('the editor has the paragraphs and line breaks that the page shows', async () => {
    const { id } = await service.event({ title: 'Raw', ...onDay('2027-06-10', '19:00:00', '20:00:00') })
    for (const [what, description, expected] of RAW) {
      await service.update(`/events/${id}`, { description })
      const tab = await open(`/desk/events/${id}`)
      await tab.evaluate(
        "(() => { const area = document.getElementById('description'); area.focus(); " +
          'area.setSelectionRange(area.value.length, area.value.length) })()',
      )
      await untilShown(tab, "document.querySelector('.rich-frame .text')")
      await type(tab, '!')
      await untilShown(tab, "document.getElementById('description').value.includes('!')")
      const value = await tab.evaluate<string>("document.getElementById('description').value")
      const { description: rendered } = await service.update(`/events/${id}`, { description: value })
      const shown = rendered.replaceAll(/\n/g, '').replaceAll('<br />', '<br>')
      if (typeof expected === 'string') equal(shown, expected, what)
      else match(shown, expected, what)
    }
  })

  test('blocks that nobody touched keep every byte, as do parts that the editor lacks', async () => {
    const [first, second, video] = [
      '<!-- wp:paragraph -->\n<P CLASS=lead>One  &amp; only</P>\n<!-- /wp:paragraph -->\n\n',
      'Plain text\nof two lines\n\n',
      '<iframe src="https://www.youtube.com/embed/x" allowfullscreen></iframe>\n',
    ]
    const times = onDay('2027-06-10', '19:00:00', '20:00:00')
    const event = { title: 'Kept', description: `${first}${second}${video}<p>Last</p>`, ...times }
    const { id } = await service.event(event)
    const tab = await open(`/desk/events/${id}`)
    await untilShown(tab, "document.querySelector('.rich-frame .island')")
    equal(await tab.evaluate("document.querySelector('.island').textContent"), 'iframe')
    equal(await tab.evaluate("document.getElementById('description').hidden"), true)
    await tab.evaluate("document.querySelector('label[for=description]').click()")
    await type(tab, ' of all')
    const value = () => tab.evaluate<string>("document.getElementById('description').value")
    await untilShown(tab, "document.getElementById('description').value.includes('of all')")
    equal(await value(), `${first}${second}${video}<p>Last of all</p>`)
    await tab.evaluate(`(() => {
      const range = document.createRange()
      range.setStart(document.querySelector('.rich-frame .text p').firstChild, 3)
      getSelection().removeAllRanges()
      getSelection().addRange(range)
    })()`)
    await type(tab, '!')
    await untilShown(tab, "document.getElementById('description').value.includes('One!')")
    match(
      await value(),
      new RegExp(
        '^<!-- wp:paragraph -->\\n<p class="lead">One![^<]*</p>\\n<!-- /wp:paragraph -->\\n\\nPlain ' +
          'text\\nof two lines\\n\\n<iframe src',
      ),
    )
    deepEqual(complaintsOf(tab), [])
  })

  test('texts of venues, organizers and terms have the editor, and keep what it did not touch', async () => {
    for (const [room, naming] of [
      ['venues', 'venue'],
      ['organizers', 'organizer'],
      ['categories', 'name'],
    ] as const) {
      const description = '<p>As  it was</p>\n\nplain'
      const { id } = await service.create(`/${room}`, { [naming]: `Edited in ${room}`, description })
      const text = "document.querySelector('.rich-frame .text')"
      const tab = await open(`/desk/${room}/${id}`, true, cookie, `${text}?.querySelector('p')`)
      equal(await tab.evaluate(`${text}.innerText.includes('<p>')`), false)
      const value = "document.getElementById('description').value"
      equal(await tab.evaluate(value), description)
      await tab.evaluate("document.getElementById('description').focus()")
      await type(tab, ' and more')
      await untilShown(tab, `${value}.includes('and more')`)
      equal(await tab.evaluate(value), '<p>As  it was</p>\n\n<p>plain and more</p>')
    }
  })

  test('the caret stays where somebody types before the editor has loaded', async () => {
    for (const [text, at, expected] of [
      ['Doors at seven.\n\nMusic at eight.', 'Doors', '<p>Doors! at seven.</p>Music at eight.'],
      ['Doors at seven.\n\nMusic at eight.', 'Doors at seven.', '<p>Doors at seven.!</p>Music at eight.'],
      ['Doors at seven.\n\nMusic at eight.', 'Doors at seven.\n', 'Doors at seven.<p>!Music at eight.</p>'],
      ['<p>One</p>\n<p>two &amp; <b>three</b></p>', '<p>One</p>', '<p>One</p><p>!two &amp; <b>three</b></p>'],
      [
        '<p>One</p>\n<p>two &amp; <b>three</b></p>',
        '<p>One</p>\n<p>two &am',
        '<p>One</p><p>two &amp;! <b>three</b></p>',
      ],
    ] as const) {
      const tab = await openSlowly('/desk/events/new', 300)
      await type(tab, text)
      await tab.evaluate(
        `document.getElementById('description').setSelectionRange(${at.length}, ${at.length})`,
      )
      await untilShown(tab, "document.querySelector('.rich-frame .text')")
      await type(tab, '!')
      await untilShown(tab, "document.getElementById('description').value.includes('!')")
      const value = await tab.evaluate<string>("document.getElementById('description').value")
      equal(value.replaceAll('\n', ''), expected, `${text} at ${at}`)
    }
  })

  test('a rule that is touched moves the choice of dates, and is saved', async () => {
    for (const [touch, scope, total] of [
      ["document.querySelectorAll('#next-dates [type=checkbox]')[1].click()", 'all', 3],
      [
        "Object.assign(document.getElementById('repeat_count'), { value: " +
          "'5' }).dispatchEvent(new Event('change', { bubbles: true }))",
        'following',
        5,
      ],
    ] as const) {
      const times = onDay('2027-06-08', '19:00:00', '20:00:00')
      const { id } = await service.event({
        title: `Ruled ${scope}`,
        ...times,
        recurrence: 'FREQ=WEEKLY;COUNT=4',
      })
      const tab = await open(`/desk/events/${id}`)
      await untilShown(tab, "document.querySelector('#next-dates [type=checkbox]')")
      await tab.evaluate(touch)
      equal(await tab.evaluate("document.querySelector('[name=recurrence_scope]:checked').value"), scope)
      await tab.evaluate("document.querySelector('.savebar .main.first').click()")
      await untilShown(tab, "location.search.startsWith('?saved')")
      equal((await service.get(`/events?search=Ruled+${scope}&start_date=2027-01-01`)).body.total, total)
    }
  })

  test('leaving warns where something has changed, and not while it is saved', async () => {
    const tab = await open('/desk/events/new')
    const warns = () => tab.evaluate(WARNS)
    await untilShown(tab, "document.querySelector('.event-form.alive')")
    equal(await warns(), false)
    await type(tab, 'Changed')
    equal(await warns(), true)
    const saving =
      "document.querySelector('.event-form').dispatchEvent(new SubmitEvent('submit', { cancelable: true }))"
    await tab.evaluate(saving)
    equal(await warns(), false)
  })

  for (const [how, network, answers] of [
    ['there is no network', { offline: true }, {}],
    ['a proxy answers for the service', { offline: false }, { status: 502 }],
  ] as const)
    test(`a save while ${how} leaves the form as it is, says so, and can be done again`, async () => {
      const title = `Saved once ${how}`
      const tab = await open('/desk/events/new?start_date=2027-06-11&start_time=19:00')
      await type(tab, title)
      await tab.send('Network.emulateNetworkConditions', { ...UNBOUNDED, ...network })
      await tab.evaluate(answered('', answers))
      await tab.evaluate("document.querySelector('.savebar .main.first').click()")
      await untilShown(
        tab,
        "document.querySelector('.savebar [role=alert]')?.textContent.includes('cannot be reached')",
      )
      equal(await tab.evaluate("document.getElementById('title').value"), title)
      equal(await tab.evaluate(WARNS), true)
      await tab.send('Network.emulateNetworkConditions', UNBOUNDED)
      await tab.evaluate('window.fetch = before')
      await tab.evaluate("document.querySelector('.savebar .main.first').click()")
      await untilShown(tab, "location.search.startsWith('?saved')")
      equal((await saved(title)).start_date, '2027-06-11 19:00:00')
    })

  test('a picture that is too large is refused where it is chosen, and the form stays', async () => {
    const tab = await open('/desk/events/new')
    const choose = (bytes: number) => `(() => {
      const data = new DataTransfer()
      data.items.add(new File([new Uint8Array(${bytes})], 'a.png', { type: 'image/png' }))
      const input = document.getElementById('picture-file')
      input.files = data.files
      input.dispatchEvent(new Event('change', { bubbles: true }))
      return [input.files.length, input.parentElement.querySelector('.error')?.textContent ?? '']
    })()`
    const [count, said] = await tab.evaluate<[number, string]>(choose(30_000_000))
    equal(count, 0)
    match(said, /larger than 20 MB/)
    deepEqual(await tab.evaluate(choose(1000)), [1, ''])
  })
})
