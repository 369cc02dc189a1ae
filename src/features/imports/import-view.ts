import { randomUUID } from 'node:crypto'
import type { Site } from '../../base/config.ts'
import { beginningOf } from '../../base/text/characters.ts'
import { dayOf } from '../../base/text/moments.ts'
import type { Context } from '../../calendar/declare/context.ts'
import { findOpenImage, imageUrl } from '../../calendar/images/images.ts'
import { can } from '../../calendar/people/caller.ts'
import type { ImageRow } from '../../store/storage/schema.ts'
import { categoryOptions, type FormFaults, faultList } from '../desk/desk-inputs.ts'
import { type DeskRequest, type DeskView, deskPath } from '../desk/desk-page.ts'
import { mayAddPicture, uploadField } from '../desk/event-form/event-picture.ts'
import { typedDay } from '../desk/event-form/event-times.ts'
import { findLibrary, libraryChoice } from '../desk/picture-library.ts'
import { written } from '../feeds/date-forms.ts'
import { writtenNumber, writtenShortTime } from '../pages/page-dates.ts'
import { type Content, type Html, html, link } from '../pages/page-html.ts'
import { addressView, IMPORT_ROOM, remarkList, reportOf } from './address-view.ts'
import type { ColumnMeaning } from './csv-cells.ts'
import { LONGEST_ADDRESS, mayKeepAddresses } from './desk-address.ts'
import { DESK_IMPORT_DAYS } from './desk-import-store.ts'
import { showMessage } from './import-messages.ts'
import type { DeskImportColumns } from './import-tables.ts'
import { type CountedImportText, countImport, type ImportText, sayImport } from './import-texts.ts'
import { findNearVenue, listVenuesHere, placeKey, type VenueHere } from './row-matches.ts'
import {
  type Checked,
  countFates,
  type Fate,
  type FateCounts,
  GROUPS,
  type Group,
  groupOf,
  isStagedAddress,
  NEW_STATUSES,
  type RowChoices,
  readChecked,
  readChoices,
  readContent,
  type StagedRow,
  stageRows,
  stageSome,
  standingsIn,
} from './staged-import.ts'

// Shows an import at the desk: its rows before it, the progress, the outcome.

export function startView(request: DeskRequest, faults: FormFaults): DeskView {
  const { site } = request.context
  const say = (text: ImportText) => sayImport(site, text)
  const fault = (name: string) =>
    faults[name] !== undefined && html`<p class="error" id="${name}-error">${faults[name]}</p>`
  const wrong = (name: string) =>
    faults[name] !== undefined && html` aria-invalid="true" aria-describedby="${name}-error"`
  return {
    ...(Object.keys(faults).length > 0 && { status: 422 }),
    title: say('Import events'),
    room: IMPORT_ROOM,
    script: 'import-room.js',
    under: say(
      'Paste from Excel, Numbers or a Word table, or drop a file (CSV, XLSX, ICS, JSON). Nothing is saved \
before you have seen it.',
    ),
    body: html`${faultList(site, faults)}<form class="intake" method="post"
enctype="multipart/form-data" action="${deskPath(site, IMPORT_ROOM)}" data-intake>
<div class="drop"><label for="text">${say('Paste')}</label><textarea id="text" name="text" rows="6"
aria-label="${say('Your table')}" dir="auto" spellcheck="false"
placeholder="${say('12.12.2026, 19:30, Brahms Quartet, Main hall, €12')}"${wrong('text')}></textarea>
${fault('text')}<div class="field"><label for="file">${say('File')}</label>
<input type="file" id="file" name="file" accept="${FILES}"${wrong('file')}>${fault('file')}</div></div>
${mayKeepAddresses(request.context) && addressField(site, wrong('address'), fault('address'))}
<p class="hint">${say(RECOGNISED)}</p>
<p class="ways start"><button type="submit" class="button main">${say('Show the rows')}</button>
<a class="button quiet" href="${deskPath(site, '/imports')}">${say('Imports until now')}</a></p></form>
<details class="limits"><summary>${say('What only the command line can do')}</summary>
<p class="hint">${say(COMMAND_ALONE)}</p></details>`,
  }
}

const RECOGNISED =
  'Columns are recognised by their names or by what is in them. What you paste or drop is shown at once.'
const COMMAND_ALONE =
  'kalends import also reads sites with a login, keeps old addresses of a site that moves here, trashes what \
is gone from a source, reads files above 5 MB, and settles conflicts otherwise.'

