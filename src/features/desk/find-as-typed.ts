import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely'
import { fold, LAST_CHARACTER } from '../../base/text/characters.ts'
import { plainText } from '../../base/text/html.ts'
import { wallNow } from '../../base/text/moments.ts'
import { slugify } from '../../base/text/slugs.ts'
import { wantedWords } from '../../base/text/stems.ts'
import type { Context } from '../../calendar/declare/context.ts'
import { isPossibleId, visibleTo } from '../../calendar/records/record-store.ts'
import { listIds } from '../../store/storage/id-set.ts'
import type { PagedKind } from '../../store/storage/schema.ts'
import { alsoMatching } from '../../store/storage/search/search-index.ts'
import { contains, wholeList } from '../../store/storage/sql-parts.ts'
import { correctedText } from '../pages/suggestions.ts'
import { type PickedName, pickNames } from './picked-names.ts'

export interface TypedHit {
  kind: PagedKind
  id: number
  title: string
  /** Local start of an event, or city of a venue. */
  about: string
  status: string
}

const MOST_HITS = 8
/** In UTF-16 units. */
const LONGEST_TYPED = 300
const MOST_CANDIDATES = 64
/** In letters: shorter words occur in too many texts. */
const SHORTEST_WORD = 3
const MOST_LINKED = 2
const MOST_TYPED_WORDS = 6

type ByCaller = Pick<Context, 'db' | 'readInLane' | 'caller' | 'findMatching' | 'site' | 'now'>

/**
 * Finds records of any status that the caller may see, by id, UID, address, prefix of a slug, or words. If
 * nothing is found, it tries similar words, else the stems.
 */
export async function findAsTyped(text: string, asker: ByCaller): Promise<TypedHit[]> {
  const typed = text.length > LONGEST_TYPED || text.includes('\0') ? '' : text.trim()
  if (typed === '') return []
  const found = await findAll(typed, asker)
  if (found.length > 0) return found
  const other = (await correctedText(typed, asker)) ?? stemsOf(typed)
  return other === '' ? [] : findAll(other, asker)
}

function stemsOf(text: string): string {
  return wantedWords(text)
    .map(({ stems }) => stems.join(' '))
    .join(' ')
}

async function findAll(typed: string, asker: ByCaller): Promise<TypedHit[]> {
  const [events, linked] = await Promise.all([findEvents(typed, asker), findLinkedNames(typed, asker)])
  const kept = events.slice(0, Math.max(MOST_HITS - linked.length, 0))
  return [...kept, ...linked].slice(0, MOST_HITS)
}

async function findLinkedNames(typed: string, asker: ByCaller): Promise<TypedHit[]> {
  const [named, venues, organizers] = await Promise.all([
    findLinkedById(typed, asker),
    pickNames('venue', typed, asker, MOST_LINKED),
    pickNames('organizer', typed, asker, MOST_LINKED),
  ])
  const hits = [...venues, ...organizers].map(hitOf)
  return [...named, ...hits.filter(({ id }) => !named.some((other) => other.id === id))]
}

function hitOf({ kind, id, name, about, status }: PickedName): TypedHit {
  return { kind: kind === 'venue' ? 'venue' : 'organizer', id, title: plainText(name), about, status }
}

async function findLinkedById(typed: string, { db, caller }: ByCaller): Promise<TypedHit[]> {
  const id = idIn(typed)
  if (id === undefined) return []
  const { rows } = await sql<TypedHit>`
    select 'venue' as kind, id, venue as title, city as about, status from venues
      where id = ${id} and ${visibleTo(caller, 'venues')}
    union all select 'organizer', id, organizer, '', status from organizers
      where id = ${id} and ${visibleTo(caller, 'organizers')}`.execute(db)
  return rows.map((row) => ({ ...row, title: plainText(row.title) }))
}

function idIn(typed: string): number | undefined {
  const id = /^#?\d{1,10}$/.test(typed) ? Number(typed.replace('#', '')) : undefined
  return id !== undefined && isPossibleId(id) ? id : undefined
}

interface Candidate {
  id: number
  title: string
  start_date: string
  status: string
  slug: string
  /** 1 if the text is the event's id or UID, or the UID of its series; else 0. */
  exact: number
}

async function findEvents(typed: string, asker: ByCaller): Promise<TypedHit[]> {
  const words = typedWords(typed)
  const found = await Promise.all([
    findExact(typed, asker),
    findBySlug(typed, asker),
    findByWords(words, asker),
  ])
  const byId = new Map(found.flat().map((row) => [row.id, row]))
  const now = wallNow(asker.site.timezone, asker.now)
  const slug = slugIn(typed)
  return [...new Map([...byId, ...found[0].map((row) => [row.id, row] as const)]).values()]
    .map((row) => ({ row, rank: rankOf(row, fold(typed), words, slug), isOver: row.start_date < now }))
    .sort((one, other) => one.rank - other.rank || compareDates(one, other))
    .map(({ row: { id, title, start_date: about, status } }) => ({
      kind: 'event',
      id,
      title: plainText(title),
      about,
      status,
    }))
}

interface Ranked {
  row: Candidate
  isOver: boolean
}

