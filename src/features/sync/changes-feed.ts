import { setImmediate as nextTurn } from 'node:timers/promises'
import { limits } from '../../base/fields/limits.ts'
import { Problem } from '../../base/problems.ts'
import type { Context } from '../../calendar/declare/context.ts'
import type { FoundRecords, Operations } from '../../calendar/declare/operations.ts'
import { type Caller, mayRead, seesUnpublished } from '../../calendar/people/caller.ts'
import { presentById } from '../../calendar/records/record-store.ts'
import { resourceNamed } from '../../calendar/resources.ts'
import { findTermsByIds } from '../../calendar/terms/term-store.ts'
import { catchUp, type EventMemory } from '../../store/memory/event-memory.ts'
import { isWritten, lengthOf, type WrittenJson, writtenJson } from '../../store/memory/event-pieces.ts'
import type { Cursor } from '../../store/storage/database.ts'
import type { ChangeColumns } from '../../store/storage/schema.ts'
import {
  areChangesForgotten,
  type ChangeRange,
  changedKinds,
  type ListedChange,
  listChanges,
  listOwners,
  listRecords,
  listShowing,
  type Showing,
} from './changed-since.ts'
import { START, type SyncPlace, type SyncScope, type SyncToken, writeToken } from './sync-token.ts'

// Reads the feed by pages: every record on the first walk, later what has changed since a token.

export const FEED_KINDS = ['venue', 'organizer', 'category', 'tag', 'event'] as const satisfies Showing[]
export type ChangedKind = (typeof FEED_KINDS)[number]

/** The last page has a `sync_token`, the others a `next_token`. */
export interface FeedPage {
  changes: WrittenJson[]
  next_token?: string
  sync_token?: string
}

export interface FeedSource {
  edition: string
  cursor: () => Promise<Cursor>
}

export interface FeedQuery {
  scope: SyncScope
  filters: Readonly<Record<string, unknown>>
  since: SyncToken | undefined
  perPage: number
}

/** Key of the user, role and scopes, which decide which records the caller sees; empty for the public. */
export function readerOf({ id, role, scopes }: Caller): string {
  return id === 0 ? '' : [id, role, ...(scopes ?? [])].join(' ')
}

interface LookedAt {
  kind: ChangedKind
  id: number
  /** Where reading continues after the record. Records that must share a page share one object. */
  behind: SyncPlace
  change?: ListedChange
}

interface Walked {
  looks: LookedAt[]
  place: SyncPlace
  isOver: boolean
}

type Step = (context: Context, place: SyncPlace, most: number) => Promise<Walked>

/**
 * Reads a page. A reader who follows all tokens ends up with what the lists show, despite writes meanwhile.
 * @throws Problem rest_sync_token_expired
 */
export async function readFeed(context: Context, source: FeedSource, query: FeedQuery): Promise<FeedPage> {
  const { scope, since, perPage } = query
  if (since) await refuseForgotten(context, source, query, since)
  const isBegun = since?.to !== undefined
  const from = since?.from
  const to = since?.to ?? (await source.cursor())
  const steps = from === undefined ? everything(scope) : await changesIn(context, scope, { from, to })
  const walked = await walk(context, steps, isBegun ? since.place : START, perPage)
  const { changes, cutAt } = await fill(context, query, walked.looks)
  const token = { edition: source.edition, scope }
  const place = cutAt ?? (walked.isOver ? undefined : walked.place)
  if (place) return { changes, next_token: writeToken({ ...token, from, to, place }) }
  return { changes, sync_token: writeToken({ ...token, from: to, to: undefined, place: START }) }
}

/** Refuses a token of another history or scope, or whose changes were deleted. */
async function refuseForgotten(
  { db }: Context,
  { edition }: FeedSource,
  { scope }: FeedQuery,
  since: SyncToken,
): Promise<void> {
  const cursors = [since.from, since.to].filter((cursor) => cursor !== undefined)
  const isOther = since.edition !== edition || JSON.stringify(since.scope) !== JSON.stringify(scope)
  if (isOther || cursors.length === 0) throw new Problem('rest_sync_token_expired')
  for (const cursor of cursors)
    if (await areChangesForgotten(db, cursor)) throw new Problem('rest_sync_token_expired')
}

const askedKinds = ({ kinds }: SyncScope) => FEED_KINDS.filter((kind) => kinds.includes(kind))

