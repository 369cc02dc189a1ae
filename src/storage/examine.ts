import { existsSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { sql } from 'kysely'
import { withoutPassword } from './database-address.ts'
import { migrationNames } from './migrate.ts'
import { openPostgres } from './postgres/postgres.ts'
import { reason } from './unavailable.ts'

/** The findings of an examination, which changes nothing. */
export interface Examined {
  /** The name and version of the server, such as `PostgreSQL 18.4`. */
  server: string
  /** The file, where it is one. */
  file: string | undefined
  /** Migrations that this version would run, and migrations of a newer version; undefined where there is no calendar. */
  steps: { missing: string[]; unknown: string[] } | undefined
  /** The faults of pages or tables, in the words of the database. */
  damage: string[]
  /** Why nothing can be written; undefined where it can. */
  readOnly: string | undefined
  /** Milliseconds since the epoch by the clock of the server; undefined where it is this machine's. */
  clock: number | undefined
  /** When a record was last changed, `YYYY-MM-DD HH:MM:SS` in UTC; empty for never. */
  lastChange: string
  /** Administrators that have a valid credential at this moment. */
  administrators: number
}

type Row = Record<string, unknown>
type Ask = (text: string) => Promise<Row[]>

const LAST_CHANGE = ['events', 'venues', 'organizers']
  .map((table) => `select max(modified_utc) as changed from ${table}`)
  .join(' union all ')

/** Examines the database at an address without changing it. @throws Error with one sentence when it is missing or does not answer */
export async function examineDatabase(address: string, nowUtc: string): Promise<Examined> {
  if (address.startsWith('sqlite:')) return examineFile(address.slice('sqlite:'.length), nowUtc)
  const database = await openPostgres(address)
  const ask: Ask = async (text) => (await sql.raw<Row>(text).execute(database.read)).rows
  try {
    return await examineServer(ask, nowUtc)
  } catch (error) {
    throw new Error(`The database ${withoutPassword(address)} cannot be looked at: ${reason(error)}`)
  } finally {
    await database.close()
  }
}

async function examineFile(file: string, nowUtc: string): Promise<Examined> {
  if (!existsSync(file)) throw new Error(`There is no database ${file}; kalends serve makes a new one.`)
  const connection = openToLook(file)
  const ask: Ask = async (text) => connection.prepare(text).all() as Row[]
  const found = { file, readOnly: undefined, clock: undefined }
  try {
    const [version] = await ask('select sqlite_version() as version')
    const server = `SQLite ${version?.version}`
    const damage = await findDamage(ask)
    if (damage.length > 0) return { ...found, server, damage, steps: undefined, lastChange: '', administrators: 0 }
    const tables = await ask(`select name from sqlite_schema where name = 'migrations'`)
    return { ...found, server, damage, ...(await examineCalendar(ask, tables.length > 0, nowUtc)) }
  } catch (error) {
    throw new Error(`The database ${file} cannot be looked at: ${reason(error)}`)
  } finally {
    connection.close()
  }
}

/** The faults that a quick check of all pages finds; a badly damaged file cannot even be opened. */
async function findDamage(ask: Ask): Promise<string[]> {
  try {
    const lines = (await ask('pragma quick_check(5)')).map((row) => String(Object.values(row)[0]))
    return lines.filter((line) => line !== 'ok')
  } catch (error) {
    return [reason(error)]
  }
}

/** A write-ahead log has newer pages. Without one, no process has the file open, and the examination leaves no trace. */
function openToLook(file: string): DatabaseSync {
  const address = pathToFileURL(file)
  address.search = existsSync(`${file}-wal`) ? '?mode=ro' : '?immutable=1'
  return new DatabaseSync(address, { readOnly: true, timeout: 5000 })
}

async function examineServer(ask: Ask, nowUtc: string): Promise<Examined> {
  const [server] = await ask(`
    select current_setting('server_version') as version, pg_is_in_recovery() as standby,
      current_setting('default_transaction_read_only') as forbidden,
      (extract(epoch from clock_timestamp()) * 1000)::float8 as clock,
      to_regclass('migrations') is not null as found`)
  const refused = await ask(`
    select c.relname as name from pg_class c
    where c.relkind = 'r' and c.relname in ('events', 'changes', 'credentials') and pg_table_is_visible(c.oid)
      and not has_table_privilege(c.oid, 'insert, update, delete')`)
  return {
    server: `PostgreSQL ${server?.version}`,
    file: undefined,
    damage: [],
    readOnly: whyReadOnly(
      server,
      refused.map(({ name }) => String(name)),
    ),
    clock: Number(server?.clock),
    ...(await examineCalendar(ask, server?.found === true, nowUtc)),
  }
}

function whyReadOnly(server: Row | undefined, refused: readonly string[]): string | undefined {
  if (server?.standby === true) return 'it is a standby, which follows another'
  if (server?.forbidden === 'on') return 'its transactions are set to be read-only'
  return refused.length > 0 ? `the user may not write ${refused.join(', ')}` : undefined
}

async function examineCalendar(
  ask: Ask,
  isThere: boolean,
  nowUtc: string,
): Promise<Pick<Examined, 'steps' | 'lastChange' | 'administrators'>> {
  if (!isThere) return { steps: undefined, lastChange: '', administrators: 0 }
  const done = new Set((await ask('select name from migrations')).map(({ name }) => String(name)))
  const steps = {
    missing: migrationNames.filter((name) => !done.has(name)),
    unknown: [...done].filter((name) => !migrationNames.includes(name)).sort(),
  }
  // Another version may have other tables.
  if (steps.missing.length + steps.unknown.length > 0) return { steps, lastChange: '', administrators: 0 }
  const changed = await ask(LAST_CHANGE)
  const [counted] = await ask(`
    select count(distinct u.id) as administrators from users u join credentials c on c."user" = u.id
    where u.role = 'administrator' and c.scope = '' and (c.expires_utc = '' or c.expires_utc > '${nowUtc}')`)
  return {
    steps,
    lastChange:
      changed
        .map((row) => String(row.changed ?? ''))
        .toSorted()
        .at(-1) ?? '',
    administrators: Number(counted?.administrators),
  }
}