function addressField(site: Site, wrong: Content, fault: Content): Html {
  return html`<div class="field"><label for="address">${sayImport(site, 'Address, kept up to date')}</label>
<input type="url" id="address" name="address" maxlength="${LONGEST_ADDRESS}"
placeholder="https://example.org/events.ics" autocomplete="off"${wrong}>${fault}</div>`
}

const FILES = '.csv,.tsv,.txt,.xlsx,.ics,.json,.ndjson,text/csv,text/calendar,application/json'

const ON_A_PAGE = 100

interface Staged {
  request: DeskRequest
  context: Context
  row: DeskImportColumns
  choices: RowChoices
  checked: Checked
  counts: FateCounts
  isFile: boolean
  venues: readonly VenueHere[]
}

export async function importView(
  request: DeskRequest,
  row: DeskImportColumns,
  refusal?: string,
): Promise<DeskView> {
  const { context } = request
  const { site } = context
  if (row.state === 'waiting' || row.state === 'leaving') return progressView(request, row)
  const content = readContent(row)
  if (isStagedAddress(content)) return addressView(request, row, content)
  const choices = readChoices(row)
  const isFile = content.kind === 'file'
  const checked = readChecked(row) ?? (await stageRows(context, row, choices)).checked
  const counts = countFates(checked)
  const venues = await listVenuesHere(context)
  const staged: Staged = { request, context, row, choices, checked, counts, isFile, venues }
  const isOver = row.state === 'done' || row.state === 'undone'
  const rows = checked.letters.length
  const left = rows - counts.in
  const isShown = left > 0 && !(isOver && left === counts.leave)
  const said = isFile ? content.said.map((one) => html`<li>${showMessage(site, one)}</li>`) : []
  const refused =
    refusal !== undefined &&
    html`<div class="summary" role="alert" tabindex="-1" id="faults"><p>${refusal}</p></div>`
  const heading = sayImport(site, 'What to look at')
  const told = said.length > 0 && html`<section class="told"><h2>${heading}</h2><ul>${said}</ul></section>`
  const many = countImport(site, '{count} rows', rows, { count: writtenNumber(site, rows) })
  return {
    ...(refusal !== undefined && { status: 422 }),
    title: sayImport(site, 'Import events'),
    room: IMPORT_ROOM,
    script: 'import-room.js',
    under: html`<bdi>${row.name}</bdi> · ${many}`,
    ...(isOver && { notice: outcome(staged) }),
    body: html`${refused}${isOver ? remarkList(context, row) : told}${isShown && (await rowsForm(staged))}`,
  }
}

const STATUS_NOTES = {
  draft: '{count} events are in as drafts.',
  publish: '{count} events are in and published.',
  pending: '{count} events are in and wait for review.',
} as const satisfies Record<RowChoices['status'], CountedImportText>

function outcome({ context: { site }, row, counts, choices }: Staged): Content {
  const report = reportOf(row)
  const count = (number: number) => ({ count: writtenNumber(site, number) })
  if (row.state === 'undone')
    return countImport(
      site,
      '{count} records were taken back.',
      report?.removed ?? 0,
      count(report?.removed ?? 0),
    )
  const link = (path: string, text: ImportText) =>
    html`<a class="button" href="${deskPath(site, path)}">${sayImport(site, text)}</a>`
  const listed = choices.status === 'publish' ? 'upcoming' : choices.status
  const forDays = sayImport(site, 'For {days} days', { days: String(DESK_IMPORT_DAYS) })
  const undo = html`<form method="post" action="${deskPath(site, `/import/${row.id}`)}"><button type="submit"
class="button" name="action" value="undo" title="${forDays}">${sayImport(site, 'Undo import')}</button>\
</form>`
  const many = countImport(site, STATUS_NOTES[choices.status], counts.in, count(counts.in))
  const ways = counts.in > 0 && [undo, link(`/events?status=${listed}`, 'Show the events')]
  return html`<div class="undo"><span>${many}</span>${ways}${link(IMPORT_ROOM, 'Import more')}</div>`
}

