import { deepEqual, doesNotMatch, equal, match, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { pluck } from '../support/lists.ts'
import { type Body, serviceForTests } from '../support/service.ts'

const service = serviceForTests()
const { create, update, read } = service
const createEvent = (fields: object) =>
  create('/events', { title: 'In terms', start_date: '2027-05-01', end_date: '2027-05-01', ...fields })
const namesOf = (records: Body[]): string[] => records.map((record: Body) => record.name)

describe('categories', () => {
  test('a category shows every member in order, with links on its own and without in lists', async () => {
    const parent = await create('/categories', { name: 'C by editor' })
    const { id, ...child } = await create('/categories', {
      name: 'Child & cat',
      slug: 'My Slug',
      description: 'd',
      parent: parent.id,
    })
    const url = `${service.base}/categories`
    const expected = {
      count: 0,
      description: 'd',
      name: 'Child &amp; cat',
      slug: 'my-slug',
      taxonomy: 'tribe_events_cat',
      parent: parent.id,
      meta: [],
      url: `${service.origin}/events/category/c-by-editor/my-slug/`,
      urls: { self: `${url}/${id}`, collection: url, up: `${url}/${parent.id}` },
    }
    deepEqual(child, {
      ...expected,
      _links: {
        self: [{ href: `${url}/${id}` }],
        collection: [{ href: url }],
        up: [{ href: `${url}/${parent.id}` }],
      },
    })
    const { categories } = await read(`/categories?slug=my-slug&hide_empty=false`)
    deepEqual(categories, [{ id, ...expected }])
    deepEqual((await service.remove(`/categories/${id}`)).body, { id, ...expected })
  })

  test('a name taken under the same parent is refused, elsewhere it gets the parent’s slug', async () => {
    const [a, b] = [
      await create('/categories', { name: 'Par One' }),
      await create('/categories', { name: 'Par Two' }),
    ]
    const first = await create('/categories', { name: 'Same', parent: a.id })
    const { status, body } = await service.post('/categories', { name: 'SAME', parent: a.id })
    deepEqual([status, body.code, body.data.term_id], [400, 'term_exists', first.id])
    deepEqual(body.additional_data, [first.id, first.id])
    equal((await create('/categories', { name: 'Same', parent: b.id })).slug, 'same-par-two')
    equal(
      (await create('/categories', { name: 'Same', parent: a.id, slug: 'same-but-different' })).slug,
      'same-but-different',
    )
    equal((await create('/categories', { name: 'Other', parent: a.id, slug: 'same' })).slug, 'same-2')
  })

  test('a parent is named by id or slug; an unknown one is refused by name', async () => {
    const parent = await create('/categories', { name: 'Named Parent' })
    equal((await create('/categories', { name: 'By text', parent: String(parent.id) })).parent, parent.id)
    for (const value of [987654, 'x', -1, [], {}, true]) {
      const { status, body } = await service.post('/categories', { name: 'Orphan', parent: value })
      deepEqual([status, Object.keys(body.data.params)], [400, ['parent']], JSON.stringify(value))
    }
  })

  test('removing one takes it from its events and moves its children up', async () => {
    const top = await create('/categories', { name: 'Grand' })
    const middle = await create('/categories', { name: 'Middle', parent: top.id })
    const bottom = await create('/categories', { name: 'Bottom', parent: middle.id })
    const event = await createEvent({ categories: [middle.id, bottom.id] })
    const removed = await service.remove(`/categories/${middle.id}`)
    deepEqual([removed.status, removed.body.count, removed.body._links], [200, 1, undefined])
    equal((await read(`/categories/${bottom.id}`)).parent, top.id)
    deepEqual(namesOf((await read(`/events/${event.id}`)).categories), ['Bottom'])
    const again = await service.remove(`/categories/${middle.id}`)
    deepEqual(
      [again.status, again.body.code, Object.keys(again.body.data.params)],
      [400, 'rest_invalid_param', ['id']],
    )
  })
})

for (const path of ['/categories', '/tags'] as const) {
  const key = path.slice(1)
  const kind = key === 'tags' ? 'tag' : 'category'

  describe(`both kinds: ${key}`, () => {
    test('updates are partial, an empty one changes nothing, and a new name keeps the slug', async () => {
      const term = await create(path, { name: `Partial ${kind}`, description: 'As it was' })
      deepEqual(await update(`${path}/${term.id}`, {}), term)
      const renamed = await update(`${path}/${term.id}`, { name: 'Renamed' })
      deepEqual([renamed.slug, renamed.description], [`partial-${kind}`, 'As it was'])
      const moved = await update(`${path}/${term.id}`, { slug: `Ünï ${kind}` })
      deepEqual([moved.slug, moved.name], [`uni-${kind}`, 'Renamed'])
      for (const method of ['POST', 'PUT', 'PATCH']) {
        const { body } = await service.request('admin', method, `${path}/${term.id}`, { description: method })
        equal(body.description, method)
      }
    })

    test('names lose markup and surplus blanks, and an empty, blank or numeric one is refused', async () => {
      equal((await create(path, { name: `  <b>Tidy</b>   ${kind} & co ` })).name, `Tidy ${kind} &amp; co`)
      for (const name of ['', '0', '  ', '<b></b>', 5, [], null]) {
        const { status, body } = await service.post(path, { name })
        equal(status, 400, JSON.stringify(name))
        ok(['rest_invalid_param', 'rest_missing_callback_param'].includes(body.code))
      }
    })

    test('a name of signs alone gets a slug all the same, and a slug of signs alone is no slug', async () => {
      const terms = [await create(path, { name: '!!!' }), await create(path, { name: '???' })]
      deepEqual(pluck(terms, 'slug'), [kind, `${kind}-2`])
      equal((await update(`${path}/${terms[0].id}`, { slug: '***' })).slug, kind)
    })

    test('descriptions are safe HTML whoever wrote them', async () => {
      const { description } = await create(path, {
        name: `Safe ${kind}`,
        description: '<em>a</em><script>x</script><a href="javascript:x">b</a>',
      })
      match(description, /<em>a<\/em>/)
      doesNotMatch(description, /<script|javascript:/)
    })

    test('lists are ordered by every attribute, up and down, ties by id', async () => {
      const made: Body[] = []
      for (const [name, slug, description] of [
        ['Order B', 'x-1', '2'],
        ['order a', 'x-3', '1'],
        ['Örder c', 'x-2', '2'],
      ] as const)
        made.push(await create(path, { name: `${name} ${kind}`, slug: `${slug}-${kind}`, description }))
      const [b, a, c] = made.map(({ id }) => id)
      const order = async (query: string) =>
        (await read(`${path}?hide_empty=false&search=order&${query}`))[key].map(({ id }: Body) => id)
      for (const [query, ...expected] of [
        ['', a, b, c],
        ['order=DESC', c, b, a],
        ['orderby=id', b, a, c],
        ['orderby=slug', b, c, a],
        ['orderby=description', a, b, c],
        ['orderby=count', b, a, c],
        [`orderby=include&include=${c},${b},${a}`, c, b, a],
        ['orderby=nonsense&order=sideways', a, b, c],
        [`exclude=${a}`, b, c],
        [`include=x-1-${kind},${c}`, b, c],
      ])
        deepEqual(await order(query), expected, query)
    })

    test('lists are filtered by use, event, slug and text', async () => {
      const used = await create(path, { name: `Sieve used ${kind}` })
      const unused = await create(path, { name: `Sieve unused ${kind}` })
      const event = await createEvent({ [key]: [used.id] })
      const ids = async (query: string) =>
        (await read(`${path}?${query}`))[key].map(({ id }: Body) => id).sort()
      deepEqual(await ids('search=SIEVE'), [used.id])
      deepEqual(await ids('search=sieve&hide_empty=0'), [used.id, unused.id])
      for (const name of ['event', 'post']) deepEqual(await ids(`${name}=${event.id}`), [used.id])
      deepEqual(await ids(`slug=${unused.slug}&hide_empty=false`), [unused.id])
      deepEqual(await ids('slug=nowhere&hide_empty=false'), [])
      deepEqual(await ids('search=%25&hide_empty=false'), [])
      for (const query of (
        'event=987654 post=x include=987654 exclude=x order= orderby= search= slug= ' +
        'hide_empty=maybe page=0'
      ).split(' '))
        equal((await service.get(`${path}?${query}`)).status, 400, query)
    })

    test('pages tell their totals in body and headers, in the documented order', async () => {
      for (let n = 0; n < 3; n++) await create(path, { name: `Leaf ${kind} ${n}` })
      const { body, headers } = await service.get(`${path}?hide_empty=false&search=leaf&per_page=1&page=2`)
      deepEqual(Object.keys(body), [
        'rest_url',
        'total',
        'total_pages',
        key,
        'next_rest_url',
        'previous_rest_url',
      ])
      deepEqual([body.total, body.total_pages, namesOf(body[key])], [3, 3, [`Leaf ${kind} 1`]])
      deepEqual([headers.get('x-tec-total'), headers.get('x-tec-totalpages')], ['3', '3'])
    })

    test('an entry of a filter is a slug, an id, a name, or a text for it, in this order', async () => {
      const market = await create(path, { name: `Farmers' market ${kind}` })
      const tea = await create(path, { name: `Tea &amp; talk ${kind}`, slug: `tea-${kind}` })
      const [numbered, named] = [await create(path, { name: `Numbered ${kind}`, slug: String(market.id) })]
        .concat(await create(path, { name: `90${kind.length}17` }))
        .concat(await create(path, { name: `tea-${kind}`, slug: `leaves-${kind}` }))
      const events = new Map<number, number>()
      for (const { id } of [market, tea, numbered, named])
        events.set(id, (await createEvent({ [key]: [id] })).id)
      const found = async (entry: string) =>
        pluck((await read(`/events?start_date=2027-01-01&${key}=${encodeURIComponent(entry)}`)).events, 'id')
      const meant: [string, Body][] = [
        [market.slug.toUpperCase(), market],
        [`Farmers' MARKET ${kind}`, market],
        [`Farmers’ market ${kind}`, market],
        [`Farmers&#039; market ${kind}`, market],
        [`[farmers market: ${kind}`, market],
        [`tea &amp; TALK ${kind}`, tea],
        [`tea-${kind}`, tea],
        [`[tea-${kind}]`, tea],
        [String(market.id), numbered],
        [String(tea.id), tea],
        [named.name, named],
      ]
      for (const [entry, term] of meant) deepEqual(await found(entry), [events.get(term.id)], entry)
      for (const entry of ['[]', "'", '&amp;', '87654321', '[nowhere', '\u0000', 'x'.repeat(500)])
        equal((await service.get(`/events?${key}=${encodeURIComponent(entry)}`)).status, 400, entry)
      equal((await service.get(`/events?${key}=${'x'.repeat(501)}`)).status, 400)
    })

    test('a text among the terms of an event is a slug or name, or makes a slug, never an id', async () => {
      const market = await create(path, { name: `Fishers' market ${kind}` })
      for (const entry of [
        market.slug,
        `fishers' MARKET ${kind}`,
        `Fishers’ market ${kind}`,
        `[fishers-market-${kind}`,
      ])
        deepEqual(pluck((await createEvent({ [key]: [entry] }))[key], 'id'), [market.id], entry)
      const [byNumber] = (await createEvent({ [key]: [{ name: String(market.id) }] }))[key]
      equal(byNumber.name, String(market.id))
      deepEqual(pluck((await createEvent({ [key]: [String(market.id)] }))[key], 'id'), [market.id])
      const signs = await createEvent({ [key]: ['!!', `New ${kind}`, `new ${kind}`, '??', '!!'] })
      deepEqual(namesOf(signs[key]).sort(), ['!!', '??', `New ${kind}`])
      const { body } = await service.post(
        '/events',
        {
          title: 'By one who makes none',
          start_date: '2027-05-01',
          end_date: '2027-05-01',
          [key]: ['Made by nobody', `[fishers-market-${kind}`],
        },
        'contributor',
      )
      deepEqual(namesOf(body[key]), [`Fishers' market ${kind}`])
    })

    test('an id of the other taxonomy is not found here', async () => {
      const other = await create(path === '/tags' ? '/categories' : '/tags', { name: `Elsewhere ${kind}` })
      for (const method of ['GET', 'PUT', 'DELETE']) {
        const { status, body } = await service.request(
          'admin',
          method,
          `${path}/${other.id}`,
          method === 'PUT' ? {} : undefined,
        )
        deepEqual([status, body.code, Object.keys(body.data.params)], [400, 'rest_invalid_param', ['id']])
      }
    })
  })
}

test('a tag has no parent, neither shown nor taken', async () => {
  const other = await create('/tags', { name: 'Flat one' })
  const tag = await create('/tags', { name: 'Flat two', parent: other.id })
  equal('parent' in tag, false)
  equal(tag.url, `${service.origin}/tag/flat-two/`)
  equal(tag.taxonomy, 'post_tag')
})
