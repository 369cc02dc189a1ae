import { deepEqual, doesNotMatch, equal, match, ok } from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import sharp from 'sharp'
import { pluck } from '../support/lists.ts'
import { drawPng } from '../support/pictures.ts'
import { type Answer, type Reader, serviceForTests, startService } from '../support/service.ts'

const service = serviceForTests()
const PLATFORM = '~/wp-json/wp/v2'
const EVERYBODY: Reader[] = ['anonymous', 'subscriber', 'contributor', 'author', 'editor', 'admin']

async function noise(side: number): Promise<Uint8Array<ArrayBuffer>> {
  const background = { mean: 128, sigma: 80, type: 'gaussian' } as const
  return new Uint8Array(
    await sharp({ create: { width: side, height: side, channels: 3, background, noise: background } })
      .png()
      .toBuffer(),
  )
}

function upload(
  bytes: Uint8Array,
  as: Reader = 'author',
  headers: Record<string, string> = {},
): Promise<Answer> {
  const usual = { 'content-type': 'image/png', 'content-disposition': 'attachment; filename="poster.png"' }
  return service.post(`${PLATFORM}/media`, bytes, as, { ...usual, ...headers })
}

async function uploaded(as: Reader = 'author', name = 'poster'): Promise<number> {
  const headers = { 'content-disposition': `attachment; filename="${name}.png"` }
  const { status, body } = await upload(await drawPng(40, 30), as, headers)
  equal(status, 201)
  return body.id
}

function assertProblem({ status, body }: Answer, expected: number, code: string): void {
  deepEqual([status, body.code, body.data.status], [expected, code, expected])
  ok(body.message)
}

function withoutBatches(entry: object): unknown {
  return JSON.parse(JSON.stringify(entry, (name, value) => (name === 'allow_batch' ? undefined : value)))
}

function keys(record: object): string[] {
  return Object.keys(record)
}