function progressView({ context: { site } }: DeskRequest, row: DeskImportColumns): DeskView {
  const report = reportOf(row)
  const { created = 0, updated = 0, failed = 0 } = report?.counts ?? {}
  const [done, total] = [created + updated + failed, report?.total ?? 0]
  const number = (of: number) => writtenNumber(site, of)
  const isLeaving = row.state === 'leaving'
  const far = { done: number(Math.min(done, total)), total: number(total) }
  const label = sayImport(site, 'Coming in')
  const here = deskPath(site, `/import/${row.id}`)
  const bar =
    total > 0 &&
    html`<progress value="${done}" max="${total}" aria-label="${label}"></progress>
${sayImport(site, '{done} of {total}', far)}`
  return {
    title: sayImport(site, isLeaving ? 'Being taken back' : 'Coming in'),
    room: IMPORT_ROOM,
    script: 'import-room.js',
    under: html`<bdi>${row.name}</bdi>`,
    body: html`<div class="story narrow" data-under-way role="status"><p>${bar}</p>
<p class="hint">${sayImport(site, 'It goes on by itself; you may close this page.')}</p><p class="ways start">
<a class="button" href="${here}">${sayImport(site, 'Look again')}</a></p></div>`,
  }
}

const GROUP_TEXTS = { mend: 'To mend', there: 'There?', new: 'New', in: 'Are in' } as const satisfies Record<
  Group,
  ImportText
>

async function rowsForm(staged: Staged): Promise<Html> {
  const { request, context, row, choices, checked } = staged
  const { site } = context
  const standings = standingsIn(checked).map(([group, fate], at) => ({ group, fate, number: at + 1 }))
  const left = standings.filter(({ fate }) => fate !== 'in')
  const grouped = Map.groupBy(left, ({ group }) => group)
  const asked = GROUPS.find((group) => group === request.query.get('show'))
  const ordered = GROUPS.flatMap((group) => (asked && group !== asked ? [] : (grouped.get(group) ?? [])))
  const pages = Math.max(1, Math.ceil(ordered.length / ON_A_PAGE))
  const page = Math.min(
    pages,
    Math.max(1, Number(/^\d{1,4}$/.exec(request.query.get('page') ?? '')?.[0] ?? 1)),
  )
  const numbers = ordered.slice((page - 1) * ON_A_PAGE, page * ON_A_PAGE).map((one) => one.number)
  const onPage = await stageSome(context, row, choices, checked, numbers)
  const here = deskPath(site, `/import/${row.id}`)
  const address = (group: Group | undefined, number = 1) =>
    `${here}?${new URLSearchParams({ ...(group && { show: group }), page: String(number) })}`
  const number = (of: number) => writtenNumber(site, of)
  const chip = (group: Group | undefined, text: ImportText, many: number) =>
    html`<a href="${address(group)}"${group === asked && html` aria-current="page"`}>
${sayImport(site, text)} <span>${number(many)}</span></a>`
  const groups = GROUPS.map((group) => ({ group, many: grouped.get(group)?.length ?? 0 }))
  const chips = groups.map(({ group, many }) => many > 0 && chip(group, GROUP_TEXTS[group], many))
  const leaf = (to: number, text: ImportText) =>
    html`<a class="button" href="${address(asked, to)}">${sayImport(site, text)}</a>`
  const leaves = html`<p class="pages">${page > 1 && leaf(page - 1, 'Previous page')}
${number(page)} / ${number(pages)}${page < pages && leaf(page + 1, 'Next page')}</p>`
  const label = sayImport(site, 'Rows')
  return html`<nav class="tabs" aria-label="${label}">${chip(undefined, 'All', left.length)}${chips}</nav>
<form class="staged" method="post" enctype="multipart/form-data" action="${here}" data-staged>
<button type="submit" class="hidden" name="action" value="show" tabindex="-1">
${sayImport(site, 'Check again')}</button>${tableQuestions(staged)}
<div class="scroll" tabindex="0" role="group" aria-label="${label}"><table class="staging">
<thead>${columnHeads(staged)}</thead>
<tbody>${onPage.map((one) => stagedRow(staged, one))}</tbody></table></div>
${pages > 1 && leaves}${await forAllRows(staged)}${saveBar(staged)}</form>`
}

