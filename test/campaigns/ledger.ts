import { isDeepStrictEqual } from 'node:util'

// The expected state of a calendar: every acknowledged write, and the possible outcomes of unanswered
// requests.

export const KINDS = ['events', 'venues', 'organizers', 'categories', 'tags', 'images'] as const
export type Kind = (typeof KINDS)[number]

export type State = Readonly<Record<string, string | number | readonly string[]>>

export interface Entry {
  kind: Kind
  id: number
  slug: string
  state: State
  owner: number | undefined
}

export interface Change {
  kind: Kind
  id: number | undefined
  name: string
  after: State | undefined
  isShared?: boolean
}

export interface Attempt {
  writer: number
  request: string
  changes: readonly Change[]
}

export interface Ledger {
  entries: Map<string, Entry>
  owned: Map<string, Map<number, Entry>>
  /** Keys of the records changed since this was last cleared. */
  touched: Set<string>
  open: Set<Attempt>
  acknowledged: number
}

export type Stored = ReadonlyMap<string, Entry>

export const keyOf = (kind: Kind, id: number) => `${kind}:${id}`

export function openLedger(stored: Stored): Ledger {
  const ledger: Ledger = {
    entries: new Map(),
    owned: new Map(),
    touched: new Set(),
    open: new Set(),
    acknowledged: 0,
  }
  for (const entry of stored.values()) put(ledger, entry)
  return ledger
}

export function ownRecords(ledger: Ledger, kind: Kind, owner: number | undefined): Entry[] {
  return [...(ledger.owned.get(`${kind}:${owner}`)?.values() ?? [])]
}

function put(ledger: Ledger, entry: Entry): void {
  const group = `${entry.kind}:${entry.owner}`
  const key = keyOf(entry.kind, entry.id)
  ledger.entries.set(key, entry)
  ledger.touched.add(key)
  const owned = ledger.owned.get(group)
  if (owned) owned.set(entry.id, entry)
  else ledger.owned.set(group, new Map([[entry.id, entry]]))
}

function drop(ledger: Ledger, kind: Kind, id: number): void {
  const known = ledger.entries.get(keyOf(kind, id))
  ledger.entries.delete(keyOf(kind, id))
  if (known) ledger.owned.get(`${kind}:${known.owner}`)?.delete(id)
}

export function acknowledge(ledger: Ledger, attempt: Attempt, shown: ReadonlyMap<string, Shown>): void {
  ledger.open.delete(attempt)
  ledger.acknowledged += 1
  for (const change of attempt.changes) {
    const found = shown.get(`${change.kind}:${change.name}`)
    const id = change.id ?? found?.id
    if (id === undefined) throw new Error(`${attempt.request} says nothing of ${change.kind} ${change.name}`)
    enter(ledger, attempt, change, id, found?.slug)
  }
}

export interface Shown {
  id: number
  slug: string
}

function enter(ledger: Ledger, attempt: Attempt, change: Change, id: number, slug: string | undefined): void {
  const { kind, after } = change
  if (!after) {
    drop(ledger, kind, id)
    return
  }
  const owner = change.isShared ? undefined : attempt.writer
  const known = ledger.entries.get(keyOf(kind, id))
  put(ledger, { kind, id, slug: slug ?? known?.slug ?? '', state: after, owner })
}

export interface Findings {
  problems: string[]
  done: number
  undone: number
}

export function settle(ledger: Ledger, stored: Stored): Findings {
  const findings: Findings = { problems: [], done: 0, undone: 0 }
  const named = new Map([...stored.values()].map((entry) => [`${entry.kind}:${nameOf(entry)}`, entry]))
  const problems = [...findDoubles(stored)]
  for (const attempt of ledger.open) {
    const outcome = outcomeOf(ledger, attempt, stored, named)
    if (outcome === 'done') findings.done += 1
    else if (outcome === 'undone') findings.undone += 1
    else problems.push(`half done: ${attempt.request}, ${outcome}`)
    if (outcome !== 'undone') adopt(ledger, attempt, stored, named)
  }
  ledger.open.clear()
  problems.push(...differences(ledger.entries, stored))
  return { ...findings, problems }
}

type ByName = ReadonlyMap<string, Entry>

const storedOf = (change: Change, stored: Stored, named: ByName): Entry | undefined =>
  change.id === undefined
    ? named.get(`${change.kind}:${change.name}`)
    : stored.get(keyOf(change.kind, change.id))

function outcomeOf(ledger: Ledger, attempt: Attempt, stored: Stored, named: ByName): string {
  const own = attempt.changes.filter((change) => !change.isShared)
  const isAfter = (change: Change) => isDeepStrictEqual(storedOf(change, stored, named)?.state, change.after)
  const isBefore = (change: Change) =>
    isDeepStrictEqual(storedOf(change, stored, named)?.state, before(ledger, change))
  if (own.every(isAfter)) {
    const missing = attempt.changes.find((change) => change.isShared && !storedOf(change, stored, named))
    return missing ? `${missing.kind} ${missing.name} is missing` : 'done'
  }
  if (own.every(isBefore)) return 'undone'
  return own
    .map(
      (change) => `${change.kind} ${change.name}: ${JSON.stringify(storedOf(change, stored, named)?.state)}`,
    )
    .join('; ')
}

const before = (ledger: Ledger, { kind, id }: Change): State | undefined =>
  id === undefined ? undefined : ledger.entries.get(keyOf(kind, id))?.state

function adopt(ledger: Ledger, attempt: Attempt, stored: Stored, named: ByName): void {
  for (const change of attempt.changes) {
    const found = storedOf(change, stored, named)
    const id = change.id ?? found?.id
    if (id === undefined) continue
    if (found) put(ledger, { ...found, owner: change.isShared ? undefined : attempt.writer })
    else drop(ledger, change.kind, id)
  }
}

function* findDoubles(stored: Stored): Generator<string> {
  const seen = new Map<string, Entry>()
  for (const entry of stored.values()) {
    const name = `${entry.kind} ${nameOf(entry)}`
    const first = seen.get(name)
    const pair = first
      ? [first, entry].sort((a, b) => a.id - b.id).map(({ id, slug }) => `${id} ${slug}`)
      : []
    if (first) yield `twice there: ${name}, ${pair.join(' and ')}`
    seen.set(name, entry)
  }
}

export function nameOf({ state }: Pick<Entry, 'state'>): string {
  return String(Object.values(state)[0])
}

export function differences(expected: Stored, found: Stored): string[] {
  const wrong = [...expected].flatMap(([key, entry]) => {
    const other = found.get(key)
    if (!other) return [`lost: ${key} ${nameOf(entry)}`]
    if (other.slug !== entry.slug) return [`another slug: ${key} has ${other.slug}, not ${entry.slug}`]
    if (isDeepStrictEqual(other.state, entry.state)) return []
    return [`wrong: ${key} is ${JSON.stringify(other.state)}, not ${JSON.stringify(entry.state)}`]
  })
  const more = [...found].filter(([key]) => !expected.has(key))
  return [...wrong, ...more.map(([key, entry]) => `nobody's: ${key} ${nameOf(entry)}`)]
}
