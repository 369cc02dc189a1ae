import { hash } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { isRecord, parsedJson } from '../../base/foreign-json.ts'
import type { Context } from '../../calendar/declare/context.ts'
import {
  type CheckedRow,
  cellKey,
  checkRow,
  guessOrder,
  hasUnclearDates,
  IN_A_TURN,
  nameKey,
  type RowColumns,
} from './check-rows.ts'
import { COLUMN_MEANINGS, type ColumnMeaning, type DateOrder } from './csv-cells.ts'
import type { StagedAddress } from './desk-address.ts'
import { addressOf, findPieces, listBroughtIn } from './desk-import-store.ts'
import { isMessage, type Message, message, showMessage, showPlace } from './import-messages.ts'
import type { DeskImportColumns } from './import-tables.ts'
import type { Table } from './read-table.ts'
import { type EventHere, findEventsHere } from './row-matches.ts'
import { FILE_COLUMNS, type FileRow } from './staged-file.ts'

// An import of a table at the desk: its rows, the choices of the person, and what becomes of each row.

export const ROW_ACTS = ['new', 'update', 'leave'] as const
type RowAct = (typeof ROW_ACTS)[number]

export const NEW_STATUSES = ['draft', 'publish', 'pending'] as const
export type NewStatus = (typeof NEW_STATUSES)[number]

export interface RowChoices {
  hasHeading: boolean
  columns: readonly (ColumnMeaning | '')[]
  dates: DateOrder | ''
  mended: Readonly<Record<string, string>>
  acts: Readonly<Record<string, RowAct>>
  /** For all new events: the status, names separated by commas, the id of a picture or 0. */
  status: NewStatus
  categories: string
  organizers: string
  image: number
}

export type StagedContent = { kind: 'table' } | { kind: 'file'; said: Message[] } | StagedAddress

export function readContent({ content }: Pick<DeskImportColumns, 'content'>): StagedContent {
  const value = parsedJson(content)
  if (isRecord(value) && value.kind === 'address') return { kind: 'address', address: String(value.address) }
  if (!isRecord(value) || value.kind !== 'file') return { kind: 'table' }
  return { kind: 'file', said: Array.isArray(value.said) ? value.said.filter(isMessage) : [] }
}

export function readChoices({ choices }: Pick<DeskImportColumns, 'choices'>): RowChoices {
  const value = parsedJson(choices)
  const read = isRecord(value) ? value : {}
  const texts = (one: unknown) =>
    isRecord(one) ? Object.entries(one).map(([name, text]) => [name, String(text)]) : []
  const columns = Array.isArray(read.columns) ? read.columns : []
  return {
    hasHeading: read.hasHeading === true,
    columns: columns.map((name) => COLUMN_MEANINGS.find((meaning) => meaning === name) ?? ''),
    dates: read.dates === 'european' || read.dates === 'american' ? read.dates : '',
    mended: Object.fromEntries(texts(read.mended)),
    acts: Object.fromEntries(texts(read.acts)),
    status: NEW_STATUSES.find((status) => status === read.status) ?? 'draft',
    categories: String(read.categories ?? ''),
    organizers: String(read.organizers ?? ''),
    image: Number(read.image ?? 0),
  }
}

export const isStagedAddress = (content: StagedContent): content is StagedAddress =>
  content.kind === 'address'

// Rows are stored in pieces, so that a page need not load all of them.

type KeptRow = readonly string[] | FileRow
export type KeptRows = Table | readonly FileRow[]

const IN_A_PIECE = 100

/** In characters of JSON: every row may repeat a long venue. */
const MOST_KEPT = 20_000_000

/** Packs rows as JSON. @returns undefined if that is longer than `MOST_KEPT` */
export async function piecesOf(rows: KeptRows): Promise<string[] | undefined> {
  const pieces: string[] = []
  let left = MOST_KEPT
  for (let from = 0; from < rows.length; from += IN_A_PIECE) {
    const texts: string[] = []
    for (const row of rows.slice(from, from + IN_A_PIECE)) {
      const text = JSON.stringify(row)
      left -= text.length
      if (left < 0) return undefined
      texts.push(text)
    }
    pieces.push(`[${texts.join(',')}]`)
    await nextTurn()
  }
  return pieces
}

async function loadRows(
  db: Context['db'],
  id: number,
  wanted?: readonly number[],
): Promise<Map<number, KeptRow>> {
  const asked = wanted && new Set(wanted)
  const pieces = asked && [...new Set([...asked].map((at) => Math.floor(at / IN_A_PIECE)))]
  const loaded = new Map<number, KeptRow>()
  for (const { piece, content } of await findPieces(db, id, pieces)) {
    const rows: KeptRow[] = JSON.parse(content)
    for (const [at, row] of rows.entries()) {
      const place = piece * IN_A_PIECE + at
      if (!asked || asked.has(place)) loaded.set(place, row)
    }
    await nextTurn()
  }
  return loaded
}

export const isTexts = (row: KeptRow): row is readonly string[] => Array.isArray(row)

