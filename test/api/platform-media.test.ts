import { deepEqual, doesNotMatch, equal, notEqual, ok } from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { sql } from 'kysely'
import sharp from 'sharp'
import { SCOPES } from '../../src/calendar/people/caller.ts'
import { addCredential } from '../../src/calendar/people/credentials.ts'
import { getUserByLogin } from '../../src/calendar/people/users.ts'
import { drawPng } from '../support/pictures.ts'
import { type Answer, type Reader, serviceForTests } from '../support/service.ts'
import { refusesEach } from '../support/wrong-parameters.ts'

const service = serviceForTests()
const MEDIA = '~/wp-json/wp/v2/media'
const TIMES = { start_date: '2027-05-03 10:00:00', end_date: '2027-05-03 11:00:00' }
const EVERYBODY: Reader[] = ['anonymous', 'subscriber', 'contributor', 'author', 'editor', 'admin']

let made = 0

async function uploaded(
  query = '',
  as: Reader = 'admin',
  name = `picture-${made++}`,
): Promise<Answer['body']> {
  const bytes = await drawPng(40, 30, '#0a8')
  const headers = { 'content-type': 'image/png', 'content-disposition': `attachment; filename="${name}.png"` }
  const { status, body } = await service.post(`${MEDIA}${query}`, new Uint8Array(bytes), as, headers)
  equal(status, 201)
  return body
}

async function listed(query: string, as: Reader = 'anonymous'): Promise<number[]> {
  const { status, headers, body } = await service.get(`${MEDIA}?per_page=100&${query}`, as)
  equal(status, 200, query)
  if (!query.includes('offset')) equal(headers.get('x-wp-total'), String(body.length))
  return body.map(({ id }: { id: number }) => id)
}

async function readersOf(id: number): Promise<Reader[]> {
  const readers: Reader[] = []
  for (const as of EVERYBODY) {
    const { status, body } = await service.get(`${MEDIA}/${id}`, as)
    const isListed = (await listed(`include=${id}`, as)).includes(id)
    equal(status, isListed ? 200 : 404, as)
    if (isListed) readers.push(as)
    else equal(body.code, 'rest_post_invalid_id')
  }
  return readers
}