describe('the root index', () => {
  test('tells of the site, its namespaces and routes, with or without a slash, in any case', async () => {
    const { status, headers, body } = await service.get('~/wp-json/')
    equal(status, 200)
    equal(headers.get('allow'), 'GET')
    const members =
      'name description url home gmt_offset timezone_string namespaces authentication routes _links'
    deepEqual(keys(body), members.split(' '))
    deepEqual([body.name, body.url, body.home], ['Kalends', service.origin, service.origin])
    equal(body.timezone_string, 'America/New_York')
    ok(body.gmt_offset === -5 || body.gmt_offset === -4)
    deepEqual(body.namespaces, ['tribe/events/v1', 'wp/v2', 'kalends/v1'])
    deepEqual(body._links.self, [{ href: `${service.origin}/wp-json/` }])
    deepEqual((await service.get('~/wp-json')).body, body)
    deepEqual((await service.get('~/WP-JSON/')).body, body)
  })

  test('says that application passwords sign in, and where people give them to programs', async () => {
    const { body } = await service.get('~/wp-json/')
    const authorization = `${service.origin}/wp-admin/authorize-application.php`
    deepEqual(body.authentication, { 'application-passwords': { endpoints: { authorization } } })
  })

  test('describes routes the way the index of the namespace and OPTIONS do', async () => {
    const { body } = await service.get('~/wp-json/')
    const namespace = await service.get('')
    for (const [path, entry] of Object.entries(namespace.body.routes))
      deepEqual(withoutBatches(body.routes[path]), entry)
    const collections = 'media tags tribe_events tribe_venue tribe_organizer tribe_events_cat'.split(' ')
    const types = ['', '/attachment', '/tribe_events', '/tribe_venue', '/tribe_organizer'].map(
      (path) => `/types${path}`,
    )
    types.push(...['', '/post_tag', '/tribe_events_cat'].map((path) => `/taxonomies${path}`))
    const [media, tags, ...records] = collections.map((path) => [`/${path}`, `/${path}/(?P<id>\\d+)`])
    const passwords = ['', '/introspect', '/(?P<uuid>[\\w\\-]+)'].map(
      (path) => `/users/(?P<user_id>(?:[\\d]+|me))/application-passwords${path}`,
    )
    const beside = ['', '/users/me', passwords, media, tags, types, records].flat(2)
    const webhook = '/webhooks/(?P<id>\\d+)'
    const parts = [
      '',
      '/test',
      '/rotate',
      '/deliveries',
      '/deliveries/resend',
      '/deliveries/(?P<delivery>\\d+)/resend',
    ]
    const webhooks = ['/webhooks', ...parts.map((part) => webhook + part)]
    const versions = ['', '/(?P<version>\\d+)', '/(?P<version>\\d+)/restore']
    const histories = ['events', 'venues', 'organizers', 'categories', 'tags', 'series'].flatMap((kind) =>
      versions.map((version) => `/${kind}/(?P<id>\\d+)/history${version}`),
    )
    const series = ['/series', '/series/(?P<id>\\d+)']
    const own = [...series, ...histories, '/settings', '/changes', ...webhooks].map(
      (path) => `/kalends/v1${path}`,
    )
    const added = beside.map((path) => `/wp/v2${path}`)
    deepEqual(keys(body.routes), ['/', '/batch/v1', ...keys(namespace.body.routes), ...added, ...own])
    const options = await service.request('anonymous', 'OPTIONS', `${PLATFORM}/tags`)
    deepEqual([options.status, options.body], [200, body.routes['/wp/v2/tags']])
    equal(options.headers.get('allow'), 'GET')
    deepEqual(body.routes['/']._links.self, [{ href: `${service.origin}/wp-json/` }])
    deepEqual(body.routes['/wp/v2/media/(?P<id>\\d+)'].methods, 'GET POST PUT PATCH DELETE'.split(' '))
  })

  test('answers HEAD, OPTIONS, _fields and _envelope', async () => {
    const head = await service.request('anonymous', 'HEAD', '~/wp-json/')
    deepEqual([head.status, head.body], [200, undefined])
    const options = await service.request('anonymous', 'OPTIONS', '~/wp-json/')
    deepEqual([options.status, options.body.methods, options.headers.get('allow')], [200, ['GET'], 'GET'])
    deepEqual(keys((await service.get('~/wp-json/?_fields=name,namespaces')).body), [
      'name',
      'namespaces',
      '_links',
    ])
    const { body } = await service.get('~/wp-json/?_envelope=1')
    deepEqual([body.status, body.headers.Allow, body.body.name], [200, 'GET', 'Kalends'])
  })

  test('takes no other method, and no other path is there', async () => {
    assertProblem(await service.post('~/wp-json/', {}), 404, 'rest_no_route')
    assertProblem(await service.get('~/wp-json/wp/v2/posts'), 404, 'rest_no_route')
    assertProblem(await service.get('~/wp-json/wp'), 404, 'rest_no_route')
    assertProblem(await service.get('~/wp-jsonx'), 404, 'rest_no_route')
    deepEqual((await service.request('anonymous', 'OPTIONS', `${PLATFORM}/posts`)).body, [])
  })

  test('of the platform alone lists its routes', async () => {
    const { status, body } = await service.get(PLATFORM)
    deepEqual([status, body.namespace], [200, 'wp/v2'])
    ok(keys(body.routes).every((path) => path.startsWith('/wp/v2')))
    assertProblem(await service.get(`${PLATFORM}?namespace=wp/v3`), 404, 'rest_invalid_namespace')
  })

  test('follows the settings', async () => {
    await using other = await startService({
      vendor: 'acme',
      rest_root: '/api',
      timezone: 'UTC+5:30',
      site_name: 'Town',
    })

    const { body } = await other.get('~/api/')
    deepEqual([body.name, body.gmt_offset, body.timezone_string], ['Town', 5.5, ''])
    deepEqual(body.namespaces, ['acme/events/v1', 'wp/v2', 'kalends/v1'])
    equal(body.routes['/wp/v2/tags']._links.self[0].href, `${other.origin}/api/wp/v2/tags`)
    assertProblem(await other.get('~/wp-json/'), 404, 'rest_no_route')
  })
})

