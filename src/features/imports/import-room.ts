import { setTimeout as pause } from 'node:timers/promises'
import { Problem } from '../../base/problems.ts'
import { storableText } from '../../base/text/characters.ts'
import { formatUtc, wallNow } from '../../base/text/moments.ts'
import { withoutPaths } from '../../base/text/urls.ts'
import type { Context } from '../../calendar/declare/context.ts'
import { withImages } from '../../calendar/images/images.ts'
import { can } from '../../calendar/people/caller.ts'
import { events } from '../../calendar/resources.ts'
import {
  type DeskAnswer,
  type DeskPage,
  type DeskRequest,
  deskPath,
  fieldOf,
  recordIdIn,
} from '../desk/desk-page.ts'
import { keepPicture } from '../desk/event-form/event-picture.ts'
import { addressView, foundAt } from './address-view.ts'
import { cellKey } from './check-rows.ts'
import { COLUMN_MEANINGS } from './csv-cells.ts'
import { INTERVALS, keepAddress, readAddress, requireAddresses, type StagedAddress } from './desk-address.ts'
import {
  countUnderWay,
  findDeskImport,
  insertDeskImport,
  removeDeskImport,
  updateDeskImport,
} from './desk-import-store.ts'
import { guessColumns } from './guess-columns.ts'
import { messageIn, showMessage } from './import-messages.ts'
import type { DeskImportColumns } from './import-tables.ts'
import { sayImport } from './import-texts.ts'
import { importView, startView } from './import-view.ts'
import { readSpreadsheet } from './read-spreadsheet.ts'
import {
  MOST_COLUMNS,
  MOST_ROWS,
  type Table,
  type TableFault,
  tableOfText,
  textOfFile,
  wholeTable,
} from './read-table.ts'
import { listVenuesHere } from './row-matches.ts'
import type { StagedWork } from './run-staged.ts'
import { FILE_COLUMNS, rowsOfFile } from './staged-file.ts'
import {
  type Checked,
  isStagedAddress,
  isTexts,
  type KeptRows,
  loadTable,
  NEW_STATUSES,
  type NewStatus,
  piecesOf,
  ROW_ACTS,
  type RowChoices,
  readChoices,
  readContent,
  type StagedContent,
  stageChanged,
  stageRows,
  standingsIn,
} from './staged-import.ts'

// Pages of the desk on which a table is sent, checked, corrected, imported, and undone if wanted.

const MOST_TEXT = 2_000_000
const MOST_FILE = 5_000_000
const LONGEST_NAME = 200
const MOST_WAITING = 3
/** In characters. */
const LONGEST_NAMES = 1000
const LONGEST_CELL = 20_000
/** In ms: the response waits no longer for the work, which continues in the background. */
const WAITED = 1000

function mayImport({ context }: DeskRequest): void {
  if (!events.operations.rights.create(context)) throw new Problem('rest_forbidden')
}

function showStart(request: DeskRequest): DeskAnswer {
  mayImport(request)
  return startView(request, {})
}

/** Stores a table and shows what it contains; `action=import` imports rows without faults at once. */
async function takeTable(request: DeskRequest, work: StagedWork): Promise<DeskAnswer> {
  mayImport(request)
  const { context } = request
  if (fieldOf(request, 'address').trim() !== '') return takeAddress(request, work)
  const sent = await contentSent(request, work)
  if ('fault' in sent) return startView(request, { [sent.field]: sent.fault })
  const { content, rows, name, field } = sent
  const pieces = await piecesOf(rows)
  if (!pieces)
    return startView(request, { [field]: sayImport(context.site, 'Its rows are too long to be kept.') })
  const choices = await firstChoices(context, rows, content.kind === 'file')
  const { checked } = await stageRows(context, NOT_KEPT_YET, choices, rows)
  const kept = { choices: JSON.stringify(choices), checked: JSON.stringify(checked) }
  const made = { user: context.caller.id, name, content: JSON.stringify(content), ...kept }
  const id = await context.write((tx) => insertDeskImport(tx, made, pieces, context.now))
  const row = await getOwn(request, id)
  if (fieldOf(request, 'action') !== 'import') return importView(request, row)
  const refusal = whyNot(context, checked, [])
  return refusal === undefined ? startWork(request, work, row, 'waiting') : importView(request, row, refusal)
}

const NOT_KEPT_YET = { id: 0 }

