import { sql } from 'kysely'
import type { Site } from '../../base/config.ts'
import { isRecord, parsedJson } from '../../base/foreign-json.ts'
import { plainText } from '../../base/text/html.ts'
import { formatUtc, MINUTE_MS, utcToMs } from '../../base/text/zones.ts'
import { recordUrl } from '../../calendar/linked/record-present.ts'
import { findUser, isActive, type User } from '../../calendar/people/users.ts'
import type { Database, Db } from '../../store/storage/database.ts'
import { readIdentity } from '../../store/storage/edition.ts'
import { holdName } from '../../store/storage/locks.ts'
import type { Tx } from '../../store/storage/recording.ts'
import type { EventRow, HistoryColumns } from '../../store/storage/schema.ts'
import { wholeList } from '../../store/storage/sql-parts.ts'
import type { ProposalColumns } from '../desk/desk-tables.ts'
import { planNews } from './plan-issues.ts'
import { type ToldOfEvent, tellOfEvent, tellOfMany } from './user-messages.ts'

// Tells users by e-mail what others did to their events. `Mark`, how far the history was read, is written
// with the queued messages, so only one node tells of each change.

interface Mark {
  cursor: string
  since: string
  /** Id of the last history row seen. */
  row: number
}

const NAME = 'changes'

/** Rows of the last ten minutes are read again: they may be committed late, after rows with higher ids. */
const LATE_MS = 10 * MINUTE_MS

const MOST_ROWS = 20_000

/** At most this many events are told to an author in messages of their own; more share one message. */
const MOST_SINGLE = 3
const MOST_NAMED = 20

export async function followChanges(database: Database, site: Site, now: number): Promise<void> {
  const { read, readChanges, write } = database
  if ((await readIdentity(read)).held === 1) return
  const mark = await findMark(read)
  const cursor = await database.cursor()
  if (!mark) return write((tx) => begin(tx, cursor, now))
  const sentBack = await listSentBack(read, mark)
  if (cursor === mark.cursor && sentBack.length === 0) return
  const followed = cursor === mark.cursor ? { changes: [], cursor } : await readChanges(mark.cursor)
  if (followed === 'too old') return write((tx) => begin(tx, cursor, now))
  const events = followed.changes.flatMap(({ kind, record }) => (kind === 'event' ? [record] : []))
  const rows = events.length === 0 ? [] : await listRows(read, mark)
  await write(async (tx) => {
    await holdName(tx, 'mail follows')
    // Another node has already handled these changes.
    if ((await findMark(tx))?.cursor !== mark.cursor) return
    await planNews(tx, events, now)
    await tellAuthors(tx, site, { events: new Set(events), rows, sentBack }, now)
    const seen = rows.findLast(({ time_utc }) => time_utc < formatUtc(now - LATE_MS))?.id ?? mark.row
    await setMark(tx, { cursor: followed.cursor, since: formatUtc(now), row: seen })
  })
}

async function begin(tx: Tx, cursor: string, now: number): Promise<void> {
  const { last } = await tx
    .selectFrom('history')
    .select(({ fn }) => fn.max('id').as('last'))
    .executeTakeFirstOrThrow()
  await setMark(tx, { cursor, since: formatUtc(now), row: Number(last ?? 0) })
}

async function findMark(db: Db): Promise<Mark | undefined> {
  const row = await db.selectFrom('mail_marks').select('value').where('name', '=', NAME).executeTakeFirst()
  const value = row && parsedJson(row.value)
  if (!isRecord(value)) return undefined
  return { cursor: String(value.cursor), since: String(value.since), row: Number(value.row) }
}

async function setMark(tx: Tx, mark: Mark): Promise<void> {
  const row = { name: NAME, value: JSON.stringify(mark) }
  await tx
    .insertInto('mail_marks')
    .values(row)
    .onConflict((conflict) => conflict.column('name').doUpdateSet(row))
    .execute()
}

/** Lists history rows, without those of user 0: the service and the command line. */
function listRows(db: Db, { row }: Mark): Promise<HistoryColumns[]> {
  return db
    .selectFrom('history')
    .selectAll()
    .where('id', '>', row)
    .where('kind', '=', 'event')
    .where('user', '<>', 0)
    .orderBy('id')
    .limit(MOST_ROWS)
    .execute()
}

