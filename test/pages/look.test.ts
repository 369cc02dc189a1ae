import { deepEqual, doesNotMatch, equal, match, notEqual, ok, rejects } from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { startApp } from '../../src/app.ts'
import { registerLookCommand } from '../../src/features/pages/look-command.ts'
import { accentStyle } from '../../src/features/pages/page-assets.ts'
import { openDatabase } from '../../src/store/storage/open-database.ts'
import { runCommand } from '../support/commands.ts'
import { scratchDatabase } from '../support/database.ts'
import { temporaryFolder } from '../support/folder.ts'
import { startLoggedService } from '../support/logged-service.ts'
import { fc } from '../support/rounds.ts'
import { day, onDay, serviceForTests, startService } from '../support/service.ts'
import { until } from '../support/waiting.ts'

const service = serviceForTests({}, { fill })

async function fill(): Promise<void> {
  await service.event({ title: 'Choir', ...day }, 'editor')
}

const SETTINGS = '~/wp-json/kalends/v1/settings'
const set = (look: object) => service.request('admin', 'PATCH', SETTINGS, look)
const page = async (path: string): Promise<string> => {
  const { status, body } = await service.page(path)
  equal(status, 200, path)
  return String(body)
}
const style = async (html: string): Promise<string> =>
  page(/\/assets\/calendar-[\w-]+\.css/.exec(html)?.[0] ?? '')

test('the head has the sentence and the links of the owner, and the foot what the law asks for', async () => {
  const { status } = await set({
    pages_sentence: 'What is on <in> town',
    pages_links: 'Town hall https://town.example/\nOpening hours /events/month/',
    pages_imprint: 'https://town.example/imprint',
    pages_privacy: '/privacy/',
    pages_accessibility: 'https://town.example/access',
    pages_contact: 'mailto:town@town.example',
  })
  equal(status, 200)
  const html = await page('/')
  match(html, /<small>What is on &lt;in&gt; town<\/small>/)
  match(
    html,
    /<a href="https:\/\/town\.example\/">Town hall<\/a><a href="[^"]*\/events\/month\/">Opening hours<\/a>/,
  )
  for (const link of [
    'town.example/imprint">Imprint',
    '/privacy/">Privacy',
    '/access">Accessibility',
    'mailto:town@town.example">Contact',
  ])
    ok(html.includes(link), link)
})

test('a link that would run a script, or leads to another host by its path, is refused', async () => {
  for (const wrong of [
    { pages_imprint: 'javascript:alert(1)' },
    { pages_privacy: '//evil.example/' },
    { pages_contact: 'https://' },
    { pages_links: 'Home javascript:alert(1)' },
    { pages_links: 'https://no.words/' },
    { pages_links: 'A https://a.example/\n'.repeat(7) },
    { pages_links: `${'x'.repeat(61)} https://a.example/` },
    { pages_presses: 'a,b,c,d,e,f,g' },
    { pages_corner: 'oval' },
  ]) {
    const { status, body } = await set(wrong)
    deepEqual([status, Object.keys(body.data.params)], [400, Object.keys(wrong)])
  }
})

test('corner, room, letters, head and colours change the style sheet at once', async () => {
  const before = await page('/')
  await set({
    pages_corner: 'square',
    pages_density: 'compact',
    pages_typeface: 'serif',
    pages_header: 'band',
    pages_scheme: 'dark',
  })
  const html = await page('/')
  match(html, /<meta name="color-scheme" content="dark">/)
  const css = await style(html)
  for (const rule of [
    '--radius:0',
    '--room:.6',
    'Georgia,serif',
    'color-scheme:dark',
    '.top{border:0;background:var(--accent)',
  ])
    ok(css.includes(rule), rule)
  notEqual(await style(before), css)
})