describe('users/me', () => {
  test('is refused to anonymous callers', async () => {
    const answer = await service.get(`${PLATFORM}/users/me`)
    assertProblem(answer, 401, 'rest_not_logged_in')
    equal(answer.headers.get('allow'), 'GET')
  })

  test('shows every user who they are and what they may do', async () => {
    for (const as of EVERYBODY.filter((reader) => reader !== 'anonymous')) {
      const { status, body } = await service.get(`${PLATFORM}/users/me`, as)
      equal(status, 200)
      deepEqual(keys(body), ['id', 'name', 'slug', 'roles', 'capabilities'])
      equal(body.id, service.userIds[as])
      deepEqual(body.roles, [as === 'admin' ? 'administrator' : as])
      equal(body.capabilities.upload === true, ['author', 'editor', 'admin'].includes(as))
    }
    assertProblem(await service.post(`${PLATFORM}/users/me`, {}), 404, 'rest_no_route')
    assertProblem(await service.get(`${PLATFORM}/users/1`, 'admin'), 404, 'rest_no_route')
  })
})

describe('an upload', () => {
  test('is for authors, editors and administrators', async () => {
    const expected = [401, 403, 403, 201, 201, 201]
    for (const [i, as] of EVERYBODY.entries()) {
      const answer = await upload(await drawPng(40, 30), as)
      equal(answer.status, expected[i], as)
      if (answer.status !== 201) equal(answer.body.code, 'rest_forbidden')
      equal(answer.headers.get('allow'), answer.status === 201 ? 'GET, POST' : 'GET')
    }
  })

  test('of raw bytes becomes an image with its sizes, kept under its name', async () => {
    const bytes = await drawPng(400, 300)
    const { status, headers, body } = await upload(bytes)
    equal(status, 201)
    equal(headers.get('location'), `${service.origin}/wp-json/wp/v2/media/${body.id}`)
    match(body.source_url, /\/media\/\d{4}\/\d\d\/poster(-\d+)?\.png$/)
    deepEqual([body.mime_type, body.media_type, body.author], ['image/png', 'image', service.userIds.author])
    match(body.title.rendered, /^poster/)
    match(body.date, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/)
    ok([4, 5].includes((Date.parse(`${body.date_gmt}Z`) - Date.parse(`${body.date}Z`)) / 3_600_000))
    const { width, height, filesize, sizes } = body.media_details
    deepEqual([width, height, filesize], [400, 300, bytes.length])
    deepEqual(keys(sizes), ['medium', 'thumbnail', 'full'])
    deepEqual([sizes.medium.width, sizes.medium.height, sizes.medium.mime_type], [300, 225, 'image/png'])
    equal(sizes.full.source_url, body.source_url)
    for (const { source_url, filesize } of Object.values<{ source_url: string; filesize: number }>(sizes)) {
      const file = await fetch(source_url)
      deepEqual([file.status, file.headers.get('content-type')], [200, 'image/png'])
      equal((await file.arrayBuffer()).byteLength, filesize)
    }
    deepEqual((await service.get(`${PLATFORM}/media/${body.id}`)).body, body)
  })

  test('as the file of a form is the same', async () => {
    const form = new FormData()
    form.set('title', 'ignored')
    form.set(
      'file',
      new Blob(
        [
          await sharp(await drawPng(50, 60))
            .jpeg()
            .toBuffer(),
        ],
        { type: 'image/jpeg' },
      ),
      'Stage door.jpeg',
    )
    const { status, body } = await service.post(`${PLATFORM}/media`, form, 'editor')
    deepEqual([status, body.mime_type, body.author], [201, 'image/jpeg', service.userIds.editor])
    match(body.source_url, /\/Stage-door(-\d+)?\.jpg$/)
    deepEqual([body.media_details.width, body.media_details.height], [50, 60])
  })

  test('is what its bytes are, whatever type was claimed', async () => {
    const webp = await sharp(await drawPng(40, 30))
      .webp()
      .toBuffer()
    for (const type of ['image/png', 'application/octet-stream', 'text/plain']) {
      const { status, body } = await upload(webp, 'author', { 'content-type': type })
      deepEqual([status, body.mime_type], [201, 'image/webp'])
      match(body.source_url, /\.webp$/)
    }
  })

  test('is named by its Content-Disposition', async () => {
    const asBytes = (text: string) => Buffer.from(text).toString('latin1')
    const named: [header: string, file: RegExp][] = [
      ['attachment; filename="Concert night.png"', /\/Concert-night(-\d+)?\.png$/],
      ['attachment; filename=plain-token.png', /\/plain-token(-\d+)?\.png$/],
      ['ATTACHMENT;FILENAME="upper.png"', /\/upper(-\d+)?\.png$/],
      ['inline; filename="a;b=c.png"; size=3', /\/a-b-c(-\d+)?\.png$/],
      ['attachment; filename="say \\"hello\\".png"', /\/say-hello(-\d+)?\.png$/],
      [
        `attachment; filename="wrong.png"; filename*=UTF-8''Z%C3%BCrich%20See.png`,
        /\/Zurich-See(-\d+)?\.png$/,
      ],
      [`attachment; filename*=iso-8859-1'en'caf%E9.png; filename="wrong.png"`, /\/cafe(-\d+)?\.png$/],
      [`attachment; filename*=klingon''x.png; filename="fallback.png"`, /\/fallback(-\d+)?\.png$/],
      [asBytes('attachment; filename="Überfahrt.png"'), /\/Uberfahrt(-\d+)?\.png$/],
      ['attachment; filename="caf\u00e9.png"', /\/cafe(-\d+)?\.png$/],
      ['attachment; filename="../../etc/passwd"', /\/passwd(-\d+)?\.png$/],
      ['attachment', /\/image(-\d+)?\.png$/],
      ['attachment; filename="', /\/image(-\d+)?\.png$/],
      ['=?', /\/image(-\d+)?\.png$/],
    ]
    const bytes = await drawPng(40, 30)
    for (const [header, file] of named) {
      const { status, body } = await upload(bytes, 'author', { 'content-disposition': header })
      equal(status, 201, header)
      match(body.source_url, file, header)
    }
  })

  test('of nothing, or of what is no image, is refused', async () => {
    assertProblem(await upload(new Uint8Array()), 400, 'rest_upload_no_data')
    assertProblem(await service.post(`${PLATFORM}/media?file=x`, undefined), 400, 'rest_upload_no_data')
    const form = new FormData()
    form.set('title', 'no file')
    assertProblem(await service.post(`${PLATFORM}/media`, form, 'author'), 400, 'rest_upload_no_data')
    form.set('file', new Blob([]), 'empty.png')
    assertProblem(await service.post(`${PLATFORM}/media`, form, 'author'), 400, 'rest_upload_no_data')
    const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>'
    const none = [svg, 'plain text', '%PDF-1.7', `${(await drawPng(4, 4)).toString('latin1').slice(0, 20)}`]
    for (const text of none) assertProblem(await upload(Buffer.from(text)), 400, 'rest_upload_unknown_type')
    assertProblem(await service.post(`${PLATFORM}/media`, { title: 'x' }), 400, 'rest_upload_unknown_type')
    const broken = { 'content-type': 'application/json' }
    assertProblem(await upload(Buffer.from('{'), 'author', broken), 400, 'rest_invalid_json')
  })

  test('larger than an image may be is refused, raw or in a form, under and over other limits', async () => {
    await using limited = await startService({ image_bytes: '2000', body_bytes: '8000' })
    const sizes: [side: number, status: number][] = [
      [10, 201],
      [40, 413],
      [80, 413],
    ]
    for (const [side, status] of sizes) {
      const bytes = await noise(side)
      const raw = await limited.post(`${PLATFORM}/media`, bytes, 'author', { 'content-type': 'image/png' })
      const form = new FormData()
      form.set('file', new Blob([bytes], { type: 'image/png' }), 'noise.png')
      const inForm = await limited.post(`${PLATFORM}/media`, form, 'author')
      deepEqual([raw.status, inForm.status], [status, status], `${bytes.length} bytes`)
      if (status === 413)
        for (const answer of [raw, inForm]) assertProblem(answer, 413, 'rest_request_too_large')
    }
  })
})

