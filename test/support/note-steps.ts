// A module that programs preload with `--import`. It logs each step that changes lasting data, just before
// the step: commits with the tables they write, and files that are flushed, renamed, linked or removed. It
// kills the program before the step with a given number. Killing between two steps would show nothing new,
// since no lasting data changes there.
import fs, { type PathLike } from 'node:fs'
import promises, { type FileHandle } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { basename } from 'node:path'
import { DatabaseSync, StatementSync } from 'node:sqlite'
import { Client } from 'pg'

const { STEPS_LOG: log = '', STEPS_KILL: kill = '' } = process.env
const { appendFileSync, existsSync, readFileSync } = fs

/** Logs a step. All threads use one file, so that their steps are counted together. */
function step(name: string): void {
  appendFileSync(log, `${name}\n`)
  const wanted = existsSync(kill) ? Number(readFileSync(kill, 'utf8')) : 0
  if (wanted > 0 && readFileSync(log, 'utf8').split('\n').length - 1 >= wanted)
    process.kill(process.pid, 'SIGKILL')
}

const WRITE = /^\s*(?:insert(?: or \w+)? into|update|delete from|replace into)\s+"?(\w+)/i
const CREATE = /^\s*(?:create|alter|drop)\s+(?:virtual )?(table|index|schema)/i
const COMMIT = /(?:^|;)\s*commit\s*$/i
const OVER = /(?:^|;)\s*(?:commit|rollback)\s*$/i

const written = new WeakMap<object, Set<string>>()

function noteStatement(connection: object, text: string, isWithin: boolean): void {
  const tables = written.get(connection) ?? new Set<string>()
  written.set(connection, tables)
  const table = WRITE.exec(text)?.[1] ?? (CREATE.test(text) ? 'schema' : undefined)
  if (table !== undefined) tables.add(table)
  if (COMMIT.test(text) ? tables.size > 0 : table !== undefined && !isWithin)
    step(`commit ${[...tables].sort().join(' ')}`)
  if (OVER.test(text) || !isWithin) tables.clear()
}

const connections = new WeakMap<StatementSync, DatabaseSync>()
const { prepare, exec } = DatabaseSync.prototype

DatabaseSync.prototype.prepare = function (this: DatabaseSync, ...words) {
  const statement = prepare.apply(this, words)
  connections.set(statement, this)
  return statement
}
DatabaseSync.prototype.exec = function (this: DatabaseSync, text) {
  noteStatement(this, text, this.isTransaction)
  exec.call(this, text)
}
for (const name of ['run', 'all', 'get', 'iterate'] as const) {
  const original = StatementSync.prototype[name]
  Object.assign(StatementSync.prototype, {
    [name](this: StatementSync, ...values: Parameters<typeof original>) {
      const connection = connections.get(this)
      if (connection) noteStatement(connection, this.sourceSQL, connection.isTransaction)
      return Reflect.apply(original, this, values)
    },
  })
}

const within = new WeakSet<object>()
const { query } = Client.prototype
Object.assign(Client.prototype, {
  query(this: Client, asked: string | { text?: string }, ...more: unknown[]) {
    const text = typeof asked === 'string' ? asked : (asked.text ?? '')
    if (/^\s*begin/i.test(text)) within.add(this)
    noteStatement(this, text, within.has(this))
    if (OVER.test(text)) within.delete(this)
    return Reflect.apply(query, this, [asked, ...more])
  },
})

const nameOf = (path: PathLike) => basename(String(path)).replace(/\d{3,}/g, 'N')

const noteFile = (what: string, path: PathLike) => {
  if (existsSync(path)) step(`${what} ${nameOf(path)}`)
}

for (const [module, names] of [
  [fs, ['renameSync', 'linkSync', 'rmSync', 'unlinkSync']],
  [promises, ['rename', 'link', 'rm', 'unlink']],
] as const)
  for (const name of names) {
    const original: unknown = Reflect.get(module, name)
    if (typeof original !== 'function') continue
    Reflect.set(module, name, (path: PathLike, ...more: unknown[]) => {
      noteFile(name.replace('Sync', ''), path)
      return Reflect.apply(original, module, [path, ...more])
    })
  }
const handle = await promises.open('/dev/null')
const prototype: FileHandle = Object.getPrototypeOf(handle)
await handle.close()
const { sync } = prototype
prototype.sync = function (this: FileHandle) {
  step('flush')
  return sync.call(this)
}
syncBuiltinESMExports()