test('the first view stands at the address of the site, and the list at its own', async () => {
  await set({ pages_first_view: 'month' })
  match(await page('/'), /class="month/)
  const canonical = (html: string) => new URL(/rel="canonical" href="([^"]+)"/.exec(html)?.[1] ?? '').pathname
  equal(canonical(await page('/events/')), '/events/')
  await set({ pages_first_view: '' })
  doesNotMatch(await page('/'), /class="month/)
  equal(canonical(await page('/events/')), '/')
})

test('times have the hours that the owner has chosen', async () => {
  const [twelve, twentyFour] = [/\d:\d\d\s[ap]m/i, /\b(?:1\d|2\d):\d\d\b/]
  await service.create(
    '/events',
    { title: 'Evening', ...day, ...onDay('2030-03-01', '19:30:00', '21:00:00') },
    'editor',
  )
  await set({ pages_clock: '12' })
  match(await page('/events/2030-03-01/'), twelve)
  await set({ pages_clock: '24' })
  match(await page('/events/2030-03-01/'), twentyFour)
  doesNotMatch(await page('/events/2030-03-01/'), twelve)
})

test('every accent is readable as text and on buttons, and seen as a control, in light and dark', () => {
  const grounds = { light: ['#ffffff', '#f6f6f3'], dark: ['#131417', '#1c1e22', '#22252a'] }
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 0xffffff }), (number) => {
      const css = accentStyle(`#${number.toString(16).padStart(6, '0')}`)
      const pair = (name: string) =>
        new RegExp(`${name}:light-dark\\((#[0-9a-f]{6}),(#[0-9a-f]{6})\\)`).exec(css) ?? []
      const text = (name: string) => new RegExp(`${name}:(#[0-9a-f]{6})`).exec(css)?.[1] ?? ''
      for (const [at, scheme] of [
        [1, 'light'],
        [2, 'dark'],
      ] as const) {
        const [control = '', on = ''] = [pair('--accent')[at], pair('--on-accent')[at]]
        ok(ratio(control, on) >= 4.5, `text on a button, ${scheme}`)
        for (const ground of grounds[scheme]) {
          ok(ratio(control, ground) >= 3, `a button on ${ground}`)
          ok(ratio(text(`--accent-${scheme}`), ground) >= 4.5, `text on ${ground}`)
        }
      }
    }),
    { numRuns: 1000 },
  )
})

function ratio(a: string, b: string): number {
  const [x = 0, y = 0] = [a, b].map(luminance).sort((one, other) => other - one)
  return (x + 0.05) / (y + 0.05)
}

function luminance(colour: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5]
    .map((at) => Number.parseInt(colour.slice(at, at + 2), 16) / 255)
    .map((share) => (share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4))
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}

const SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><path d="M0 0h9v9z"/></svg>'
const dataUrl = (bytes: Buffer | string) => `data:;base64,${Buffer.from(bytes).toString('base64')}`
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
const woff2 = (length: number) => {
  const bytes = Buffer.alloc(length)
  bytes.write('wOF2')
  bytes.writeUInt32BE(length, 8)
  return bytes
}

test('files of the look are served by every node under names of their content, and run nothing', async () => {
  const two = await startApp(service.config)
  try {
    const sent = {
      pages_logo: dataUrl(SVG),
      pages_logo_dark: dataUrl(PNG),
      pages_picture: dataUrl(PNG),
      pages_font: dataUrl(woff2(64)),
    }
    const { status, body } = await set({ ...sent, pages_scheme: '', pages_logo_name: 'hidden' })
    equal(status, 200)
    match(body.pages_logo, /\/assets\/logo-[\w-]{10}\.svg$/)
    let html = ''
    // On PostgreSQL the other node knows the change once it has heard of it.
    await until(async () => {
      html = await (await fetch(`http://127.0.0.1:${two.port}/`)).text()
      return html.includes('class="logo"')
    }, 'the other node does not show the logo')
    match(
      html,
      new RegExp(
        '<picture><source media="\\(prefers-color-scheme: dark\\)" ' +
          'srcset="/assets/logo-dark-[\\w-]+\\.png"><img class="logo" src="/assets/logo-[\\w-]+\\.svg"',
      ),
    )
    match(html, /<b class="hidden">/)
    match(html, /<meta property="og:image" content="[^"]+\/assets\/picture-[\w-]+\.png">/)
    const logo = await fetch(`http://127.0.0.1:${two.port}${new URL(body.pages_logo).pathname}`)
    deepEqual([logo.status, logo.headers.get('content-type'), await logo.text()], [200, 'image/svg+xml', SVG])
    equal(logo.headers.get('content-security-policy'), "default-src 'none'; sandbox")
    const css = await style(await page('/'))
    const [, font = ''] =
      /src:url\((font-[\w-]+\.woff2)\) format\("woff2"\);font-display:swap/.exec(css) ?? []
    equal(
      (await fetch(`http://127.0.0.1:${two.port}/assets/${font}`)).headers.get('content-type'),
      'font/woff2',
    )
    // A client may send a whole answer back.
    const { given: _given, set: _set, ...whole } = (await service.get(SETTINGS, 'admin')).body
    equal((await set(whole)).body.pages_logo, body.pages_logo)
  } finally {
    await two.stop()
  }
  const reset = await set({ pages_logo: '', pages_logo_dark: '', pages_picture: '', pages_font: '' })
  equal(reset.body.pages_logo, '')
  deepEqual(await service.app.database.read.selectFrom('look_files').selectAll().execute(), [])
})

