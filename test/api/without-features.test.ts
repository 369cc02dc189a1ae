import { equal } from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { startApp } from '../../src/app.ts'
import { features } from '../../src/features.ts'
import { testConfig } from '../support/service.ts'

const STAY = ['feeds', 'pages', 'desk']

test('a service answers without features that may be left out, whose addresses are gone', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'kalends-'))
  const app = await startApp(testConfig(folder), {
    features: features.filter(({ name }) => STAY.includes(name)),
  })
  t.after(async () => {
    await app.stop()
    await rm(folder, { recursive: true })
  })
  const statusOf = async (address: string, accept = '*/*') =>
    (await fetch(address, { headers: { Accept: accept }, redirect: 'manual' })).status
  const { url, restUrl, base } = app.site
  equal(await statusOf(`${base}/events`), 200)
  equal(await statusOf(`${base}/events?format=ics`), 200)
  equal(await statusOf(`${base}/doc`), 200)
  equal(await statusOf(`${url}/events/`, 'text/html'), 200)
  equal(await statusOf(`${url}/desk/sign-in`, 'text/html'), 200)
  for (const gone of [`${url}/mcp`, `${restUrl}/kalends/v1/changes`, `${restUrl}/kalends/v1/webhooks`])
    equal(await statusOf(gone), 404, gone)
})
