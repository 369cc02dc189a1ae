import { setTimeout as pause } from 'node:timers/promises'
import { isRecord, parsedJson } from '../../base/foreign-json.ts'
import { Problem } from '../../base/problems.ts'
import { formatUtc } from '../../base/text/moments.ts'
import { withoutPaths } from '../../base/text/urls.ts'
import { DAY_MS } from '../../base/text/zones.ts'
import { can } from '../../calendar/people/caller.ts'
import { events } from '../../calendar/resources.ts'
import {
  type DeskAnswer,
  type DeskPage,
  type DeskRequest,
  type DeskView,
  deskPath,
  fieldOf,
  whenAtDesk,
} from '../desk/desk-page.ts'
import { writtenNumber } from '../pages/page-dates.ts'
import { type Content, type Html, html } from '../pages/page-html.ts'
import { IMPORT_ROOM, reportOf } from './address-view.ts'
import { mayKeepAddresses, requireAddresses } from './desk-address.ts'
import { DESK_IMPORT_DAYS, listDeskImports } from './desk-import-store.ts'
import { type Message, messageIn, readKeptMessage, showMessage } from './import-messages.ts'
import { listSchedules, pauseSchedule, removeSchedule, resumeSchedule, runSoon } from './import-schedule.ts'
import { findLaterRun, type ListedRun, listRuns } from './import-store.ts'
import type { ImportScheduleColumns } from './import-tables.ts'
import { countImport, type ImportText, sayImport } from './import-texts.ts'
import type { StagedWork } from './run-staged.ts'
import { undoImport } from './undo-import.ts'

const MOST_LISTED = 30

async function showImports(request: DeskRequest): Promise<DeskView> {
  const { context } = request
  const { site, db, caller } = context
  if (!events.operations.rights.create(context)) throw new Problem('rest_forbidden')
  const say = (text: ImportText) => sayImport(site, text)
  const own = await listDeskImports(db, can(caller, 'manage_users') ? undefined : caller.id, MOST_LISTED)
  const schedules = mayKeepAddresses(context) ? await listSchedules(db) : []
  const runs = mayKeepAddresses(context) ? await listRuns(db, MOST_LISTED) : []
  const others = runs.filter(({ address }) => !address.startsWith('desk:'))
  const none = html`<p class="nothing">${say('Nothing has been imported yet.')}</p>`
  const listed = (heading: ImportText, lines: readonly Html[]) =>
    lines.length > 0 &&
    html`<section class="listed"><h2>${say(heading)}</h2><ul class="lines">${lines}</ul></section>`
  const isEmpty = own.length + schedules.length + others.length === 0
  return {
    title: say('Imports'),
    room: IMPORT_ROOM,
    under: html`<a href="${deskPath(site, IMPORT_ROOM)}">${say('Import events')}</a>`,
    ...(request.query.has('kept') && { notice: say('It is kept up to date from now on.') }),
    ...(request.query.has('done') && { notice: say('Done.') }),
    body: html`${isEmpty && none}${listed(
      'Tables and files',
      own.map((row) => tableLine(request, row)),
    )}
${listed(
  'Address, kept up to date',
  schedules.map((row) => scheduleLine(request, row)),
)}
${listed('Runs', await Promise.all(others.map((run) => runLine(request, run))))}`,
  }
}

const STATE_TEXTS = {
  open: 'not in yet',
  waiting: 'Coming in',
  done: 'Are in',
  leaving: 'Being taken back',
  undone: 'taken back',
} as const satisfies Record<string, ImportText>

type ListedTable = Awaited<ReturnType<typeof listDeskImports>>[number]

function tableLine({ context: { site, now } }: DeskRequest, row: ListedTable): Html {
  const { counts } = reportOf(row) ?? { counts: undefined }
  const failed = counts?.failed ?? 0
  const many = (counts?.created ?? 0) + (counts?.updated ?? 0)
  const told = [
    row.login,
    whenAtDesk(site, row.made_utc, now),
    many > 0 && countImport(site, '{count} records', many, { count: writtenNumber(site, many) }),
    failed > 0 && sayImport(site, 'not in: {count}', { count: writtenNumber(site, failed) }),
  ].filter((part) => part !== false)
  const here = deskPath(site, `/import/${row.id}`)
  const undo = html`<form method="post" action="${here}">${undoButton(site)}</form>`
  return html`<li><div><a class="title" href="${here}"><bdi>${row.name}</bdi></a>
<small>${told.join(' · ')}</small></div><span class="state">${sayImport(site, STATE_TEXTS[row.state])}</span>
${row.state === 'done' && undo}</li>`
}

function actions(site: DeskRequest['context']['site'], field: string, value: string, buttons: Content): Html {
  return html`<form class="actions" method="post" action="${deskPath(site, '/imports')}">
<input type="hidden" name="${field}" value="${value}">${buttons}</form>`
}

function undoButton(site: DeskRequest['context']['site']): Html {
  const text = sayImport(site, 'Undo import')
  return html`<button type="submit" class="button" name="action" value="undo">${text}</button>`
}

