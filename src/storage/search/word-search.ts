import type { DatabaseSync } from 'node:sqlite'
import type { Search } from '../../text/search.ts'
import { type Lookup, planWord, type WordPlan } from '../../text/search-terms.ts'
import { addId, countIds, dropId, type IdSet, inBoth, inEither, inFirst, listIds, makeIdSet } from '../id-set.ts'
import { likePattern } from '../like-pattern.ts'

// The cost of a lookup in microseconds: one term, one event of a term, and one text that is searched for a word.
const TERM_COST = 20
const POSTING_COST = 0.15
const TEXT_COST = 3
/** The work between two looks at the time left. */
const LOOK_EVERY = 2000
/** Reading all texts one after the other takes so many times less for each. */
const SCANS_PER_TEXT = 3

/** Of so few candidates the texts are read rather than further words looked up. */
const FEW = 1000
/** Ids whose texts one statement reads. */
const IDS_AT_ONCE = 8192
/** Terms that one statement finds. */
const TERMS_AT_ONCE = 1000

interface Term {
  /** Terms are numbered as they first appeared, so that common ones have low numbers. */
  id: number
  word: string
}

/** A lookup of one word of a search, with the first of the terms that answer it. */
interface Question {
  plan: WordPlan
  lookup: Lookup
  terms: Term[]
}

/**
 * Finds the events that a search finds by the index of words of a SQLite database (migration 0002), and by the texts themselves where the
 * index does not know enough: exactly those whose folded text contains what it should, as they were at one moment. The set may have ids
 * that are no events when a search only excludes.
 */
export function makeWordSearch(connection: DatabaseSync): (search: Search) => IdSet {
  // The ids that a statement finds go into a set at once: rows, or lists as JSON, would take longer to read than to find, and leave garbage.
  let target = makeIdSet(0)
  connection.aggregate('add_id', {
    start: 0,
    step: (count, id) => {
      addId(target, id as number)
      return (count as number) + 1
    },
  })
  const largestId = connection.prepare('select max(id) as id from events')
  const unindexed = connection.prepare('select id from unindexed_events')
  const events = connection.prepare('select add_id(rowid) as count from event_words where event_words match ?')
  const wordIs = connection.prepare('select id, word from words where word = ?')
  const wordLike = connection.prepare(
    `select rowid as id, word from words_trigrams where word glob ? and rowid > ? order by rowid limit ${TERMS_AT_ONCE}`,
  )
  const shortWordLike = connection.prepare(
    `select id, word from words where word glob ? and id > ? order by id limit ${TERMS_AT_ONCE}`,
  )

  return (search) => {
    if (connection.isTransaction) return find(search)
    connection.exec('begin')
    try {
      return find(search)
    } finally {
      connection.exec('commit')
    }
  }

  function find(search: Search): IdSet {
    const largest = Number(largestId.get()?.id ?? 0)
    const fresh = unindexed.all().map(({ id }) => Number(id))
    const indexed = makeIdSet(largest, 'all')
    for (const id of fresh) dropId(indexed, id)
    const found = without(included(indexed, search.include), search.exclude)
    read(fresh, search, found)
    return found
  }

  /** Those of the ids whose texts contain every word. */
  function included(ids: IdSet, words: readonly string[]): IdSet {
    const questions = words.map(planWord).flatMap(questionsOf)
    if (questions.some(({ terms }) => terms.length === 0)) return emptyLike(ids)
    // The rarest first: a term added late is rare.
    questions.sort((a, b) => firstId(b) - firstId(a))
    const unknown = new Set(words)
    let found = ids
    for (const question of questions) {
      found = narrowed(found, question)
      if (question.plan.isExact) unknown.delete(question.plan.word)
      if (countIds(found) <= FEW) break
    }
    return unknown.size === 0 ? found : matching(found, { include: [...unknown], exclude: [] })
  }

  /** Those of the ids whose texts contain none of the words. */
  function without(ids: IdSet, words: readonly string[]): IdSet {
    const unknown: string[] = []
    let found = ids
    for (const plan of words.map(planWord)) {
      const [question] = plan.isExact && countIds(found) > FEW ? questionsOf(plan) : []
      if (question) found = inFirst(found, narrowed(found, question))
      else unknown.push(plan.word)
    }
    return unknown.length === 0 ? found : matching(found, { include: [], exclude: unknown })
  }

  function questionsOf(plan: WordPlan): Question[] {
    return plan.lookups.map((lookup) => ({ plan, lookup, terms: termsAfter(lookup, 0) }))
  }

  /**
   * Those of the ids that have one of the terms asked for; some more where the plan is not exact. Terms are looked up until reading the
   * texts that are left takes no longer than all that was looked up, so that neither many rare terms nor few common ones take long.
   */
  function narrowed(ids: IdSet, { plan, lookup, terms }: Question): IdSet {
    const covered = emptyLike(ids)
    let spent = 0
    let next = LOOK_EVERY
    for (let some = terms; some.length > 0; some = termsAfter(lookup, some.at(-1)?.id ?? 0)) {
      for (const { word } of some) {
        spent += TERM_COST + addEventsWith(word, covered) * POSTING_COST
        if (spent < next) continue
        next = spent + LOOK_EVERY
        const left = inFirst(ids, covered)
        if (costOfReading(left) > spent) continue
        const also = plan.isExact ? matching(left, { include: [plan.word], exclude: [] }) : left
        return inEither(inBoth(ids, covered), also)
      }
      if (some.length < TERMS_AT_ONCE) break
    }
    return inBoth(ids, covered)
  }

  function termsAfter({ text, before, after }: Lookup, id: number): Term[] {
    if (!before && !after) return id === 0 ? (wordIs.all(text) as unknown as Term[]) : []
    const statement = text.length < 3 ? shortWordLike : wordLike
    return statement.all(`${before ? '*' : ''}${text}${after ? '*' : ''}`, id) as unknown as Term[]
  }

  /** Adds the events that have a term, and says how many they are. */
  function addEventsWith(term: string, to: IdSet): number {
    target = to
    return Number(events.get(`"${term.replaceAll('"', '""')}"`)?.count)
  }

  /** Those of the ids whose texts the search finds. */
  function matching(ids: IdSet, search: Search): IdSet {
    const found = emptyLike(ids)
    for (let first = 0; first < ids.length * 32; first += IDS_AT_ONCE) {
      const some = listIds(ids, first, first + IDS_AT_ONCE)
      if (some.length * SCANS_PER_TEXT > IDS_AT_ONCE) scan(first, first + IDS_AT_ONCE - 1, search, found)
      else read(some, search, found)
    }
    return inBoth(ids, found)
  }

  /** Adds those of the ids whose texts the search finds. */
  function read(ids: readonly number[], search: Search, to: IdSet): void {
    if (ids.length === 0) return
    const [condition, patterns] = conditionOf(search)
    target = to
    connection
      .prepare(`select add_id(id) from events where id in (select value from json_each(?)) ${condition}`)
      .get(JSON.stringify(ids), ...patterns)
  }

  /** Adds the events of a range of ids whose texts the search finds. */
  function scan(first: number, last: number, search: Search, to: IdSet): void {
    const [condition, patterns] = conditionOf(search)
    target = to
    connection
      .prepare(`select add_id(id) from events where id between ? and ? ${condition}`)
      .get(first, last, ...patterns)
  }
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
