import { deepEqual, doesNotMatch, equal, ok } from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { drawPng } from '../support/pictures.ts'
import { type Answer, type Reader, serviceForTests, startService } from '../support/service.ts'
import { refusesEach } from '../support/wrong-parameters.ts'

const service = serviceForTests()
const WP = '~/wp-json/wp/v2'
const TIMES = { start_date: '2027-05-03 10:00:00', end_date: '2027-05-03 11:00:00' }
const EVERYBODY: Reader[] = ['anonymous', 'subscriber', 'contributor', 'author', 'editor', 'admin']

async function created(path: string, body: object, as: Reader = 'admin'): Promise<Answer['body']> {
  const answer = await service.post(path, body, as)
  equal(answer.status, 201, JSON.stringify(answer.body))
  return answer.body
}

async function image(as: Reader = 'admin'): Promise<number> {
  const bytes = await drawPng(40, 30, '#0a8')
  const { body } = await service.post(`${WP}/media`, new Uint8Array(bytes), as, {
    'content-type': 'image/png',
    'content-disposition': 'attachment; filename="poster.png"',
  })
  return body.id
}

async function listed(query: string, as: Reader = 'anonymous'): Promise<number[]> {
  const { status, headers, body } = await service.get(`${WP}/${query}`, as)
  equal(status, 200, query)
  if (!/offset|per_page|page=/.test(query)) equal(headers.get('x-wp-total'), String(body.length), query)
  return body.map(({ id }: { id: number }) => id)
}

describe('types', () => {
  test('are those that routes of the platform serve', async () => {
    const { status, headers, body } = await service.get(`${WP}/types`)
    deepEqual([status, headers.get('allow')], [200, 'GET'])
    deepEqual(Object.keys(body), ['attachment', 'tribe_events', 'tribe_venue', 'tribe_organizer'])
    const { name, slug, rest_base, rest_namespace, taxonomies, hierarchical, _links } = body.tribe_events
    deepEqual(
      [name, slug, rest_base, rest_namespace, taxonomies, hierarchical],
      ['Events', 'tribe_events', 'tribe_events', 'wp/v2', ['post_tag', 'tribe_events_cat'], false],
    )
    equal(_links['wp:items'][0].href, `${service.origin}/wp-json/wp/v2/tribe_events`)
    deepEqual((await service.get(`${WP}/types/tribe_venue`)).body, body.tribe_venue)
    const kinds = (await service.get(`${WP}/taxonomies`)).body
    deepEqual(Object.keys(kinds), taxonomies)
    for (const [slug, kind] of Object.entries<Answer['body']>(kinds)) {
      deepEqual([kind.slug, kind.types, kind.hierarchical], [slug, ['tribe_events'], slug !== 'post_tag'])
      deepEqual((await service.get(`${WP}/taxonomies/${slug}`)).body, kind)
      equal((await service.get(`${WP}/${kind.rest_base}`)).status, 200)
    }
    equal((await service.get(`${WP}/taxonomies/category`)).status, 404)
    equal((await service.get(`${WP}/types/page`)).body.code, 'rest_no_route')
    equal((await service.post(`${WP}/types`, {})).status, 404)
  })

  test('have the vendor word and the language of the site', async () => {
    await using other = await startService({ vendor: 'acme', language: 'de' })
    const { body } = await other.get(`${WP}/types`)
    deepEqual(Object.keys(body), ['attachment', 'acme_events', 'acme_venue', 'acme_organizer'])
    equal(body.acme_events.name, 'Veranstaltungen')
    equal((await other.get(`${WP}/acme_events_cat`)).status, 200)
    equal((await other.get(`${WP}/tribe_events`)).status, 404)
  })
})

