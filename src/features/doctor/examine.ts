import { existsSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import type { Trouble } from '../../base/finding.ts'
import { type Ask, askOf, askText, findLastBackup, isHeldNow } from '../../store/storage/ask.ts'
import { databaseFile, withoutPassword } from '../../store/storage/database-address.ts'
import { findNewer, stepNames } from '../../store/storage/migrate.ts'
import type { FeatureTables } from '../../store/storage/migration.ts'
import { requireFile } from '../../store/storage/open-database.ts'
import { openPostgres } from '../../store/storage/postgres/postgres.ts'
import type { ImageColumns } from '../../store/storage/schema.ts'
import { isDamage } from '../../store/storage/sqlite/sqlite-connection.ts'
import { reason } from '../../store/storage/unavailable.ts'

// Examines a database without changing it, for `kalends doctor`.

export interface Examined {
  /** Such as `PostgreSQL 18.4`. */
  server: string
  /** The SQLite file; undefined for a server. */
  file: string | undefined
  /**
   * Migrations: `missing` ones this version would run; `unknown` ones were run by a newer version. Undefined
   * without a readable calendar.
   */
  steps: { missing: string[]; unknown: string[] } | undefined
  /** Bytes of a SQLite file, and of its free pages; undefined for a server, which frees pages itself. */
  size: { all: number; free: number } | undefined
  damage: string[]
  /** Why the server cannot be written; undefined if it can, and for a SQLite file. */
  readOnly: string | undefined
  clock: number | undefined
  /** False for a server without pg_trgm. */
  hasSearchIndex: boolean
  /** UTC `YYYY-MM-DD HH:MM:SS`; empty for never. */
  lastChange: string
  /** The prefix of tokens of the feed of changes. */
  edition: string
  lastBackup: string
  images: ExaminedImages
  administrators: number
  /** True if the calendar sends and imports nothing until `kalends resume`. */
  isHeld: boolean
  troubles: Trouble[]
}

/** `sample` has up to 1000 images at random, with the columns that name files. */
export interface ExaminedImages {
  total: number
  sample: Pick<ImageColumns, 'file' | 'filesize' | 'original_image' | 'sizes'>[]
}

/** Facts that only the tables of this version can give. */
type Facts = Omit<Examined, 'server' | 'file' | 'size' | 'damage' | 'readOnly' | 'clock' | 'hasSearchIndex'>

const noFacts = (steps: Examined['steps']): Facts => ({
  steps,
  lastChange: '',
  edition: '',
  lastBackup: '',
  images: { total: 0, sample: [] },
  administrators: 0,
  isHeld: false,
  troubles: [],
})

const MOST_IMAGES = 1000

interface Checks {
  tables: readonly FeatureTables[]
  troubles: (ask: Ask) => Promise<Trouble[]>
}

const LAST_CHANGE = ['events', 'venues', 'organizers']
  .map((table) => `select max(modified_utc) as changed from ${table}`)
  .join(' union all ')

/** @throws Error if the database is missing or does not answer */
export async function examineDatabase(address: string, nowUtc: string, features: Checks): Promise<Examined> {
  const file = databaseFile(address)
  await requireFile(address)
  if (file !== undefined) return examineFile(file, nowUtc, features)
  const database = await openPostgres(address)
  const ask = askOf(database.read)
  try {
    return await examineServer(ask, nowUtc, features)
  } catch (error) {
    throw new Error(`The database ${withoutPassword(address)} cannot be looked at: ${reason(error)}`)
  } finally {
    await database.close()
  }
}

async function examineFile(file: string, nowUtc: string, features: Checks): Promise<Examined> {
  const connection = openToLook(file)
  const ask: Ask = async (text) => connection.prepare(text).all() as Record<string, unknown>[]
  const found = { file, size: undefined, readOnly: undefined, clock: undefined, hasSearchIndex: true }
  try {
    const [version] = await ask('select sqlite_version() as version')
    const server = `SQLite ${version?.version}`
    const damage = await findDamage(ask)
    if (damage.length > 0) return { ...found, server, damage, ...noFacts(undefined) }
    const tables = await ask(`select name from sqlite_schema where name = 'migrations'`)
    const [size] =
      await ask(`select p.page_count * s.page_size as "all", f.freelist_count * s.page_size as free
      from pragma_page_count p, pragma_freelist_count f, pragma_page_size s`)
    const facts = await examineCalendar(ask, tables.length > 0, nowUtc, features)
    return { ...found, server, size: { all: Number(size?.all), free: Number(size?.free) }, damage, ...facts }
  } catch (error) {
    if (isDamage(error)) return { ...found, server: 'SQLite', damage: [reason(error)], ...noFacts(undefined) }
    throw new Error(`The database ${file} cannot be looked at: ${reason(error)}`)
  } finally {
    connection.close()
  }
}

/** Returns the damage; if the file cannot be checked, the error. */
async function findDamage(ask: Ask): Promise<string[]> {
  try {
    const lines = (await ask('pragma quick_check(5)')).map((row) => String(Object.values(row)[0]))
    return lines.filter((line) => line !== 'ok')
  } catch (error) {
    return [reason(error)]
  }
}

/**
 * Opens the file with its WAL. Without a WAL no process has the file open; opened as immutable, no files are
 * made beside it.
 */
function openToLook(file: string): DatabaseSync {
  const address = pathToFileURL(file)
  address.search = existsSync(`${file}-wal`) ? '?mode=ro' : '?immutable=1'
  return new DatabaseSync(address, { readOnly: true, timeout: 5000 })
}

async function examineServer(ask: Ask, nowUtc: string, features: Checks): Promise<Examined> {
  const [server] = await ask(`
    select current_setting('server_version') as version, pg_is_in_recovery() as standby,
      current_setting('default_transaction_read_only') as forbidden,
      (extract(epoch from clock_timestamp()) * 1000)::float8 as clock,
      exists (select from pg_extension where extname = 'pg_trgm') as trigrams,
      to_regclass('migrations') is not null as found`)
  const refused = await ask(`
    select c.relname as name from pg_class c
    where c.relkind = 'r' and c.relname in ('events', 'changes', 'credentials') and pg_table_is_visible(c.oid)
      and not has_table_privilege(c.oid, 'insert, update, delete')`)
  return {
    server: `PostgreSQL ${server?.version}`,
    file: undefined,
    size: undefined,
    damage: [],
    readOnly: whyReadOnly(
      server,
      refused.map(({ name }) => String(name)),
    ),
    clock: Number(server?.clock),
    hasSearchIndex: server?.trigrams === true,
    ...(await examineCalendar(ask, server?.found === true, nowUtc, features)),
  }
}

function whyReadOnly(
  server: Record<string, unknown> | undefined,
  refused: readonly string[],
): string | undefined {
  if (server?.standby === true) return 'it is a standby, which follows another'
  if (server?.forbidden === 'on') return 'its transactions are set to be read-only'
  return refused.length > 0 ? `the user may not write ${refused.join(', ')}` : undefined
}

async function examineCalendar(ask: Ask, isThere: boolean, nowUtc: string, features: Checks): Promise<Facts> {
  if (!isThere) return noFacts(undefined)
  const names = (await ask('select name from migrations')).map(({ name }) => String(name))
  const steps = {
    missing: stepNames(features.tables).filter((name) => !names.includes(name)),
    unknown: findNewer(names, features.tables),
  }
  if (steps.missing.length + steps.unknown.length > 0) return noFacts(steps)
  const changed = await ask(LAST_CHANGE)
  const [counted] = await ask(`
    select count(distinct u.id) as administrators from users u join credentials c on c."user" = u.id
    where u.role = 'administrator' and u.deactivated_utc = '' and c.scope = '' and (c.expires_utc = ''
    or c.expires_utc > '${nowUtc}')`)
  return {
    steps,
    lastChange:
      changed
        .map((row) => String(row.changed ?? ''))
        .toSorted()
        .at(-1) ?? '',
    administrators: Number(counted?.administrators),
    edition: await askText(ask, 'select edition from editions'),
    lastBackup: await findLastBackup(ask),
    images: await examineImages(ask),
    isHeld: await isHeldNow(ask),
    troubles: await features.troubles(ask),
  }
}

async function examineImages(ask: Ask): Promise<ExaminedImages> {
  const sample = await ask(
    `select file, filesize, original_image, sizes from images order by random() limit ${MOST_IMAGES}`,
  )
  return {
    total: Number(await askText(ask, 'select count(*) from images')),
    sample: sample.map(({ file, filesize, original_image, sizes }) => ({
      file: String(file),
      filesize: Number(filesize),
      original_image: String(original_image),
      sizes: String(sizes),
    })),
  }
}