type SentBack = Pick<
  ProposalColumns,
  'id' | 'kind' | 'record' | 'author' | 'reviewer' | 'reply' | 'changed_utc'
>

function listSentBack(db: Db, { since }: Mark): Promise<SentBack[]> {
  return db
    .selectFrom('proposals')
    .select(['id', 'kind', 'record', 'author', 'reviewer', 'reply', 'changed_utc'])
    .where('state', '=', 'sent back')
    .where('changed_utc', '>=', formatUtc(utcToMs(since) - LATE_MS))
    .orderBy('id')
    .limit(MOST_ROWS)
    .execute()
}

interface ChangesToTell {
  events: ReadonlySet<number>
  rows: readonly HistoryColumns[]
  sentBack: readonly SentBack[]
}

const KIND_OF: Readonly<Record<string, ToldOfEvent['kind']>> = {
  publish: 'published',
  update: 'changed',
  trash: 'removed',
}

async function tellAuthors(
  tx: Tx,
  site: Site,
  { events, rows, sentBack }: ChangesToTell,
  now: number,
): Promise<void> {
  const ids = [...new Set([...events, ...sentBack.map(({ record }) => record)])]
  const found = new Map((await listTitled(tx, ids)).map((row) => [row.id, row]))
  const told = new Map<number, ToldOfEvent[]>()
  const add = (one: ToldOfEvent) => told.set(one.user.id, [...(told.get(one.user.id) ?? []), one])
  const users = new Map<number, User | undefined>()
  const userOf = async (id: number) => {
    if (!users.has(id)) users.set(id, await findUser(tx, id))
    const user = users.get(id)
    return user && isActive(user) ? user : undefined
  }
  const isBack = new Set<number>()
  for (const { id, kind, record, author, reviewer, reply, changed_utc } of sentBack) {
    const [user, event] = [await userOf(author), kind === 'event' ? found.get(record) : undefined]
    isBack.add(record)
    if (!user || !event || reviewer === author) continue
    const by = (await userOf(reviewer))?.name ?? ''
    const url = `${site.url}/desk/events/${record}`
    add({ kind: 'sent back', user, act: `${id} ${changed_utc}`, title: titleOf(event), url, by, note: reply })
  }
  const latest = new Map<string, { row: HistoryColumns; event: Titled }>()
  for (const row of rows) {
    const event = found.get(row.record)
    if (!event || !events.has(row.record) || row.user === event.author || isBack.has(row.record)) continue
    if (event.author > 0 && KIND_OF[row.action])
      latest.set(`${event.series ?? `event ${event.id}`}`, { row, event })
  }
  for (const { row, event } of latest.values()) {
    const user = await userOf(event.author)
    const kind = KIND_OF[row.action]
    if (!user || !kind) continue
    const by = (await userOf(row.user))?.name ?? row.login
    const isSeen = kind === 'published' && event.status === 'publish'
    const url =
      isSeen || !site.hasDesk ? recordUrl(site, 'event', event) : `${site.url}/desk/events/${event.id}`
    const act = kind === 'changed' ? `${event.id} ${row.time_utc.slice(0, 10)}` : `${event.id} ${row.id}`
    add({ kind, user, act, title: titleOf(event), url, by, note: '' })
  }
  for (const all of told.values()) {
    const many = all.filter(({ kind }) => kind !== 'sent back')
    const single = many.length > MOST_SINGLE ? all.filter(({ kind }) => kind === 'sent back') : all
    for (const one of single) await tellOfEvent(tx, site, one, now)
    if (many.length > MOST_SINGLE) await tellOfMany(tx, site, many.slice(0, MOST_NAMED), many.length, now)
  }
}

type Titled = Pick<EventRow, 'id' | 'title' | 'author' | 'status' | 'slug' | 'series'>

const titleOf = ({ title }: Titled): string => plainText(title)

function listTitled(tx: Tx, ids: readonly number[]): Promise<Titled[]> {
  return tx
    .selectFrom('events')
    .select(['id', 'title', 'author', 'status', 'slug', 'series'])
    .where('id', 'in', sql<number>`${wholeList(tx, ids)}`)
    .orderBy('id')
    .execute()
}