describe('an event of the platform', () => {
  let event: Answer['body']
  let post: Answer['body']
  before(async () => {
    event = await created('/events', {
      ...TIMES,
      title: 'Rock & Roll',
      description: 'First\n\nSecond<script>x</script>',
      excerpt: 'Short',
      date: '2025-03-04 05:06:07',
      image: await image(),
      categories: ['Music'],
      tags: ['Loud', 'Late'],
    })
    post = (await service.get(`${WP}/tribe_events/${event.id}`)).body
  })

  test('has the platform’s shape', () => {
    const own = `${service.origin}/wp-json/wp/v2`
    const [category] = event.categories
    deepEqual(post, {
      id: event.id,
      date: '2025-03-04T05:06:07',
      date_gmt: '2025-03-04T10:06:07',
      guid: { rendered: `${service.origin}/?post_type=tribe_events&#038;p=${event.id}` },
      modified: event.modified.replace(' ', 'T'),
      modified_gmt: event.modified_utc.replace(' ', 'T'),
      slug: 'rock-roll',
      status: 'publish',
      type: 'tribe_events',
      link: event.url,
      title: { rendered: event.title },
      content: { rendered: event.description, protected: false },
      excerpt: { rendered: event.excerpt, protected: false },
      author: service.userIds.admin,
      featured_media: event.image.id,
      template: '',
      meta: [],
      tags: event.tags.map(({ id }: { id: number }) => id).sort((a: number, b: number) => a - b),
      tribe_events_cat: [category.id],
      _links: {
        self: [{ href: `${own}/tribe_events/${event.id}` }],
        collection: [{ href: `${own}/tribe_events` }],
        about: [{ href: `${own}/types/tribe_events` }],
        'wp:featuredmedia': [{ embeddable: true, href: `${own}/media/${event.image.id}` }],
        'wp:term': [
          {
            taxonomy: 'tribe_events_cat',
            embeddable: true,
            href: `${own}/tribe_events_cat?post=${event.id}`,
          },
          { taxonomy: 'post_tag', embeddable: true, href: `${own}/tags?post=${event.id}` },
        ],
      },
    })
  })

  test('stands in the list as it does by itself', async () => {
    deepEqual((await service.get(`${WP}/tribe_events?include=${event.id}`)).body, [post])
  })

  test('leads to its terms and image', async () => {
    for (const { href } of [
      ...post._links['wp:term'],
      ...post._links['wp:featuredmedia'],
      ...post._links.about,
    ]) {
      equal((await service.get(href.replace(service.origin, '~'))).status, 200, href)
    }
    deepEqual(await listed(`tribe_events_cat?post=${event.id}`), post.tribe_events_cat)
    deepEqual((await listed(`tags?post=${event.id}`)).sort(), post.tags)
  })

  test('brings its image and terms along when asked', async () => {
    const { body } = await service.get(`${WP}/tribe_events/${event.id}?_embed`)
    const media = await service.get(`${WP}/media/${event.image.id}`)
    deepEqual(body._embedded['wp:featuredmedia'], [media.body])
    const [categories, tags] = body._embedded['wp:term']
    deepEqual([categories[0].name, categories[0].taxonomy], ['Music', 'tribe_events_cat'])
    deepEqual(new Set(tags.map(({ name }: { name: string }) => name)), new Set(['Loud', 'Late']))
    const only = await service.get(`${WP}/tribe_events?include=${event.id}&_embed=wp:featuredmedia`)
    deepEqual(Object.keys(only.body[0]._embedded), ['wp:featuredmedia'])
    const none = await service.get(`${WP}/tribe_events?include=${event.id}&_embed=author:x`)
    equal(none.body[0]._embedded, undefined)
  })

  test('takes _fields, HEAD and a slash at the end', async () => {
    const { body } = await service.get(`${WP}/tribe_events/${event.id}/?_fields=title.rendered,id`)
    deepEqual({ ...body, _links: 0 }, { id: event.id, title: post.title, _links: 0 })
    equal((await service.request('anonymous', 'HEAD', `${WP}/tribe_events/${event.id}`)).status, 200)
  })

  test('is shown as it was sent with context=edit, to those who may edit it', async () => {
    const edited = await service.get(`${WP}/tribe_events/${event.id}?context=edit`, 'editor')
    deepEqual(
      [edited.body.title, edited.body.content.raw],
      [{ raw: 'Rock & Roll', rendered: event.title }, 'First\n\nSecond<script>x</script>'],
    )
    const statuses: Record<string, number> = {
      anonymous: 401,
      subscriber: 403,
      contributor: 403,
      author: 403,
    }
    for (const [as, status] of Object.entries(statuses))
      equal((await service.get(`${WP}/tribe_events/${event.id}?context=edit`, as as Reader)).status, status)
    equal((await service.get(`${WP}/tribe_events?context=edit`)).status, 401)
    const { body } = await service.get(`${WP}/tribe_events?context=edit&include=${event.id}`, 'author')
    equal(body[0].title.raw, undefined)
  })
})

