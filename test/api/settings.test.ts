import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Command } from 'commander'
import { type App, startApp } from '../../src/app.ts'
import { registerLookCommand } from '../../src/features/pages/look-command.ts'
import { lookSettings } from '../../src/features/pages/look-settings.ts'
import { isPostgres } from '../../src/store/storage/database.ts'
import { runCommand } from '../support/commands.ts'
import { type Answer, credentialsOf, startService, type TestService } from '../support/service.ts'
import { until } from '../support/waiting.ts'

// Two nodes share one database.

let one: TestService
let two: App

const PATH = '~/wp-json/kalends/v1/settings'
const DEFAULTS = {
  ...Object.fromEntries(Object.entries(lookSettings).map(([name, setting]) => [name, setting.default])),
  pages_texts: [],
}

before(async () => {
  one = await startService()
  two = await startApp(one.config)
})
after(async () => {
  await two.stop()
  await one.close()
})

const change = (body: object, headers: Record<string, string> = {}): Promise<Answer> =>
  one.request('admin', 'PATCH', PATH, body, headers)

async function other(path: string, headers: Record<string, string> = {}) {
  const answer = await fetch(`http://127.0.0.1:${two.port}${path}`, { headers })
  return { status: answer.status, etag: answer.headers.get('etag') ?? '', text: await answer.text() }
}

const nameOf = ({ text }: { text: string }): string => JSON.parse(text).name
const styleOf = ({ text }: { text: string }) => /\/assets\/calendar-[\w-]+\.css/.exec(text)?.[0] ?? ''

/** On SQLite the other node has a change with its next answer; on PostgreSQL once it has heard of it. */
async function shown(
  path: string,
  holds: (answer: Awaited<ReturnType<typeof other>>) => boolean,
  headers: Record<string, string> = {},
) {
  let answer = await other(path, headers)
  if (isPostgres(one.app.database.read))
    await until(async () => {
      if (!holds(answer)) answer = await other(path, headers)
      return holds(answer)
    }, `the other node does not show the change at ${path}`)
  return answer
}

test('administrators read and change them, and nobody else', async () => {
  for (const as of ['anonymous', 'subscriber', 'contributor', 'author', 'editor'] as const)
    for (const method of ['GET', 'PATCH']) {
      const { status, body } = await one.request(
        as,
        method,
        PATH,
        method === 'GET' ? undefined : { site_name: 'No' },
      )
      deepEqual([status, body.code], [as === 'anonymous' ? 401 : 403, 'rest_forbidden'])
    }
  const { status, body } = await one.get(PATH, 'admin')
  deepEqual([status, body], [200, { ...DEFAULTS, set: [], given: [] }])
})

test('every node shows a new name and colour, and older answers are void', async () => {
  const before = {
    page: await other('/'),
    root: await other('/wp-json/'),
    list: await other('/wp-json/tribe/events/v1/events'),
  }
  match(before.page.text, /Kalends/)
  const set = { site_name: 'Chöre & Co', pages_accent: '#aa3300' }
  const { status, body } = await change(set)
  deepEqual([status, body], [200, { ...DEFAULTS, ...set, set: ['site_name', 'pages_accent'], given: [] }])
  const page = await shown('/', ({ status }) => status === 200, { 'if-none-match': before.page.etag })
  equal(page.status, 200)
  equal((await other('/')).etag, page.etag)
  match(page.text, /Chöre &amp; Co/)
  equal(JSON.parse((await other('/wp-json/', { 'if-none-match': before.root.etag })).text).name, 'Chöre & Co')
  const [style = ''] = /\/assets\/calendar-[\w-]+\.css/.exec(page.text) ?? []
  ok(!before.page.text.includes(style))
  match((await other(style)).text, /aa3300/)
  const [former = ''] = /\/assets\/calendar-[\w-]+\.css/.exec(before.page.text) ?? []
  equal((await other(former)).status, 200)
  equal((await other('/wp-json/tribe/events/v1/events', { 'if-none-match': before.list.etag })).status, 200)
})

test('style sheets of the latest looks are kept, and those of many looks ago are not', async () => {
  const styles: string[] = []
  let last = styleOf(await other('/'))
  for (let n = 0; n < 60; n++) {
    await change({ pages_accent: `#aa33${n + 10}` })
    last = styleOf(await shown('/', (answer) => styleOf(answer) !== last))
    styles.push(last)
  }
  const kept = await Promise.all([0, 50, 59].map(async (at) => (await other(styles[at] ?? '')).status))
  deepEqual(kept, [404, 200, 200])
  const [script = ''] = /\/assets\/[\w-]+\.js/.exec((await other('/')).text) ?? []
  deepEqual([script !== '', (await other(script)).status], [true, 200])
  await change({ pages_accent: '' })
})