test('a file is told by its content and its size, and a request larger than a look is not read', async () => {
  const svg = (inside: string) => dataUrl(`<svg xmlns="http://www.w3.org/2000/svg">${inside}</svg>`)
  for (const wrong of [
    { pages_logo: dataUrl('<html><svg></svg></html>') },
    { pages_logo: svg('<script>alert(1)</script>') },
    { pages_logo: svg('<rect onload="alert(1)"/>') },
    { pages_logo: svg('<foreignObject/>') },
    { pages_logo: svg('<a href="javascript:alert(1)"/>') },
    { pages_logo: dataUrl(`<!DOCTYPE svg [<!ENTITY a "b">]>${SVG}`) },
    { pages_logo: dataUrl(woff2(64)) },
    { pages_logo: dataUrl(Buffer.concat([PNG, Buffer.alloc(100_000)])) },
    { pages_logo: 'https://elsewhere.example/logo.svg' },
    { pages_logo: '/etc/passwd' },
    { pages_font: dataUrl(Buffer.concat([woff2(64), Buffer.alloc(1)])) },
    { pages_font: dataUrl(PNG) },
    { pages_icon: 'data:;base64,####' },
  ]) {
    const { status, body } = await set(wrong)
    deepEqual(
      [status, Object.keys(body.data.params ?? {})],
      [400, Object.keys(wrong)],
      JSON.stringify(wrong).slice(0, 80),
    )
  }
  const { status, body } = await set({ pages_sentence: 'x'.repeat(1_000_000) })
  deepEqual([status, body.code], [413, 'rest_request_too_large'])
})

test('the command takes a whole look from a folder, writes one, and takes it back in one step', async () => {
  const folder = temporaryFolder()
  const look = (...words: string[]) =>
    runCommand(
      (program) =>
        registerLookCommand(
          program,
          async () => ({ ...service.app.database, close: async () => undefined }),
          () => service.config,
        ),
      ['look', ...words],
    )
  try {
    writeFileSync(join(folder, 'a.svg'), SVG)
    mkdirSync(join(folder, 'texts'))
    writeFileSync(join(folder, 'texts', 'bar.md'), '# The bar\n\nOpens at *six*.\n')
    const whole = {
      pages_texts: 'texts',
      site_name: 'Blue Door',
      pages_accent: '#aa3300',
      pages_logo: 'a.svg',
      pages_links: ['Home https://a.example/', 'Bar /bar/'],
    }
    writeFileSync(join(folder, 'look.json'), JSON.stringify(whole))
    await set({ pages_sentence: 'Gone with a whole look' })
    equal((await look('--from', folder)).code, 0)
    const html = await page('/')
    match(html, /Blue Door/)
    match(html, /class="logo"/)
    doesNotMatch(html, /Gone with/)
    match(
      await page('/bar/'),
      /<h1[^>]*>The bar<\/h1><div class="prose" dir="auto"><p>Opens at <em>six<\/em>\.<\/p>/,
    )
    const copy = join(folder, 'copy')
    equal((await look('--to', copy)).code, 0)
    const { pages_logo, ...rest } = JSON.parse(readFileSync(join(copy, 'look.json'), 'utf8'))
    const { pages_logo: _file, ...texts } = whole
    deepEqual(rest, texts)
    equal(readFileSync(join(copy, 'texts', 'bar.md'), 'utf8'), '# The bar\n\nOpens at *six*.\n')
    equal(readFileSync(join(copy, pages_logo), 'utf8'), SVG)
    equal((await look('--from', join(copy, 'look.json'))).code, 0)
    equal((await look('logo', join(folder, 'look.json'))).code, 1)
    equal((await look('logo', join(folder, 'none.svg'))).code, 1)
    for (const wrong of [
      '[]',
      '{',
      '{"colour":"red"}',
      '{"pages_accent":3}',
      '{"pages_accent":"red"}',
      '{"pages_logo":"../none.svg"}',
    ]) {
      writeFileSync(join(folder, 'look.json'), wrong)
      equal((await look('--from', folder)).code, 1, wrong)
    }
    match(await page('/'), /Blue Door/)
    match((await look()).out, /^site_name +Blue Door +set\n/m)
    equal((await look('--reset')).code, 0)
    match((await look()).out, /^site_name +Kalends +default\n/m)
    doesNotMatch(await page('/'), /Blue Door/)
  } finally {
  }
})

