// A PgBouncer for tests: in transaction mode, in a temporary folder, on a free port, as an unprivileged user.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chownSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { freePort, unprivileged } from './postgres.ts'
import { PATIENCE_MS } from './waiting.ts'

const PROGRAM = 'pgbouncer'
const PATH = `${process.env.PATH}:/usr/sbin`

export const hasPgBouncer = spawnSync(PROGRAM, ['--version'], { env: { PATH } }).status === 0

export interface PgBouncer {
  through: (address: string) => string
  close: () => Promise<void>
}

export async function startPgBouncer(server: string, sessions: number): Promise<PgBouncer> {
  const { hostname, port: serverPort, username } = new URL(server)
  const folder = await mkdtemp(join(tmpdir(), 'kalends-pgbouncer-'))
  const owner = unprivileged()
  const port = await freePort()
  const users = join(folder, 'users.txt')
  await writeFile(users, `"${username}" ""\n`)
  const file = join(folder, 'pgbouncer.ini')
  await writeFile(
    file,
    `[databases]
* = host=${hostname} port=${serverPort}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = ${users}
pool_mode = transaction
default_pool_size = ${sessions}
`,
  )
  if (owner) for (const path of [folder, users, file]) chownSync(path, owner.uid, owner.gid)
  const child = spawn(PROGRAM, [file], { env: { PATH }, stdio: 'ignore', ...owner })
  const ended = once(child, 'exit')
  const end = () => child.kill('SIGKILL')
  process.once('exit', end)
  const bouncer: PgBouncer = {
    through: (address) => {
      const pooled = new URL(address)
      pooled.host = `127.0.0.1:${port}`
      return pooled.href
    },
    close: async () => {
      process.off('exit', end)
      if (child.exitCode === null) {
        end()
        await ended
      }
      await rm(folder, { recursive: true, force: true })
    },
  }
  for (const start = performance.now(); ; ) {
    const client = new Client(bouncer.through(server))
    try {
      await client.connect()
      await client.end()
      return bouncer
    } catch (error) {
      if (child.exitCode !== null || performance.now() - start > PATIENCE_MS) {
        await bouncer.close()
        throw new Error(`PgBouncer did not start: ${String(error)}.`)
      }
      await sleep(50)
    }
  }
}
