import { randomUUID } from 'node:crypto'
import { limits, over, overText } from '../../base/fields/limits.ts'
import { invalidParam, Problem } from '../../base/problems.ts'
import { plainText } from '../../base/text/html.ts'
import type { Context } from '../../calendar/declare/context.ts'
import { withImages } from '../../calendar/images/images.ts'
import { problemAnswer } from '../../calendar/locales/problem-answers.ts'
import { can, mayRead } from '../../calendar/people/caller.ts'
import { events } from '../../calendar/resources.ts'
import { writtenNumber } from '../pages/page-dates.ts'
import { type Content, type Html, html } from '../pages/page-html.ts'
import { readPageTerms, readTermsAlone } from '../pages/page-terms.ts'
import { shortened } from '../pages/teasers.ts'
import { type BulkAction, changeMany, type LinkField, MOST_AT_ONCE, undoMany } from './change-many.ts'
import { type DeskEvent, loadDeskEvents } from './desk-event-rows.ts'
import { findDeskIds } from './desk-events.ts'
import { UNSENT_BY_ENTER } from './desk-inputs.ts'
import {
  countAtDesk,
  type DeskAnswer,
  type DeskPage,
  type DeskRequest,
  type DeskView,
  deskPath,
  deskTranslatorFor,
  fieldOf,
  sayAtDesk,
  titleAtDesk,
} from './desk-page.ts'
import type { DeskText } from './desk-texts.ts'
import { mayUseForm } from './event-form/event-form.ts'
import { readPublication } from './event-form/event-form-aside.ts'
import { keepPicture, sayWhatItShows, uploadField } from './event-form/event-picture.ts'
import { BULK_ACTIONS, type BulkActionName, listPath, readList, SERIES_TICK } from './event-list.ts'
import { doOnce, findResult } from './form-once.ts'
import { findNamed, findSameName, type PickedKind } from './picked-names.ts'
import { findLibrary, libraryChoice } from './picture-library.ts'
import { ONE_DATE_ALONE, readNewDay } from './postpone.ts'
import { findHrefs, linkOrText } from './record-links.ts'

// Desk pages that change many events at once: confirmation, the outcome for each event, and undo.

const isBulkAction = (text: string): text is BulkActionName => Object.hasOwn(BULK_ACTIONS, text)

const MOST_NAMED = 5
const LONGEST_QUERY = 8000
/** In characters of JSON: limits for the list's query and for the rows stored with an outcome. */
const LONGEST_LIST = 4000
const LONGEST_ROWS = 5500
const LONGEST_TOLD = 80
const MOST_DAYS = 3660

interface Asked {
  action: BulkActionName
  ids: readonly number[]
  /** True if more events were chosen than one action may change; `ids` has only the first of them. */
  isCut: boolean
  /** Query string of the event list from which the events were chosen. */
  list: string
}

/** @throws Problem rest_forbidden, rest_invalid_param */
async function readAsked(request: DeskRequest): Promise<Asked> {
  const { context, query, form } = request
  mayUseForm(context)
  const field = (name: string) => fieldOf({ form }, name) || (query.get(name) ?? '')
  const action = field('do')
  if (!isBulkAction(action)) throw invalidParam('do')
  const list = field('list')
  if (list.length > LONGEST_QUERY) throw invalidParam('list', over('characters', LONGEST_QUERY))
  if (fieldOf({ form }, 'all') === '1') {
    const asked = await readList(context, new URLSearchParams(list))
    const found = await findDeskIds(context, asked.list, MOST_AT_ONCE + 1)
    return { action, list, ids: found.slice(0, MOST_AT_ONCE), isCut: found.length > MOST_AT_ONCE }
  }
  const sent = form.ids ?? query.get('ids') ?? ''
  const texts = (Array.isArray(sent) ? sent : [sent]).flatMap((text) => String(text).split(','))
  const chosen = texts.filter((text) => /^[1-9]\d{0,8}$/.test(text)).map(Number)
  const ids = [...new Set([...chosen, ...(await findDatesOf(context, texts, list))])]
  const isCut = ids.length > MOST_AT_ONCE
  if (isCut && chosen.length > MOST_AT_ONCE) throw invalidParam('ids')
  return { action, list, ids: ids.slice(0, MOST_AT_ONCE), isCut }
}

