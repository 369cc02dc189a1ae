import { type Command, Option } from 'commander'
import { askedCount, askedMoment, table } from '../../base/run-command.ts'
import { formatUtc } from '../../base/text/zones.ts'
import type { Database, Db } from '../../store/storage/database.ts'
import { findTexts, isNamedText } from '../../store/storage/history.ts'
import { runOnDatabase } from '../../store/storage/open-database.ts'
import type { HistoryColumns } from '../../store/storage/schema.ts'

const KINDS = [
  'event',
  'venue',
  'organizer',
  'image',
  'series',
  'term',
  'user',
  'settings',
  'webhook',
  'backup',
] as const

interface Asked {
  user?: string
  kind?: (typeof KINDS)[number]
  record?: string
  since?: string
  until?: string
  limit: string
  json?: true
}

export function registerAuditCommand(
  program: Command,
  open: () => Promise<Database>,
  clock: () => number = Date.now,
): void {
  program
    .command('audit')
    .description('List who wrote what, when and from where, the newest first, and what that changed.')
    .option('--user <login>', 'only the acts of this user: login, or id')
    .addOption(
      new Option('--kind <kind>', 'only acts on records of this kind; categories and tags are terms').choices(
        KINDS,
      ),
    )
    .option('--record <id>', 'only acts on the record with this id')
    .option('--since <when>', 'only acts since then: 12h, 90d or 4w ago, a date, or a date and time in UTC')
    .option('--until <when>', 'only acts before then, written in the same way')
    .option('--limit <number>', 'list at most this many acts', '100')
    .option('--json', 'each act as a JSON object on a line of its own, with what it found in former')
    .action((asked: Asked, command: Command) =>
      runOnDatabase(command, open, async (database, print) => {
        const filter = readFilter(asked, clock())
        const rows = await listHistory(database.read, filter, askedCount('--limit', asked.limit))
        if (!asked.json) print(table([HEAD, ...rows.map(cellsOf)]))
        else for (const row of rows) print(await jsonOf(database.read, row))
      }),
    )
}

const HEAD = [
  'TIME (UTC)',
  'USER',
  'ACT',
  'KIND',
  'ID',
  'SEQUENCE',
  'NAME',
  'CHANGED',
  'ADDRESS',
  'CLIENT',
  'REQUEST',
]

function cellsOf(row: HistoryColumns): string[] {
  const { time_utc, login, action, kind, record, sequence, name, address, client, request } = row
  return [
    time_utc,
    login || '-',
    action,
    kind,
    String(record),
    sequence === 0 ? '-' : String(sequence),
    name,
    Object.keys(formerIn(row)).join(', ') || '-',
    address || '-',
    client || '-',
    request || '-',
  ]
}

function formerIn({ former }: HistoryColumns): Record<string, unknown> {
  return former === '' ? {} : JSON.parse(former)
}

async function jsonOf(db: Db, { former_bytes: _bytes, ...row }: HistoryColumns): Promise<string> {
  const former = formerIn({ ...row, former_bytes: 0 })
  const named = Object.values(former).filter(isNamedText)
  const texts = await findTexts(
    db,
    named.map(({ hash }) => hash),
  )
  const whole = (value: unknown) => (isNamedText(value) ? (texts.get(value.hash) ?? null) : value)
  const values = Object.entries(former).map(([name, value]) => [name, whole(value)])
  return JSON.stringify({ ...row, former: Object.fromEntries(values) })
}

function readFilter({ user, kind, record, since, until }: Asked, now: number): HistoryFilter {
  return {
    user:
      user === undefined
        ? undefined
        : /^\d+$/.test(user)
          ? { id: Number(user) }
          : { login: user.toLowerCase() },
    kind,
    record: record === undefined ? undefined : askedCount('--record', record),
    since: since === undefined ? undefined : readWhen('--since', since, now),
    until: until === undefined ? undefined : readWhen('--until', until, now),
  }
}

const readWhen = (option: string, text: string, now: number): string =>
  formatUtc(
    askedMoment(text, `${option} takes a time such as 12h, 90d, 4w, 2026-11-20 or 2026-11-20 18:00`, now, -1),
  )

export interface HistoryFilter {
  user?: { id: number } | { login: string } | undefined
  kind?: HistoryColumns['kind'] | undefined
  record?: number | undefined
  /** From `since`, inclusive, to `until`, exclusive; `YYYY-MM-DD HH:MM:SS` in UTC. */
  since?: string | undefined
  until?: string | undefined
}

/** Returns at most `most` rows, the newest first. */
export async function listHistory(db: Db, filter: HistoryFilter, most: number): Promise<HistoryColumns[]> {
  const { user, kind, record, since, until } = filter
  let rows = db.selectFrom('history').selectAll()
  if (user) rows = 'id' in user ? rows.where('user', '=', user.id) : rows.where('login', '=', user.login)
  if (kind !== undefined) rows = rows.where('kind', '=', kind)
  if (record !== undefined) rows = rows.where('record', '=', record)
  if (since !== undefined) rows = rows.where('time_utc', '>=', since)
  if (until !== undefined) rows = rows.where('time_utc', '<', until)
  return rows.orderBy('id', 'desc').limit(most).execute()
}
