import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { type Lookup, planWord, type Search, type WordPlan } from '../../../base/text/search.ts'
import {
  addId,
  countIds,
  dropId,
  type IdSet,
  inBoth,
  inEither,
  listIds,
  makeIdSet,
  onlyInFirst,
} from '../id-set.ts'

// Finds events whose texts contain substrings, on SQLite: by the index of words, or in the texts if faster.

/** A LIKE pattern for texts that contain `text`; the SQL needs `escape '\\'`. */
export const likePattern = (text: string) => `%${text.replace(/[\\%_]/g, '\\$&')}%`

// Estimated microseconds to look up a term, for each event that has the term, and to search one event's text.
const TERM_COST = 20
const POSTING_COST = 0.15
const TEXT_COST = 3
const LOOK_EVERY = 2000
/** Texts that are read in order in the time of reading one text by id. */
const SCANS_PER_TEXT = 3

/** If at most this many events remain, their texts are read, and no further words are looked up. */
const FEW = 1000
const IDS_AT_ONCE = 8192
const TERMS_AT_ONCE = 1000

interface Term {
  /** In the order of first appearance, so common terms tend to have low ids. */
  id: number
  word: string
}

interface Question {
  plan: WordPlan
  lookup: Lookup
  terms: Term[]
}

/** The prepared statements of one connection for the index of words (migrations/0052-tables.ts). */
export interface WordIndex {
  connection: DatabaseSync
  target: IdSet
  largestId: StatementSync
  unindexed: StatementSync
  events: StatementSync
  wordIs: StatementSync
  wordLike: StatementSync
  shortWordLike: StatementSync
}

export function openWordIndex(connection: DatabaseSync): WordIndex {
  // Adds ids within SQLite: to read rows or a JSON array would take longer than to find them, and leave
  // garbage.
  connection.aggregate('add_id', {
    start: 0,
    step: (count, id) => {
      addId(index.target, id as number)
      return (count as number) + 1
    },
  })
  const index: WordIndex = {
    connection,
    target: makeIdSet(0),
    largestId: connection.prepare('select max(id) as id from events'),
    unindexed: connection.prepare('select id from unindexed_events'),
    events: connection.prepare('select add_id(rowid) as count from event_words where event_words match ?'),
    wordIs: connection.prepare('select id, word from words where word = ?'),
    wordLike: connection.prepare(
      `select rowid as id, word from words_trigrams where word glob ? and rowid > ? order by rowid
        limit ${TERMS_AT_ONCE}`,
    ),
    shortWordLike: connection.prepare(
      `select id, word from words where word glob ? and id > ? order by id limit ${TERMS_AT_ONCE}`,
    ),
  }
  return index
}

/** Returns ids of matching events. If the search only excludes words, some ids may be of no event. */
export function searchSubstrings(index: WordIndex, search: Search): IdSet {
  const { connection } = index
  if (connection.isTransaction) return findEvents(index, search)
  connection.exec('begin')
  try {
    return findEvents(index, search)
  } finally {
    connection.exec('commit')
  }
}

function findEvents(index: WordIndex, search: Search): IdSet {
  const largest = Number(index.largestId.get()?.id ?? 0)
  const fresh = index.unindexed.all().map(({ id }) => Number(id))
  const indexed = makeIdSet(largest, 'all')
  for (const id of fresh) dropId(indexed, id)
  const found = withoutWords(index, withWords(index, indexed, search.include), search.exclude)
  readTexts(index, fresh, search, found)
  return found
}

function withWords(index: WordIndex, ids: IdSet, words: readonly string[]): IdSet {
  const questions = words.map(planWord).flatMap((plan) => questionsOf(index, plan))
  if (questions.some(({ terms }) => terms.length === 0)) return emptyLike(ids)
  // The rarest words come first: a high id means that the term first appeared late.
  questions.sort((a, b) => firstId(b) - firstId(a))
  const unknown = new Set(words)
  let found = ids
  for (const question of questions) {
    found = narrowed(index, found, question)
    if (question.plan.isExact) unknown.delete(question.plan.word)
    if (countIds(found) <= FEW) break
  }
  return unknown.size === 0 ? found : matching(index, found, { include: [...unknown], exclude: [] })
}