async function findDatesOf(context: Context, texts: readonly string[], query: string): Promise<number[]> {
  const ticked = texts.map((text) => (text.startsWith(SERIES_TICK) ? text.slice(SERIES_TICK.length) : ''))
  const series = ticked.filter((text) => /^[1-9]\d{0,8}$/.test(text)).map(Number)
  if (series.length === 0) return []
  const { list } = await readList(context, new URLSearchParams(query))
  return findDeskIds(context, { ...list, series }, MOST_AT_ONCE + 1)
}

async function confirm(request: DeskRequest, fault = ''): Promise<DeskAnswer> {
  const { context } = request
  const { site } = context
  const say = deskTranslatorFor(site)
  const asked = await readAsked(request)
  const back = await backTo(context, asked.list)
  if (asked.ids.length === 0) return { seeOther: `${back}${back.includes('?') ? '&' : '?'}chosen=none` }
  // Ids come from the request: those that the caller may not read are left out.
  const seen = (await loadDeskEvents(context, asked.ids)).filter((event) => mayRead(context.caller, event))
  const { ask, press } = BULK_ACTIONS[asked.action]
  const count = writtenNumber(site, asked.ids.length)
  const named = [...Map.groupBy(seen, ({ id, series }) => series ?? -id).values()].slice(0, MOST_NAMED)
  const only = asked.ids.length === 1 ? seen[0] : undefined
  const others = asked.ids.length - named.flat().length
  const isBad = asked.action === 'delete' || asked.action === 'trash'
  return {
    ...(fault !== '' && { status: 422 }),
    title: only
      ? `${say(press)}: ${titleAtDesk(site, only.title)}`
      : countAtDesk(site, asked.ids.length, ask),
    room: 'events',
    under: html`<a href="${back}">${say('Events')}</a>`,
    body: html`${
      fault && html`<div class="summary" role="alert" tabindex="-1" id="faults"><p>${fault}</p></div>`
    }<form class="confirm" method="post" enctype="multipart/form-data" action="${deskPath(
      site,
      '/events/many',
    )}" data-desk="${deskPath(site, '')}">${asked.action === 'picture' && UNSENT_BY_ENTER}
${
  !only &&
  html`<ul class="named">${named.map((events) => chosenName(site, events))}${
    others > 0 && html`<li>${countAtDesk(site, others, 'and {count} more')}</li>`
  }</ul>`
}
${
  asked.isCut &&
  html`<p class="hint">${say('More events match; these are the first {count} of them.', { count })}</p>`
}
${await detailsOf(request, asked, seen)}
${scopeOf(request, asked, seen)}
<input type="hidden" name="do" value="${asked.action}"><input type="hidden" name="ids" \
value="${asked.ids.join(
      ',',
    )}"><input type="hidden" name="list" value="${asked.list}"><input type="hidden" name="key" \
value="${randomUUID()}"><input type="hidden" name="sure" value="1">
<p class="ways"><button type="submit" class="button ${
      isBad ? 'bad' : 'main'
    }">${say(press)}</button><a class="button quiet" href="${back}">${say('Back')}</a></p>
<p class="hint">${say(
      asked.action === 'delete' ? 'Nothing can bring them back.' : 'This can be undone for a day.',
    )}</p></form>`,
  }
}

function chosenName(site: Context['site'], events: readonly DeskEvent[]): Html {
  const dates =
    events.length > 1 && html` <small>${countAtDesk(site, events.length, '{count} dates')}</small>`
  return html`<li><span dir="auto">${titleAtDesk(site, events[0]?.title ?? '')}</span>${dates}</li>`
}

async function backTo(context: Context, list: string): Promise<string> {
  const { fields } = await readList(context, new URLSearchParams(list))
  return listPath(context, fields)
}