describe('venues and organizers of the platform', () => {
  test('have their name as title and no terms', async () => {
    const venue = await created('/venues', {
      venue: 'Great Hall',
      description: 'Stone',
      image: await image(),
    })
    const organizer = await created('/organizers', { organizer: 'Anna & Co' })
    const { body: place } = await service.get(`${WP}/tribe_venue/${venue.id}`)
    deepEqual(
      [
        place.type,
        place.title.rendered,
        place.content.rendered,
        place.link,
        place.featured_media,
        'tags' in place,
      ],
      ['tribe_venue', 'Great Hall', '<p>Stone</p>', venue.url, venue.image.id, false],
    )
    const { body: host } = await service.get(`${WP}/tribe_organizer?slug=anna-co`)
    deepEqual([host.length, host[0].id, host[0].title.rendered], [1, organizer.id, 'Anna &#038; Co'])
    for (const [path, id] of [
      ['tribe_venue', organizer.id],
      ['tribe_organizer', venue.id],
      ['tribe_events', venue.id],
      ['tribe_events', 99_999_999],
    ]) {
      const { status, body } = await service.get(`${WP}/${path}/${id}`)
      deepEqual([status, body.code], [404, 'rest_post_invalid_id'])
    }
    equal((await service.post(`${WP}/tribe_venue/${venue.id}`, { featured_media: 0 })).status, 404)
    equal((await service.post(`${WP}/tribe_events`, {})).status, 404)
    equal((await service.remove(`${WP}/tribe_venue/${venue.id}`)).status, 404)
  })
})

describe('nothing unpublished', () => {
  const kinds = [
    ['tribe_events', '/events', 'title'],
    ['tribe_venue', '/venues', 'venue'],
    ['tribe_organizer', '/organizers', 'organizer'],
  ] as const

  for (const [type, path, name] of kinds) {
    test(`is shown of ${type} to those who may not read it in the namespace`, async () => {
      for (const status of ['draft', 'pending', 'private', 'future', 'trash']) {
        const date = status === 'future' ? { date: '2099-01-01 00:00:00' } : {}
        const { id } = await created(path, { ...TIMES, ...date, [name]: `Hidden ${status}` })
        await service.put(`${path}/${id}`, { status, ...date })
        for (const as of EVERYBODY) {
          const inNamespace = await service.get(`${path}/${id}`, as)
          const beside = await service.get(`${WP}/${type}/${id}`, as)
          const refused = as === 'anonymous' ? 401 : 403
          equal(beside.status, inNamespace.status === 200 ? 200 : refused, `${status} ${as}`)
          doesNotMatch(inNamespace.status === 200 ? '' : JSON.stringify(beside.body), /Hidden/)
          ok(!(await listed(`${type}?include=${id}`, as)).includes(id))
          const asked = await service.get(`${WP}/${type}?include=${id}&status=${status}`, as)
          const mayAsk = ['contributor', 'author', 'editor', 'admin'].includes(as)
          equal(asked.status, mayAsk ? 200 : 400)
          if (mayAsk) equal(asked.body.length, ['editor', 'admin'].includes(as) ? 1 : 0, `${status} ${as}`)
        }
        for (const query of ['search=Hidden', `slug=hidden-${status}`, 'orderby=modified'])
          ok(!(await listed(`${type}?per_page=100&${query}`)).includes(id))
      }
    })
  }

  test('but what is one’s own', async () => {
    const { id } = await created('/events', { ...TIMES, title: 'Own', status: 'draft' }, 'contributor')
    equal((await service.get(`${WP}/tribe_events/${id}`, 'contributor')).status, 200)
    const { body } = await service.get(`${WP}/tribe_events/${id}`, 'contributor')
    deepEqual([body.status, body.slug, /^\d{4}-.*T/.test(body.date_gmt)], ['draft', '', true])
    ok((await listed('tribe_events?status=any', 'contributor')).includes(id))
    ok((await listed('tribe_events?status=draft,publish&per_page=100', 'contributor')).includes(id))
    ok(!(await listed('tribe_events?status=any&per_page=100', 'author')).includes(id))
    equal((await service.get(`${WP}/tribe_events?status=any`)).status, 400)
  })

  test('and nothing that is hidden from listings, in lists', async () => {
    const { id } = await created('/events', { ...TIMES, title: 'Off the lists', hide_from_listings: true })
    deepEqual(await listed(`tribe_events?include=${id}`, 'admin'), [])
    equal((await service.get(`${WP}/tribe_events/${id}`)).status, 200)
  })
})