function saveBar({ context: { site }, row, choices, counts }: Staged): Html {
  const comingIn = counts.new + counts.update
  const button = (action: string, look: string, text: string, more: Content = '') =>
    html`<button type="submit" class="button${look}" name="action" value="${action}"${more}>${text}</button>`
  const brings =
    comingIn + counts.mend > 0 &&
    button('import', ' main', importLabel(site, choices.status, comingIn), labelsOf(site, comingIn))
  const cancels =
    row.state === 'open' && button('cancel', ' quiet', sayImport(site, 'Cancel'), html` formnovalidate`)
  const many = { count: writtenNumber(site, counts.mend) }
  const mends = counts.mend > 0 && countImport(site, '{count} rows have to be mended.', counts.mend, many)
  const days = { days: String(DESK_IMPORT_DAYS) }
  const undone = sayImport(site, 'All of it can be taken back in one click, for {days} days.', days)
  return html`<div class="savebar">${brings}${button('show', '', sayImport(site, 'Check again'))}${cancels}
<small class="hint">${mends} ${undone}</small></div>`
}

const IMPORT_LABELS = {
  draft: 'Import {count} as drafts',
  publish: 'Import {count} and publish',
  pending: 'Import {count} for review',
} as const satisfies Record<RowChoices['status'], CountedImportText>

const importLabel = (site: Site, status: RowChoices['status'], count: number) =>
  countImport(site, IMPORT_LABELS[status], count, { count: writtenNumber(site, count) })

const labelsOf = (site: Site, count: number) =>
  NEW_STATUSES.map((status) => html` data-${status}="${importLabel(site, status, count)}"`)

function tableQuestions({ context: { site }, isFile, choices, checked }: Staged): Content {
  if (isFile) return ''
  const { isUnclear, order } = checked
  const option = (value: string, text: string) =>
    html`<option value="${value}"${value === order && html` selected`}>${text}</option>`
  const missing = (['title', 'start_date'] as const).filter((meaning) => !choices.columns.includes(meaning))
  const asked = sayImport(
    site,
    missing.includes('title') ? 'Say which column has the title.' : 'Say which column has the date.',
  )
  const european = option('european', written(site, 'fullYear', '2027-04-03'))
  const american = option('american', written(site, 'fullYear', '2027-03-04'))
  const dates = html`<label class="check">${sayImport(site, '3/4/2027 is')}
<select name="dates">${european}${american}</select></label>`
  return html`${missing.length > 0 && html`<p class="summary" role="alert">${asked}</p>`}
<div class="tools"><label class="check"><input type="hidden" name="heading" value="0">
<input type="checkbox" name="heading" value="1"${choices.hasHeading && html` checked`}>
${sayImport(site, 'The first row is a heading')}</label>${isUnclear && dates}</div>`
}

/** Meanings offered for every column; others are offered only where chosen already. */
const OFFERED = {
  start_date: 'Date',
  start_time: 'Starts',
  end_time: 'Ends',
  end_date: 'Last day',
  title: 'Title',
  venue: 'Venue',
  city: 'City',
  address: 'Street and number',
  organizer: 'Organizer',
  cost: 'Cost',
  categories: 'Categories',
  tags: 'Tags',
  description: 'Description',
  excerpt: 'One sentence for lists',
  website: 'Website or tickets',
  image: 'Picture',
  all_day: 'All day',
  timezone: 'Time zone',
} as const satisfies Partial<Record<ColumnMeaning, ImportText>>

const OFFERED_NAMES = Object.keys(OFFERED) as (keyof typeof OFFERED)[]
const isOffered = (meaning: string): meaning is keyof typeof OFFERED => meaning in OFFERED

function columnHeads({ context: { site }, choices, checked: { headings }, isFile }: Staged): Html {
  const head = (meaning: ColumnMeaning | '', at: number) => {
    if (isFile) return html`<th scope="col">${isOffered(meaning) && sayImport(site, OFFERED[meaning])}</th>`
    const heading = headings[at] ?? ''
    const own = meaning !== '' && !isOffered(meaning)
    const option = (value: string, text: string) =>
      html`<option value="${value}"${value === meaning && html` selected`}>${text}</option>`
    const label = sayImport(site, 'Column {number}', { number: String(at + 1) })
    const offered = OFFERED_NAMES.map((name) => option(name, sayImport(site, OFFERED[name])))
    return html`<th scope="col">
<select name="column_${at}" aria-label="${label}${heading && `: ${heading}`}">
${option('', sayImport(site, 'Left out'))}${own && option(meaning, heading || meaning)}${offered}</select>
${heading && html`<small dir="auto">${heading}</small>`}</th>`
  }
  const first = sayImport(site, 'What becomes of it')
  return html`<tr><th scope="col"><span class="hidden">${first}</span></th>${choices.columns.map(head)}</tr>`
}

