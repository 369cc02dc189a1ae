import { randomUUID } from 'node:crypto'
import type { Site } from '../../base/config.ts'
import { beginningOf } from '../../base/text/characters.ts'
import { dayOf } from '../../base/text/moments.ts'
import type { Context } from '../../calendar/declare/context.ts'
import { findOpenImage } from '../../calendar/images/images.ts'
import { can } from '../../calendar/people/caller.ts'
import { written, writtenNumber, writtenShortTime } from '../../http/page-dates.ts'
import { type Content, type Html, html, link } from '../../http/page-html.ts'
import type { ImageRow } from '../../store/storage/schema.ts'
import { categoryOptions, type FormFaults, faultList } from '../desk/desk-inputs.ts'
import { type DeskRequest, type DeskView, deskPath } from '../desk/desk-page.ts'
import { mayAddPicture, uploadField } from '../desk/event-form/event-picture.ts'
import { typedDay } from '../desk/event-form/event-times.ts'
import { findLibrary, libraryChoice } from '../desk/picture-library.ts'
import { pictureOf } from '../pages/cards.ts'
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
  type RowChoices,
  readChecked,
  readChoices,
  readContent,
  type StagedRow,
  stageRows,
  stageSome,
  standingsIn,
} from './staged-import.ts'

// Shows the rows of a table as they would come in, how far they are in, and what came of it.

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
      'Paste from Excel, Numbers or a Word table, or drop a file (CSV, XLSX, ICS, JSON). Nothing is saved before you have seen it.',
    ),
    body: html`${faultList(site, faults)}<form class="intake" method="post" enctype="multipart/form-data" action="${deskPath(site, IMPORT_ROOM)}" data-intake>
<div class="drop"><label for="text">${say('Paste')}</label><textarea id="text" name="text" rows="6" aria-label="${say('Your table')}" dir="auto" spellcheck="false" placeholder="${say('12.12.2026, 19:30, Brahms Quartet, Main hall, €12')}"${wrong('text')}></textarea>${fault('text')}
<div class="field"><label for="file">${say('File')}</label><input type="file" id="file" name="file" accept="${FILES}"${wrong('file')}>${fault('file')}</div></div>
${mayKeepAddresses(request.context) && html`<div class="field"><label for="address">${say('Address, kept up to date')}</label><input type="url" id="address" name="address" maxlength="${LONGEST_ADDRESS}" placeholder="https://example.org/events.ics" autocomplete="off"${wrong('address')}>${fault('address')}</div>`}
<p class="hint">${say('Columns are recognised by their names or by what is in them. What you paste or drop is shown at once.')}</p>
<p class="ways start"><button type="submit" class="button main">${say('Show the rows')}</button><a class="button quiet" href="${deskPath(site, '/imports')}">${say('Imports until now')}</a></p></form>
<details class="limits"><summary>${say('What only the command line can do')}</summary><p class="hint">${say('kalends import also reads sites with a login, keeps old addresses of a site that moves here, trashes what is gone from a source, reads files above 5 MB, and settles conflicts otherwise.')}</p></details>`,
  }
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
  return {
    ...(refusal !== undefined && { status: 422 }),
    title: sayImport(site, 'Import events'),
    room: IMPORT_ROOM,
    script: 'import-room.js',
    under: html`<bdi>${row.name}</bdi> · ${countImport(site, '{count} rows', rows, { count: writtenNumber(site, rows) })}`,
    ...(isOver && { notice: outcome(staged) }),
    body: html`${refusal !== undefined && html`<div class="summary" role="alert" tabindex="-1" id="faults"><p>${refusal}</p></div>`}${isOver && remarkList(context, row)}
${!isOver && said.length > 0 && html`<section class="told"><h2>${sayImport(site, 'What to look at')}</h2><ul>${said}</ul></section>`}${isShown && (await rowsForm(staged))}`,
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
  const days = String(DESK_IMPORT_DAYS)
  const list = html`<a class="button" href="${deskPath(site, `/events?status=${choices.status === 'publish' ? 'upcoming' : choices.status}`)}">${sayImport(site, 'Show the events')}</a>`
  return html`<div class="undo"><span>${countImport(site, STATUS_NOTES[choices.status], counts.in, count(counts.in))}</span>${counts.in > 0 && html`<form method="post" action="${deskPath(site, `/import/${row.id}`)}"><button type="submit" class="button" name="action" value="undo" title="${sayImport(site, 'For {days} days', { days })}">${sayImport(site, 'Take back')}</button></form>${list}`}<a class="button" href="${deskPath(site, IMPORT_ROOM)}">${sayImport(site, 'Import more')}</a></div>`
}