function scopeOf(
  { context: { site }, form }: DeskRequest,
  { action }: Asked,
  seen: readonly DeskEvent[],
): Content {
  if (action === 'delete' || action === 'restore' || !seen.some((event) => event.series !== null)) return ''
  const isAll = fieldOf({ form }, 'scope') === 'all'
  const radio = (value: string, text: DeskText, isOn: boolean) =>
    html`<label class="check"><input type="radio" name="scope" value="${value}"${
      isOn && html` checked`
    }> ${sayAtDesk(site, text)}</label>`
  return html`<fieldset class="field"><legend>${sayAtDesk(site, 'Of events that repeat')}</legend>${radio(
    'this',
    'The chosen dates',
    !isAll,
  )}${radio('all', 'All dates of their series', isAll)}<p class="hint">${sayAtDesk(
    site,
    'To change a date and all that follow it, open that date.',
  )}</p></fieldset>`
}

async function detailsOf(
  request: DeskRequest,
  { action }: Asked,
  seen: readonly DeskEvent[],
): Promise<Content> {
  const { context, form, query } = request
  const { site } = context
  const say = deskTranslatorFor(site)
  const value = (name: string) => fieldOf({ form }, name)
  if (action === 'move')
    return html`<div class="row">${number('days', say('Days later'), value('days'))}${number(
      'hours',
      say('Hours later'),
      value('hours'),
    )}</div><p class="hint">${say('A minus sign moves to earlier. Eight o’clock stays eight o’clock.')}</p>`
  if (action === 'cancel') {
    const chosen = value('event_status') || query.get('event_status') || 'canceled'
    const radio = (status: string, text: DeskText) =>
      html`<label class="check"><input type="radio" name="event_status" value="${status}"${
        chosen === status && html` checked`
      }> ${say(text)}</label>`
    const reason = value('reason') || (seen.length === 1 ? (seen[0]?.event_status_reason ?? '') : '')
    return html`<fieldset class="field"><legend>${say('Status')}</legend>${radio(
      'canceled',
      'Canceled',
    )}${radio('postponed', 'Postponed')}${radio(
      'scheduled',
      'Takes place',
    )}</fieldset><div class="field"><label for="reason">${say('Reason')}</label>\
<input type="text" id="reason" name="reason" value="${reason}" maxlength="${String(
      limits.line.characters,
    )}" autocomplete="off"></div>${newDayFields(request)}`
  }
  if (action === 'picture') return pictureDetails(request)
  if (action === 'price')
    return html`<div class="field"><label for="cost">${say('Price')}</label><input type="text" id="cost" \
name="cost" value="${value('cost')}" maxlength="${String(
      limits.cost.bytes,
    )}" autocomplete="off" aria-describedby="cost-hint"><p class="hint" id="cost-hint">${say(
      'Leave it empty for none.',
    )}</p></div>`
  if (action === 'featured') {
    const isOff = value('featured') === '0'
    const radio = (to: string, text: DeskText, isOn: boolean) =>
      html`<label class="check"><input type="radio" name="featured" value="${to}"${
        isOn && html` checked`
      }> ${say(text)}</label>`
    return html`<fieldset class="field"><legend>${say('Featured')}</legend>${radio(
      '1',
      'Yes',
      !isOff,
    )}${radio('0', 'No', isOff)}</fieldset>`
  }
  if (action === 'schedule') {
    const field = (name: string, label: DeskText, hint: string) =>
      html`<div class="field"><label for="${name}">${say(label)}</label><input type="text" id="${name}" \
name="${name}" value="${value(name)}" maxlength="100" autocomplete="off" aria-describedby="${name}-hint">\
<p class="hint" id="${name}-hint">${hint}</p></div>`
    return html`<div class="row">${field('date', 'Date', say('fri, 4 Dec, tomorrow …'))}${field(
      'date_time',
      'Time',
      site.timezone.replaceAll('_', ' '),
    )}</div>`
  }
  if (!isLinkAction(action)) return ''
  const replaces = fieldOf({ form }, 'sure') === '1' ? value('replace') === '1' : action === 'venue'
  const names = await offeredNames(context, action)
  const line = (name: string, label: DeskText) =>
    html`<div class="field"><label for="${name}">${say(label)}</label><input type="text" id="${name}" \
name="${name}" value="${value(name)}" maxlength="${LONGEST_NAMES}" autocomplete="off" dir="auto" \
aria-describedby="${name}-hint" data-names="${NAMED_BY[action]}"${
      names.length > 0 &&
      html` \
list="${name}-offered"`
    }>${
      names.length > 0 &&
      html`<datalist \
id="${name}-offered">${names.map((text) => html`<option>${text}</option>`)}</datalist>`
    }<p class="hint" \
id="${name}-hint">${say('Names, separated by commas.')}</p></div>`
  return html`${line('add', 'Add')}<label class="check"><input type="checkbox" name="replace" value="1"${
    replaces && html` checked`
  }> ${say('Remove all others')}</label>${line('remove', 'Remove')}`
}

