import { isRecord, parsedJson } from '../../base/foreign-json.ts'
import type { Context } from '../../calendar/declare/context.ts'
import { type CheckedRow, checkRows, nameKey } from './check-rows.ts'
import { COLUMN_MEANINGS, type ColumnMeaning, type DateOrder } from './csv-cells.ts'
import type { StagedAddress } from './desk-address.ts'
import { addressOf, listBroughtIn } from './desk-import-store.ts'
import type { DeskImportColumns } from './import-tables.ts'
import type { Table } from './read-table.ts'
import { type EventHere, findEventsHere } from './row-matches.ts'
import { rowsOfFile, type StagedFile } from './staged-file.ts'

// A table that somebody brings in at the desk: its rows, what was chosen, and what becomes of each row.

/** What becomes of a row. */
export const ROW_ACTS = ['new', 'update', 'leave'] as const
export type RowAct = (typeof ROW_ACTS)[number]

export const NEW_STATUSES = ['draft', 'publish', 'pending'] as const
export type NewStatus = (typeof NEW_STATUSES)[number]

export interface RowChoices {
  hasHeading: boolean
  /** By column; empty for one that is left out. */
  columns: readonly (ColumnMeaning | '')[]
  dates: DateOrder | ''
  /** Mended cells, by `cellKey`. */
  mended: Readonly<Record<string, string>>
  /** By row number. */
  acts: Readonly<Record<string, RowAct>>
  /** For all new events: names between commas, the id of a picture or 0. */
  status: NewStatus
  categories: string
  organizers: string
  image: number
}

export type StagedContent = Table | StagedFile | StagedAddress

/** @throws Error for another text: the database has only what this version has written */
export function readContent({ content }: Pick<DeskImportColumns, 'content'>): StagedContent {
  const value = parsedJson(content)
  if (isRecord(value) && value.kind === 'address') return { kind: 'address', address: String(value.address) }
  if (isRecord(value) && (value.kind === 'ics' || value.kind === 'json'))
    return { kind: value.kind, text: String(value.text) }
  if (!Array.isArray(value)) throw new Error('The table of an import cannot be read.')
  return value.map((row) => (Array.isArray(row) ? row.map(String) : []))
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

/** `in`: it came in by an earlier run. */
export type Fate = RowAct | 'mend' | 'in'

export interface StagedRow extends CheckedRow {
  fate: Fate
  /** The event that it may be. */
  here: EventHere | undefined
  /** The number of an earlier row that says the same. */
  twin: number | undefined
  /** Once it is in. */
  record: number | undefined
}

async function checkContent(
  context: Context,
  content: StagedContent,
  choices: RowChoices,
): Promise<CheckedRow[]> {
  if (isStagedFile(content)) return (await rowsOfFile(context, content))?.rows ?? []
  if (isStagedAddress(content)) return []
  const columns = choices.columns.map((meaning) => (meaning === '' ? undefined : meaning))
  const dates = choices.dates === '' ? undefined : choices.dates
  return checkRows(context, content, { ...choices, columns, dates })
}

export const isStagedFile = (content: StagedContent): content is StagedFile =>
  'kind' in content && content.kind !== 'address'

export const isStagedAddress = (content: StagedContent): content is StagedAddress =>
  'kind' in content && content.kind === 'address'

/** All rows, with what becomes of each. */
export async function stageRows(
  context: Context,
  row: Pick<DeskImportColumns, 'id' | 'content'>,
  choices: RowChoices,
): Promise<StagedRow[]> {
  const checked = await checkContent(context, readContent(row), choices)
  const known = await listBroughtIn(context.db, addressOf(row))
  const own = new Set(known.values())
  const here = await findEventsHere(
    context,
    checked.filter(({ identity }) => !known.has(identity)),
    own,
  )
  const first = new Map<string, number>()
  return checked.map((one): StagedRow => {
    const { number, identity } = one
    const record = known.get(identity)
    const key = `${nameKey(one.title)}\n${one.when?.utc}\n${nameKey(one.venue)}`
    const twin = one.when ? first.get(key) : undefined
    if (one.when && twin === undefined) first.set(key, number)
    const found = isRepeating(one) ? unchangeable(here.get(number)) : here.get(number)
    const told = { ...one, here: found, twin, record }
    if (record !== undefined) return { ...told, fate: 'in' }
    const act = choices.acts[String(number)]
    if (act === 'leave') return { ...told, fate: 'leave' }
    if (one.items.length === 0) return { ...told, fate: 'mend' }
    if (act === 'update' && found?.mayUpdate) return { ...told, fate: 'update' }
    if (act === 'new') return { ...told, fate: 'new' }
    return { ...told, fate: found || twin !== undefined ? 'leave' : 'new' }
  })
}

const isRepeating = ({ items }: CheckedRow) => items.some(({ kind }) => kind === 'series')

/** A single event here does not become a series. */
const unchangeable = (here: EventHere | undefined) => here && { ...here, mayUpdate: false }

export type FateCounts = Record<Fate, number>

export function countFates(rows: readonly StagedRow[]): FateCounts {
  const counts: FateCounts = { new: 0, update: 0, leave: 0, mend: 0, in: 0 }
  for (const { fate } of rows) counts[fate] += 1
  return counts
}