describe('the list of images', () => {
  test('is open to everybody, the newest first, page by page', async () => {
    const names = ['Gallery-one', 'gallery-TWO', 'gallery-three', 'gallery-four', 'gallery-five']
    const ids: number[] = []
    for (const name of names) ids.unshift(await uploaded('author', name))
    const first = await service.get(`${PLATFORM}/media?search=Gallery&per_page=2`)
    deepEqual([first.status, first.headers.get('allow')], [200, 'GET'])
    deepEqual([first.headers.get('x-wp-total'), first.headers.get('x-wp-totalpages')], ['5', '3'])
    equal(first.headers.get('x-tec-total'), null)
    const found: number[] = []
    let address: string | undefined = `${PLATFORM}/media?search=Gallery&per_page=2`
    while (address) {
      const { headers, body }: Answer = await service.get(address)
      found.push(...body.map(({ id }: { id: number }) => id))
      address = /<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1]?.replace(service.origin, '~')
    }
    deepEqual(found, ids)
    const last = await service.get(`${PLATFORM}/media?search=Gallery&per_page=2&page=3`)
    match(last.headers.get('link') ?? '', /search=Gallery.*page=2>; rel="prev"$/)
    equal((await service.get(`${PLATFORM}/media?search=two`)).body.length, 1)
    deepEqual((await service.get(`${PLATFORM}/media?search=gallery%25`)).body, [])
  })

  test('may be blank, but has no page past its end', async () => {
    const blank = await service.get(`${PLATFORM}/media?search=nowhere`)
    deepEqual([blank.status, blank.body, blank.headers.get('x-wp-total')], [200, [], '0'])
    assertProblem(await service.get(`${PLATFORM}/media?page=99`), 400, 'rest_post_invalid_page_number')
    assertProblem(await service.get(`${PLATFORM}/media?page=9e15`), 400, 'rest_post_invalid_page_number')
  })

  test('refuses wrong parameters, all at once, and passes over unknown ones', async () => {
    const wrong = await service.get(`${PLATFORM}/media?page=0&per_page=many&search[]=x&colour=red`)
    assertProblem(wrong, 400, 'rest_invalid_param')
    deepEqual(keys(wrong.body.data.params), ['page', 'per_page', 'search'])
    equal((await service.get(`${PLATFORM}/media?colour=red`)).status, 200)
  })

  test('takes _fields and _envelope', async () => {
    const fields = await service.get(`${PLATFORM}/media?_fields=id,media_details.width&per_page=1`)
    deepEqual(keys(fields.body[0]), ['id', 'media_details', '_links'])
    deepEqual(fields.body[0].media_details, { width: 40 })
    const { body } = await service.get(`${PLATFORM}/media?_envelope=1&per_page=1`)
    equal(body.status, 200)
    equal(body.body.length, 1)
    ok(Number(body.headers['X-WP-Total']) > 1)
  })
})