function newDayFields({ context: { site }, form }: DeskRequest): Html {
  const say = deskTranslatorFor(site)
  const field = (name: string, label: DeskText, hint: string) =>
    html`<div class="field"><label for="${name}">${say(label)}</label><input type="text" id="${name}" \
name="${name}" value="${fieldOf(
      { form },
      name,
    )}" maxlength="100" autocomplete="off" aria-describedby="${name}-hint">\
<p class="hint" id="${name}-hint">${hint}</p></div>`
  const fields = [
    field('later_date', 'New day', say('If it is known: fri, 4 Dec, tomorrow …')),
    field('later_time', 'New time', say('Leave it empty to keep the time.')),
  ]
  return html`<div class="new-day"><div class="row">${fields}</div><p class="hint">${say(
    'The event is made again on that day. The page of each leads to the other.',
  )}</p></div>`
}

/** In characters. */
const LONGEST_NAMES = 2000

type LinkAction = Extract<BulkActionName, LinkField>

const NAMED_BY: Readonly<Record<LinkAction, PickedKind>> = {
  categories: 'category',
  tags: 'tag',
  venue: 'venue',
  organizer: 'organizer',
}

const isLinkAction = (action: BulkActionName): action is LinkAction => Object.hasOwn(NAMED_BY, action)

/** Returns the names to offer without scripts. Organizers are offered only by a script. */
async function offeredNames(context: Context, action: LinkAction): Promise<string[]> {
  if (action === 'organizer') return []
  if (action === 'venue') return (await readPageTerms(context)).venues.map(({ name }) => name)
  return [...(await readTermsAlone(context)).byId.values()]
    .filter(({ taxonomy }) => taxonomy === NAMED_BY[action])
    .map(({ name }) => name)
}

async function pictureDetails({ context, form }: DeskRequest): Promise<Html> {
  const { site, caller } = context
  const library = await findLibrary(context, fieldOf({ form }, 'picture_search'))
  const chosen = fieldOf({ form }, 'image')
  const upload =
    can(caller, 'upload') &&
    html`${uploadField(context, false)}<div class="field"><label for="image_alt">${sayAtDesk(
      site,
      'What it shows',
    )}</label><input type="text" id="image_alt" name="image_alt" value="${fieldOf(
      { form },
      'image_alt',
    )}" maxlength="${String(
      limits.line.characters,
    )}" autocomplete="off" dir="auto" aria-describedby="image_alt-hint">\
<p class="hint" id="image_alt-hint">${sayAtDesk(site, 'For those who do not see it.')}</p></div>`
  return html`${upload}<fieldset class="field"><legend>${sayAtDesk(
    site,
    'From the library',
  )}</legend>${libraryChoice(context, library, { chosen, none: '0' })}</fieldset>`
}

const number = (name: string, label: string, value: string): Html =>
  html`<div class="field"><label for="${name}">${label}</label><input type="text" id="${name}" \
name="${name}" inputmode="numeric" pattern="-?[0-9]*" value="${value || '0'}" maxlength="6" \
autocomplete="off"></div>`