describe('an image is open', () => {
  const OF_EDITORS: Reader[] = ['editor', 'admin']

  test('to everybody while no record shows it', async () => {
    deepEqual(await readersOf((await uploaded()).id), EVERYBODY)
  })

  for (const [path, title] of [
    ['/events', 'title'],
    ['/venues', 'venue'],
    ['/organizers', 'organizer'],
  ] as const) {
    test(`to whoever may see one of the ${path.slice(1)} that show it`, async () => {
      const { id } = await uploaded()
      const { body } = await service.post(path, {
        ...TIMES,
        [title]: `Secret of ${path}`,
        image: id,
        status: 'draft',
      })
      for (const status of ['draft', 'pending', 'private', 'future', 'trash', 'publish']) {
        const date = status === 'future' ? { date: '2099-01-01 00:00:00' } : { date: '2020-01-01 00:00:00' }
        equal((await service.put(`${path}/${body.id}`, { status, ...date })).body.status, status)
        deepEqual(await readersOf(id), status === 'publish' ? EVERYBODY : OF_EDITORS, status)
      }
      await service.remove(`${path}/${body.id}`)
      deepEqual(await readersOf(id), OF_EDITORS)
    })
  }

  test('to all as soon as one of its records is public, and to the author of a hidden one', async () => {
    const { id } = await uploaded()
    const hidden = await service.post(
      '/events',
      { title: 'Own draft', ...TIMES, image: id, status: 'draft' },
      'author',
    )
    equal(hidden.body.image.id, id)
    deepEqual(await readersOf(id), ['author', 'editor', 'admin'])
    await service.post('/venues', { venue: 'Open hall', image: id })
    deepEqual(await readersOf(id), EVERYBODY)
  })

  test('to its owner, whoever hides the record', async () => {
    const { id } = await uploaded('', 'author')
    await service.post(
      '/events',
      { title: 'Of the editor', ...TIMES, image: id, status: 'private' },
      'editor',
    )
    deepEqual(await readersOf(id), ['author', 'editor', 'admin'])
  })

  test('by its file, whose address names nothing but the file', async () => {
    const image = await uploaded()
    await service.post('/events', { title: 'Hidden title', ...TIMES, image: image.id, status: 'private' })
    equal((await fetch(image.source_url)).status, 200)
    const shown = await service.get(`${MEDIA}/${image.id}`, 'editor')
    equal(shown.body.post, null)
    doesNotMatch(JSON.stringify(shown.body), /Hidden title/i)
  })

  test('to be taken for a record by whoever may see it, and by nobody else', async () => {
    const { id } = await uploaded()
    await service.post('/events', { title: 'Draft', ...TIMES, image: id, status: 'draft' })
    const taken = (as: Reader) => service.post('/events', { title: 'Take it', ...TIMES, image: id }, as)
    const refused = await taken('contributor')
    deepEqual([refused.status, Object.keys(refused.body.data.params)], [400, ['image']])
    equal((await taken('editor')).body.image.id, id)
  })

  test('to a limited token as far as the records are', async () => {
    const { id } = await uploaded()
    await service.post('/events', { title: 'Draft', ...TIMES, image: id, status: 'draft' })
    const { database } = service.app
    const statuses: Record<string, number> = {
      'read-drafts': 200,
      'write-all': 200,
      'write-own': 404,
      media: 404,
    }
    for (const scope of SCOPES) {
      const token = await database.write(async (tx) => {
        const editor = await getUserByLogin(tx, 'editor')
        return addCredential(tx, editor, 'token', 'Test', Date.now(), undefined, { scopes: [scope] })
      })
      const headers = { authorization: `Bearer ${token}` }
      const answer = await service.get(`${MEDIA}/${id}`, 'anonymous', headers)
      equal(answer.status, statuses[scope], scope)
    }
  })

  test('to no change or removal by those who may not see it', async () => {
    const { id } = await uploaded()
    await service.post('/events', { title: 'Draft', ...TIMES, image: id, status: 'draft' })
    equal((await service.post(`${MEDIA}/${id}`, { title: 'x' }, 'author')).status, 404)
    equal((await service.remove(`${MEDIA}/${id}`, 'author')).status, 404)
    equal((await service.remove(`${MEDIA}/${id}`, 'anonymous')).status, 401)
  })
})