/** Stores an address and looks at it in the background: a person sees the result before a schedule begins. */
async function takeAddress(request: DeskRequest, work: StagedWork): Promise<DeskAnswer> {
  const { context } = request
  const { site, now } = context
  requireAddresses(context)
  const address = readAddress(fieldOf(request, 'address'))
  if (address === undefined)
    return startView(request, {
      address: sayImport(
        site,
        'Write it as https://example.org/events.ics, for example, without a password in it.',
      ),
    })
  const content = JSON.stringify({ kind: 'address', address } satisfies StagedAddress)
  const kept = { content, choices: '{}', checked: '' }
  const made = { user: context.caller.id, name: withoutPaths(address), ...kept }
  const id = await context.write((tx) => insertDeskImport(tx, made, [], now))
  return startWork(request, work, await getOwn(request, id), 'waiting')
}

/** Keeps an address up to date if it could be read; without events only if the person confirms. */
async function keepUpToDate(
  request: DeskRequest,
  row: DeskImportColumns,
  address: string,
): Promise<DeskAnswer> {
  const { context } = request
  requireAddresses(context)
  const found = foundAt(row)
  if (found === 'unread' || (found === 'nothing' && fieldOf(request, 'anyway') !== '1'))
    return addressView(request, row, { kind: 'address', address }, { isAsked: found === 'nothing' })
  const everySeconds =
    INTERVALS.find((seconds) => String(seconds) === fieldOf(request, 'every')) ?? INTERVALS[1]
  const isReviewed = fieldOf(request, 'new') !== 'publish'
  await keepAddress(context, { address, everySeconds, isReviewed })
  await context.write((tx) => removeDeskImport(tx, row.id))
  return { seeOther: deskPath(context.site, '/imports?kept') }
}

type ReadRows = { content: Exclude<StagedContent, StagedAddress>; rows: KeptRows }
type Sent = { field: string } & ((ReadRows & { name: string }) | { fault: string })

async function contentSent(request: DeskRequest, work: StagedWork): Promise<Sent> {
  const { site } = request.context
  const file = request.files.find(({ field, size }) => field === 'file' && size > 0)
  const field = file ? 'file' : 'text'
  const name = file ? storableText(file.fileName).slice(0, LONGEST_NAME) : sayImport(site, 'Pasted table')
  if (file && file.size > MOST_FILE)
    return {
      field,
      fault: sayImport(site, 'A file may have {most} MB.', { most: String(MOST_FILE / 1_000_000) }),
    }
  const bytes = await file?.read()
  const read = bytes
    ? await work.inTurn(() => contentOf(request.context, bytes))
    : asTable(await tableOfText(fieldOf(request, 'text')))
  if (typeof read === 'string') return { field, fault: describeFault(site, read) }
  return 'fault' in read ? { field, ...read } : { ...read, field, name }
}

const asTable = (table: Table | TableFault): ReadRows | TableFault =>
  typeof table === 'string' ? table : { content: { kind: 'table' }, rows: table }

// biome-ignore lint/suspicious/noControlCharactersInRegex: it looks for control characters.
const NO_TEXT = /[\x01-\x08\x0e-\x1a]/