/** Loads all rows as texts; an unreadable row of a file has cells to be filled in. */
export async function loadTable(db: Context['db'], id: number): Promise<Table> {
  return [...(await loadRows(db, id)).values()].map((row) => (isTexts(row) ? row : row.cells))
}

/** What becomes of a row. `mend`: it has faults to correct; `in`: an earlier run has imported it. */
export type Fate = RowAct | 'mend' | 'in'

export interface StagedRow extends CheckedRow {
  fate: Fate
  here: EventHere | undefined
  twin: number | undefined
}

export const GROUPS = ['mend', 'there', 'new', 'in'] as const
export type Group = (typeof GROUPS)[number]

export const groupOf = ({ fate, here, twin, items }: StagedRow): Group => {
  if (fate === 'in') return fate
  if (items.length === 0) return 'mend'
  return here || twin !== undefined ? 'there' : 'new'
}

/** A letter for each group and fate, as stored in `Checked`. */
const LETTERS = {
  m: ['mend', 'mend'],
  x: ['mend', 'leave'],
  n: ['new', 'new'],
  l: ['new', 'leave'],
  N: ['there', 'new'],
  L: ['there', 'leave'],
  U: ['there', 'update'],
  i: ['in', 'in'],
} as const satisfies Record<string, readonly [Group, Fate]>

const STANDINGS = new Map<string, readonly [Group, Fate]>(Object.entries(LETTERS))
const LETTER_OF = new Map(Object.entries(LETTERS).map(([letter, standing]) => [standing.join(), letter]))

/** The stored check of all rows; a page checks only those that it shows. */
export interface Checked {
  letters: string
  twins: Readonly<Record<string, number>>
  /** Hashes, equal for rows of the same event; empty without a time. */
  keys: readonly string[]
  order: DateOrder
  /** True if the order of day and month is asked for. */
  isUnclear: boolean
  headings: readonly string[]
}

export function readChecked({ checked }: Pick<DeskImportColumns, 'checked'>): Checked | undefined {
  const read: Checked | undefined = checked === '' ? undefined : JSON.parse(checked)
  return read?.keys && read
}

export const standingsIn = ({ letters }: Pick<Checked, 'letters'>): (readonly [Group, Fate])[] =>
  Array.from(letters, (letter) => STANDINGS.get(letter) ?? LETTERS.m)

export type FateCounts = Record<Fate, number>

export function countFates(checked: Pick<Checked, 'letters'>): FateCounts {
  const counts: FateCounts = { new: 0, update: 0, leave: 0, mend: 0, in: 0 }
  for (const [, fate] of standingsIn(checked)) counts[fate] += 1
  return counts
}

type Staged = Pick<DeskImportColumns, 'id'>

/** Checks all rows, with event loop turns in between. @param rows loaded from the database if undefined */
export async function stageRows(
  context: Context,
  row: Staged,
  choices: RowChoices,
  rows?: KeptRows,
): Promise<{ rows: StagedRow[]; checked: Checked }> {
  const kept = rows ?? [...(await loadRows(context.db, row.id)).values()]
  const table = kept.filter(isTexts)
  const columns = columnsOf(choices)
  const order = choices.dates === '' ? guessOrder(context, table, columns) : choices.dates
  const from = Number(choices.hasHeading)
  const checked: CheckedRow[] = []
  for (const [at, one] of kept.slice(from).entries()) {
    checked.push(checkKept(context, at + 1, one, choices, order))
    if (at % IN_A_TURN === IN_A_TURN - 1) await nextTurn()
  }
  const keys = checked.map(keyOfRow)
  const twins = findTwins(keys)
  const staged = await settleRows(context, row, checked, choices, twins)
  return {
    rows: staged,
    checked: {
      letters: staged.map(letterOf).join(''),
      twins: Object.fromEntries(twins),
      keys,
      order,
      isUnclear: choices.dates !== '' || hasUnclearDates(table, columns),
      headings: from === 1 ? (table[0] ?? []) : [],
    },
  }
}

const letterOf = (row: StagedRow): string => LETTER_OF.get([groupOf(row), row.fate].join()) ?? 'm'

/** At most this many changed rows are checked in one event loop turn; for more, all rows, a few per turn. */
const MOST_AGAIN = 500

/** Checks the rows that the changes affect: all rows if columns, dates or heading have changed. */
export async function stageChanged(
  context: Context,
  row: Staged & Pick<DeskImportColumns, 'choices' | 'checked'>,
  choices: RowChoices,
): Promise<Checked> {
  const [before, checked] = [readChoices(row), readChecked(row)]
  const tableOf = ({ columns, dates, hasHeading }: RowChoices) => ({ columns, dates, hasHeading })
  const all = async () => (await stageRows(context, row, choices)).checked
  if (!checked || !isDeepStrictEqual(tableOf(before), tableOf(choices))) return all()
  const numbers = new Set([
    ...differing(before.mended, choices.mended),
    ...differing(before.acts, choices.acts),
  ])
  if (numbers.size > MOST_AGAIN) return all()
  const keys = [...checked.keys]
  for (const one of await stageSome(context, row, choices, checked, [...numbers]))
    keys[one.number - 1] = keyOfRow(one)
  const twins = findTwins(keys)
  for (const number of keys.keys())
    if (twins.get(number + 1) !== checked.twins[number + 1]) numbers.add(number + 1)
  if (numbers.size > MOST_AGAIN) return all()
  const settled = { ...checked, keys, twins: Object.fromEntries(twins) }
  const letters = Array.from(checked.letters)
  for (const one of await stageSome(context, row, choices, settled, [...numbers]))
    letters[one.number - 1] = letterOf(one)
  return { ...settled, letters: letters.join('') }
}

