import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { fold, LAST_CHARACTER } from '../../base/text/characters.ts'
import { plainText } from '../../base/text/html.ts'
import { dayOf, wallNow } from '../../base/text/moments.ts'
import { isCorrectable, LONGEST_WORD, MOST_WANTED, runsIn, wantedWords } from '../../base/text/stems.ts'
import type { Context } from '../../calendar/declare/context.ts'
import type { LinkedKind } from '../../calendar/linked/linked-store.ts'
import { recordPath } from '../../calendar/linked/record-present.ts'
import {
  findTitled,
  findWords,
  isAnyWith,
  named,
  type TypedName,
  type TypedWords,
  typedName,
} from '../../store/storage/search/find-words.ts'
import { statement } from '../../store/storage/statement.ts'
import { comingAmong } from './coming-events.ts'
import { writtenDay } from './page-dates.ts'
import { pathTo, spanLink } from './viewing.ts'

/** A public record whose name fits what was typed. */
export interface Suggestion {
  kind: 'venue' | 'organizer' | 'category' | 'tag' | 'event'
  id: number
  name: string
  slug: string
  /** A venue's city, or an event's local start. */
  about: string
}

/** Maximum of suggestions by kind. `LONGEST`: length of a text looked up, in UTF-16 units. */
const MOST = { venue: 2, organizer: 2, term: 3, event: 4 }

const LONGEST = 100

/** `is true` keeps SQLite from using the index on status and so reading all public records. */
const IS_PUBLIC = sql<SqlBool>`(status = 'publish') is true`

/** More titles are read than shown, since several events may have the same title. */
const TITLES_READ = 8

/** `last` is greater than all folded names that begin with `folded`. */
interface TypedValues extends TypedName {
  folded: string
  last: string
}

/** One statement for all kinds: on PostgreSQL, they come from one snapshot. */
const selectNamed = statement<TypedValues>()((_db, value) => {
  const isBegun = sql`folded >= ${value('folded')} and folded < ${value('last')}`
  const begunFirst = sql`case when ${isBegun} then 0 else 1 end`
  const linked = (kind: 'venue' | 'organizer', about: RawBuilder<unknown>) => sql`
    select * from (select ${sql.lit(kind)} as kind, id, ${sql.ref(kind)} as name, slug, ${about} as about
      from ${sql.table(`${kind}s`)}
      where id in (select id from (select id from ${sql.table(`${kind}s`)} where ${isBegun} and ${IS_PUBLIC}
          order by folded, id limit ${sql.lit(MOST[kind])}) as begun
        union all ${named(kind, value)}) and ${IS_PUBLIC}
      order by ${begunFirst}, folded, id limit ${sql.lit(MOST[kind])}) as ${sql.ref(kind)}`
  return sql<Suggestion>`${linked('venue', sql`city`)} union all ${linked('organizer', sql`''`)} union all
    select * from (select taxonomy, id, name, slug, '' from terms where id in (${named('term', value)})
      and count > 0
      order by ${begunFirst}, count desc, folded, id limit ${sql.lit(MOST.term)}) as term`
})

/** Reads titles only: the times, stored after long texts, are taken from the index. */
const selectPublic = statement<{ ids: readonly number[] }>()((db, value) =>
  db
    .selectFrom('events')
    .select(['id', 'title as name', 'slug'])
    .where('id', 'in', value('ids'))
    .where(IS_PUBLIC),
)

/**
 * Finds records by the beginning of names, then coming events by title. If there are none, tries similar
 * words, unless a public event has these. Finds nothing if the last word has fewer than two letters.
 */
export async function suggest(text: string, context: Context): Promise<Suggestion[]> {
  const typed = text.length > LONGEST ? undefined : typedSoFar(text)
  if (!typed) return []
  const found = await suggestFor(text, typed, context)
  if (found.length > 0 || !wantedWords(text).some(isCorrectable) || (await isAnyWith(context.db, typed)))
    return found
  const corrected = await correctedText(text, context)
  const meant = corrected === undefined ? undefined : typedSoFar(corrected)
  return corrected !== undefined && meant ? suggestFor(corrected, meant, context) : []
}