/** Reads the rows of a file. Its beginning tells the format, whatever its name. */
async function contentOf(
  context: Context,
  bytes: Buffer,
): Promise<ReadRows | TableFault | { fault: string }> {
  const { site } = context
  const head = bytes.subarray(0, 4096).toString('latin1')
  if (head.startsWith('PK\u0003\u0004')) {
    const rows = await readSpreadsheet(bytes)
    return rows
      ? asTable(wholeTable(rows))
      : { fault: sayImport(site, 'This is no spreadsheet that can be read.') }
  }
  const isWide = /^(?:\xff\xfe|\xfe\xff)/.test(head)
  const isText = isWide || (!NO_TEXT.test(head) && !head.includes('\0') && !head.startsWith('%PDF'))
  if (!isText)
    return { fault: sayImport(site, 'This file is neither a table nor a calendar: save it as XLSX or CSV.') }
  const text = textOfFile(bytes)
  const start = text.slice(0, 65_536)
  if (/^\s*<(?:!doctype|html|\?xml)/i.test(start))
    return { fault: sayImport(site, 'This is a web page, and neither a table nor a calendar.') }
  const isCalendar = /^\ufeff?(?:BEGIN:VCALENDAR|[^\n]{0,500}\nBEGIN:VCALENDAR)/i.test(start.trimStart())
  if (!isCalendar && !/^\ufeff?\s*[{[]/.test(start)) return asTable(await tableOfText(text))
  const file = { kind: isCalendar ? 'ics' : 'json', text: storableText(text) } as const
  try {
    const found = await rowsOfFile(context, file)
    if (!found) return 'rows'
    const { rows, said } = found
    return rows.length === 0 ? 'empty' : { content: { kind: 'file', said }, rows }
  } catch (error) {
    return { fault: showMessage(site, messageIn(error)) }
  }
}

function describeFault(site: Context['site'], fault: TableFault): string {
  if (fault === 'rows') return sayImport(site, 'A table may have {most} rows.', { most: String(MOST_ROWS) })
  if (fault === 'columns')
    return sayImport(site, 'A table may have {most} columns.', { most: String(MOST_COLUMNS) })
  return sayImport(site, 'There is no event in it.')
}

async function firstChoices(context: Context, rows: KeptRows, isFile: boolean): Promise<RowChoices> {
  const { site, now, caller } = context
  const venues = new Set((await listVenuesHere(context)).map(({ key }) => key))
  const { hasHeading, columns } = isFile
    ? { hasHeading: false, columns: FILE_COLUMNS }
    : guessColumns(rows.filter(isTexts), site, venues, wallNow(site.timezone, now))
  return {
    hasHeading,
    columns: columns.map((meaning) => meaning ?? ''),
    dates: '',
    mended: {},
    acts: {},
    status: can(caller, 'publish') ? 'draft' : 'pending',
    categories: '',
    organizers: '',
    image: 0,
  }
}

async function getOwn({ context }: DeskRequest, id: number | undefined): Promise<DeskImportColumns> {
  const row = id === undefined ? undefined : await findDeskImport(context.db, id)
  const isOwn = row?.user === context.caller.id || can(context.caller, 'manage_users')
  if (!row || !isOwn) throw new Problem('rest_no_route')
  return row
}

async function showImport(request: DeskRequest): Promise<DeskAnswer> {
  mayImport(request)
  return importView(request, await getOwn(request, recordIdIn(request)))
}

async function changeImport(request: DeskRequest, work: StagedWork): Promise<DeskAnswer> {
  mayImport(request)
  const { context } = request
  const { site } = context
  const row = await getOwn(request, recordIdIn(request))
  const [action = '', ...words] = fieldOf(request, 'action').split(' ')
  if (action === 'cancel') {
    await context.write((tx) => removeDeskImport(tx, row.id))
    return { seeOther: deskPath(site, '/import') }
  }
  if (action === 'undo') return startWork(request, work, row, 'leaving')
  if (row.state === 'waiting' || row.state === 'leaving') return importView(request, row)
  const content = readContent(row)
  if (isStagedAddress(content))
    return action === 'import'
      ? keepUpToDate(request, row, content.address)
      : action === 'look'
        ? startWork(request, work, row, 'waiting')
        : importView(request, row)
  const table = await loadTable(context.db, row.id)
  const picture = await keepPicture(request, fieldOf(request, 'key'))
  if (picture && 'fault' in picture) return importView(request, row, picture.fault)
  const chosen = withTaken(chosenIn(request, row, table), words, table)
  const choices = picture ? { ...chosen, image: picture.id } : chosen
  if (lengthOfAll(choices.mended) > MOST_TEXT)
    return importView(
      request,
      row,
      sayImport(site, 'More cells have been mended than are kept. Mend the table, and paste it again.'),
    )
  const checked = await stageChanged(context, row, choices)
  const kept = { choices: JSON.stringify(choices), checked: JSON.stringify(checked) }
  const changed_utc = formatUtc(context.now)
  await context.write((tx) => updateDeskImport(tx, row.id, [row.state], { ...kept, changed_utc }))
  const changed = { ...row, ...kept }
  if (action !== 'import') return importView(request, changed)
  const before = readChoices(row).mended
  const mended = Object.entries(choices.mended).flatMap(([key, text]) =>
    before[key] === text ? [] : [Number(key.split(' ', 1)[0])],
  )
  const refusal = whyNot(context, checked, mended)
  return refusal === undefined
    ? startWork(request, work, changed, 'waiting')
    : importView(request, changed, refusal)
}

const lengthOfAll = (mended: RowChoices['mended']) =>
  Object.values(mended).reduce((length, text) => length + text.length, 0)

/** Why nothing is imported: a row just corrected has faults still, or no row can be imported. */
function whyNot({ site }: Context, checked: Checked, mended: readonly number[]): string | undefined {
  const fates = standingsIn(checked).map(([, fate]) => fate)
  if (mended.some((number) => fates[number - 1] === 'mend'))
    return sayImport(site, 'Something is still to mend. Nothing has come in yet.')
  return fates.includes('new') || fates.includes('update')
    ? undefined
    : sayImport(site, 'No row can come in as it is.')
}

async function startWork(
  request: DeskRequest,
  work: StagedWork,
  row: DeskImportColumns,
  state: 'waiting' | 'leaving',
): Promise<DeskAnswer> {
  const { context } = request
  const from: DeskImportColumns['state'][] = state === 'leaving' ? ['done'] : ['open', 'done', 'undone']
  const isRoom = await context.write(async (tx) => {
    if ((await countUnderWay(tx, row.user)) >= MOST_WAITING) return false
    const changed_utc = formatUtc(context.now)
    await updateDeskImport(tx, row.id, from, { state, report: '', changed_utc, leased_utc: '' })
    return true
  })
  if (!isRoom) throw new Problem('rest_unavailable', { retryAfter: 10 })
  // A short table is imported before the response, a long one in the background.
  const waiting = new AbortController()
  await Promise.race([
    work.look(),
    pause(WAITED, undefined, { signal: waiting.signal }).catch(() => undefined),
  ])
  waiting.abort()
  return { seeOther: deskPath(context.site, `/import/${row.id}`) }
}

/** Reads the choices in the form; what it lacks stays. */
function chosenIn(request: DeskRequest, row: DeskImportColumns, table: Table): RowChoices {
  const before = readChoices(row)
  const { form, context } = request
  const sent = (name: string) => (name in form ? storableText(fieldOf(request, name)) : undefined)
  const mended = { ...before.mended }
  const acts = { ...before.acts }
  const width = before.columns.length
  const rows = rowsIn(table, before)
  for (const name of Object.keys(form)) {
    const [, kind, number = '', column = ''] = /^(cell|act)_(\d{1,5})(?:_(\d{1,2}))?$/.exec(name) ?? []
    const text = sent(name)?.slice(0, LONGEST_CELL) ?? ''
    const act = ROW_ACTS.find((one) => one === text)
    if (Number(number) > MOST_ROWS || (kind === 'cell' && Number(number) > rows.length)) continue
    const key = cellKey(Number(number), Number(column))
    const shown = before.mended[key] ?? rows[Number(number) - 1]?.[Number(column)]
    if (kind === 'cell' && Number(column) < width && text !== shown) mended[key] = text
    if (kind === 'act' && act) acts[String(Number(number))] = act
    else if (kind === 'act') delete acts[String(Number(number))]
  }
  const status = NEW_STATUSES.find((one) => one === sent('status')) ?? before.status
  const dates = sent('dates')
  const image = sent('image')
  const hasHeading = sent('heading') === undefined ? before.hasHeading : sent('heading') === '1'
  const by = Number(before.hasHeading) - Number(hasHeading)
  return {
    hasHeading,
    columns: before.columns.map((meaning, at) => {
      const asked = sent(`column_${at}`)
      if (asked === undefined) return meaning
      return COLUMN_MEANINGS.find((one) => one === asked) ?? ''
    }),
    dates: dates === 'european' || dates === 'american' ? dates : before.dates,
    mended: renumbered(mended, by),
    acts: renumbered(acts, by),
    status: allowedStatus(context, status),
    categories: (sent('categories') ?? before.categories).slice(0, LONGEST_NAMES),
    organizers: (sent('organizers') ?? before.organizers).slice(0, LONGEST_NAMES),
    image: image === undefined ? before.image : Math.max(0, Number(/^\d{1,15}$/.exec(image)?.[0] ?? 0)),
  }
}

function renumbered<Value>(byRow: Readonly<Record<string, Value>>, by: number): Record<string, Value> {
  const moved = Object.entries(byRow).map(([key, value]): [string, Value] => {
    const [row = '', ...column] = key.split(' ')
    return [[Number(row) + by, ...column].join(' '), value]
  })
  return Object.fromEntries(moved.filter(([key]) => Number.parseInt(key, 10) > 0))
}

const rowsIn = (table: Table, { hasHeading }: RowChoices): Table => (hasHeading ? table.slice(1) : table)

function allowedStatus({ caller }: Context, status: NewStatus): NewStatus {
  return status === 'publish' && !can(caller, 'publish') ? 'pending' : status
}

/** Executes `take COLUMN ROW NAME`: writes a venue into every row with this row's text in the column. */
function withTaken(choices: RowChoices, words: readonly string[], table: Table): RowChoices {
  const [column = '', number = '', ...name] = words
  const at = Number(column)
  const rows = rowsIn(table, choices)
  if (!/^\d{1,2}$/.test(column) || !/^\d{1,5}$/.test(number) || name.length === 0) return choices
  const textAt = (row: number) => choices.mended[`${row} ${at}`] ?? rows[row - 1]?.[at] ?? ''
  const meant = textAt(Number(number))
  const taken = rows.flatMap((_, row) =>
    textAt(row + 1) === meant
      ? [[`${row + 1} ${at}`, storableText(name.join(' ')).slice(0, LONGEST_NAMES)]]
      : [],
  )
  return { ...choices, mended: { ...choices.mended, ...Object.fromEntries(taken) } }
}

export function importPages(work: StagedWork): readonly DeskPage[] {
  const takes = { most: MOST_TEXT, mostFiles: MOST_FILE + 100_000 }
  return [
    { at: '/import', get: showStart, post: (request) => takeTable(request, work), takes },
    {
      at: '/import/:id',
      get: showImport,
      post: (request) => withImages(request.context, () => changeImport(request, work)),
    },
  ]
}