describe('lists of records', () => {
  const ids: number[] = []
  let jazz = 0
  let arts = 0
  let painting = 0
  before(async () => {
    arts = (await created('/categories', { name: 'Arts' })).id
    painting = (await created('/categories', { name: 'Painting', parent: arts })).id
    const drafts: [title: string, date: string, as: Reader, more: object][] = [
      ['Cello zebra', '2025-01-01 10:00:00', 'admin', { tags: ['jazz'] }],
      ['Accordion zebra', '2025-01-03 10:00:00', 'editor', { categories: [arts], excerpt: 'of the meadow' }],
      ['Bassoon zebra', '2025-01-02 10:00:00', 'author', { categories: [painting] }],
    ]
    for (const [title, date, as, more] of drafts)
      ids.push((await created('/events', { ...TIMES, title, date, ...more }, as)).id)
    jazz = (await service.get('/tags?slug=jazz')).body.tags[0].id
  })

  test('are narrowed and ordered by each parameter', async () => {
    const [cello = 0, accordion = 0, bassoon = 0] = ids
    const all = `include=${ids.join(',')}`
    const narrowed: [query: string, expected: number[]][] = [
      [all, [accordion, bassoon, cello]],
      ['search=zebra', [accordion, bassoon, cello]],
      ['search=zebra meadow', [accordion]],
      ['search=ZEBRA -cello', [accordion, bassoon]],
      ['search=%25zebra', []],
      [`${all}&order=asc`, [cello, bassoon, accordion]],
      [`${all}&orderby=title&order=asc`, [accordion, bassoon, cello]],
      [`${all}&orderby=slug`, [cello, bassoon, accordion]],
      [`${all}&orderby=id&order=asc`, [cello, accordion, bassoon]],
      [`include=${bassoon},${cello},${accordion}&orderby=include&order=desc`, [bassoon, cello, accordion]],
      [`${all}&after=2025-01-01T10:00:00`, [accordion, bassoon]],
      [`${all}&before=2025-01-03T10:00:00&after=2024-12-31`, [bassoon, cello]],
      [`${all}&after=2025-01-02T14:59:59Z`, [accordion, bassoon]],
      [`${all}&after=2025-01-02T15:00:00Z`, [accordion]],
      [`${all}&modified_after=2025-06-01`, [accordion, bassoon, cello]],
      [`${all}&modified_before=2025-06-01`, []],
      [`${all}&exclude=${cello}`, [accordion, bassoon]],
      [`${all}&slug=cello-zebra,bassoon-zebra`, [bassoon, cello]],
      [`${all}&author=${service.userIds.editor}`, [accordion]],
      [`${all}&tags=${jazz}`, [cello]],
      [`${all}&tribe_events_cat=${arts},${painting}`, [accordion, bassoon]],
      [`${all}&tribe_events_cat=${arts}`, [accordion]],
      [`${all}&tribe_events_cat=${jazz}`, []],
      [`${all}&offset=1`, [bassoon, cello]],
      ['include=99999999999', []],
    ]
    for (const [query, expected] of narrowed)
      deepEqual(await listed(`tribe_events?${query}`), expected, query)
  })

  test('are paged with totals and links, and have no page past the end', async () => {
    const all = `include=${ids.join(',')}`
    const found: number[] = []
    let address: string | undefined = `${WP}/tribe_events?${all}&per_page=1&order=asc`
    while (address) {
      const { headers, body }: Answer = await service.get(address)
      deepEqual([headers.get('x-wp-total'), headers.get('x-wp-totalpages')], ['3', '3'])
      found.push(...body.map(({ id }: { id: number }) => id))
      address = /<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1]?.replace(service.origin, '~')
    }
    deepEqual(found, [ids[0], ids[2], ids[1]])
    const past = await service.get(`${WP}/tribe_events?${all}&page=2`)
    deepEqual([past.status, past.body.code], [400, 'rest_post_invalid_page_number'])
    const blank = await service.get(`${WP}/tribe_venue?search=nowhere`)
    deepEqual([blank.status, blank.body], [200, []])
  })

  test('refuse wrong parameters by name', async () => {
    const wrong =
      'page=0&orderby=colour&order=up&after=never&tribe_events_cat=x&status=no&context=all&offset=-1'
    await refusesEach(service, `${WP}/tribe_events`, wrong)
  })

  test('of categories have the shape of terms, with parents', async () => {
    const { status, headers, body } = await service.get(`${WP}/tribe_events_cat?search=painting`)
    deepEqual([status, headers.get('x-wp-total')], [200, '1'])
    const own = `${service.origin}/wp-json/wp/v2/tribe_events_cat`
    deepEqual(body[0], {
      id: painting,
      count: 1,
      description: '',
      link: `${service.origin}/events/category/arts/painting/`,
      name: 'Painting',
      slug: 'painting',
      taxonomy: 'tribe_events_cat',
      parent: arts,
      meta: [],
      _links: {
        self: [{ href: `${own}/${painting}` }],
        collection: [{ href: own }],
        up: [{ href: `${own}/${arts}` }],
      },
    })
    deepEqual((await service.get(`${WP}/tribe_events_cat/${painting}`)).body, body[0])
    deepEqual(await listed(`tribe_events_cat?parent=${arts}`), [painting])
    deepEqual(await listed('tribe_events_cat?slug=arts'), [arts])
    deepEqual(await listed('tribe_events_cat?slug=arts,painting&offset=1'), [painting])
    deepEqual(await listed('tribe_events_cat?page=9'), [])
    equal((await service.get(`${WP}/tribe_events_cat/${jazz}`)).body.code, 'rest_term_invalid')
    equal((await service.post(`${WP}/tribe_events_cat`, { name: 'No' })).status, 404)
  })
})