function withoutWords(index: WordIndex, ids: IdSet, words: readonly string[]): IdSet {
  const unknown: string[] = []
  let found = ids
  for (const plan of words.map(planWord)) {
    const [question] = plan.isExact && countIds(found) > FEW ? questionsOf(index, plan) : []
    if (question) found = onlyInFirst(found, narrowed(index, found, question))
    else unknown.push(plan.word)
  }
  return unknown.length === 0 ? found : matching(index, found, { include: [], exclude: unknown })
}

function questionsOf(index: WordIndex, plan: WordPlan): Question[] {
  return plan.lookups.map((lookup) => ({ plan, lookup, terms: termsAfter(index, lookup, 0) }))
}

/**
 * Returns those of `ids` whose texts contain the looked-up text, and perhaps others if the plan is not exact.
 * Looks up terms until reading the remaining texts takes no longer, so that neither many rare terms nor a few
 * common ones take long.
 */
function narrowed(index: WordIndex, ids: IdSet, { plan, lookup, terms }: Question): IdSet {
  const covered = emptyLike(ids)
  let spent = 0
  let next = LOOK_EVERY
  for (let some = terms; some.length > 0; some = termsAfter(index, lookup, some.at(-1)?.id ?? 0)) {
    for (const { word } of some) {
      spent += TERM_COST + addEventsWith(index, word, covered) * POSTING_COST
      if (spent < next) continue
      next = spent + LOOK_EVERY
      const left = onlyInFirst(ids, covered)
      if (costOfReading(left) > spent) continue
      const also = plan.isExact ? matching(index, left, { include: [plan.word], exclude: [] }) : left
      return inEither(inBoth(ids, covered), also)
    }
    if (some.length < TERMS_AT_ONCE) break
  }
  return inBoth(ids, covered)
}

function termsAfter(index: WordIndex, { text, before, after }: Lookup, id: number): Term[] {
  if (!before && !after) return id === 0 ? (index.wordIs.all(text) as unknown as Term[]) : []
  const statement = text.length < 3 ? index.shortWordLike : index.wordLike
  return statement.all(`${before ? '*' : ''}${text}${after ? '*' : ''}`, id) as unknown as Term[]
}

function addEventsWith(index: WordIndex, term: string, to: IdSet): number {
  index.target = to
  return Number(index.events.get(`"${term.replaceAll('"', '""')}"`)?.count)
}

function matching(index: WordIndex, ids: IdSet, search: Search): IdSet {
  const found = emptyLike(ids)
  for (let first = 0; first < ids.length * 32; first += IDS_AT_ONCE) {
    const some = listIds(ids, first, first + IDS_AT_ONCE)
    if (some.length * SCANS_PER_TEXT > IDS_AT_ONCE)
      scanTexts(index, first, first + IDS_AT_ONCE - 1, search, found)
    else readTexts(index, some, search, found)
  }
  return inBoth(ids, found)
}

function readTexts(index: WordIndex, ids: readonly number[], search: Search, to: IdSet): void {
  if (ids.length === 0) return
  const [condition, patterns] = conditionOf(search)
  index.target = to
  index.connection
    .prepare(`select add_id(id) from events where id in (select value from json_each(?)) ${condition}`)
    // biome-ignore lint/plugin: words of a search, nine at the most
    .get(JSON.stringify(ids), ...patterns)
}

function scanTexts(index: WordIndex, first: number, last: number, search: Search, to: IdSet): void {
  const [condition, patterns] = conditionOf(search)
  index.target = to
  index.connection
    .prepare(`select add_id(id) from events where id between ? and ? ${condition}`)
    // biome-ignore lint/plugin: words of a search, nine at the most
    .get(first, last, ...patterns)
}

function conditionOf({ include, exclude }: Search): [string, string[]] {
  const condition = [
    ...include.map(() => `and search like ? escape '\\'`),
    ...exclude.map(() => `and search not like ? escape '\\'`),
  ]
  return [condition.join(' '), [...include, ...exclude].map(likePattern)]
}

function costOfReading(ids: IdSet): number {
  return Math.min(countIds(ids), (ids.length * 32) / SCANS_PER_TEXT) * TEXT_COST
}

const emptyLike = (ids: IdSet) => makeIdSet(ids.length * 32 - 1)
const firstId = ({ terms }: Question) => terms[0]?.id ?? 0
