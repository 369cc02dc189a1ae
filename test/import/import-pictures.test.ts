import { deepEqual, doesNotMatch, equal, match, notEqual, ok } from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { drawPng, uploadPicture } from '../support/pictures.ts'
import { serverHere } from '../support/server.ts'
import { onDay } from '../support/service.ts'
import { until } from '../support/waiting.ts'
import { type Calendar, startCalendar } from './calendar-command.ts'

const NAMESPACE = '/wp-json/tribe/events/v1'
const UPLOADS = '/wp-content/uploads/2026/05'

interface Site {
  origin: string
  events: object[]
  pictures: Set<string>
  asked: string[]
}

async function startSite(): Promise<Site> {
  const site: Site = { origin: '', events: [], pictures: new Set(), asked: [] }
  const png = await drawPng(600, 400, '#246')
  site.origin = await serverHere((request, response) => {
    const { pathname } = new URL(request.url ?? '', 'http://x')
    if (pathname.startsWith(NAMESPACE)) {
      const list = pathname.slice(NAMESPACE.length + 1)
      const records = list === 'events' ? site.events : []
      const isPage = ['events', 'venues', 'organizers', 'categories', 'tags'].includes(list)
      response.writeHead(isPage ? 200 : 404, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ [list]: records, total: records.length, total_pages: 1 }))
      return
    }
    const path = decodeURIComponent(pathname)
    if (path.startsWith(UPLOADS)) site.asked.push(path)
    if (site.pictures.has(path)) response.writeHead(200, { 'content-type': 'image/png' }).end(png)
    else response.writeHead(404).end()
  })
  return site
}

const event = ({ origin }: Site, id: number, fields: object = {}) => ({
  id,
  slug: `evening-${id}`,
  title: `Evening ${id}`,
  url: `${origin}/show/evening-${id}/`,
  ...onDay('2027-03-03', '20:00:00', '22:00:00'),
  timezone: 'UTC',
  ...fields,
})