test('pages of text stand at addresses of their own, in the foot, and in the site map', async () => {
  const text =
    '# About *us*\n\n## Who we are\n\nA [choir](https://choir.example/) since 1998.\n\n- one\n- two\n'
  const { status, body } = await set({
    pages_texts: [
      { slug: 'about', text },
      { slug: 'imprint', text: '# Imprint\n\nThe town' },
    ],
    pages_imprint: '/imprint/',
  })
  equal(status, 200)
  deepEqual(body.pages_texts[0], { slug: 'about', text })
  const html = await page('/about/')
  for (const part of [
    '<title>About *us* · ',
    '<h2>Who we are</h2>',
    '<a href="https://choir.example/">choir</a>',
    '<li>one</li>',
    'rel="canonical" href="',
  ])
    ok(html.includes(part), part)
  const front = await page('/')
  match(front, /<a href="\/about\/">About \*us\*<\/a>/)
  equal(front.match(/href="\/imprint\/"/g)?.length, 1)
  match(await page('/sitemap-pages.xml'), /\/about\/<\/loc>/)
  const moved = await fetch(`${service.origin}/about`, {
    redirect: 'manual',
    headers: { accept: 'text/html' },
  })
  deepEqual([moved.status, moved.headers.get('location')], [301, '/about/'])
  equal((await fetch(`${service.origin}/about/`)).headers.get('content-type'), 'text/html; charset=UTF-8')
  await set({ pages_texts: [] })
  equal((await fetch(`${service.origin}/about/`, { headers: { accept: 'text/html' } })).status, 404)
})