function progressView({ context: { site } }: DeskRequest, row: DeskImportColumns): DeskView {
  const report = reportOf(row)
  const { created = 0, updated = 0, failed = 0 } = report?.counts ?? {}
  const [done, total] = [created + updated + failed, report?.total ?? 0]
  const number = (of: number) => writtenNumber(site, of)
  const isLeaving = row.state === 'leaving'
  return {
    title: sayImport(site, isLeaving ? 'Being taken back' : 'Coming in'),
    room: IMPORT_ROOM,
    script: 'import-room.js',
    under: html`<bdi>${row.name}</bdi>`,
    body: html`<div class="story narrow" data-under-way role="status"><p>${total > 0 && html`<progress value="${done}" max="${total}" aria-label="${sayImport(site, 'Coming in')}"></progress> ${sayImport(site, '{done} of {total}', { done: number(Math.min(done, total)), total: number(total) })}`}</p><p class="hint">${sayImport(site, 'It goes on by itself; you may close this page.')}</p><p class="ways start"><a class="button" href="${deskPath(site, `/import/${row.id}`)}">${sayImport(site, 'Look again')}</a></p></div>`,
  }
}

const GROUP_TEXTS = {
  mend: 'To mend',
  there: 'There?',
  new: 'New',
  in: 'Are in',
} as const satisfies Record<Group, ImportText>

async function rowsForm(staged: Staged): Promise<Html> {
  const { request, context, row, choices, counts, checked } = staged
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
  const chip = (group: Group | undefined, text: string, many: number) =>
    html`<a href="${address(group)}"${group === asked && html` aria-current="page"`}>${text} <span>${number(many)}</span></a>`
  const comingIn = counts.new + counts.update
  return html`<nav class="tabs" aria-label="${sayImport(site, 'Rows')}">${chip(undefined, sayImport(site, 'All'), left.length)}${GROUPS.map((group) => grouped.has(group) && chip(group, sayImport(site, GROUP_TEXTS[group]), grouped.get(group)?.length ?? 0))}</nav>
<form class="staged" method="post" enctype="multipart/form-data" action="${here}" data-staged><button type="submit" class="hidden" name="action" value="show" tabindex="-1">${sayImport(site, 'Check again')}</button>
${tableQuestions(staged)}
<div class="scroll" tabindex="0" role="group" aria-label="${sayImport(site, 'Rows')}"><table class="staging"><thead>${columnHeads(staged)}</thead><tbody>${onPage.map((one) => stagedRow(staged, one))}</tbody></table></div>
${pages > 1 && html`<p class="pages">${page > 1 && html`<a class="button" href="${address(asked, page - 1)}">${sayImport(site, 'Previous page')}</a>`}${number(page)} / ${number(pages)}${page < pages && html`<a class="button" href="${address(asked, page + 1)}">${sayImport(site, 'Next page')}</a>`}</p>`}
${await forAllRows(staged)}
<div class="savebar">${comingIn > 0 || counts.mend > 0 ? html`<button type="submit" class="button main" name="action" value="import"${labelsOf(site, comingIn)}>${importLabel(site, choices.status, comingIn)}</button>` : ''}<button type="submit" class="button" name="action" value="show">${sayImport(site, 'Check again')}</button>${row.state === 'open' && html`<button type="submit" class="button quiet" name="action" value="cancel" formnovalidate>${sayImport(site, 'Cancel')}</button>`}<small class="hint">${counts.mend > 0 && html`${countImport(site, '{count} rows have to be mended.', counts.mend, { count: number(counts.mend) })} `}${sayImport(site, 'All of it can be taken back in one click, for {days} days.', { days: String(DESK_IMPORT_DAYS) })}</small></div></form>`
}