describe('one image', () => {
  test('is read by everybody, and is nothing else with an id', async () => {
    const id = await uploaded()
    for (const as of EVERYBODY) equal((await service.get(`${PLATFORM}/media/${id}`, as)).status, 200)
    equal((await service.get(`${PLATFORM}/media/${id}/`)).body.id, id)
    const venue = await service.post('/venues', { venue: 'Not a picture' })
    for (const other of [venue.body.id, 0, 99_999_999, '9'.repeat(30)]) {
      assertProblem(await service.get(`${PLATFORM}/media/${other}`), 404, 'rest_post_invalid_id')
    }
    assertProblem(await service.get(`${PLATFORM}/media/poster`), 404, 'rest_no_route')
  })

  test('is removed by its owner and by those who may remove what is others’', async () => {
    const expected = [401, 403, 403, 403, 200, 200]
    for (const [i, as] of EVERYBODY.entries()) {
      const id = await uploaded('admin')
      const allowed = await service.request(as, 'OPTIONS', `${PLATFORM}/media/${id}`)
      equal(allowed.headers.get('allow'), expected[i] === 200 ? 'GET, POST, PUT, PATCH, DELETE' : 'GET')
      const { status, body } = await service.remove(`${PLATFORM}/media/${id}`, as)
      equal(status, expected[i], as)
      if (status !== 200) equal(body.code, 'rest_forbidden')
    }
    const own = await uploaded('author')
    equal((await service.remove(`${PLATFORM}/media/${own}?force=true`, 'author')).status, 200)
  })

  test('is gone with its files once removed', async () => {
    const { body: image } = await upload(await drawPng(400, 300))
    const files = pluck(Object.values<{ source_url: string }>(image.media_details.sizes), 'source_url')
    const statuses = () => Promise.all(files.map(async (file) => (await fetch(file)).status))
    ok(files.length > 1)
    deepEqual(new Set(await statuses()), new Set([200]))
    const removed = await service.remove(`${PLATFORM}/media/${image.id}`)
    deepEqual([removed.status, removed.body], [200, { deleted: true, previous: image }])
    deepEqual(new Set(await statuses()), new Set([404]))
    assertProblem(await service.get(`${PLATFORM}/media/${image.id}`), 404, 'rest_post_invalid_id')
    assertProblem(await service.remove(`${PLATFORM}/media/${image.id}`), 404, 'rest_post_invalid_id')
    assertProblem(await service.remove(`${PLATFORM}/media/${image.id}`, 'anonymous'), 401, 'rest_forbidden')
  })

  test('disappears from the records that showed it when it is removed, and from no others', async () => {
    const [image, other] = [await uploaded(), await uploaded()]
    const times = { start_date: '2027-05-03 10:00:00', end_date: '2027-05-03 11:00:00' }
    const event = await service.post('/events', { title: 'With poster', ...times, image })
    const kept = await service.post('/events', { title: 'With another', ...times, image: other })
    const venue = await service.post('/venues', { venue: 'With poster', image })
    const organizer = await service.post('/organizers', { organizer: 'With poster', image })
    deepEqual(
      [event, venue, organizer].map(({ body }) => body.image.id),
      [image, image, image],
    )
    const changes = () => service.app.database.read.selectFrom('changes').select(['kind', 'record'])
    const [{ position = 0 } = {}] = await service.app.database.read
      .selectFrom('changes')
      .select('position')
      .orderBy('position', 'desc')
      .limit(1)
      .execute()
    equal((await service.remove(`${PLATFORM}/media/${image}`)).status, 200)
    equal((await service.get(`/events/${event.body.id}`)).body.image, false)
    equal((await service.get(`/venues/${venue.body.id}`)).body.image, undefined)
    equal((await service.get(`/organizers/${organizer.body.id}`)).body.image, undefined)
    equal((await service.get(`/events/${kept.body.id}`)).body.image.id, other)
    const noted = await changes().where('position', '>', position).orderBy('record').execute()
    deepEqual(pluck(noted, 'kind', 'record'), [
      ['image', image],
      ['event', event.body.id],
      ['venue', venue.body.id],
      ['organizer', organizer.body.id],
    ])
  })
})

