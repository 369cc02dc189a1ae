import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { deskHere } from '../support/desk.ts'
import { serviceForTests } from '../support/service.ts'

const SEASON = [
  ['Date', 'Time', 'Title', 'Hall', 'Price'],
  ['12.12.2027', '19:30', 'Brahms Quartet', 'Main hall', '€12'],
  ['13.12.2027', '20:00', 'Jazz night', 'Bar', '€8'],
  ['31.02.2027', '20:00', 'Late show', 'Mian hall', '€8'],
]
const pasted = (rows: readonly (readonly string[])[]) => rows.map((row) => row.join('\t')).join('\n')

/** The value of a control of a form. */
const shownAt = (page: string, name: string) =>
  new RegExp(`name="${name}" value="([^"]*)"`).exec(page)?.[1] ?? assert.fail(`${name} is not asked`)
const addressIn = (page: string) =>
  /<form class="staged"[^>]* action="([^"]+)"/.exec(page)?.[1] ?? assert.fail(page)

describe('a pasted table', () => {
  const service = serviceForTests()
  const editor = deskHere(service, 'editor')

  const titles = async () => {
    const { body } = await service.get(
      '/events?per_page=50&status=draft,publish,pending&start_date=2027-01-01',
      'editor',
    )
    assert.ok(body.events, JSON.stringify(body))
    return body.events.map(({ title }: { title: string }) => title)
  }

  test('is shown as its rows would be, mended, brought in as drafts and taken back', async () => {
    await service.create('/venues', { venue: 'Main hall' }, 'editor')
    const shown = await editor.post('/desk/import', { text: pasted(SEASON) })
    assert.equal(shown.status, 200, shown.body)
    assert.match(shown.body, /value="import"[^>]*>Import 2 as drafts</)
    assert.match(shown.body, /There is no day “31.02.2027”/)
    assert.match(shown.body, /new venue/)
    assert.match(shown.body, /value="take 3 3 Main hall"/)
    assert.deepEqual(await titles(), [])
    const address = addressIn(shown.body).replace(service.origin, '')
    assert.equal(shownAt(shown.body, 'cell_3_0'), '31.02.2027')

    const still = await editor.post(address, { cell_3_0: '30.02.2027', action: 'import' })
    assert.equal(still.status, 422)
    assert.deepEqual(await titles(), [])

    const taken = await editor.post(address, { action: 'take 3 3 Main hall' })
    assert.doesNotMatch(taken.body, /Mian hall/)
    const sent = await editor.post(address, { cell_3_0: '28.02.2027', action: 'import', status: 'draft' })
    assert.equal(sent.status, 303, sent.body)
    const done = await editor.get(sent.headers.get('location') ?? '')
    assert.match(done.body, /3 events are in as drafts/)
    assert.deepEqual((await titles()).toSorted(), ['Brahms Quartet', 'Jazz night', 'Late show'])
    const { body } = await service.get('/events?search=Brahms&status=draft', 'editor')
    const [brahms] = body.events
    assert.deepEqual(
      [brahms.status, brahms.start_date, brahms.end_date, brahms.venue.venue, brahms.cost],
      ['draft', '2027-12-12 19:30:00', '2027-12-12 21:30:00', 'Main hall', '€12'],
    )

    assert.equal((await editor.post(address, { action: 'undo' })).status, 303)
    assert.deepEqual(await titles(), [])
    assert.match((await editor.get(address)).body, /were taken back/)
  })
})
