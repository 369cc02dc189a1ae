// Starts the service on an empty temporary database and replays recorded exchanges against it:
//   npm run conformance [-- [--database sqlite|postgres] [--only TEXT] [--verbose] DIR ...]
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type App, startApp } from '../src/app.ts'
import { makeTemplates, type ScratchDatabase, scratchPostgres } from './support/database.ts'
import { startPostgres } from './support/postgres.ts'
import { addUsers, fillTemplate, PASSWORD, testConfig, USERS } from './support/service.ts'

const shared = fileURLToPath(new URL('../../shared/conformance', import.meta.url))

const given = process.argv.slice(2)
const chosen = given.indexOf('--database')
const [, database = 'sqlite'] = chosen === -1 ? [] : given.splice(chosen, 2)
if (database !== 'sqlite' && database !== 'postgres') refuse('--database takes sqlite or postgres')
const places = given.filter((word, i) => !word.startsWith('--') && given[i - 1] !== '--only')
const folders = places.length > 0 ? [] : [join(shared, 'scenarios')]
// `conform.mjs` is beside the usual scenarios, in a given folder or in the folder above it.
const runners = [shared, ...places.flatMap((place) => [resolve(place), resolve(place, '..')])]
const runner = runners.map((folder) => join(folder, 'conform.mjs')).find((file) => existsSync(file))
for (const place of places) {
  const files = await readdir(place).catch(() => undefined)
  if (files === undefined) refuse(`there is no folder ${place}`)
  if (!files.some((file) => file.endsWith('.golden.json')))
    refuse(`${place} has no scenarios: files NAME.json, and the recorded answers in NAME.golden.json`)
}
if (runner === undefined && places.length > 0)
  refuse(`conform.mjs, which replays exchanges, is in none of ${runners.join(', ')}`)
if (runner === undefined) {
  console.log('conformance: ../shared/conformance is not here, so nothing was compared')
  process.exit(0)
}

const root = await mkdtemp(join(tmpdir(), 'kalends-conformance-'))
const postgres = database === 'postgres' ? await startPostgres() : undefined
if (postgres) {
  console.log(`conformance: on PostgreSQL ${postgres.version}`)
  await makeTemplates(postgres.address(), fillTemplate)
}
let app: App | undefined
let scratch: ScratchDatabase | undefined
let runs = 0

// This server passes requests to the service of the current scenario, so that connections survive a restart.
const front = createServer((request, response) => app?.server.emit('request', request, response))
// A restart may take longer than servers usually keep connections.
front.keepAliveTimeout = 60_000
const control = createServer((_request, response) => {
  restart().then(
    () => response.end(),
    (error: unknown) => response.writeHead(500).end(String(error)),
  )
})

async function portOf(server: Server): Promise<number> {
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  const address = server.address()
  return typeof address === 'object' && address ? address.port : 0
}

const site_url = `http://127.0.0.1:${await portOf(front)}`
const controlPort = await portOf(control)

function refuse(why: string): never {
  console.error(`conformance: ${why}`)
  process.exit(1)
}

/** Starts a new service on a new database, so that nothing of the previous scenario remains. */
async function restart(): Promise<App> {
  const before = { app, scratch }
  scratch = postgres && (await scratchPostgres(postgres.address(), 'migrated'))
  app = await startApp(testConfig(join(root, String(runs++)), { site_url, database: scratch?.address ?? '' }))
  await before.app?.stop()
  await before.scratch?.remove()
  await addUsers(app)
  return app
}

const { base } = (await restart()).site
const credentials = join(root, 'credentials.txt')
await writeFile(credentials, USERS.map((login) => `${login}:${login}:${PASSWORD}\n`).join(''))
const reset =
  `"${process.execPath}" -e "fetch('http://127.0.0.1:` + `${controlPort}').then(r=>process.exit(r.ok?0:1))"`

const check = spawn(
  process.execPath,
  [
    runner,
    'check',
    '--base',
    base,
    '--creds',
    credentials,
    '--reset',
    reset,
    ...given.map((word) => (word.startsWith('--') ? word : existsSync(word) ? resolve(word) : word)),
    ...folders,
  ],
  { stdio: 'inherit' },
)
check.on('close', async (code) => {
  front.close()
  control.close()
  await app?.stop()
  await postgres?.close()
  await rm(root, { recursive: true, force: true })
  process.exit(code ?? 1)
})