/** Returns a sentence for the user if a value is missing or wrong. */
async function readAction(request: DeskRequest, action: BulkActionName): Promise<BulkAction | string> {
  const { context } = request
  const say = deskTranslatorFor(context.site)
  const field = (name: string) => fieldOf(request, name).trim()
  const scope = field('scope') === 'all' ? ({ scope: 'all' } as const) : {}
  if (action === 'delete') return { do: 'erase' }
  if (action === 'publish' || action === 'draft' || action === 'trash' || action === 'restore')
    return { do: action, ...scope }
  if (action === 'move') {
    const [days, hours] = [readStep(field('days')), readStep(field('hours'))]
    if (days === undefined || hours === undefined || (days === 0 && hours === 0))
      return say('Say by how many days or hours.')
    return { do: 'move', days, hours, ...scope }
  }
  if (action === 'cancel') {
    const status = (['scheduled', 'canceled', 'postponed'] as const).find(
      (known) => known === field('event_status'),
    )
    const said = { do: 'announce', event_status: status ?? 'canceled', reason: field('reason') } as const
    if (status !== 'postponed') return { ...said, ...scope }
    const typed = { later_date: [field('later_date')], later_time: [field('later_time')] }
    const { later, faults } = readNewDay(context, typed)
    const [fault] = Object.values(faults)
    if (fault !== undefined) return fault
    if (later && field('scope') === 'all') return say(ONE_DATE_ALONE)
    return { ...said, ...scope, ...(later && { later }) }
  }
  if (action === 'picture') return readPicture(request)
  if (action === 'price') {
    const cost = field('cost')
    return overText(cost, limits.cost, context.site)
      ? say('The value is invalid.')
      : { do: 'price', cost, ...scope }
  }
  if (action === 'featured') return { do: 'feature', featured: field('featured') !== '0', ...scope }
  if (action === 'schedule') {
    const typed = { status: ['future'], date: [field('date')], date_time: [field('date_time')] }
    const { date, faults } = readPublication(context, typed)
    const [fault = say('Is needed.')] = Object.values(faults)
    return date === undefined ? fault : { do: 'schedule', date, ...scope }
  }
  const kind = NAMED_BY[action]
  // Older forms and other programs send `to` instead of `add` and `remove`: it replaces all links.
  const to = fieldOf(request, 'to').trim()
  const isWhole = request.form.to !== undefined
  const add = await namedIds(context, kind, isWhole ? to : field('add'))
  if (typeof add === 'string') return add
  const remove = await namedIds(context, kind, field('remove'))
  if (typeof remove === 'string') return remove
  const replaces = isWhole || field('replace') === '1'
  if (add.length + remove.length === 0 && !replaces) return say('Name at least one.')
  return { do: 'link', field: action, add, remove, replaces, ...scope }
}

async function readPicture(request: DeskRequest): Promise<BulkAction | string> {
  const { context } = request
  const scope = fieldOf(request, 'scope') === 'all' ? ({ scope: 'all' } as const) : {}
  const sent = await keepPicture(request, fieldOf(request, 'key'))
  if (sent && 'fault' in sent) return sent.fault
  const alt = fieldOf(request, 'image_alt').trim()
  if (sent && alt !== '') await sayWhatItShows(context, sent.id, alt, { former: 0, shown: undefined })
  const chosen = fieldOf(request, 'image')
  if (!sent && !/^\d{1,9}$/.test(chosen)) return sayAtDesk(context.site, 'Choose a picture')
  return { do: 'picture', image: sent?.id ?? Number(chosen), ...scope }
}

const MOST_NAMES = 50

function readStep(text: string): number | undefined {
  const step = text === '' ? 0 : /^[-−+]?\d{1,5}$/.test(text) ? Number(text.replace('−', '-')) : undefined
  return step !== undefined && Math.abs(step) <= MOST_DAYS * 24 ? step : undefined
}

const MOST_COMMAS = 2

/**
 * Returns the ids of comma-separated names, or a sentence about the first unknown name. A name may contain
 * commas, so several adjacent parts are first tried as one name.
 */
