import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type AtDesk, sitAtDesk } from '../support/desk.ts'
import { startService, type TestService } from '../support/service.ts'

const idIn = (location: string | null) => Number(/\/desk\/events\/(\d+)/.exec(location ?? '')?.[1])
const versionIn = (body: string) => /name="version" value="(\d+)"/.exec(body)?.[1] ?? ''

describe('the form of an event', () => {
  let service: TestService
  let editor: AtDesk

  before(async () => {
    service = await startService()
    editor = await sitAtDesk(service, 'editor')
  })
  after(() => service.close())

  test('1e.1: one post makes an event, with no more than a title, a date and a time', async () => {
    const made = await editor.post('/desk/events/new', {
      title: 'Thursday Jazz',
      start_date: '2030-11-28',
      start_time: '20:30',
    })
    assert.equal(made.status, 303, JSON.stringify(made.body))
    const { body } = await service.get(`/events/${idIn(made.headers.get('location'))}`)
    assert.equal(body.title, 'Thursday Jazz')
    assert.equal(body.start_date, '2030-11-28 20:30:00')
    assert.equal(body.end_date, '2030-11-28 22:30:00')
    assert.equal((await editor.get('/desk/events/new')).status, 200)
  })

  test('3d.11: a failed save is 422 with what was typed, and says what is wrong at its control and above', async () => {
    const { status, body } = await editor.post('/desk/events/new', {
      title: '<b>Typed</b>',
      start_date: '31 feb',
      start_time: '25:99',
      website: 'nowhere',
      description: 'First line\nSecond <em>line</em>',
    })
    assert.equal(status, 422)
    assert.match(body, /value="&lt;b&gt;Typed&lt;\/b&gt;"/)
    assert.match(body, /Second &lt;em&gt;line&lt;\/em&gt;/)
    for (const name of ['start_date', 'start_time', 'website']) {
      assert.match(body, new RegExp(`<a href="#${name}">`), name)
      assert.match(body, new RegExp(`id="${name}"[^>]*aria-invalid="true" aria-describedby="${name}-error"`), name)
    }
    assert.match(body, /value="31 feb"/)
    assert.match(body, /<title>Error: /)
  })

  test('3d.11: a form that is sent twice at once makes one event', async () => {
    const form = { title: 'Pressed twice', start_date: '2030-11-28', start_time: '20:30', key: 'a-key-of-the-form' }
    const answers = await Promise.all([editor.post('/desk/events/new', form), editor.post('/desk/events/new', form)])
    assert.deepEqual(
      answers.map(({ status }) => status),
      [303, 303],
    )
    assert.equal(answers[0]?.headers.get('location'), answers[1]?.headers.get('location'))
  })

  test('3d.12, 1e.12: what two editors change in different fields is merged and told; in the same one both sides are shown', async () => {
    const { id } = await service.create('/events', {
      title: 'Choir',
      description: 'As it was',
      start_date: '2030-05-02 19:00:00',
      end_date: '2030-05-02 21:00:00',
      cost: '5',
    })
    const version = versionIn((await editor.get(`/desk/events/${id}`)).body)
    await service.update(`/events/${id}`, { description: 'Theirs', website: 'https://example.org/theirs' })
    const merged = await editor.post(`/desk/events/${id}`, { title: 'Choir, by me', description: 'As it was', version })
    assert.equal(merged.status, 303)
    const told = await editor.get(merged.headers.get('location') ?? '')
    assert.match(told.body, /Meanwhile somebody else has changed: Description/)
    const refused = await editor.post(`/desk/events/${id}`, {
      title: 'Choir, by me',
      description: 'Mine & kept',
      website: '',
      cost: '7',
      version,
    })
    assert.equal(refused.status, 412)
    assert.match(refused.body, /Mine &amp; kept<\/textarea>/)
    assert.match(
      refused.body,
      /<th scope="row">Description<\/th><td dir="auto">Mine &amp; kept<\/td><td dir="auto">Theirs<\/td>/,
    )
    assert.match(refused.body, /name="website"[^>]*value="https:\/\/example\.org\/theirs"/)
    const decided = await editor.post(`/desk/events/${id}`, {
      title: 'Choir, by me',
      description: 'Mine & kept',
      website: 'https://example.org/theirs',
      version: versionIn(refused.body),
    })
    assert.equal(decided.status, 303)
    const { body } = await service.get(`/events/${id}`)
    assert.match(body.description, /Mine &amp; kept/)
    assert.equal(body.website, 'https://example.org/theirs')
  })
})