const IMPORT_LABELS = {
  draft: 'Import {count} as drafts',
  publish: 'Import {count} and publish',
  pending: 'Import {count} for review',
} as const satisfies Record<RowChoices['status'], CountedImportText>

const importLabel = (site: Site, status: RowChoices['status'], count: number) =>
  countImport(site, IMPORT_LABELS[status], count, { count: writtenNumber(site, count) })

const labelsOf = (site: Site, count: number) =>
  html` data-draft="${importLabel(site, 'draft', count)}" data-publish="${importLabel(site, 'publish', count)}" data-pending="${importLabel(site, 'pending', count)}"`

function tableQuestions({ context: { site }, isFile, choices, checked }: Staged): Content {
  if (isFile) return ''
  const { isUnclear, order } = checked
  const option = (value: string, text: string) =>
    html`<option value="${value}"${value === order && html` selected`}>${text}</option>`
  const missing = (['title', 'start_date'] as const).filter((meaning) => !choices.columns.includes(meaning))
  return html`${missing.length > 0 && html`<p class="summary" role="alert">${sayImport(site, missing.includes('title') ? 'Say which column has the title.' : 'Say which column has the date.')}</p>`}<div class="tools"><label class="check"><input type="hidden" name="heading" value="0"><input type="checkbox" name="heading" value="1"${choices.hasHeading && html` checked`}> ${sayImport(site, 'The first row is a heading')}</label>${isUnclear && html`<label class="check">${sayImport(site, '3/4/2027 is')} <select name="dates">${option('european', written(site, 'fullYear', '2027-04-03'))}${option('american', written(site, 'fullYear', '2027-03-04'))}</select></label>`}</div>`
}

/** Other meanings are offered where a heading has said so. */
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
    return html`<th scope="col"><select name="column_${at}" aria-label="${label}${heading && `: ${heading}`}">${option('', sayImport(site, 'Left out'))}${own && option(meaning, heading || meaning)}${OFFERED_NAMES.map((name) => option(name, sayImport(site, OFFERED[name])))}</select>${heading && html`<small dir="auto">${heading}</small>`}</th>`
  }
  return html`<tr><th scope="col"><span class="hidden">${sayImport(site, 'What becomes of it')}</span></th>${choices.columns.map(head)}</tr>`
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
  return html`<tr class="${looks[group]}"><th scope="row"><span class="hidden">${name}</span>${actControl(staged, row, group)}${alone && html`<small class="error">${alone}</small>`}</th>${choices.columns.map((meaning, at) => cellOf(staged, row, meaning, at))}</tr>`
}

function actControl({ context: { site } }: Staged, row: StagedRow, group: Group): Content {
  const { fate, number, here, twin } = row
  const name = `act_${number}`
  const label = sayImport(site, 'Row {number}', { number: String(number) })
  const text = (one: Fate) => sayImport(site, FATE_TEXTS[one])
  if (group === 'in') return text('in')
  if (group === 'mend')
    return html`<b>${text('mend')}</b><input type="hidden" name="${name}" value=""><label class="check">
<input type="checkbox" name="${name}" value="leave"${fate === 'leave' && html` checked`} aria-label="${label}: ${text('leave')}"> ${text('leave')}</label>`
  if (group === 'new')
    return html`<input type="hidden" name="${name}" value="leave"><label class="check"><input type="checkbox" name="${name}" value="new"${fate === 'new' && html` checked`} aria-label="${label}: ${text('new')}"> ${text('new')}</label>`
  const option = (act: 'leave' | 'update' | 'new', said: string) =>
    html`<option value="${act}"${act === fate && html` selected`}>${said}</option>`
  return html`<label class="there">${sayImport(site, 'there?')} <select name="${name}" aria-label="${label}">${option('leave', text('leave'))}${here?.mayUpdate && option('update', sayImport(site, 'update it'))}${option('new', sayImport(site, 'import as new'))}</select></label>${twin !== undefined && !here && html`<small>${sayImport(site, 'Same as row {number}', { number: String(twin) })}</small>`}`
}

