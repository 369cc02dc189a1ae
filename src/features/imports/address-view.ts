import { type DeskRequest, type DeskView, deskPath } from '../desk/desk-page.ts'
import { writtenNumber } from '../pages/page-dates.ts'
import { type Content, type Html, html } from '../pages/page-html.ts'
import { INTERVALS, type StagedAddress } from './desk-address.ts'
import { showMessage, showPlace } from './import-messages.ts'
import type { DeskImportColumns } from './import-tables.ts'
import { countImport, type ImportText, sayImport } from './import-texts.ts'
import type { StagedReport } from './run-staged.ts'

// Shows what a first look at an address has found, before a schedule is saved.

export const IMPORT_ROOM = '/import'

export function reportOf({ report }: Pick<DeskImportColumns, 'report'>): StagedReport | undefined {
  return report === '' ? undefined : JSON.parse(report)
}

export function foundAt(row: Pick<DeskImportColumns, 'report'>): 'events' | 'nothing' | 'unread' {
  const { counts, preview } = reportOf(row) ?? {}
  if (preview === undefined) return 'unread'
  return preview.length > 0 || countEvents(counts) > 0 ? 'events' : 'nothing'
}

const countEvents = (counts: StagedReport['counts'] | undefined) =>
  (counts?.made?.event ?? 0) + (counts?.made?.series ?? 0)

export function remarkList({ site }: DeskRequest['context'], row: DeskImportColumns): Content {
  const { failed = [], left = [] } = reportOf(row) ?? {}
  if (failed.length + left.length === 0) return ''
  const remark = ({ at, text }: (typeof failed)[number]) =>
    html`<li>${at !== row.name && html`${showPlace(site, at)}: `}${showMessage(site, text)}</li>`
  const kept = left.map((one) => html`<li>${showMessage(site, one)}</li>`)
  const heading = sayImport(site, 'What to look at')
  return html`<section class="told"><h2>${heading}</h2><ul>${failed.map(remark)}${kept}</ul></section>`
}

export function addressView(
  { context }: DeskRequest,
  row: DeskImportColumns,
  { address }: StagedAddress,
  { isAsked }: { isAsked: boolean } = { isAsked: false },
): DeskView {
  const { site } = context
  const { counts, preview = [] } = reportOf(row) ?? { counts: undefined }
  const say = (text: ImportText) => sayImport(site, text)
  const found = foundAt(row)
  const many = countEvents(counts)
  const number = { count: writtenNumber(site, many) }
  const none = (text: ImportText) =>
    html`<p class="summary" role="alert">${say('No event was found there.')} ${say(text)}</p>`
  const told = {
    events: html`<p>${countImport(site, '{count} events would come in.', many, number)}</p>
<ul class="named">${preview.map((line) => html`<li>${line}</li>`)}</ul>`,
    nothing: none('Events that appear there later come in if it is kept up to date all the same.'),
    unread: none('It is not kept up to date, since it cannot be read.'),
  }
  const button = (action: string, look: string, text: ImportText) =>
    html`<button type="submit" class="button${look}" name="action" value="${action}">${say(text)}</button>`
  return {
    ...(found !== 'events' && { status: 422 }),
    title: say('Import events'),
    room: IMPORT_ROOM,
    under: html`<bdi>${address}</bdi>`,
    body: html`${told[found]}${remarkList(context, row)}
<form class="staged" method="post" action="${deskPath(site, `/import/${row.id}`)}">
${found !== 'unread' && keepChoices(say)}${found === 'nothing' && anywayBox(say, isAsked)}
<div class="savebar">${found !== 'unread' && button('import', ' main', 'Import and keep up to date')}
${found !== 'events' && button('look', '', 'Look again')}
${button('cancel', ' quiet', 'Cancel')}</div></form>`,
  }
}

const INTERVAL_TEXTS = {
  3600: 'every hour',
  21600: 'every six hours',
  86400: 'every day',
  604800: 'every week',
} as const satisfies Record<(typeof INTERVALS)[number], ImportText>

function keepChoices(say: (text: ImportText) => string): Html {
  const intervals = INTERVALS.map(
    (seconds) =>
      html`<option value="${seconds}"${seconds === INTERVALS[1] && html` selected`}>
${say(INTERVAL_TEXTS[seconds])}</option>`,
  )
  return html`<div class="row"><div class="field"><label for="every">${say('Kept up to date')}</label>
<select id="every" name="every">${intervals}</select></div>
<div class="field"><label for="new">${say('New events')}</label><select id="new" name="new">
<option value="review">${say('Waiting for review')}</option>
<option value="publish">${say('Published')}</option></select></div></div>`
}

function anywayBox(say: (text: ImportText) => string, isAsked: boolean): Html {
  const fault = isAsked && html`<p class="error" id="anyway-error">${say('Tick this first.')}</p>`
  const wrong = isAsked && html` aria-invalid="true" aria-describedby="anyway-error"`
  const label = say('Keep it up to date although there is no event yet')
  return html`<div class="field"><label class="check">
<input type="checkbox" name="anyway" value="1"${wrong}> ${label}</label>${fault}</div>`
}