function differing<Value>(before: Readonly<Record<string, Value>>, now: Readonly<Record<string, Value>>) {
  const names = Object.keys({ ...before, ...now }).filter((name) => before[name] !== now[name])
  return names.map((name) => Number.parseInt(name, 10))
}

export async function stageSome(
  context: Context,
  row: Staged,
  choices: RowChoices,
  { twins, order, letters }: Checked,
  numbers: readonly number[],
): Promise<StagedRow[]> {
  if (numbers.length === 0) return []
  const from = Number(choices.hasHeading)
  const kept = await loadRows(
    context.db,
    row.id,
    numbers.map((number) => number - 1 + from),
  )
  const checked = numbers.flatMap((number) => {
    const one = kept.get(number - 1 + from)
    return one ? [checkKept(context, number, one, choices, order)] : []
  })
  const known = new Map(Object.entries(twins).map(([number, twin]) => [Number(number), twin]))
  return settleRows(context, row, checked, choices, known, letters.includes('i'))
}

const columnsOf = ({ columns }: RowChoices): RowColumns =>
  columns.map((meaning) => (meaning === '' ? undefined : meaning))

function checkKept(
  context: Context,
  number: number,
  row: KeptRow,
  { columns, mended }: RowChoices,
  order: DateOrder,
): CheckedRow {
  const own = isTexts(row) ? row : row.cells
  const cells = own.map((cell, column) => mended[cellKey(number, column)] ?? cell)
  const asked = { columns: columns.map((meaning) => (meaning === '' ? undefined : meaning)), order }
  if (isTexts(row)) return checkRow(context, number, cells, asked)
  const { fault, ...known } = row
  if (!fault) return { ...known, faults: new Map() }
  const filled = checkRow(context, number, cells, { columns: FILE_COLUMNS, order })
  const faults =
    filled.items.length > 0 ? filled.faults : new Map([...filled.faults, [-1, describeFault(context, fault)]])
  return { ...filled, faults, isBlank: true }
}

function describeFault({ site }: Context, { at, uid, reason }: NonNullable<FileRow['fault']>): string {
  const place = showPlace(site, at)
  return showMessage(
    site,
    uid === ''
      ? message('{place}: {reason}', { place, reason })
      : message('{place}, UID {uid}: {reason}', { place, uid, reason }),
  )
}

function keyOfRow({ title, when, venue }: CheckedRow): string {
  if (!when) return ''
  return hash('sha256', `${nameKey(title)}\n${when.utc}\n${nameKey(venue)}`, 'base64').slice(0, 10)
}

function findTwins(keys: readonly string[]): Map<number, number> {
  const first = new Map<string, number>()
  const twins = new Map<number, number>()
  for (const [at, key] of keys.entries()) {
    const twin = first.get(key)
    if (key === '') continue
    if (twin === undefined) first.set(key, at + 1)
    else twins.set(at + 1, twin)
  }
  return twins
}

/** @param mayBeIn false if no earlier run has imported a row, which saves a query */
async function settleRows(
  context: Context,
  row: Staged,
  checked: readonly CheckedRow[],
  choices: RowChoices,
  twins: ReadonlyMap<number, number>,
  mayBeIn = true,
): Promise<StagedRow[]> {
  const known = mayBeIn ? await listBroughtIn(context.db, addressOf(row)) : new Map<string, number>()
  const own = new Set(known.values())
  const left = checked.filter(({ identity }) => !known.has(identity))
  const here = await findEventsHere(context, left, own)
  return checked.map((one): StagedRow => {
    const { number } = one
    const found = isRepeating(one) ? unchangeable(here.get(number)) : here.get(number)
    const staged = { ...one, here: found, twin: twins.get(number) }
    return { ...staged, fate: known.has(one.identity) ? 'in' : fateOf(staged, choices.acts[String(number)]) }
  })
}

function fateOf({ items, here, twin }: Omit<StagedRow, 'fate'>, act: RowAct | undefined): Fate {
  if (act === 'leave') return 'leave'
  if (items.length === 0) return 'mend'
  if (act === 'update' && here?.mayUpdate) return 'update'
  if (act === 'new') return 'new'
  return here || twin !== undefined ? 'leave' : 'new'
}

const isRepeating = ({ items }: CheckedRow) => items.some(({ kind }) => kind === 'series')

/** A single event here cannot become a series by an update. */
const unchangeable = (here: EventHere | undefined) => here && { ...here, mayUpdate: false }