describe('the texts of an image', () => {
  const sent = {
    title: 'The “old” town & <em>hall</em>',
    alt_text: 'A hall\nof <b>stone</b>',
    caption: 'Seen from the *east*<script>alert(1)</script>',
    description: 'Long\n\ntext',
  }
  const shown = ({ title, alt_text, caption, description, slug }: Answer['body']) => ({
    title: title.rendered,
    alt_text,
    caption: caption.rendered,
    description: description.rendered,
    slug,
  })
  const expected = {
    title: 'The “old” town &#038; <em>hall</em>',
    alt_text: 'A hall of stone',
    caption: '<p>Seen from the *east*alert(1)</p>',
    description: '<p>Long</p>\n<p>text</p>',
    slug: 'the-old-town-hall',
  }

  test('are kept when they come with a raw body, in a form, or later as JSON', async () => {
    const raw = await uploaded(`?${new URLSearchParams(sent)}`)
    deepEqual(shown(raw), expected)
    const form = new FormData()
    const file = await sharp({ create: { width: 4, height: 3, channels: 3, background: '#0a8' } })
      .jpeg()
      .toBuffer()
    form.set('file', new Blob([new Uint8Array(file)], { type: 'image/jpeg' }), 'IMG_1.jpg')
    for (const [name, text] of Object.entries(sent)) form.set(name, text)
    const { status, body } = await service.post(MEDIA, form, 'author')
    equal(status, 201)
    deepEqual(shown(body), { ...expected, slug: `the-old-town-hall-${body.id}` })
    deepEqual(shown((await service.get(`${MEDIA}/${body.id}`)).body), shown(body))
    const plain = await uploaded('', 'author', 'IMG_2')
    deepEqual([plain.title.rendered, plain.slug, plain.alt_text], ['IMG_2', 'img_2', ''])
    for (const method of ['POST', 'PUT', 'PATCH']) {
      const changed = await service.request('author', method, `${MEDIA}/${plain.id}`, {
        alt_text: `By ${method}`,
      })
      deepEqual([changed.status, changed.body.alt_text, changed.body.slug], [200, `By ${method}`, 'img_2'])
    }
    const later = await service.post(`${MEDIA}/${plain.id}`, { ...sent, slug: 'Hall of Stone' }, 'author')
    deepEqual(shown(later.body), { ...expected, slug: 'hall-of-stone' })
    deepEqual(shown((await service.get(`${MEDIA}/${plain.id}`)).body), shown(later.body))
  })

  test('change by themselves: what is not sent stays, and an empty text clears', async () => {
    const { id } = await uploaded(`?${new URLSearchParams(sent)}`)
    const one = await service.post(`${MEDIA}/${id}`, { caption: { raw: 'As an answer shows it' } })
    equal(one.body.caption.rendered, '<p>As an answer shows it</p>')
    equal(one.body.title.rendered, expected.title)
    const none = await service.post(`${MEDIA}/${id}`, { alt_text: '', caption: '', description: '' })
    deepEqual([none.body.alt_text, none.body.caption.rendered, none.body.description.rendered], ['', '', ''])
    const wrong = await service.post(`${MEDIA}/${id}`, { title: ['x'], alt_text: 5, caption: {} })
    deepEqual([wrong.status, Object.keys(wrong.body.data.params)], [400, ['title', 'alt_text', 'caption']])
    const form = await service.put(`${MEDIA}/${id}`, new URLSearchParams({ alt_text: 'By form' }))
    equal(form.body.alt_text, 'By form')
  })

  test('are changed by the owner and by those who may edit what is others’', async () => {
    const expected = [401, 403, 403, 403, 200, 200]
    const { id } = await uploaded('', 'admin')
    for (const [i, as] of EVERYBODY.entries()) {
      const { status } = await service.post(`${MEDIA}/${id}`, { alt_text: as }, as)
      equal(status, expected[i], as)
      const { headers } = await service.request(as, 'OPTIONS', `${MEDIA}/${id}`)
      equal(headers.get('allow'), status === 200 ? 'GET, POST, PUT, PATCH, DELETE' : 'GET')
    }
    const own = await uploaded('', 'author')
    equal((await service.post(`${MEDIA}/${own.id}`, { alt_text: 'mine' }, 'author')).status, 200)
    equal((await service.post(`${MEDIA}/99999999`, { alt_text: 'x' })).status, 404)
  })

  test('change the time of the last change, and are followed by caches', async () => {
    const image = await uploaded()
    equal(image.modified_gmt, image.date_gmt)
    const before = await service.get(`${MEDIA}/${image.id}`)
    await service.post(`${MEDIA}/${image.id}`, { title: 'Later' })
    const after = await service.get(`${MEDIA}/${image.id}`)
    notEqual(after.headers.get('etag'), before.headers.get('etag'))
    equal(after.body.title.rendered, 'Later')
  })

  test('are shown as they were sent with context=edit, to those who may edit them', async () => {
    const { id } = await uploaded(`?${new URLSearchParams(sent)}`, 'author')
    const edited = await service.get(`${MEDIA}/${id}?context=edit`, 'author')
    deepEqual([edited.body.title.raw, edited.body.caption.raw], [sent.title, sent.caption])
    equal((await service.get(`${MEDIA}/${id}`, 'author')).body.title.raw, undefined)
    equal((await service.get(`${MEDIA}/${id}?context=edit`)).status, 401)
    equal((await service.get(`${MEDIA}/${id}?context=edit`, 'contributor')).status, 403)
    equal((await service.get(`${MEDIA}?context=edit`)).status, 401)
    const { body } = await service.get(`${MEDIA}?context=edit&include=${id}`, 'editor')
    equal(body[0].title.raw, sent.title)
  })
})