test('a text of the look has no markup but Markdown’s, and loads nothing from elsewhere', async () => {
  const hostile = [
    '<script>alert(1)</script>',
    '<img src=x onerror=alert(1)>',
    'inline <b onclick="alert(1)">bold</b>',
    '[run](javascript:alert(1))',
    '[data](data:text/html,x)',
    '![tracker](https://elsewhere.example/pixel.png)',
    '[x]: javascript:alert(1)',
    '[go][x]',
    '<iframe src="https://www.youtube.com/embed/x"></iframe>',
    '<style>body{display:none}</style>',
  ].join('\n\n')
  await set({
    pages_intro: `# Welcome\n\n${hostile}`,
    pages_texts: [{ slug: 'about', text: `# A\n\n${hostile}` }],
  })
  for (const path of ['/', '/about/']) {
    const [main = ''] = /<main[\s\S]*?(?=<div class="head"|<\/article>)/.exec(await page(path)) ?? []
    doesNotMatch(main, /<(?:script|img|b|iframe|style)\b|href="(?:javascript|data):|elsewhere\.example/i)
    match(main, /&lt;script&gt;/)
  }
  match(await page('/'), /<div class="prose intro"><p><strong>Welcome<\/strong><\/p>/)
  doesNotMatch(await page('/?search=choir'), /prose intro/)
  await set({ pages_intro: '>'.repeat(2000), pages_texts: [] })
  await page('/')
  await set({ pages_intro: '' })
})

test('a page of text has a title, a size, and an address that nothing else has', async () => {
  const of = (slug: string, text = '# Title\n\nText') => ({ pages_texts: [{ slug, text }] })
  for (const wrong of [
    of('events'),
    of('desk'),
    of('wp-json'),
    of('About'),
    of('a/b'),
    of('about', 'No title'),
    of('about', `# Title\n${'x'.repeat(20_000)}`),
    { pages_texts: Array.from({ length: 13 }, (_, i) => ({ slug: `page-${i}`, text: '# Title' })) },
    {
      pages_texts: [
        { slug: 'a', text: '# A' },
        { slug: 'a', text: '# B' },
      ],
    },
    { pages_texts: [{ slug: 3, text: '# A' }] },
    { pages_texts: 'about' },
    { pages_intro: 'x'.repeat(2001) },
  ]) {
    const { status, body } = await set(wrong)
    deepEqual(
      [status, Object.keys(body.data.params ?? {})],
      [400, Object.keys(wrong)],
      JSON.stringify(wrong).slice(0, 80),
    )
  }
})

test('a page of text at an address that the calendar uses now is hidden, as the start says', async (t) => {
  const texts = ['lieu', 'about'].map((slug) => ({ slug, text: `# My ${slug}` }))
  const folder = temporaryFolder()
  for (const { slug, text } of texts) writeFileSync(join(folder, `${slug}.md`), text)
  const { address, remove } = await scratchDatabase('users')
  t.after(async () => {
    await remove()
  })
  const database = await openDatabase(address)
  const row = { name: 'pages_texts', value: JSON.stringify(texts) }
  await database.write((tx) => tx.insertInto('owner_settings').values(row).execute())
  await database.close()
  for (const settings of [{}, { pages_texts: folder }]) {
    const own = await startLoggedService({ ...settings, database: address, data: folder, log_level: 'warn' })
    const read = async (path: string) => (await fetch(new URL(path, own.base))).text()
    const [about, lieu] = [await read('/about/'), await read('/lieu/')]
    await own.end()
    match(about, /<h1[^>]*>My about/)
    doesNotMatch(lieu, /My lieu/)
    match(own.printed(), /\/lieu\/[^"]* hidden/)
  }
  const own = await startService({ database: address })
  const { body } = await own.get(SETTINGS, 'admin')
  await own.close()
  deepEqual(body.pages_texts, texts)
})

test('a style sheet of the start goes behind all others, and is refused with an import', async () => {
  const folder = temporaryFolder()
  const [path, other] = [join(folder, 'own.css'), join(folder, 'other.css')]
  writeFileSync(path, '/* No @import here. */\n.event { max-width: 50rem }\n')
  writeFileSync(other, '@IMPORT url(https://fonts.example/all.css);')
  const own = await startService({ pages_css: path })
  try {
    const { body } = await own.page('/')
    const [address = ''] = /\/assets\/calendar-[\w-]+\.css/.exec(body) ?? []
    match(await (await fetch(own.origin + address)).text(), /\.event \{ max-width: 50rem \}\n$/)
    await rejects(startService({ pages_css: other }), {
      message: `The style sheet of the pages cannot have @import: put the rules themselves into ${other}.`,
    })
  } finally {
    await own.close()
  }
})

test('pages have the parts that style sheets of owners may rely on', async () => {
  await using own = await startService({ site_name: 'Kilvara' })
  const hall = await own.create('/venues', { venue: 'Hall', description: 'By the quay.' })
  const at = (title: string, days: string) =>
    own.event({
      title,
      ...onDay(`2031-05-${days}`, '20:00', '22:00'),
      venue: hall.id,
      categories: ['Music'],
      description: 'Songs.',
      featured: title === 'Choir',
    })
  await at('Choir', '10')
  await at('Concert', '11')
  const table =
    readFileSync(new URL('../../docs/pages.md', import.meta.url), 'utf8').split('\n| Class ')[1] ?? ''
  const rows = [...(table.split('\n\n', 1)[0]?.matchAll(/^\| (`.*?) +\|.*\| `(\/.*?)` +\|$/gm) ?? [])]
  ok(rows.length > 8)
  for (const [, classes = '', path = ''] of rows) {
    const { status, body } = await own.page(path)
    equal(status, 200, path)
    const found = new Set(
      [...String(body).matchAll(/ class="([^"]*)"/g)].flatMap(([, names = '']) => names.split(' ')),
    )
    for (const [, name = ''] of classes.matchAll(/`([\w-]+)`/g)) ok(found.has(name), `${name} on ${path}`)
  }
})

for (const owner of ['city', 'jazz', 'university'])
  test(`the look of the invented ${owner} is taken, and its pages render`, async () => {
    await using own = await startService()
    await own.event({ title: 'Choir', ...day }, 'editor')
    const { code } = await runCommand(
      (program) =>
        registerLookCommand(
          program,
          async () => ({ ...own.app.database, close: async () => undefined }),
          () => ({ ...own.config, given: {} }),
        ),
      ['look', '--from', fileURLToPath(new URL(`../../docs/looks/${owner}`, import.meta.url))],
    )
    equal(code, 0)
    const read = async (path: string) => {
      const answer = await own.page(path)
      equal(answer.status, 200, path)
      return String(answer.body)
    }
    const html = await read('/')
    const look = (await own.get(SETTINGS, 'admin')).body
    ok(html.includes(`<small>${look.pages_sentence}</small>`))
    match(html, /class="logo" src="\/assets\/logo-/)
    for (const { slug, text } of look.pages_texts)
      match(await read(`/${slug}/`), new RegExp(`<h1[^>]*>${text.split('\n')[0].slice(2)}</h1>`))
    for (const address of [look.pages_imprint, look.pages_accessibility, look.pages_contact])
      if (address.startsWith('/')) await read(address)
    const css = await read(/\/assets\/calendar-[\w-]+\.css/.exec(html)?.[0] ?? '')
    ok(css.includes(accentStyle(look.pages_accent)))
  })
