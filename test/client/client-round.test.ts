// All calls of the client with a running service: in Node, on a page of another site in Chromium and Firefox,
// and in the Node, Deno and workerd of the PATH, where installed.
import { deepEqual } from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { createKalends } from '../../client/src/kalends.ts'
import { etagOf } from '../../client/src/records.ts'
import { verifyWebhook } from '../../client/src/webhook.ts'
import { findChromium, startChromium } from '../support/chromium.ts'
import { findFirefox, startFirefox } from '../support/firefox.ts'
import { otherNodes } from '../support/processes.ts'
import { startServer } from '../support/server.ts'
import { serviceForTests } from '../support/service.ts'
import { groundOf, ROUND } from './client-ground.ts'
import { goRound } from './client-round.ts'

const service = serviceForTests()
let close: () => void
let address: string

before(async () => {
  await service.ready
  // Serves the sources as modules of JavaScript, without types.
  const site = await startServer(({ url = '' }, response) => {
    const isSource = /^\/(client\/src|test\/client)\/[\w-]+\.ts$/.test(url)
    const source = isSource ? readFileSync(new URL(`../..${url}`, import.meta.url), 'utf8') : ''
    response
      .setHeader('content-type', isSource ? 'text/javascript' : 'text/html')
      .end(stripTypeScriptTypes(source))
  })
  close = site.close
  address = `${site.origin}/`
})
after(() => close())

test('everything can be done in Node', async () => {
  deepEqual(await goRound({ createKalends, etagOf, verifyWebhook }, await groundOf(service)), ROUND)
})

const browsers = {
  Chromium: { program: findChromium(), start: startChromium },
  // Firefox takes ten seconds to start, so only `npm run pages:check` uses it.
  Firefox: { program: process.env.PAGES_CHECK === 'all' ? findFirefox() : undefined, start: startFirefox },
}
for (const [name, { program, start }] of Object.entries(browsers))
  test(`everything can be done on a page in ${name}`, { skip: program === undefined }, async () => {
    const browser = await start(program ?? '')
    try {
      const tab = await browser.open()
      await tab.goTo(address)
      const ground = JSON.stringify(await groundOf(service))
      const told = await tab.evaluate<string>(`(async () => {
        const client = await import('/client/src/index.ts')
        const { goRound } = await import('/test/client/client-round.ts')
        return JSON.stringify(await goRound(client, ${ground}))
      })()`)
      deepEqual(JSON.parse(told), ROUND)
    } finally {
      await browser.close()
    }
  })

const root = fileURLToPath(new URL('../..', import.meta.url))

function layOut(folder: string, ground: object): void {
  const modules = globSync(['client/src/*.ts', 'test/client/client-round.ts'], { cwd: root })
  for (const path of modules) {
    const text = stripTypeScriptTypes(readFileSync(join(root, path), 'utf8')).replace(
      /(from '\..+)\.ts'/g,
      "$1.js'",
    )
    mkdirSync(join(folder, dirname(path)), { recursive: true })
    writeFileSync(join(folder, path.replace(/ts$/, 'js')), text)
  }
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text)
  write('package.json', '{"type":"module"}')
  write(
    'round.js',
    `import * as client from './client/src/index.js'
import { goRound } from './test/client/client-round.js'
export const round = async () => console.log(JSON.stringify(await goRound(client,
  ${JSON.stringify(ground)})))`,
  )
  write('program.js', "import { round } from './round.js'\nawait round()")
  write('worker.js', "import { round } from './round.js'\nexport default { test: round }")
  const held = ['worker.js', 'round.js', ...modules.map((path) => path.replace(/ts$/, 'js'))]
  const embedded = held.map((path) => `(name = "${path}", esModule = embed "${path}")`)
  write(
    'workerd.capnp',
    `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (services = [
  (name = "main", worker = (modules = [${embedded}], compatibilityDate = "2026-01-01",
    globalOutbound = "here")),
  (name = "here", network = (allow = ["local"])),
]);`,
  )
}

const isHere = (program: string) => spawnSync(program, ['--version']).status === 0
const [node = 'another node'] = otherNodes()
const runtimes = {
  'the Node of the machine': [node, 'program.js'],
  Deno: ['deno', 'run', '--quiet', '--allow-net', 'program.js'],
  workerd: ['workerd', 'test', 'workerd.capnp'],
}
for (const [name, [program = '', ...words]] of Object.entries(runtimes))
  test(`everything can be done in ${name}`, { skip: !isHere(program) && `needs ${program}` }, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'kalends-client-round-'))
    try {
      layOut(folder, await groundOf(service))
      const { stdout } = await promisify(execFile)(program, words, { cwd: folder })
      deepEqual(JSON.parse(stdout), ROUND)
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