export async function correctedText(
  text: string,
  searcher: Pick<Context, 'db' | 'readInLane'>,
): Promise<string | undefined> {
  if (text.length > LONGEST) return undefined
  const { words } = await findWords(searcher, wantedWords(text))
  return words.some(({ instead }) => instead !== undefined)
    ? words.map((word) => word.text).join(' ')
    : undefined
}

async function suggestFor(text: string, typed: TypedWords, context: Context): Promise<Suggestion[]> {
  const [linked, events] = await Promise.all([
    suggestNamed(text, typed, context),
    suggestEvents(typed, context),
  ])
  return [...linked, ...events.map(withPlainName)]
}

const withPlainName = (hit: Suggestion): Suggestion => ({ ...hit, name: plainText(hit.name) })

async function suggestNamed(
  text: string,
  typed: TypedWords,
  { db }: Pick<Context, 'db'>,
): Promise<Suggestion[]> {
  const folded = fold(text)
  const found = await selectNamed(db, { ...typedName(typed), folded, last: folded + LAST_CHARACTER })
  return found.map(withPlainName)
}

/** Finds at most two venues and two organizers with all these words. */
export async function findLinkedNamed(
  text: string,
  context: Context,
): Promise<(Suggestion & { kind: LinkedKind })[]> {
  const typed = text.length > LONGEST ? undefined : typedSoFar(text)
  const found = typed ? await suggestNamed(text, typed, context) : []
  return found.flatMap((hit) =>
    hit.kind === 'venue' || hit.kind === 'organizer' ? [{ ...hit, kind: hit.kind }] : [],
  )
}

/** Finds events by title, in list order, one for each title; none while the index is being filled. */
async function suggestEvents(
  typed: TypedWords,
  { db, readInLane, memory, site, now }: Context,
): Promise<Suggestion[]> {
  const found = await findTitled({ db, readInLane }, typed)
  const today = dayOf(wallNow(site.timezone, now))
  const coming = memory?.index
    ? comingAmong(memory.index, found, today, TITLES_READ)
    : new Map<number, string>()
  const rows = coming.size === 0 ? [] : await selectPublic(db, { ids: [...coming.keys()] })
  const byId = new Map(rows.map((row) => [row.id, row]))
  const titles = new Set<string>()
  return [...coming]
    .flatMap(([id, about]): Suggestion[] => {
      const row = byId.get(id)
      return row ? [{ ...row, about, kind: 'event' }] : []
    })
    .filter(({ name }) => !titles.has(name) && titles.add(name))
    .slice(0, MOST.event)
}

export async function suggestions(context: Context, query: URLSearchParams): Promise<string> {
  const { site, now } = context
  const today = dayOf(wallNow(site.timezone, now))
  const found = await suggest(query.get('search') ?? '', context)
  const shown = found.map((hit) => ({
    kind: hit.kind,
    id: hit.id,
    name: hit.name,
    about: hit.kind === 'event' ? writtenDay(site, dayOf(hit.about), today) : hit.about,
    url: new URL(suggestedPath(context, hit), site.url).href,
  }))
  return JSON.stringify({ suggestions: shown })
}

/** A term's path here lacks its ancestors; it redirects to the full path. */
function suggestedPath({ site }: Context, { kind, id, slug }: Suggestion): string {
  if (kind === 'category' || kind === 'tag')
    return spanLink(site, { view: 'list' }, { taxonomy: kind, slugs: [slug] }, '')
  return pathTo(site, recordPath(site, kind, { id, status: 'publish', slug }))
}

/**
 * Parses what a visitor has typed so far: `stems` of all words but the last, whose beginning is `begun`, and
 * whose stem is `whole` in case it is complete. Undefined while the last word has fewer than two characters.
 */
export function typedSoFar(text: string): { stems: string[]; begun: string; whole: string } | undefined {
  const words = runsIn(fold(text))
  const last = words.pop()
  if (!last || [...last.text].length < LEAST_TYPED) return undefined
  const stems = words.flatMap((word) => word.stems).slice(0, MOST_WANTED)
  const whole = last.stems.at(-1) ?? ''
  return { stems, begun: last.stems.length > 1 ? whole : last.text.slice(0, LONGEST_WORD), whole }
}

const LEAST_TYPED = 2