const FATE_TEXTS = {
  new: 'new',
  update: 'update',
  leave: 'leave out',
  mend: 'mend',
  in: 'in',
} as const satisfies Record<Fate, ImportText>

function stagedRow(staged: Staged, row: StagedRow): Html {
  const { choices, context } = staged
  const group = groupOf(row)
  const looks = { mend: 'wrong', there: 'there', new: row.fate === 'leave' ? 'out' : 'fresh', in: 'out' }
  const alone = row.faults.get(-1)
  const name = sayImport(context.site, 'Row {number}', { number: String(row.number) })
  const cells = choices.columns.map((meaning, at) => cellOf(staged, row, meaning, at))
  const fault = alone && html`<small class="error">${alone}</small>`
  return html`<tr class="${looks[group]}"><th scope="row"><span class="hidden">${name}</span>
${actControl(staged, row, group)}${fault}</th>${cells}</tr>`
}

function actControl({ context: { site } }: Staged, row: StagedRow, group: Group): Content {
  const { fate, number, here, twin } = row
  const name = `act_${number}`
  const label = sayImport(site, 'Row {number}', { number: String(number) })
  const text = (one: Fate) => sayImport(site, FATE_TEXTS[one])
  if (group === 'in') return text('in')
  const box = (act: 'leave' | 'new', otherwise: string) =>
    html`<input type="hidden" name="${name}" value="${otherwise}"><label class="check">
<input type="checkbox" name="${name}" value="${act}"${act === fate && html` checked`}
aria-label="${label}: ${text(act)}"> ${text(act)}</label>`
  if (group === 'mend') return html`<b>${text('mend')}</b>${box('leave', '')}`
  if (group === 'new') return box('new', 'leave')
  const option = (act: 'leave' | 'update' | 'new', said: string) =>
    html`<option value="${act}"${act === fate && html` selected`}>${said}</option>`
  const updates = here?.mayUpdate && option('update', sayImport(site, 'update it'))
  const same = sayImport(site, 'Same as row {number}', { number: String(twin) })
  return html`<label class="there">${sayImport(site, 'there?')}
<select name="${name}" aria-label="${label}">${option('leave', text('leave'))}${updates}
${option('new', sayImport(site, 'import as new'))}</select></label>
${twin !== undefined && !here && html`<small>${same}</small>`}`
}

function cellOf(staged: Staged, row: StagedRow, meaning: ColumnMeaning | '', at: number): Html {
  const { context } = staged
  const { site } = context
  const typed = row.cells[at] ?? ''
  const fault = row.faults.get(at)
  const name = `cell_${row.number}_${at}`
  const label = isOffered(meaning) ? sayImport(site, OFFERED[meaning]) : ''
  const data = html` data-label="${label || (staged.checked.headings[at] ?? '')}"`
  // An unreadable entry shows faults only once somebody has begun to fill in its cells.
  const isWrong = fault !== undefined && !(row.isBlank && row.cells.every((cell) => cell === ''))
  if (isWrong || row.isBlank) {
    const error = isWrong && html`<small class="error" id="${name}-error">${fault}</small>`
    const wrong = isWrong && html` aria-invalid="true" aria-describedby="${name}-error"`
    return html`<td${data}><input type="text" name="${name}" value="${typed}"
aria-label="${label || meaning}"${wrong} dir="auto">${error}</td>`
  }
  if (meaning === '') return html`<td class="unused"${data}>${shown(typed)}</td>`
  if (meaning === 'start_date' && row.when)
    return html`<td${data}>${day(site, row.when.start)}
${!hasColumn(staged, 'start_time') && html`<small>${hours(site, row)}</small>`}</td>`
  if (meaning === 'start_time' && row.when?.isAllDay)
    return html`<td${data}>${sayImport(site, 'all day')}</td>`
  if (meaning === 'start_time' && row.when) {
    const ends = sayImport(site, 'ends {time}', { time: writtenShortTime(site, row.when.end) })
    return html`<td${data}>${writtenShortTime(site, row.when.start)}
${!hasColumn(staged, 'end_time') && html`<small>${ends}</small>`}</td>`
  }
  if (meaning === 'title') {
    const notes = row.notes.map((note) => html`<small>${showMessage(site, note)}</small>`)
    return html`<td${data}><b dir="auto">${typed}</b>${sameAs(staged, row)}${notes}</td>`
  }
  if (meaning === 'venue')
    return html`<td${data}><span dir="auto">${typed}</span>${venueHint(staged, row, at)}</td>`
  return html`<td${data}><span dir="auto">${shown(typed)}</span></td>`
}

