import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Problem } from '../../base/problems.ts'
import { decodedText, plainText } from '../../base/text/html.ts'
import type { Context } from '../../calendar/declare/context.ts'
import { parseNew } from '../../calendar/declare/parse.ts'
import { events } from '../../calendar/resources.ts'
import { type CheckedRow, IN_A_TURN, identityOf } from './check-rows.ts'
import type { ColumnMeaning } from './csv-cells.ts'
import { besideWriting, fileSource } from './file-source.ts'
import { type Message, message, messageIn } from './import-messages.ts'
import { type SourceEntry, type SourceItem, settledOf, standsAlone } from './source-item.ts'

// Reads a file at the desk as rows: events, series, unreadable entries.

interface StagedFile {
  kind: 'ics' | 'json'
  text: string
}

export const FILE_COLUMNS = ['start_date', 'start_time', 'title', 'venue'] as const satisfies ColumnMeaning[]

export interface FileRow extends Omit<CheckedRow, 'faults'> {
  /** Why an entry could not be read, and where it is in the file. */
  fault?: { at: string; uid: string; reason: Message }
}

interface FileRows {
  rows: FileRow[]
  said: Message[]
}

const MOST_SAID = 50
const MOST_RECORDS = 10_000

/** Reads a file as rows; undefined for too many. @throws ImportError when the file cannot be read */
export async function rowsOfFile(context: Context, file: StagedFile): Promise<FileRows | undefined> {
  const folder = await mkdtemp(join(tmpdir(), 'kalends-import-'))
  try {
    const path = join(folder, `source.${file.kind}`)
    await writeFile(path, file.text)
    const title = message('The file')
    const task = { file: path, name: 'desk', title, map: [], dates: undefined, zone: context.site.timezone }
    const source = besideWriting(await fileSource(task), task)
    const read: ReadFile = { items: [], faults: [], said: [] }
    const reading = { context, images: true, addresses: false, expectsNew: () => false }
    let count = 0
    for await (const entry of source.entries(reading)) {
      note(read, entry)
      count += 1
      if (count > MOST_RECORDS * 5) return undefined
      if (count % IN_A_TURN === 0) await nextTurn()
    }
    const rows = await rowsOfEntries(context, read)
    return rows.length > MOST_RECORDS ? undefined : { rows, said: read.said }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

interface Fault {
  at: string
  reason: Message
  identity?: string
  name?: string
}

interface ReadFile {
  items: SourceItem[]
  faults: Fault[]
  said: Message[]
}

function note({ items, faults, said }: ReadFile, entry: SourceEntry): void {
  // What a thread computed ahead is not stored with the row.
  if ('kind' in entry) items.push({ ...entry, ahead: undefined })
  else if ('reason' in entry) faults.push(entry)
  else if ('cutOff' in entry) said.push(entry.cutOff)
  else if ('unread' in entry && said.length < MOST_SAID) said.push(entry.unread)
}

const MERGED = 'It is in the file {count} times, and comes in once, as it is there first.'

/** A fault of an event that was read becomes a note at its row, any other a row of its own. */
async function rowsOfEntries(context: Context, { items, faults }: ReadFile): Promise<FileRow[]> {
  const linked = new Map(
    items.flatMap((item) => (standsAlone(item.kind) ? [] : [[`${item.kind} ${item.identity}`, item]])),
  )
  const standing = items.filter(({ kind }) => standsAlone(kind))
  const whole = new Set(standing.flatMap((item) => (item.occurrence === '' ? [item.identity] : [])))
  const alone = Map.groupBy(
    standing.map((item) => (whole.has(item.identity) ? item : singleOf(item))),
    ({ identity }) => identity,
  )
  const places = new Set([...alone.values()].flatMap((same) => same.map(({ at }) => at)))
  const isNote = ({ at, identity = '' }: Fault) => places.has(at) || alone.has(identity)
  const notes = Map.groupBy(faults.filter(isNote), ({ at }) => at)
  const rows: FileRow[] = []
  for (const same of alone.values()) {
    const [main, ...others] = same.filter(({ occurrence }) => occurrence === '')
    if (!main) continue
    const beside = same.filter((item) => item !== main && item.occurrence !== '')
    const said = [...new Set(same.map(({ at }) => at))].flatMap((at) => notes.get(at) ?? [])
    const row = rowOfItem(context, rows.length + 1, main, beside, linked)
    const count = others.length + 1
    const again = count > 1 ? [message(MERGED, { count: String(count) })] : []
    rows.push({ ...row, notes: [...again, ...said.map(({ reason }) => reason)] })
    if (rows.length % IN_A_TURN === 0) await nextTurn()
  }
  for (const fault of faults) if (!isNote(fault)) rows.push(blankRow(rows.length + 1, fault))
  return rows
}

function blankRow(number: number, { at, reason, identity: uid = '', name: title = '' }: Fault): FileRow {
  const cells = ['', '', title, '']
  const known = { number, identity: identityOf(number), cells, notes: [], isBlank: true }
  return { ...known, title, venue: '', when: undefined, items: [], fault: { at, uid, reason } }
}

/** Turns an occurrence whose series was not read into a single event. */
const singleOf = (item: SourceItem): SourceItem => ({
  ...item,
  identity: `${item.identity}, ${item.occurrence}`,
  occurrence: '',
})

const LINKS = { venue: 'venue', organizer: 'organizer', categories: 'category', tags: 'tag' } as const

function rowOfItem(
  context: Context,
  number: number,
  main: SourceItem,
  beside: readonly SourceItem[],
  linked: ReadonlyMap<string, SourceItem>,
): FileRow {
  const links = [main, ...beside].flatMap(({ links: own }) =>
    (Object.keys(LINKS) as (keyof typeof LINKS)[]).flatMap((name) =>
      (own[name] ?? []).flatMap((identity) => linked.get(`${LINKS[name]} ${identity}`) ?? []),
    ),
  )
  const title = plainText(String(main.values.title ?? main.name))
  const venue = decodedText(links.find(({ kind }) => kind === 'venue')?.name ?? '')
  const own = settledOf(main, context)
  if (!own) {
    const fault = { at: main.at, uid: main.uid ?? '', reason: refusalOfItem(context, main) }
    const [day = '', time = ''] = String(main.values.start_date ?? '').split(' ')
    return { ...blankRow(number, fault), cells: [day, time.slice(0, 5), title, venue], title, venue, fault }
  }
  const when = {
    start: own.start_date,
    end: own.end_date,
    isAllDay: own.all_day === 1,
    zone: own.timezone,
    utc: own.utc_start_date,
    hasEnd: true,
  }
  const known = { number, identity: main.identity, cells: ['', '', title, venue], notes: [], isBlank: false }
  return { ...known, title, venue, when, items: [...new Set(links), main, ...beside] }
}

function refusalOfItem(context: Context, { values }: SourceItem): Message {
  try {
    parseNew(events.resource.fields, values, context)
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return messageIn(error)
  }
  return message('It has no start.')
}