describe('tags of the platform', () => {
  const made: Record<string, number> = {}

  before(async () => {
    const entries = [
      ['Open air', 'open-air'],
      ['Rock & Roll', 'rock-roll'],
      ['Jazz', 'jazz'],
      ['Café', 'cafe'],
      ['Überfahrt', ''],
    ] as const
    for (const [name, slug] of entries) {
      const { status, body } = await service.post(`${PLATFORM}/tags`, { name, ...(slug ? { slug } : {}) })
      equal(status, 201)
      made[name] = body.id
    }
    const times = { start_date: '2027-05-03 10:00:00', end_date: '2027-05-03 11:00:00' }
    const { status } = await service.post('/events', {
      title: 'Jazz night',
      ...times,
      tags: ['jazz', 'open-air'],
    })
    equal(status, 201)
  })

  const slugs = async (query: string) => {
    const { status, body } = await service.get(`${PLATFORM}/tags?${query}`)
    equal(status, 200, query)
    return body.map(({ slug }: { slug: string }) => slug)
  }

  test('have the platform’s shape and are those of the namespace', async () => {
    const { status, body } = await service.get(`${PLATFORM}/tags/${made['Rock & Roll']}`)
    equal(status, 200)
    const own = `${service.origin}/wp-json/wp/v2/tags`
    deepEqual(body, {
      id: made['Rock & Roll'],
      count: 0,
      description: '',
      link: `${service.origin}/tag/rock-roll/`,
      name: 'Rock &amp; Roll',
      slug: 'rock-roll',
      taxonomy: 'post_tag',
      meta: [],
      _links: { self: [{ href: `${own}/${made['Rock & Roll']}` }], collection: [{ href: own }] },
    })
    const same = await service.get(`/tags/${body.id}`)
    deepEqual([same.body.name, same.body.url], [body.name, body.link])
    deepEqual((await service.get(`${PLATFORM}/tags?include=${body.id}`)).body, [body])
  })

  test('are listed by name, those in no event too', async () => {
    const { headers, body } = await service.get(`${PLATFORM}/tags`)
    deepEqual(pluck(body, 'slug', 'count'), [
      ['cafe', 0],
      ['jazz', 1],
      ['open-air', 1],
      ['rock-roll', 0],
      ['uberfahrt', 0],
    ])
    deepEqual([headers.get('x-wp-total'), headers.get('x-wp-totalpages')], ['5', '1'])
    doesNotMatch(headers.get('link') ?? '', /rel="(next|prev)"/)
    equal(headers.get('allow'), 'GET')
  })

  test('are narrowed by each filter', async () => {
    const { Jazz, Café } = made
    const narrowed: [query: string, expected: string[]][] = [
      ['hide_empty=true', ['jazz', 'open-air']],
      ['hide_empty=0', ['cafe', 'jazz', 'open-air', 'rock-roll', 'uberfahrt']],
      ['search=AIR', ['open-air']],
      ['search=cafe', ['cafe']],
      ['search=%25', []],
      ['search=&hide_empty=1', ['jazz', 'open-air']],
      ['slug=jazz', ['jazz']],
      ['slug=rock-roll,JAZZ,nowhere', ['jazz', 'rock-roll']],
      ['slug[]=jazz&slug[]=cafe', ['cafe', 'jazz']],
      ['slug=nowhere', []],
      ['slug=', ['cafe', 'jazz', 'open-air', 'rock-roll', 'uberfahrt']],
      [`include=${Jazz},${Café}`, ['cafe', 'jazz']],
      [`include[]=${Jazz}&include[]=${Café}&orderby=include`, ['jazz', 'cafe']],
      [`include=${Jazz},${Café}&slug=cafe,open-air`, ['cafe']],
      ['include=999999,99999999999', []],
      [`exclude=${Jazz},${Café},99999999999`, ['open-air', 'rock-roll', 'uberfahrt']],
      ['order=desc&per_page=2', ['uberfahrt', 'rock-roll']],
      ['orderby=count&order=desc&per_page=2', ['jazz', 'open-air']],
      ['orderby=id&per_page=2', ['open-air', 'rock-roll']],
    ]
    for (const [query, expected] of narrowed) deepEqual(await slugs(query), expected, query)
    const event = (await service.get('/events?start_date=2027-05-01&tags=jazz')).body.events[0]
    deepEqual(await slugs(`post=${event.id}`), ['jazz', 'open-air'])
  })

  test('come up to a hundred on a page', async () => {
    await service.app.database.write(async (tx) => {
      const rows = Array.from({ length: 120 }, (_, n) => {
        const name = `many ${String(n).padStart(3, '0')}`
        return {
          taxonomy: 'tag' as const,
          name,
          slug: name.replace(' ', '-'),
          description: '',
          parent: 0,
          count: 0,
          folded: name,
        }
      })
      await tx.insertInto('terms').values(rows).execute()
    })
    for (const [asked, answered] of [
      [100, 100],
      [99, 99],
      [500, 100],
    ]) {
      const { headers, body } = await service.get(`${PLATFORM}/tags?search=many&per_page=${asked}`)
      equal(body.length, answered)
      deepEqual([headers.get('x-wp-total'), headers.get('x-wp-totalpages')], ['120', '2'])
    }
    await service.app.database.write((tx) => tx.deleteFrom('terms').where('slug', 'like', 'many-%').execute())
  })

  test('are none past the last page, and have no tag that is not there', async () => {
    const past = await service.get(`${PLATFORM}/tags?page=9`)
    deepEqual([past.status, past.body], [200, []])
    match(past.headers.get('x-wp-total') ?? '', /^[1-9]/)
    match(past.headers.get('link') ?? '', /rel="prev"/)
    const blank = await service.get(`${PLATFORM}/tags?search=nowhere`)
    deepEqual([blank.status, blank.body, blank.headers.get('x-wp-total')], [200, [], '0'])
    const category = await service.post('/categories', { name: 'No tag' })
    for (const id of [category.body.id, 0, 99_999_999, '9'.repeat(30)]) {
      assertProblem(await service.get(`${PLATFORM}/tags/${id}`), 404, 'rest_term_invalid')
    }
    assertProblem(await service.get(`${PLATFORM}/tags/jazz`), 404, 'rest_no_route')
    assertProblem(await service.remove(`${PLATFORM}/tags/${made.Jazz}`), 404, 'rest_no_route')
  })

  test('refuse wrong parameters by name', async () => {
    const wrong = 'page=-1&per_page=x&include=a,b&order=sideways&orderby=colour&hide_empty=perhaps&post=99999'
    const answer = await service.get(`${PLATFORM}/tags?${wrong}`)
    assertProblem(answer, 400, 'rest_invalid_param')
    deepEqual(keys(answer.body.data.params), 'page per_page include order orderby post'.split(' '))
    const flag = await service.get(`${PLATFORM}/tags?hide_empty=perhaps`)
    assertProblem(flag, 400, 'rest_invalid_param')
    equal(flag.body.data.details.hide_empty.code, 'rest_invalid_type')
  })

  test('are made by whoever may edit events', async () => {
    const expected = [401, 403, 201, 201, 201, 201]
    for (const [i, as] of EVERYBODY.entries()) {
      const answer = await service.post(`${PLATFORM}/tags`, { name: `Made by ${as}`, description: 'Why' }, as)
      equal(answer.status, expected[i], as)
      equal(answer.headers.get('allow'), answer.status === 201 ? 'GET, POST' : 'GET')
      if (answer.status !== 201) {
        equal(answer.body.code, 'rest_forbidden')
        continue
      }
      const { body, headers } = answer
      const inNamespace = await service.post('/tags', { name: `Beside ${as}` }, as)
      equal(inNamespace.status, ['editor', 'admin'].includes(as) ? 201 : 403)
      deepEqual([body.name, body.slug, body.description], [`Made by ${as}`, `made-by-${as}`, 'Why'])
      equal(headers.get('location'), `${service.origin}/wp-json/wp/v2/tags/${body.id}`)
      deepEqual((await service.get(`${PLATFORM}/tags/${body.id}`)).body, body)
    }
  })

  test('refuse what is missing, wrong or there already, in the order of the namespace', async () => {
    const missing = await service.post(`${PLATFORM}/tags`, {}, 'anonymous')
    assertProblem(missing, 400, 'rest_missing_callback_param')
    deepEqual(missing.body.data.params, ['name'])
    assertProblem(await service.post(`${PLATFORM}/tags`, { name: ['x'] }), 400, 'rest_invalid_param')
    const twice = await service.post(`${PLATFORM}/tags`, { name: 'jazz' })
    assertProblem(twice, 400, 'term_exists')
    equal(twice.body.data.term_id, made.Jazz)
    const json = { 'content-type': 'application/json' }
    assertProblem(await service.post(`${PLATFORM}/tags`, '{', 'admin', json), 400, 'rest_invalid_json')
    const form = await service.post(`${PLATFORM}/tags`, new URLSearchParams({ name: 'By form' }), 'editor')
    deepEqual([form.status, form.body.slug], [201, 'by-form'])
  })
})