function everything(scope: SyncScope): Step[] {
  return askedKinds(scope).map(
    (kind): Step =>
      async ({ db }, place, most) =>
        byIds(kind, place, await listRecords(db, kind, place.id, most), most),
  )
}

/** Steps of a walk over changes: changed records, then records that show one. */
async function changesIn({ db }: Context, scope: SyncScope, range: ChangeRange): Promise<Step[]> {
  const kinds = await changedKinds(db, range)
  const isAbout = (...shown: ChangeColumns['kind'][]) => shown.some((kind) => kinds.has(kind))
  const shown: Record<ChangedKind, boolean> = {
    venue: isAbout('image'),
    organizer: isAbout('image'),
    category: isAbout('term', 'count'),
    tag: false,
    event: isAbout('image', 'venue', 'organizer', 'term', 'series'),
  }
  // A token stores the index of a step: every page has the same steps, also those without changes.
  const steps = askedKinds(scope).map(
    (kind): Step =>
      async (context, place, most) =>
        byIds(
          kind,
          place,
          shown[kind] ? await listShowing(context.db, range, kind, place.id, most) : [],
          most,
        ),
  )
  return [ownChanges(scope, range), ...steps]
}

function ownChanges(scope: SyncScope, range: ChangeRange): Step {
  const asked = askedKinds(scope)
  const terms = asked.filter((kind) => kind === 'category' || kind === 'tag')
  const kinds: ChangeColumns['kind'][] = asked.filter((kind) => kind !== 'category' && kind !== 'tag')
  if (terms.length > 0) kinds.push('term', 'count')
  return async ({ db }, place, most) => {
    const found = await listChanges(db, range, kinds, place.change, most)
    const looks = found.flatMap((change): LookedAt[] => {
      const { kind, record: id } = change
      const behind = { ...place, change }
      if (kind === 'event' || kind === 'venue' || kind === 'organizer') return [{ kind, id, behind, change }]
      // The log does not tell categories from tags, and a deleted term may have been either: each change is
      // looked up as every kind asked for.
      return terms.map((term) => ({ kind: term, id, behind, change }))
    })
    const last = found.at(-1)
    return { looks, place: { ...place, change: last }, isOver: found.length < most }
  }
}

function byIds(kind: ChangedKind, place: SyncPlace, ids: readonly number[], most: number): Walked {
  const looks = ids.map((id) => ({ kind, id, behind: { ...place, id } }))
  return { looks, place: { ...place, id: ids.at(-1) ?? place.id }, isOver: ids.length < most }
}

async function walk(
  context: Context,
  steps: readonly Step[],
  from: SyncPlace,
  most: number,
): Promise<Walked> {
  const looks: LookedAt[] = []
  let place = from
  for (let left = most; left > 0; left = most - looks.length) {
    const step = steps[place.step]
    if (!step) return { looks, place, isOver: true }
    const walked = await step(context, place, left)
    for (const look of walked.looks) looks.push(look)
    place = walked.isOver ? { step: place.step + 1, id: 0 } : walked.place
  }
  return { looks, place, isOver: place.step >= steps.length }
}

/** Records presented in one event loop turn. */
const SHOWN_AT_ONCE = 50

/** Fills a page up to its limit in bytes, at least with one change. `cutAt` is where the next page starts. */
async function fill(
  context: Context,
  query: FeedQuery,
  looks: readonly LookedAt[],
): Promise<{ changes: WrittenJson[]; cutAt?: SyncPlace }> {
  const told: FeedChange[] = []
  let bytes = 0
  let before: SyncPlace | undefined
  for (let at = 0; at < looks.length; at += SHOWN_AT_ONCE) {
    const part = looks.slice(at, at + SHOWN_AT_ONCE)
    const described = await describe(context, query, part)
    for (const { kind, id, behind } of part) {
      const change = described.get(`${kind} ${id}`)
      const size = change ? lengthOf(change.parts) : 0
      const isFull = bytes > 0 && bytes + size > limits.changesPage.bytes
      if (before && isFull && behind !== before) return { changes: inOrder(told), cutAt: before }
      if (change) told.push({ kind, change })
      bytes += size
      before = behind
    }
    await nextTurn()
  }
  return { changes: inOrder(told) }
}

interface FeedChange {
  kind: ChangedKind
  change: WrittenJson
}