function cellOf(staged: Staged, row: StagedRow, meaning: ColumnMeaning | '', at: number): Html {
  const { context } = staged
  const { site } = context
  const typed = row.cells[at] ?? ''
  const fault = row.faults.get(at)
  const name = `cell_${row.number}_${at}`
  const label = isOffered(meaning) ? sayImport(site, OFFERED[meaning]) : ''
  const data = html` data-label="${label || (staged.checked.headings[at] ?? '')}"`
  // Only rows that somebody has begun to fill in show what is wrong.
  const isWrong = fault !== undefined && !(row.isBlank && row.cells.every((cell) => cell === ''))
  if (isWrong || row.isBlank) {
    const error = isWrong && html`<small class="error" id="${name}-error">${fault}</small>`
    const wrong = isWrong && html` aria-invalid="true" aria-describedby="${name}-error"`
    return html`<td${data}><input type="text" name="${name}" value="${typed}" aria-label="${label || meaning}"${wrong} dir="auto">${error}</td>`
  }
  if (meaning === '') return html`<td class="unused"${data}>${shown(typed)}</td>`
  if (meaning === 'start_date' && row.when)
    return html`<td${data}>${day(site, row.when.start)}${!hasColumn(staged, 'start_time') && html`<small>${hours(site, row)}</small>`}</td>`
  if (meaning === 'start_time' && row.when)
    return html`<td${data}>${row.when.isAllDay ? sayImport(site, 'all day') : writtenShortTime(site, row.when.start)}${!row.when.isAllDay && !hasColumn(staged, 'end_time') && html`<small>${sayImport(site, 'ends {time}', { time: writtenShortTime(site, row.when.end) })}</small>`}</td>`
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
  return html`<small>${sayImport(site, 'Same as')} <a href="${deskPath(site, `/events/${here.id}`)}">“${here.title}”</a>, ${when}</small>`
}

function venueHint({ context: { site }, venues, isFile }: Staged, row: StagedRow, at: number): Content {
  if (row.venue === '') return ''
  const key = placeKey(row.venue)
  if (venues.some((venue) => venue.key === key)) return ''
  const near = findNearVenue(row.venue, venues)
  if (!near || isFile) return html`<small>${sayImport(site, 'new venue')}</small>`
  return html`<small>${sayImport(site, '{name}?', { name: near.name })} <button type="submit" class="link" name="action" value="take ${at} ${row.number} ${near.name}">${sayImport(site, 'take it')}</button></small>`
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
  const library =
    can(caller, 'upload') && (await findLibrary(context, String(request.form.picture_search ?? '')))
  return html`<fieldset class="card all-rows"><legend>${sayImport(site, 'For all rows:')}</legend><div class="row">
<div class="field"><label for="status">${sayImport(site, 'Status')}</label><select id="status" name="status">${statuses.map((status) => html`<option value="${status}"${status === choices.status && html` selected`}>${sayImport(site, STATUS_CHOICES[status])}</option>`)}</select></div>
<div class="field"><label for="categories">${sayImport(site, 'Category')}</label><input type="text" id="categories" name="categories" value="${choices.categories}" list="known-categories" maxlength="1000" autocomplete="off" dir="auto"><datalist id="known-categories">${categories.options.map(({ text }) => html`<option value="${text}"></option>`)}</datalist></div>
<div class="field"><label for="organizers">${sayImport(site, 'Organizers')}</label><input type="text" id="organizers" name="organizers" value="${choices.organizers}" maxlength="1000" autocomplete="off" dir="auto"></div></div>
${
  mayAddPicture(caller) &&
  html`<fieldset class="field pictures"><legend>${sayImport(site, 'Picture')}</legend><input type="hidden" name="key" value="${randomUUID()}">${image && chosenPicture(context, image)}${uploadField(context, image !== undefined)}
${library && html`<details${isChoosing && html` open`}><summary>${sayImport(site, 'From the library')}</summary>${libraryChoice(context, library, { chosen: image ? String(image.id) : '0', none: '0', image })}</details>`}</fieldset>`
}</fieldset>`
}

function chosenPicture(context: Context, image: ImageRow): Html {
  const { src, alt } = pictureOf(context, image)
  return html`<div class="picture"><img src="${link(src)}" width="${image.width}" height="${image.height}" alt="${alt}"></div>`
}