const hasColumn = ({ choices }: Staged, meaning: ColumnMeaning) => choices.columns.includes(meaning)
const shown = (text: string) => (text.length > LONGEST_SHOWN ? `${beginningOf(text, LONGEST_SHOWN)}…` : text)
const LONGEST_SHOWN = 90
const day = (site: Site, wall: string) => typedDay(site, dayOf(wall))

function hours(site: Site, { when }: StagedRow): string {
  if (!when) return ''
  if (when.isAllDay) return sayImport(site, 'all day')
  return `${writtenShortTime(site, when.start)} – ${writtenShortTime(site, when.end)}`
}

function sameAs({ context: { site } }: Staged, { here }: StagedRow): Content {
  if (!here) return ''
  const when = `${day(site, here.start)}, ${writtenShortTime(site, here.start)}`
  return html`<small>${sayImport(site, 'Same as')}
<a href="${deskPath(site, `/events/${here.id}`)}">“${here.title}”</a>, ${when}</small>`
}

function venueHint({ context: { site }, venues, isFile }: Staged, row: StagedRow, at: number): Content {
  if (row.venue === '') return ''
  const key = placeKey(row.venue)
  if (venues.some((venue) => venue.key === key)) return ''
  const near = findNearVenue(row.venue, venues)
  if (!near || isFile) return html`<small>${sayImport(site, 'new venue')}</small>`
  return html`<small>${sayImport(site, '{name}?', { name: near.name })}
<button type="submit" class="link" name="action" value="take ${at} ${row.number} ${near.name}">
${sayImport(site, 'take it')}</button></small>`
}

const STATUS_CHOICES = {
  draft: 'Draft',
  publish: 'Published',
  pending: 'Waiting for review',
} as const satisfies Record<RowChoices['status'], ImportText>

async function forAllRows({ context, choices, request }: Staged): Promise<Html> {
  const { site, caller } = context
  const statuses = can(caller, 'publish')
    ? (['draft', 'publish', 'pending'] as const)
    : (['pending', 'draft'] as const)
  const categories = await categoryOptions(context, [])
  const image = choices.image > 0 ? await findOpenImage(context, choices.image) : undefined
  const isChoosing = request.form.show === 'pictures'
  const chosen = image ? String(image.id) : '0'
  const library =
    can(caller, 'upload') && (await findLibrary(context, String(request.form.picture_search ?? '')))
  const chooses =
    library &&
    html`<details${isChoosing && html` open`}><summary>${sayImport(site, 'From the library')}</summary>
${libraryChoice(context, library, { chosen, none: '0', image })}</details>`
  const offered = statuses.map(
    (status) => html`<option value="${status}"${status === choices.status && html` selected`}>
${sayImport(site, STATUS_CHOICES[status])}</option>`,
  )
  const names = (name: 'categories' | 'organizers', text: ImportText, more: Content = '') =>
    html`<div class="field"><label for="${name}">${sayImport(site, text)}</label>
<input type="text" id="${name}" name="${name}" value="${choices[name]}"${more} maxlength="1000"
autocomplete="off" dir="auto"></div>`
  const known = categories.options.map(({ text }) => html`<option value="${text}"></option>`)
  return html`<fieldset class="card all-rows"><legend>${sayImport(site, 'For all rows:')}</legend>
<div class="row"><div class="field"><label for="status">${sayImport(site, 'Status')}</label>
<select id="status" name="status">${offered}</select></div>
${names('categories', 'Category', html` list="known-categories"`)}
<datalist id="known-categories">${known}</datalist>${names('organizers', 'Organizers')}</div>
${
  mayAddPicture(caller) &&
  html`<fieldset class="field season"><legend>${sayImport(site, 'Picture')}</legend>
<input type="hidden" name="key" value="${randomUUID()}">${image && chosenPicture(context, image)}
${uploadField(context, image !== undefined)}${chooses}</fieldset>`
}</fieldset>`
}

function chosenPicture(context: Context, image: ImageRow): Html {
  const { width, height, alt_text: alt } = image
  const src = imageUrl(image, context.images.mediaUrl)
  return html`<div class="picture">
<img src="${link(src)}" width="${width}" height="${height}" alt="${alt}"></div>`
}