/** Returns the changes in the order of kinds: a venue precedes the events that link to it. */
function inOrder(told: readonly FeedChange[]): WrittenJson[] {
  return FEED_KINDS.flatMap((kind) => told.filter((one) => one.kind === kind).map(({ change }) => change))
}

async function describe(
  context: Context,
  query: FeedQuery,
  looks: readonly LookedAt[],
): Promise<Map<string, WrittenJson>> {
  const described = new Map<string, WrittenJson>()
  for (const [kind, some] of Map.groupBy(looks, (look) => look.kind))
    for (const [id, change] of await describeKind(context, query, kind, some))
      described.set(`${kind} ${id}`, change)
  return described
}

async function describeKind(
  context: Context,
  query: FeedQuery,
  kind: ChangedKind,
  looks: readonly LookedAt[],
): Promise<Map<number, WrittenJson>> {
  const shown = await findShown(context, kind, [...new Set(looks.map(({ id }) => id))], query.filters)
  // A first walk reports no deletions: the reader has nothing to delete.
  const gone = query.since?.from === undefined ? [] : looks.filter(({ id }) => !shown.has(id))
  const known = gone.length === 0 ? () => false : await mayLearnGone(context, kind, gone)
  const changes = new Map<number, WrittenJson>()
  for (const [id, record] of shown) changes.set(id, upsert(kind, id, record))
  for (const { id } of gone.filter(known)) changes.set(id, removal(kind, id))
  return changes
}

function upsert(kind: ChangedKind, id: number, record: object): WrittenJson {
  const parts = isWritten(record) ? record.parts : [Buffer.from(JSON.stringify(record))]
  const head = Buffer.from(`{"action":"upsert","kind":"${kind}","id":${id},"record":`)
  return writtenJson([head, ...parts, END])
}

const END = Buffer.from('}')

function removal(kind: ChangedKind, id: number): WrittenJson {
  return writtenJson([Buffer.from(JSON.stringify({ action: 'delete', kind, id }))])
}

async function findShown(
  context: Context,
  kind: ChangedKind,
  ids: readonly number[],
  filters: FeedQuery['filters'],
): Promise<Map<number, object>> {
  const { operations } = resourceNamed(kind)
  if (!operations.among) throw new Error(`lists of ${kind} cannot be narrowed to records`)
  const memory = kind === 'event' ? await memoryOfNow(context) : undefined
  const whole = { ...context, memory, site: { ...context.site, pageSizeCap: ids.length } }
  const found = await operations.among(whole, ids, kind === 'event' ? filters : {})
  return showSome(whole, operations, found)
}

/**
 * Returns the in-memory cache once it has caught up: a page must not be older than its cursor.
 * @returns undefined without a cache, or if it cannot catch up
 */
async function memoryOfNow({ memory, report }: Context): Promise<EventMemory | undefined> {
  if (!memory) return undefined
  try {
    await catchUp(memory)
    return memory
  } catch (error) {
    report(error)
    return undefined
  }
}

async function showSome(
  context: Context,
  operations: Operations,
  found: FoundRecords,
): Promise<Map<number, object>> {
  const written = await operations.loadJson?.(context, found, 'window')
  // If records were deleted meanwhile, it is unknown to which ids the others belong: they are presented one
  // by one.
  if (written?.length !== found.ids.length)
    return presentById(context, operations.presentation, await operations.load(context, found))
  return new Map(written.map((record, i) => [found.ids[i] ?? 0, record]))
}

/**
 * Makes a test whether the caller may learn the id of a gone record: its change says that it was public, or
 * the caller may read such records.
 */
async function mayLearnGone(
  { db, caller }: Context,
  kind: ChangedKind,
  gone: readonly LookedAt[],
): Promise<(look: LookedAt) => boolean> {
  const ids = gone.map(({ id }) => id)
  if (kind === 'category' || kind === 'tag') {
    const others = new Set(
      (await findTermsByIds(db, ids)).flatMap(({ id, taxonomy }) => (taxonomy === kind ? [] : [id])),
    )
    return ({ id }) => !others.has(id)
  }
  if (seesUnpublished(caller)) return () => true
  const owners = await listOwners(db, kind, ids)
  const readable = new Set(owners.filter((row) => mayRead(caller, row)).map(({ id }) => id))
  return ({ id, change }) => readable.has(id) || change?.was_public === 1 || change?.is_public === 1
}