test('a node that starts later has them as well', async () => {
  await change({ site_name: 'Later' })
  const three = await startApp(one.config)
  try {
    equal(three.site.name, 'Later')
  } finally {
    await three.stop()
  }
})

test('an empty value goes back to that of the start', async () => {
  await change({ site_name: 'Named' })
  const { body } = await change({ site_name: '', pages_accent: '' })
  deepEqual(body, { ...DEFAULTS, set: [], given: [] })
  equal(nameOf(await shown('/wp-json/', (answer) => nameOf(answer) === 'Kalends')), 'Kalends')
})

test('what the setting of the start would refuse is refused, and nothing is changed', async () => {
  for (const wrong of [
    { pages_accent: 'red' },
    { week_start: 'friday' },
    { site_name: ' ' },
    { site_name: 'x'.repeat(201) },
    { site_name: 'a\nb' },
    { site_name: 'a\u2028b' },
    { site_name: '\u200b' },
  ]) {
    const { status, body } = await change({
      ...wrong,
      ...(Object.hasOwn(wrong, 'week_start') ? {} : { week_start: 'monday' }),
    })
    deepEqual(
      [status, body.code, Object.keys(body.data.params)],
      [400, 'rest_invalid_param', Object.keys(wrong)],
    )
  }
  deepEqual((await one.get(PATH, 'admin')).body, { ...DEFAULTS, set: [], given: [] })
  equal((await change({ timezone: 'Europe/Berlin' })).status, 200)
  equal(one.app.site.timezone, 'America/New_York')
})

test('what the start names wins over what was set, and what was set holds again without it', async () => {
  await change({ site_name: 'Set', pages_accent: '#aa3300' })
  const three = await startApp({ ...one.config, site_name: 'Given', given: { site_name: 'environment' } })
  try {
    equal(three.site.name, 'Given')
    const page = await (await fetch(`http://127.0.0.1:${three.port}/`)).text()
    const [style = ''] = /\/assets\/calendar-[\w-]+\.css/.exec(page) ?? []
    match(await (await fetch(`http://127.0.0.1:${three.port}${style}`)).text(), /aa3300/)
    const headers = credentialsOf('admin')
    const settings = await fetch(`http://127.0.0.1:${three.port}/wp-json/kalends/v1/settings`, { headers })
    const { site_name, set, given } = JSON.parse(await settings.text())
    deepEqual([site_name, set, given], ['Given', ['site_name', 'pages_accent'], ['site_name']])
  } finally {
    await three.stop()
  }
  match((await shown('/', ({ text }) => text.includes('Set'))).text, /Set/)
  await change({ site_name: '', pages_accent: '' })
})

test('every node has a file and a page as soon as they are set, neither once undone', async () => {
  const svg = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><path d="M0 0h9v9z"/></svg>'
  const { body } = await change({
    pages_logo: `data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}`,
    pages_texts: [{ slug: 'about', text: '# About us\n\nA *choir*.' }],
  })
  const { pathname } = new URL(body.pages_logo)
  const page = await shown('/about/', ({ status }) => status === 200, { accept: 'text/html' })
  match(page.text, /<p>A <em>choir<\/em>\.<\/p>/)
  ok(page.text.includes(`src="${pathname}"`))
  equal((await other(pathname)).text, svg)
  await change({ pages_logo: '', pages_texts: [] })
  equal((await shown('/about/', ({ status }) => status === 404, { accept: 'text/html' })).status, 404)
  ok(!(await other('/')).text.includes(pathname))
  deepEqual(await one.app.database.read.selectFrom('look_files').selectAll().execute(), [])
})

test('the command sets them for services that run, and lists where values come from', async () => {
  const register = (program: Command) =>
    registerLookCommand(
      program,
      async () => ({ ...one.app.database, close: async () => undefined }),
      () => one.config,
    )
  const set = (...words: string[]) => runCommand(register, ['set', ...words])
  const { code, out } = await set('site_name', 'By command')
  equal(code, 0)
  match(out, /^site_name +By command +set$/m)
  match(out, /^week_start +auto +default$/m)
  equal(nameOf(await shown('/wp-json/', (answer) => nameOf(answer) === 'By command')), 'By command')
  match((await set('site_name', '--reset')).out, /^site_name +Kalends +default$/m)
  const refusals = [
    ['timezone', 'UTC'],
    ['site_name'],
    ['week_start', 'friday'],
    ['site_name', 'Lost', '--reset'],
  ]
  for (const words of refusals) equal((await set(...words)).code, 1)
})
