import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { messageOf } from '../../base/errors.ts'
import { decodedText, plainText } from '../../base/text/html.ts'
import type { Context } from '../../calendar/declare/context.ts'
import { type CheckedRow, faultsOfItem } from './check-rows.ts'
import type { ColumnMeaning } from './csv-cells.ts'
import { openSource } from './open-source.ts'
import { type SourceItem, settledOf, standsAlone } from './source-item.ts'

// Reads a calendar file at the desk as rows: each event or series is one.

export interface StagedFile {
  kind: 'ics' | 'json'
  text: string
}

export const FILE_COLUMNS = ['start_date', 'start_time', 'title', 'venue'] as const satisfies ColumnMeaning[]

export interface FileRows {
  rows: CheckedRow[]
  /** What the reader says of what it could not read. */
  unread: string[]
}

const MOST_UNREAD = 50
const MOST_RECORDS = 10_000

/** Undefined for a file that has more. @throws Error with one sentence when it cannot be read */
export async function rowsOfFile(context: Context, file: StagedFile): Promise<FileRows | undefined> {
  const folder = await mkdtemp(join(tmpdir(), 'kalends-import-'))
  try {
    const path = join(folder, `source.${file.kind}`)
    await writeFile(path, file.text)
    const { source, close } = await openSource(path, {}, { zone: context.site.timezone, backOffMs: 0 })
    const items: SourceItem[] = []
    const unread: string[] = []
    const note = (text: string) => unread.length < MOST_UNREAD && unread.push(text)
    const reading = { context, images: true, addresses: false, expectsNew: () => true }
    for await (const entry of source.entries(reading)) {
      if ('kind' in entry) items.push(entry)
      else if ('reason' in entry) note(`${entry.at}: ${entry.reason}`)
      else if ('cutOff' in entry) note(entry.cutOff)
      if (items.length > MOST_RECORDS * 5) return undefined
    }
    await close()
    const rows = rowsOfItems(context, items)
    return rows.length > MOST_RECORDS ? undefined : { rows, unread }
  } catch (error) {
    // A path of this machine is nobody's business.
    throw new Error(messageOf(error).replaceAll(folder, ''))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function rowsOfItems(context: Context, items: readonly SourceItem[]): CheckedRow[] {
  const linked = new Map(
    items.flatMap((item) => (standsAlone(item.kind) ? [] : [[`${item.kind} ${item.identity}`, item]])),
  )
  const alone = Map.groupBy(
    items.filter(({ kind }) => standsAlone(kind)),
    ({ identity }) => identity,
  )
  return [...alone.values()].flatMap((same, at) => {
    const main = same.find(({ occurrence }) => occurrence === '')
    if (!main) return []
    const beside = same.filter((item) => item !== main && item.occurrence !== '')
    return [rowOfItem(context, at + 1, main, beside, linked)]
  })
}

const LINKS = { venue: 'venue', organizer: 'organizer', categories: 'category', tags: 'tag' } as const

function rowOfItem(
  context: Context,
  number: number,
  main: SourceItem,
  beside: readonly SourceItem[],
  linked: ReadonlyMap<string, SourceItem>,
): CheckedRow {
  const links = [main, ...beside].flatMap(({ links: own }) =>
    (Object.keys(LINKS) as (keyof typeof LINKS)[]).flatMap((name) =>
      (own[name] ?? []).flatMap((identity) => linked.get(`${LINKS[name]} ${identity}`) ?? []),
    ),
  )
  const venue = links.find(({ kind }) => kind === 'venue')?.name ?? ''
  const title = plainText(String(main.values.title ?? main.name))
  const own = settledOf(main, context)
  const when = own && {
    start: own.start_date,
    end: own.end_date,
    isAllDay: own.all_day === 1,
    zone: own.timezone,
    utc: own.utc_start_date,
    hasEnd: true,
  }
  const faults = new Map(
    own ? [] : Object.values(faultsOfItem(context, main)).map((text) => [-1, text] as const),
  )
  return {
    number,
    identity: main.identity,
    cells: ['', '', title, decodedText(venue)],
    faults,
    title,
    venue: decodedText(venue),
    when,
    items: own ? [...new Set(links), main, ...beside] : [],
  }
}