async function namedIds(context: Context, kind: PickedKind, text: string): Promise<number[] | string> {
  const parts = text
    .slice(0, LONGEST_NAMES)
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .slice(0, MOST_NAMES)
  const ids: number[] = []
  for (let at = 0; at < parts.length; ) {
    const found = await namedAt(context, kind, parts.slice(at, at + MOST_COMMAS + 1))
    if (!found)
      return sayAtDesk(context.site, 'There is no “{name}”.', {
        name: shortened(parts[at] ?? '', LONGEST_TOLD),
      })
    ids.push(found.id)
    at += found.parts
  }
  return ids
}

async function namedAt(
  context: Context,
  kind: PickedKind,
  parts: readonly string[],
): Promise<{ id: number; parts: number } | undefined> {
  for (let count = parts.length; count > 1; count -= 1) {
    const whole = await findSameName(kind, parts.slice(0, count).join(', '), context)
    if (whole) return { id: whole.id, parts: count }
  }
  const found = await findNamed(kind, parts[0] ?? '', context)
  return found && { id: found.id, parts: 1 }
}

interface Outcomes {
  action: BulkActionName
  done: number
  unchanged: number
  left: number
  refused: { id: number; title: string; why: string }[]
  titles: { id: number; title: string }[]
  undo: string
  list: string
}

const isKey = (text: string) => /^[\w-]{8,64}$/.test(text)

async function changeChosen(request: DeskRequest): Promise<DeskAnswer> {
  const { context } = request
  const isSearch = fieldOf(request, 'show') === 'pictures'
  if (fieldOf(request, 'sure') !== '1' || isSearch) return confirm(request)
  const asked = await readAsked(request)
  const action = await readAction(request, asked.action)
  if (typeof action === 'string') return confirm(request, action)
  const sent = fieldOf(request, 'key')
  const key = isKey(sent) ? sent : randomUUID()
  await doOnce(context, key, async (): Promise<Outcomes> => {
    const { rows, undo } = await changeMany(context, events, asked.ids, action)
    return outcomesOf(context, asked, rows, undo)
  })
  return { seeOther: deskPath(context.site, `/events/many/${key}`) }
}

function outcomesOf(
  { site }: Context,
  { action, list }: Asked,
  rows: Awaited<ReturnType<typeof changeMany>>['rows'],
  undo: string | undefined,
): Outcomes {
  const titled = (title: string) => shortened(plainText(title), LONGEST_TOLD)
  const done = rows.filter(({ outcome }) => outcome === 'done')
  const refused = rows.flatMap(({ id, title, problem }) =>
    problem ? [{ id, title: titled(title), why: whyRefused(site, problem, action) }] : [],
  )
  const unchanged = rows.length - done.length - refused.length
  const titles = done.map(({ id, title }) => ({ id, title: titled(title) }))
  return {
    action,
    done: done.length,
    unchanged,
    left: refused.length,
    refused: firstOf(refused),
    titles: firstOf(titles),
    undo: undo ?? '',
    list: JSON.stringify(list).length > LONGEST_LIST ? '' : list,
  }
}

function firstOf<Row>(rows: readonly Row[]): Row[] {
  let left = LONGEST_ROWS
  return rows.filter((row) => {
    left -= JSON.stringify(row).length + 1
    return left >= 0
  })
}

function whyRefused(site: Context['site'], problem: Problem, action?: BulkActionName): string {
  const isOfTrash = action === 'delete' || action === 'restore'
  if (isOfTrash && problem.code === 'rest_precondition_failed')
    return sayAtDesk(site, 'It is not in the trash.')
  const { body } = problemAnswer(problem, site.language, true)
  const params = Object.values(body.data.params ?? {}).filter((text) => typeof text === 'string')
  return params[0] ?? body.message
}

const isOutcomes = (told: object): told is Outcomes => 'refused' in told && 'action' in told

