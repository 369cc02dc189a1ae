import { type Config, databaseAddress } from '../../base/config.ts'
import { messageOf } from '../../base/errors.ts'
import { type Finding, failing, ok, warning } from '../../base/finding.ts'
import { formatUtc } from '../../base/text/zones.ts'
import { type Feature, listTroubles } from '../../feature.ts'
import { isOldBackup } from '../../store/storage/ask.ts'
import { findMove } from '../../store/storage/database-address.ts'
import { HELD_NOTICE, HELD_REMEDY } from '../../store/storage/edition.ts'
import { listFeatureTables } from '../../store/storage/migration.ts'
import { refuseLost } from '../../store/storage/open-database.ts'
import { type Examined, examineDatabase } from './examine.ts'

/** `examined` is undefined if the database is missing or damaged, or does not answer. */
export interface CheckedDatabase {
  examined: Examined | undefined
  findings: Finding[]
}

/** Checks the database. @param now in ms */
export async function checkDatabase(
  config: Config,
  now: number,
  features: readonly Feature[],
): Promise<CheckedDatabase> {
  let examined: Examined
  try {
    await refuseLost(config)
    examined = await examineDatabase(databaseAddress(config), formatUtc(now), {
      tables: await listFeatureTables(features),
      troubles: (ask) => listTroubles(features, ask, now),
    })
  } catch (error) {
    const todo = 'Look at --database and --data, at the server, and at its log.'
    return { examined: undefined, findings: [failing('database', messageOf(error), todo)] }
  }
  const place = examined.file === undefined ? '' : `: ${examined.file}`
  const answering = ok('database', `${examined.server} answers${place}.`)
  // Nothing read from a damaged file can be relied on.
  if (examined.damage.length > 0)
    return { examined: undefined, findings: [answering, checkIntegrity(examined)] }
  const findings = [
    answering,
    ...checkMove(databaseAddress(config)),
    checkIntegrity(examined),
    ...checkFree(examined),
    checkSteps(examined),
    checkWritable(examined),
    ...checkPeople(examined),
    ...checkSearch(examined),
    ...checkSending(examined),
    ...checkBackup(examined, now),
  ]
  return { examined, findings }
}

function checkMove(address: string): Finding[] {
  const move = findMove(address)
  return move ? [failing('moved', move.told, move.todo)] : []
}

function checkIntegrity({ damage, file }: Examined): Finding {
  if (file === undefined) return ok('integrity', 'That of a server is its own matter.')
  if (damage.length === 0) return ok('integrity', 'The quick check of all pages finds nothing wrong.')
  return failing(
    'integrity',
    damage.join('; '),
    'Stop the service, keep the file, and restore a backup; sqlite3 FILE .recover may save more.',
  )
}

/** Warns only above both this share of unused pages and this many bytes. */
const MUCH_FREE = { part: 0.25, bytes: 50_000_000 }

function checkFree({ size, file }: Examined): Finding[] {
  if (!size || size.free < Math.max(MUCH_FREE.bytes, size.all * MUCH_FREE.part)) return []
  const megabytes = (bytes: number) => Math.ceil(bytes / 1_000_000)
  const room = megabytes((size.all - size.free) * 2)
  return [
    warning(
      'free pages',
      `Of the ${megabytes(size.all)} MB of the file ${megabytes(
        size.free,
      )} are free, and wait for later records.`,
      `To shrink it, stop the service and run sqlite3 ${file} vacuum; that needs ${
        room
      } MB of room meanwhile.`,
    ),
  ]
}

function checkSteps({ steps }: Examined): Finding {
  if (!steps)
    return warning(
      'migrations',
      'The database holds no calendar.',
      'kalends serve makes a new one in it; if there should be one, look at --database and --data.',
    )
  const { missing, unknown } = steps
  if (unknown.length > 0)
    return failing(
      'migrations',
      `A newer version has made the steps ${unknown.join(', ')}.`,
      'Start that version, or restore a backup from before it.',
    )
  if (missing.length > 0)
    return warning(
      'migrations',
      `The steps ${missing.join(', ')} are still to be made.`,
      'Back up; the next start makes them.',
    )
  return ok('migrations', 'The tables are those of this version.')
}

function checkWritable({ readOnly }: Examined): Finding {
  if (readOnly === undefined) return ok('writing', 'The database takes writes.')
  return failing(
    'writing',
    `Nothing can be written: ${readOnly}.`,
    'Name the primary, or give the user of the database its tables.',
  )
}

/** Checks that an administrator can sign in, which only tables of this version tell. */
function checkPeople({ steps, administrators }: Examined): Finding[] {
  if (!steps || steps.missing.length + steps.unknown.length > 0) return []
  if (administrators > 0) return [ok('administrators', `${administrators} can sign in.`)]
  return [
    warning(
      'administrators',
      'No administrator can sign in.',
      'kalends password add LOGIN makes a password; kalends user list shows who there is.',
    ),
  ]
}

function checkSearch({ hasSearchIndex }: Examined): Finding[] {
  if (hasSearchIndex) return []
  const todo = 'CREATE EXTENSION pg_trgm by an administrator of the database, and restart the service.'
  return [warning('search', 'Searches read whole tables: the extension pg_trgm is missing.', todo)]
}

function checkSending({ isHeld, troubles }: Examined): Finding[] {
  return [
    ...(isHeld ? [warning('held', HELD_NOTICE, HELD_REMEDY)] : []),
    ...troubles.map(({ finding }) => finding),
  ]
}

function checkBackup({ edition, lastBackup }: Examined, now: number): Finding[] {
  if (edition === '') return []
  const todo = 'Take one every night: kalends backup. Those that are taken by other means are not known here.'
  if (lastBackup === '') return [warning('backup', 'No backup by kalends backup is known.', todo)]
  // An old backup is among `troubles`.
  return isOldBackup(lastBackup, now) ? [] : [ok('backup', `The last one was taken at ${lastBackup}.`)]
}
