import { equal, notEqual } from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { shownUrl, withoutSecrets } from '../../src/http/request-log.ts'
import { kalends } from '../support/commands.ts'
import { MAIN, programEnvironment } from '../support/environment.ts'
import { assertHidden, secret } from '../support/secrets.ts'

const addresses = (): string[] => [
  `postgres://kalends:${secret()}@127.0.0.1:9/kalends`,
  `postgresql://kalends:${secret()}@127.0.0.1:9/kalends?sslmode=disable`,
  `postgre://kalends:${secret()}@127.0.0.1:9/kalends`,
  `Postgres://kalends:${secret()}@127.0.0.1:9/kalends`,
  `postgres:/kalends:${secret()}@127.0.0.1:9/kalends`,
  `postgres://kalends:p@ss@${secret()}@127.0.0.1:9/kalends`,
  `postgres://127.0.0.1:9/kalends?user=kalends&password=${secret()}`,
  `postgres://kalends:${secret()}@127.0.0.1:99999/kalends`,
  `postgres://kalends:${secret()}@127.0.0.1:9/kalends?connections=many`,
  `host=127.0.0.1 port=9 dbname=kalends password=${secret()}`,
]

test('no password of a database address is printed by any command, in any form', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'kalends-secrets-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  for (const [at, address] of addresses().entries()) {
    for (const [words, env] of [
      [['--database', address, 'serve'], {}],
      [['user', 'list'], { KALENDS_DATABASE: address }],
      [['copy', address, 'sqlite:x'], {}],
      [['copy', `sqlite:${join(folder, 'none')}`, address], {}],
      [['--database-read', address, '--database', 'postgres://127.0.0.1:9/x', 'serve'], {}],
    ] as [words: string[], env: Record<string, string>][]) {
      const { code, out, err } = await kalends(words, { KALENDS_DATA: folder, ...env })
      equal(code, 1, words.join(' '))
      notEqual(err, '')
      assertHidden(out + err, words.join(' '))
    }
    // Starting a process takes time, so only the first form is tried.
    if (at > 0) continue
    const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, 'copy', 'sqlite:x'], {
      encoding: 'utf8',
      env: programEnvironment({ KALENDS_COPY_FROM: address }),
    })
    equal(status, 1)
    notEqual(stderr, '')
    assertHidden(stdout + stderr, address)
  }
  for (const file of await readdir(folder)) assertHidden(await readFile(join(folder, file), 'utf8'), file)
})

test('addresses without a secret are shown as they are', () => {
  for (const url of [
    '/wp-json/tribe/events/v1/events',
    '/wp-json/tribe/events/v1/events?page=2&search=a%20b',
    '/a?starts_after=2026-01-01%2000:00&tags[]=x&website=https://example.org/a?b=c',
    '/a?search=keys+and+passes&venue=3',
  ])
    equal(shownUrl(url), url)
  const line = 'a line about tokens, a bearer of news, and postgres'
  equal(withoutSecrets(line), line)
})

test('the token of a link to the desk is in no log', () => {
  equal(shownUrl('/desk/set-up/abc-_1'), '/desk/set-up/***')
  equal(shownUrl('/calendar/desk/set-up/abc?x=1'), '/calendar/desk/set-up/***?x=1')
  const token = secret()
  for (const url of [
    `/desk/sign-in?next=%2Fdesk%2Fset-up%2F${token}`,
    `/desk/sign-in?next=%252Fdesk%252Fset-up%252F${token}&x=%zz`,
    `/desk/Set-Up/${token}`,
    `/desk/set%2dup/${token}`,
    `/desk/%73et-up//${token}/`,
    `/desk/set-up/%${token.charCodeAt(0).toString(16)}${token.slice(1)}`,
  ])
    assertHidden(shownUrl(url), url)
})