describe('the list of images is narrowed by', () => {
  const ids: Record<string, number> = {}
  before(async () => {
    for (const [name, query, as] of [
      ['Alpha-ship', '?title=Zürich%20See&alt_text=harbour', 'admin'],
      ['Beta-ship', '?caption=%3Cp%3EFÄHRE%3C/p%3E', 'editor'],
      ['Gamma-ship', '', 'author'],
    ] as const)
      ids[name] = (await uploaded(query, as, name)).id
  })

  test('each filter', async () => {
    const [alpha = 0, beta = 0, gamma = 0] = Object.values(ids)
    const all = `include=${alpha},${beta},${gamma}`
    const narrowed: [query: string, expected: number[]][] = [
      ['search=zurich', [alpha]],
      ['search=HARBOUR', [alpha]],
      ['search=fahre', [beta]],
      ['search=gamma-ship', [gamma]],
      ['slug=beta-ship', [beta]],
      ['slug=beta-ship,GAMMA-SHIP,none', [gamma, beta]],
      ['slug[]=zurich-see', [alpha]],
      [`${all}&media_type=image`, [gamma, beta, alpha]],
      [`${all}&media_type=video`, []],
      [`${all}&mime_type=image/png`, [gamma, beta, alpha]],
      [`${all}&mime_type=image/jpeg`, []],
      [`${all}&offset=1`, [beta, alpha]],
      [`${all}&offset=2`, [alpha]],
      [`${all}&offset=9`, []],
      [`${all}&order=asc`, [alpha, beta, gamma]],
      [`${all}&orderby=id&order=desc`, [gamma, beta, alpha]],
      [`${all}&orderby=slug&order=asc`, [beta, gamma, alpha]],
      [`${all}&orderby=title&order=asc`, [beta, gamma, alpha]],
      [`include=${beta},${gamma},${alpha}&orderby=include`, [beta, gamma, alpha]],
      [`${all}&exclude=${beta},99999999999`, [gamma, alpha]],
      [`${all}&author=${service.userIds.author},${service.userIds.editor}`, [gamma, beta]],
      [`${all}&after=2020-01-01T00:00:00`, [gamma, beta, alpha]],
      [`${all}&before=2020-01-01T00:00:00`, []],
      [`${all}&modified_before=2020-01-01T00:00:00`, []],
      ['include=99999999999', []],
    ]
    for (const [query, expected] of narrowed) deepEqual(await listed(query), expected, query)
  })

  test('what is wrong, named all at once', async () => {
    const wrong = 'media_type=pictures&offset=-1&order=up&orderby=colour&after=never&include=x&context=all'
    await refusesEach(service, MEDIA, wrong)
  })

  test('offset, without links to pages', async () => {
    const { status, headers, body } = await service.get(`${MEDIA}?per_page=1&offset=1`)
    deepEqual([status, body.length], [200, 1])
    doesNotMatch(headers.get('link') ?? '', /rel="(next|prev)"/)
    ok(Number(headers.get('x-wp-total')) > 2)
  })
})

test('an image that cannot be removed stays on its records: removals happen whole or not', async () => {
  const { id } = await uploaded()
  const { body: event } = await service.post('/events', { title: 'Shows it', ...TIMES, image: id })
  const { database } = service.app
  const run = (statement: string) => database.write((tx) => sql.raw(statement).execute(tx))
  await run('create table keepers (record bigint references records (id))')
  await run(`insert into keepers (record) values (${id})`)
  ok((await service.remove(`${MEDIA}/${id}`)).status >= 500)
  equal((await service.get(`/events/${event.id}`)).body.image.id, id)
  equal((await service.get(`${MEDIA}/${id}`)).status, 200)
  await run('drop table keepers')
  equal((await service.remove(`${MEDIA}/${id}`)).status, 200)
  equal((await service.get(`/events/${event.id}`)).body.image, false)
})