/** @throws Problem rest_no_route for an unknown key */
async function showOutcomes({ context, variables }: DeskRequest): Promise<DeskAnswer> {
  const { site } = context
  const say = deskTranslatorFor(site)
  const key = variables.key ?? ''
  const told = isKey(key) ? await findResult(context, key) : undefined
  if (told === 'under way')
    return {
      title: say('In progress'),
      room: 'events',
      body: html`<p>${say(
        'It has begun and goes on by itself; look at the list in a moment.',
      )}</p><p class="ways"><a class="button" href="${deskPath(site, '/events')}">${say('Events')}</a></p>`,
    }
  if (!told || !isOutcomes(told)) throw new Problem('rest_no_route')
  const back = await backTo(context, told.list)
  const hrefs = await findHrefs(
    context,
    'event',
    [...told.refused, ...told.titles].map(({ id }) => id),
  )
  const line = (id: number, title: string, why: Content) =>
    html`<li>${linkOrText(hrefs.get(id), title || say('(no title)'), {
      attributes: html` dir="auto"`,
    })}${why}</li>`
  const more = (count: number) => count > 0 && html`<li>${countAtDesk(site, count, 'and {count} more')}</li>`
  return {
    title: sentence(context, told),
    room: 'events',
    under: html`<a href="${back}">${say('Back to the list')}</a>`,
    body: html`${undoForm(context, told)}
${
  told.left > 0 &&
  html`<section class="told"><h2>${say('Not done: {count}', {
    count: writtenNumber(site, told.left),
  })}</h2><ul>${told.refused.map(({ id, title, why }) =>
    line(id, title || `#${id}`, html`<small>${why}</small>`),
  )}${more(told.left - told.refused.length)}</ul></section>`
}
${
  told.unchanged > 0 &&
  html`<p class="hint">${countAtDesk(site, told.unchanged, '{count} were unchanged.')}</p>`
}
${
  told.titles.length > 0 &&
  html`<section class="told"><h2>${say('Done: {count}', {
    count: writtenNumber(site, told.done),
  })}</h2><ul>${told.titles.map(({ id, title }) => line(id, title, ''))}${more(
    told.done - told.titles.length,
  )}</ul></section>`
}`,
  }
}

function sentence({ site }: Context, { done, left: refused }: Outcomes): string {
  if (refused === 0) return countAtDesk(site, done, '{count} events changed')
  return countAtDesk(site, done, '{count} events changed, {left} not', { left: writtenNumber(site, refused) })
}

function undoForm({ site }: Context, { undo, list }: Outcomes): Content {
  if (undo === '') return ''
  return html`<form class="ways start" method="post" action="${deskPath(
    site,
    '/events/undo',
  )}"><input type="hidden" name="undo" value="${undo}"><input type="hidden" name="list" value="${list}">\
<button type="submit" class="button">${sayAtDesk(site, 'Undo')}</button></form>`
}

async function takeBack(request: DeskRequest): Promise<DeskView> {
  const { context } = request
  const { site } = context
  const say = deskTranslatorFor(site)
  const rows = await undoMany(context, fieldOf(request, 'undo'))
  const back = await backTo(context, fieldOf(request, 'list'))
  const refused = (rows ?? []).filter(({ problem }) => problem)
  const count = (rows ?? []).filter(({ outcome }) => outcome === 'done').length
  return {
    title: rows
      ? countAtDesk(site, count, 'Undone for {count} events')
      : say('That was undone before, or is older than a day.'),
    room: 'events',
    under: html`<a href="${back}">${say('Back to the list')}</a>`,
    body: html`${
      refused.length > 0 &&
      html`<section class="told"><h2>${say('Not done: {count}', {
        count: writtenNumber(site, refused.length),
      })}</h2><ul>${refused.map(
        ({ id, title, problem }) =>
          html`<li><a href="${deskPath(site, `/events/${id}`)}" dir="auto">${
            plainText(title) || `#${id}`
          }</a><small>${problem && whyRefused(site, problem)}</small></li>`,
      )}</ul></section>`
    }<p class="ways start"><a class="button" href="${back}">${say('Events')}</a></p>`,
  }
}

export const bulkPages: readonly DeskPage[] = [
  {
    at: '/events/many',
    get: confirm,
    post: (request) => withImages(request.context, () => changeChosen(request)),
  },
  { at: '/events/many/:key', get: showOutcomes },
  { at: '/events/undo', post: takeBack },
]