describe('the pictures in the texts of a site that has moved here', () => {
  let calendar: Calendar
  before(async () => {
    calendar = await startCalendar()
  })
  after(() => calendar.close())

  const importSite = (site: Site, ...words: string[]) =>
    calendar.kalends('import', '--name', site.origin, '--same-as', 'none', ...words, site.origin + NAMESPACE)
  const moved = (site: Site, ...words: string[]) => importSite(site, '--origin', 'moved', ...words)
  const description = async (slug: string): Promise<string> =>
    (await calendar.service.get(`/events/by-slug/${slug}`)).body.description
  const at = async (path: string, accept = 'image/*'): Promise<string> => {
    const response = await fetch(calendar.service.origin + path, { redirect: 'manual', headers: { accept } })
    await response.arrayBuffer()
    return `${response.status} ${response.headers.get('location') ?? ''}`.trim()
  }

  test('come along, and the texts show and link to ours', async () => {
    const site = await startSite()
    site.pictures = new Set([`${UPLOADS}/hall.png`, `${UPLOADS}/plan-10x20.png`, `${UPLOADS}/café.png`])
    const upload = `${site.origin}${UPLOADS}`
    const text = [
      `<p title='src="x"'><a class="wide" href="${upload}/hall.png?x=1&amp;y=2"><img ` +
        `srcset="${upload}/hall-300x200.png 300w, ${upload}/hall.png 600w"`,
      ` sizes="100vw" alt="a &gt; b" src='${upload}/hall-300x200.png'></a> ` +
        `and <img src=${UPLOADS}/plan-10x20.png></p>`,
      `<picture><source srcset="${upload}/hall-600x400.png ` +
        `1x, ${upload}/hall.png 2x"><img src="${upload}/caf%C3%A9.png"></picture>`,
      `<a href="${site.origin}/show/">the programme</a> <img ` +
        `src="http://127.0.0.2:1/elsewhere.png"> ${upload}/hall.png`,
    ].join('\n')
    site.events = [event(site, 1, { description: text, excerpt: `<img src="${upload}/hall.png">` })]
    const { out, err, code } = await moved(site)
    equal(code, 0, out + err)
    match(out, /1 made/)
    const media = `${calendar.service.origin}/media/`
    const { body } = await calendar.service.get('/events/by-slug/evening-1')
    const shown = [...body.description.matchAll(/(?:src|href|srcset)="([^"]*)"/g)].map(
      ([, address]) => address,
    )
    const names = shown.map((address: string) =>
      address.startsWith(media) ? address.replace(/^.*\/media\/\d{4}\/\d\d\//, '') : address,
    )
    deepEqual(names, [
      'hall.png',
      'hall-300x200.png',
      'plan-10x20.png',
      'hall.png',
      'cafe.png',
      `${site.origin}/show/`,
      'http://127.0.0.2:1/elsewhere.png',
    ])
    match(body.description, /alt="a &gt; b"/)
    match(body.excerpt, /\/media\/\d{4}\/\d\d\/hall\.png/)
    for (const address of shown.slice(0, 5)) equal((await fetch(address)).status, 200, address)
    deepEqual(
      site.asked.filter((path) => path.includes('hall')),
      [`${UPLOADS}/hall.png`],
    )
    const rows = await calendar.rows()
    match((await moved(site)).out, /0 made, 0 changed/)
    equal(await calendar.rows(), rows)
    for (const conflicts of ['overwrite', 'skip', 'keep'])
      match((await importSite(site, '--conflicts', conflicts)).out, /0 made, 0 changed/, conflicts)
    equal(await calendar.rows(), rows)
  })

  test('are taken with a text that has changed in the source, and what was edited here stays', async () => {
    const site = await startSite()
    const picture = (name: string) => `<p>${name} <img src="${site.origin}${UPLOADS}/${name}.png"></p>`
    site.pictures = new Set(['first', 'second', 'third'].map((name) => `${UPLOADS}/${name}.png`))
    site.events = [
      event(site, 11, { description: picture('first') }),
      event(site, 12, { description: picture('first') }),
    ]
    equal((await moved(site)).code, 0)
    const { body } = await calendar.service.get('/events/by-slug/evening-12')
    await calendar.service.update(`/events/${body.id}`, { description: '<p>Ours</p>' })
    site.events = [
      event(site, 11, { description: picture('second') }),
      event(site, 12, { description: picture('third') }),
    ]
    const { out } = await moved(site)
    match(out, /0 made, 1 changed/)
    match(out, /evening-?.?12.*was changed here as well, which stays: description/i)
    match(await description('evening-11'), /second <img src="[^"]*\/media\/[^"]*\/second\.png"/)
    equal(await description('evening-12'), '<p>Ours</p>')
    await moved(site, '--conflicts', 'overwrite')
    match(await description('evening-12'), /third <img src="[^"]*\/media\/[^"]*\/third\.png"/)
  })

  test('are named where they are missing, and come with a later run', async () => {
    const site = await startSite()
    const lost = `${site.origin}${UPLOADS}/lost.png`
    site.pictures = new Set([`${UPLOADS}/found.png`])
    site.events = [
      event(site, 21, { description: `<img src="${lost}"><img src="${site.origin}${UPLOADS}/found.png">` }),
    ]
    const first = await moved(site)
    equal(first.code, 2)
    match(first.out, /A picture of its texts could not be fetched, since the answer was 404: \S+\/lost\.png/)
    const here = await description('evening-21')
    ok(here.includes(`src="${lost}"`), here)
    match(here, /\/media\/[^"]*\/found\.png/)
    const rows = await calendar.rows()
    const again = await moved(site)
    match(again.out, /0 made, 0 changed/)
    match(again.out, /lost\.png/)
    equal(await calendar.rows(), rows)
    site.pictures.add(`${UPLOADS}/lost.png`)
    const later = await moved(site)
    equal(later.code, 0, later.out)
    match(later.out, /0 made, 1 changed/)
    match(await description('evening-21'), /\/media\/[^"]*\/lost\.png.*\/media\/[^"]*\/found\.png/)
  })

  test('stay until the site is said to have moved, then come into what was edited here', async () => {
    const site = await startSite()
    site.pictures = new Set([`${UPLOADS}/late.png`])
    const text = `<p>Late <img src="${site.origin}${UPLOADS}/late.png" /></p>`
    site.events = [event(site, 31, { description: text })]
    equal((await importSite(site)).code, 0)
    equal((await importSite(site, '--origin', 'stays')).code, 0)
    equal((await moved(site, '--no-images')).code, 0)
    equal(await description('evening-31'), text)
    deepEqual(site.asked, [])
    equal(await at(`${UPLOADS}/late.png`), '404')
    const { body } = await calendar.service.get('/events/by-slug/evening-31')
    await calendar.service.update(`/events/${body.id}`, { description: text.replace('Late', 'Edited') })
    match((await moved(site)).out, /0 made, 1 changed/)
    match(await description('evening-31'), /<p>Edited <img src="[^"]*\/media\/[^"]*\/late\.png"/)
    match((await moved(site)).out, /0 made, 0 changed/)
  })

  test('bring nothing back that was removed here', async () => {
    const site = await startSite()
    site.pictures = new Set([`${UPLOADS}/gone.png`])
    site.events = [event(site, 41, { description: `<img src="${site.origin}${UPLOADS}/gone.png">` })]
    await importSite(site)
    const { body } = await calendar.service.get('/events/by-slug/evening-41')
    await calendar.service.remove(`/events/${body.id}`)
    match((await moved(site, '--conflicts', 'overwrite')).out, /0 made, 0 changed/)
    deepEqual(site.asked, [])
  })

  test('lead on from their old addresses in whichever size, as images of records do', async () => {
    const site = await startSite()
    const names = ['stage.png', 'bar-scaled.png', 'poster.png', 'dots é.png']
    site.pictures = new Set(names.map((name) => `${UPLOADS}/${name}`))
    const pictures = names
      .filter((name) => name !== 'poster.png')
      .map((name) => `<img src="${UPLOADS}/${name}">`)
    const image = { url: `${site.origin}${UPLOADS}/poster.png` }
    site.events = [event(site, 51, { description: pictures.join(' '), image })]
    const { out, code } = await moved(site)
    equal(code, 0, out)
    for (const [name, file] of [
      ['stage.png', 'stage.png'],
      ['stage-300x200.png', 'stage-300x200.png'],
      ['stage-768x512.png', 'stage.png'],
      ['stage-scaled.png', 'stage.png'],
      ['stage.png?ver=2', 'stage.png'],
      ['bar-scaled.png', 'bar-scaled.png'],
      ['bar.png', 'bar-scaled.png'],
      ['bar-150x150.png', 'bar-scaled-150x150.png'],
      ['poster.png', 'poster.png'],
      ['poster-300x200.png', 'poster-300x200.png'],
      ['dots%20%C3%A9.png', 'dots-e.png'],
    ] as const)
      for (const accept of ['image/*', 'text/html']) {
        const [status, location = ''] = (await at(`${UPLOADS}/${name}`, accept)).split(' ')
        deepEqual(
          [status, location.replace(/\d{4}\/\d\d\//, '')],
          ['301', `${calendar.service.origin}/media/${file}`],
        )
        equal((await fetch(location)).status, 200, name)
      }
    for (const path of [
      `${UPLOADS}/other.png`,
      `${UPLOADS}/stage-2.png`,
      `${UPLOADS}/stage.jpg`,
      '/stage.png',
      `${UPLOADS}/`,
      `${UPLOADS}/%E0%A4%A.png`,
      `${UPLOADS}/${'a-1x1'.repeat(300)}.png`,
    ])
      equal(await at(path), '404', path)
    await importSite(site, '--origin', 'none')
    equal(await at(`${UPLOADS}/stage.png`), '404')
  })

  test('stay when the run that brought them is undone, which takes the events away', async () => {
    const site = await startSite()
    site.pictures = new Set([`${UPLOADS}/undone.png`])
    const text = `<p><img src="${site.origin}${UPLOADS}/undone.png" /></p>`
    site.events = [event(site, 61, { description: text })]
    await importSite(site)
    await moved(site)
    notEqual(await description('evening-61'), text)
    const [, last = ''] = /^\s*(\d+)/m.exec((await calendar.kalends('imports')).out) ?? []
    match((await calendar.kalends('imports', 'undo', last)).out, /1 put back, 0 removed, 0 left/)
    equal(await description('evening-61'), text)
    const undone = await calendar.kalends('imports', 'undo', String(Number(last) - 1))
    match(undone.out, /1 removed/, JSON.stringify(undone))
    // The command removed it over its own connection, so the service notices a little later.
    await until(
      async () => (await calendar.service.get('/events/by-slug/evening-61')).status !== 200,
      'it is still there',
    )
    match((await moved(site)).out, /1 made/)
    match(await description('evening-61'), /\/media\/[^"]*\/undone\.png/)
  })

  test('are bounded: ten new ones of a record a run; a missing one is asked for once', async () => {
    const site = await startSite()
    const names = Array.from({ length: 12 }, (_, i) => `${UPLOADS}/many-${i}.png`)
    site.pictures = new Set(names)
    const lost = `<img src="${UPLOADS}/never.png">`
    site.events = [
      event(site, 71, { description: names.map((name) => `<img src="${name}">`).join('') }),
      ...Array.from({ length: 12 }, (_, i) => event(site, 200 + i, { description: lost })),
    ]
    const first = await moved(site)
    match(first.out, /It has more than 10 new pictures; the next run fetches others\./)
    equal([...(await description('evening-71')).matchAll(/\/media\//g)].length, 10)
    equal([...first.out.matchAll(/never\.png/g)].length, 12)
    ok(site.asked.filter((path) => path.endsWith('never.png')).length <= 4, 'as many as are prepared at once')
    match((await moved(site)).out, /0 made, 1 changed/)
    equal([...(await description('evening-71')).matchAll(/\/media\//g)].length, 12)
  })

  test('cost time that grows with the text, however many there are and however odd their tags', async () => {
    const site = await startSite()
    const fill = (text: string) => text.repeat(Math.floor(190_000 / text.length))
    site.events = [
      fill(`<img src="${UPLOADS}/a.png">`),
      fill('<img src=/b.png/ src="'),
      fill('<img srcset=",,,,,,,,,,,"   '),
      fill('<a href="-1x1-1x1.png'),
      `<source srcset="${fill(',,,,,,,,,')}x">`,
      `<img ${fill('  ').slice(95_000)} src=${fill('-1x1').slice(95_000)}>`,
    ].map((description, i) => event(site, 80 + i, { description }))
    match((await moved(site)).out, /6 made/)
    ok(site.asked.length < 30, String(site.asked.length))
  })

  test('of plain files come along by the addresses of their pages; those of other hosts stay', async () => {
    const site = await startSite()
    site.pictures = new Set([`${UPLOADS}/filed.png`])
    const text = `<p><img src="${site.origin}${UPLOADS}/filed.png" /></p>`
    const records = [
      event(site, 91, { description: text }),
      event(site, 92, { description: text, url: 'https://other.example/show/' }),
      event(site, 93, { description: text, url: undefined }),
    ]
    const file = await calendar.file(
      'saved.ndjson',
      records.map((record) => JSON.stringify(record)).join('\n'),
    )
    await calendar.run(0, 'import', '--origin', 'moved', '--same-as', 'none', file)
    match(await description('evening-91'), /\/media\/[^"]*\/filed\.png/)
    for (const slug of ['evening-92', 'evening-93']) equal(await description(slug), text)
    match(await at(`${UPLOADS}/filed.png`), /^301 /)
  })

  test('are not fetched by a dry run', async () => {
    const site = await startSite()
    site.pictures = new Set([`${UPLOADS}/dry.png`])
    site.events = [event(site, 95, { description: `<img src="${UPLOADS}/dry.png">` })]
    match((await moved(site, '--dry-run')).out, /1 made/)
    deepEqual(site.asked, [])
  })
})

test('pictures at addresses that are not public are not fetched', async (t) => {
  const guarded = await startCalendar({ image_hosts: '' })
  t.after(() => guarded.close())
  const site = await startSite()
  site.pictures = new Set([`${UPLOADS}/inside.png`])
  site.events = [event(site, 1, { description: `<img src="${UPLOADS}/inside.png">` })]
  const out = await guarded.run(2, 'import', '--origin', 'moved', site.origin + NAMESPACE)
  match(out, /127\.0\.0\.1 has no public address/)
  deepEqual(site.asked, [])
})

test('pictures come along with series, their dates, venues and categories, once each', async (t) => {
  const [source, calendar] = [await startCalendar(), await startCalendar({ image_hosts: 'localhost' })]
  t.after(() => Promise.all([source.close(), calendar.close()]))
  const id = await uploadPicture(source.service, 600, 400)
  const [{ source_url: url }] = (await source.service.get('~/wp-json/wp/v2/media')).body
  const description = `<p>Seen <img src="${url}" /></p>`
  const category = await source.service.create('/categories', { name: 'Music', description })
  const series = await source.service.event({
    title: 'Yoga',
    ...onDay('2027-05-03', '18:00:00', '19:00:00'),
    recurrence: 'RRULE:FREQ=WEEKLY;COUNT=3',
    description,
    image: id,
    venue: { venue: 'Hall', description },
    categories: [category.id],
  })
  await source.service.update(`/events/${series.id}`, {
    description: `${description}<p>First</p>`,
    recurrence_scope: 'this',
  })
  const importAll = () => calendar.kalends('import', '--origin', 'moved', source.service.origin)
  const { out, code } = await importAll()
  equal(code, 0, out)
  const { events } = (await calendar.service.get('/events?start_date=2027-01-01')).body
  equal(events.length, 3)
  const [venue, music] = [events[0].venue, events[0].categories].map((linked) => [linked].flat()[0])
  const { body: hall } = await calendar.service.get(`/venues/${venue.id}`)
  for (const text of [...events, hall, music].map((record) => record.description)) {
    ok(text.includes(`src="${calendar.service.origin}/media/`), text)
    ok(!text.includes(source.service.origin), text)
  }
  match(events[0].description, /First/)
  doesNotMatch(events[1].description, /First/)
  equal((await calendar.service.get('~/wp-json/wp/v2/media')).body.length, 1)
  const rows = await calendar.rows()
  match((await importAll()).out, /0 made, 0 changed/)
  equal(await calendar.rows(), rows)
})

test('pictures stay where they are for a user who may upload none, with the reason', async (t) => {
  const calendar = await startCalendar()
  t.after(() => calendar.close())
  const site = await startSite()
  site.pictures = new Set([`${UPLOADS}/a.png`])
  site.events = [event(site, 1, { description: `<img src="${UPLOADS}/a.png">` })]
  const { out } = await calendar.kalends(
    'import',
    '--origin',
    'moved',
    '--user',
    'contributor',
    site.origin + NAMESPACE,
  )
  match(out, /since the user contributor may upload no images/)
})