describe('the featured image of an event', () => {
  test('is set and taken off beside the namespace, with the rights of the namespace', async () => {
    const first = await image()
    const expected = [401, 403, 403, 403, 200, 200]
    const { id } = await created('/events', { ...TIMES, title: 'Featured' })
    const address = `${WP}/tribe_events/${id}`
    for (const [i, as] of EVERYBODY.entries()) {
      const answer = await service.post(address, { featured_media: first, title: 'ignored' }, as)
      equal(answer.status, expected[i], as)
      equal(answer.headers.get('allow'), answer.status === 200 ? 'GET, POST, PUT, PATCH' : 'GET')
      if (answer.status === 200)
        deepEqual([answer.body.featured_media, answer.body.title.rendered], [first, 'Featured'])
    }
    const event = await service.get(`/events/${id}`)
    deepEqual([event.body.image.id, event.body.rest_url], [first, `${service.base}/events/${id}`])
    equal((await service.get('/events?start_date=2027-05-01&search=Featured')).body.events[0].image.id, first)
    const none = await service.post(address, new URLSearchParams({ featured_media: '0' }), 'editor')
    equal(none.body.featured_media, 0)
    equal((await service.get(`/events/${id}`)).body.image, false)
    const nothing = await service.post(address, {})
    deepEqual([nothing.status, nothing.body.featured_media], [200, 0])
  })

  test('is an image that is there and open to the caller', async () => {
    const venue = await created('/venues', { venue: 'No picture' })
    const { id } = await created('/events', { ...TIMES, title: 'Own draft' }, 'contributor')
    const hidden = await image()
    await created('/events', { ...TIMES, title: 'Hides it', image: hidden, status: 'private' })
    for (const featured_media of [venue.id, 99_999_999, -1, hidden, 'http://127.0.0.1/x.png', [1]]) {
      const { status, body } = await service.post(
        `${WP}/tribe_events/${id}`,
        { featured_media },
        'contributor',
      )
      deepEqual([status, Object.keys(body.data.params)], [400, ['featured_media']], String(featured_media))
    }
    const open = await image()
    const { body } = await service.post(
      `${WP}/tribe_events/${id}`,
      { featured_media: String(open) },
      'contributor',
    )
    equal(body.featured_media, open)
  })
})