function scheduleLine({ context: { site, now } }: DeskRequest, row: ImportScheduleColumns): Html {
  const say = (text: ImportText) => sayImport(site, text)
  const isRunning = row.leased_utc > formatUtc(now)
  const isPaused = row.paused === 1
  const next = isPaused
    ? say('Stopped')
    : isRunning
      ? say('under way')
      : sayImport(site, 'next: {when}', { when: whenAtDesk(site, row.next_utc, now) })
  const isBad = isPaused || row.failures > 0
  const button = (action: string, text: ImportText, look = '') =>
    html`<button type="submit" class="button${look}" name="action" value="${action}">${say(text)}</button>`
  const outcome = withoutPaths(showMessage(site, readKeptMessage(row.outcome)))
  const state = isPaused ? say('Stopped') : row.failures > 0 ? say('Fails') : say('Kept up to date')
  const stops = isPaused ? button('resume', 'Go on') : button('pause', 'Stop')
  const buttons = html`${button('run', 'Run now')}${stops}${button('remove', 'Remove', ' quiet')}`
  return html`<li><div><b class="title"><bdi>${row.name}</bdi></b>
<small>${next}${outcome !== '' && ` · ${outcome}`}</small></div>
<span class="state${isBad && ' bad'}">${state}</span>
${actions(site, 'name', row.name, buttons)}</li>`
}

async function runLine({ context: { site, db, now } }: DeskRequest, run: ListedRun): Promise<Html> {
  const value = parsedJson(run.counts)
  const counts = isRecord(value) ? value : {}
  const number = (name: string) => writtenNumber(site, Number(counts[name] ?? 0))
  const told = sayImport(site, '{created} made, {updated} changed, {trashed} in the trash, {failed} not in', {
    created: number('created'),
    updated: number('updated'),
    trashed: number('trashed'),
    failed: number('failed'),
  })
  const isYoung = run.started_utc > formatUtc(now - DESK_IMPORT_DAYS * DAY_MS)
  const mayUndo =
    isYoung && run.state !== 'undone' && run.state !== 'running' && !(await findLaterRun(db, run))
  const state = {
    undone: html`<span class="state">${sayImport(site, 'taken back')}</span>`,
    failed: html`<span class="state bad">${sayImport(site, 'broke off')}</span>`,
    running: '',
    done: '',
  }
  return html`<li><div><b class="title"><bdi>${withoutPaths(run.address)}</bdi></b>
<small>${whenAtDesk(site, run.started_utc, now)} · ${told}</small></div>${state[run.state]}
${mayUndo && actions(site, 'run', String(run.id), undoButton(site))}</li>`
}

type Act = (request: DeskRequest, name: string) => Promise<void>

const onDatabase = ({ context: { write } }: DeskRequest) => ({
  write: <T>(work: Parameters<typeof write<T>>[0]) => write(work),
})

const ACTS: Readonly<Record<string, Act>> = {
  run: (request, name) => runSoon(onDatabase(request), name, request.context.now),
  pause: (request, name) => pauseSchedule(onDatabase(request), name),
  resume: (request, name) => resumeSchedule(onDatabase(request), name, false, request.context.now),
  remove: (request, name) => removeSchedule(onDatabase(request), name),
}

/** In ms: the response waits no longer for the undo, which continues in the background. */
const WAITED = 1000

async function undoSoon(work: StagedWork, undo: () => Promise<unknown>): Promise<Message | undefined> {
  const waiting = new AbortController()
  const undone = work.inTurn(undo).then(() => undefined, messageIn)
  const late = pause(WAITED, undefined, { signal: waiting.signal }).catch(() => undefined)
  return Promise.race([undone, late]).finally(() => waiting.abort())
}

async function changeImports(request: DeskRequest, work: StagedWork): Promise<DeskAnswer> {
  const { context } = request
  requireAddresses(context)
  const action = fieldOf(request, 'action')
  if (action === 'undo') {
    const run = /^[1-9]\d{0,8}$/.exec(fieldOf(request, 'run'))?.[0]
    if (run === undefined) throw new Problem('rest_no_route')
    const refusal = await undoSoon(work, () => undoImport(context, Number(run), () => undefined))
    if (refusal !== undefined) {
      const notice = showMessage(context.site, refusal)
      return { ...(await showImports(request)), status: 422, notice }
    }
  } else {
    const act = Object.hasOwn(ACTS, action) ? ACTS[action] : undefined
    const { name } =
      (await listSchedules(context.db)).find((one) => one.name === fieldOf(request, 'name')) ?? {}
    if (!act || name === undefined) throw new Problem('rest_no_route')
    await act(request, name)
  }
  return { seeOther: deskPath(context.site, '/imports?done') }
}

export const importsPages = (work: StagedWork): readonly DeskPage[] => [
  { at: '/imports', get: showImports, post: (request) => changeImports(request, work) },
]