/** Sorts coming events first, beginning with the next one; then past events, beginning with the latest. */
function compareDates(one: Ranked, other: Ranked): number {
  if (one.isOver !== other.isOver) return one.isOver ? 1 : -1
  const [first, second] = one.isOver ? [other.row, one.row] : [one.row, other.row]
  return first.start_date < second.start_date ? -1 : Number(first.start_date > second.start_date)
}

const IN_TRASH = 10

/** Returns how well an event matches; a lower number is better. Trashed events come last. */
function rankOf(
  { exact, title, slug, status }: Candidate,
  typed: string,
  words: readonly string[],
  typedSlug: string,
) {
  const folded = fold(plainText(title))
  const own = folded.match(WORDS) ?? []
  const trash = status === 'trash' ? IN_TRASH : 0
  if (exact === 1) return trash
  if (folded === typed || slug === typedSlug) return trash + 1
  if (folded.startsWith(typed)) return trash + 2
  if (words.every((word) => own.some((other) => other.startsWith(word)))) return trash + 3
  return words.every((word) => folded.includes(word)) ? trash + 4 : trash + 5
}

const WORDS = /[\p{L}\p{N}]+/gu

function typedWords(typed: string): string[] {
  return (fold(typed).match(WORDS) ?? []).slice(0, MOST_TYPED_WORDS)
}

function slugIn(typed: string): string {
  const [last = ''] = typed
    .split('/')
    .filter((part) => part !== '')
    .slice(-1)
  return slugify(typed.includes('/') ? last : typed)
}

const columns = (exact: 0 | 1): RawBuilder<Candidate> =>
  sql`events.id, events.title, events.start_date, events.status, events.slug, ${sql.lit(exact)} as exact`

/** True in SQL for visible events. Without `is true`, SQLite would read all of these first. */
function isSeen(caller: ByCaller['caller']): RawBuilder<SqlBool> {
  return sql<SqlBool>`(${visibleTo(caller, 'events')}) is true`
}

async function findExact(typed: string, { db, caller, site, now }: ByCaller): Promise<Candidate[]> {
  const seen = isSeen(caller)
  const here = wallNow(site.timezone, now)
  const { rows } = await sql<Candidate>`
    select ${columns(1)} from events where uid = ${typed} and ${seen}
      and not exists (select 1 from series where series.id = events.series and series.uid = events.uid)
    union all select ${columns(1)} from events where id = ${idIn(typed) ?? 0} and ${seen}
    union all select * from (select ${columns(1)} from events
      where series in (select id from series where uid = ${typed}) and ${seen}
      order by case when recurrence_id >= ${here} then 0 else 1 end, recurrence_id limit 1) as next`.execute(
    db,
  )
  return rows
}

/** Finds events by a prefix of the slug; drafts, pending and scheduled events only by the whole slug. */
async function findBySlug(typed: string, { db, caller }: ByCaller): Promise<Candidate[]> {
  const slug = slugIn(typed)
  if (slug === '') return []
  const { rows } = await sql<Candidate>`
    select * from (select ${columns(0)} from events
      where slug >= ${slug} and slug < ${slug + LAST_CHARACTER} and status not in ('draft', 'pending',
        'future')
        and ${isSeen(caller)}
      order by slug limit ${sql.lit(MOST_CANDIDATES)}) as begun
    union all select * from (select ${columns(0)} from events
      where slug = ${slug} and status in ('draft', 'pending', 'future') and ${isSeen(caller)}
      limit ${sql.lit(MOST_CANDIDATES)}) as same`.execute(db)
  return rows
}

/** Finds events by words, first among the `NEWEST`, then among all; ignores words below `SHORTEST_WORD`. */
async function findByWords(words: readonly string[], asker: ByCaller): Promise<Candidate[]> {
  const include = words.filter((word) => word.length >= SHORTEST_WORD)
  if (include.length === 0) return []
  const { db, caller, readInLane, findMatching } = asker
  const newest = sql<Candidate>`
    select ${columns(0)} from (select id, title, start_date, status, slug, author, search
      from events order by id desc limit ${sql.lit(NEWEST)}) as events
    where ${sql.join(
      include.map((word) => contains('events.search', word)),
      sql` and `,
    )} and ${isSeen(caller)}
    limit ${sql.lit(MOST_CANDIDATES)}`
  const [among] = await readInLane(db, 'list', [{ compile: () => newest.compile(db) }])
  if (among.length >= MOST_HITS) return among
  const search = { include, exclude: [] }
  const found = await findMatching(search)
  const read = async (isFound: Expression<unknown>) => {
    // Without `materialized`, PostgreSQL would read all events by id for words that it takes for frequent.
    const query = sql<Candidate>`
      with found as materialized (select events.id from events where ${isFound})
      select ${columns(0)} from found join events on events.id = found.id where ${isSeen(caller)}
      order by found.id desc limit ${sql.lit(MOST_CANDIDATES)}`
    const [rows] = await readInLane(db, 'search', [{ compile: () => query.compile(db) }])
    return rows
  }
  const ids = listIds(found)
  const latest = await read(sql`events.id in ${wholeList(db, ids.slice(-MOST_CANDIDATES))}`)
  if (latest.length >= MOST_HITS || ids.length <= MOST_CANDIDATES) return latest
  const narrow = await alsoMatching(db, search, async () => found)
  return read(narrow(sql<SqlBool>`1 = 1`))
}

/** This many newest events are searched first: words rare in them are quick to find in all. */
const NEWEST = 1000
