import { limits } from '../../base/fields/limits.ts'
import { Problem } from '../../base/problems.ts'
import { decodedText, plainText } from '../../base/text/html.ts'
import { dayOf, wallNow } from '../../base/text/moments.ts'
import { timezoneAbbreviation } from '../../base/text/zones.ts'
import type { Context } from '../../calendar/declare/context.ts'
import { parseFields } from '../../calendar/declare/parse.ts'
import { eventFilters } from '../../calendar/events/event-filters.ts'
import { findSeriesByIds } from '../../calendar/events/event-store.ts'
import { showRule } from '../../calendar/events/recurrence-present.ts'
import { recordUrl } from '../../calendar/linked/record-present.ts'
import { paramTexts } from '../../calendar/locales/problem-answers.ts'
import type { CountedIn } from '../../calendar/locales/texts.ts'
import { can, mayDelete, mayEdit, seesAll } from '../../calendar/people/caller.ts'
import { listUsers } from '../../calendar/people/users.ts'
import { findTermsByIds } from '../../calendar/terms/term-store.ts'
import { written } from '../feeds/date-forms.ts'
import { statusWord } from '../feeds/event-status.ts'
import { isDay, lastDayOf, writtenDate, writtenDay, writtenEnd, writtenNumber } from '../pages/page-dates.ts'
import { type Content, type Html, html } from '../pages/page-html.ts'
import { type PageTerms, readTermsAlone } from '../pages/page-terms.ts'
import { nearName } from '../pages/when-in-words.ts'
import { type DeskEvent, listSources, loadDeskEvents } from './desk-event-rows.ts'
import {
  DESK_SORTS,
  type DeskList,
  type DeskPageFound,
  type DeskPlace,
  type DeskSort,
  findDeskPage,
} from './desk-events.ts'
import { statusName } from './desk-inputs.ts'
import { MOST_COUNTED } from './desk-list-counts.ts'
import { DESK_TABS, type DeskTab } from './desk-list-runs.ts'
import {
  countAtDesk,
  type DeskPage,
  type DeskRequest,
  type DeskView,
  deskPath,
  deskTranslatorFor,
  sayAtDesk,
  titleAtDesk,
} from './desk-page.ts'
import { type DeskText, type deskTexts, formsAtDesk } from './desk-texts.ts'
import { linkedNames } from './event-form/event-form-values.ts'
import { mayMerge } from './merges.ts'
import { findSameName, type PickedKind, type PickedName, pickNames } from './picked-names.ts'
import { eventLink, mayOpen } from './record-links.ts'

const PER_PAGE = 50
const MOST_OFFERED = 200

const TAB_NAMES: Readonly<Record<DeskTab, DeskText>> = {
  coming: 'Coming',
  pending: 'Waiting for review',
  draft: 'Drafts',
  future: 'Scheduled',
  past: 'Past',
  trash: 'Trash',
}

const SORT_NAMES: Readonly<Record<DeskSort, DeskText>> = {
  start: 'By start',
  title: 'By title',
  changed: 'Last changed first',
}

export interface AskedList {
  list: DeskList
  /** Query parameters without the positions `after` and `before`. */
  fields: Readonly<Record<string, string>>
}

const FIELDS = [
  'status',
  'search',
  'categories',
  'tags',
  'venue',
  'organizer',
  'author',
  'source',
  'series',
  'start_date',
  'end_date',
  'sort',
] as const
type ListField = (typeof FIELDS)[number]

/** @throws Problem for a filter that cannot be read */
export async function readList(context: Context, query: URLSearchParams): Promise<AskedList> {
  const fields: Partial<Record<ListField, string>> = {}
  for (const name of FIELDS) {
    const text = query.get(name)?.trim() ?? ''
    if (text !== '') fields[name] = text
  }
  const named = NAMED.map(
    async ({ name, kind }) => [name, await meantBy(context, kind, fields[name])] as const,
  )
  const { search, categories, tags, venue, organizer } = eventFilters
  const parsed = await parseFields(
    { search, categories, tags, venue, organizer },
    { search: fields.search, categories: fields.categories, ...Object.fromEntries(await Promise.all(named)) },
    context,
  )
  const author = authorMeant(context, fields.author)
  const list: DeskList = {
    ...parsed,
    tab: DESK_TABS.find((tab) => tab === fields.status) ?? 'coming',
    sort: DESK_SORTS.find((sort) => sort === fields.sort) ?? 'start',
    ...(author !== undefined && { author }),
    ...(isNumber(fields.source) && { source: Number(fields.source) }),
    ...(isNumber(fields.series) && { series: [Number(fields.series)] }),
    ...(isDay(fields.start_date ?? '') && { from: fields.start_date }),
    ...(isDay(fields.end_date ?? '') && { to: fields.end_date }),
    ...placeAsked(query, 'after'),
    ...placeAsked(query, 'before'),
  }
  return { list, fields }
}

const isNumber = (text = '') => /^[1-9]\d{0,8}$/.test(text)

const NAMED = [
  { name: 'venue', kind: 'venue' },
  { name: 'organizer', kind: 'organizer' },
  { name: 'tags', kind: 'tag' },
] as const

async function meantBy(
  context: Context,
  kind: PickedKind,
  text: string | undefined,
): Promise<string | undefined> {
  if (text === undefined || /^[\d,]+$/.test(text)) return text
  const found = await findSameName(kind, text, context)
  return found ? String(found.id) : text
}

async function namesInFields(
  context: Context,
  { venue, organizer, tags }: AskedList['fields'],
): Promise<FieldNames> {
  const idsIn = (text: string | undefined) => (isNumber(text) ? [text ?? ''] : [])
  const [{ venues, organizers }, terms] = await Promise.all([
    linkedNames(context, { venue: idsIn(venue), organizer: idsIn(organizer) }),
    isNumber(tags) ? findTermsByIds(context.db, [Number(tags)]) : [],
  ])
  return {
    venue: plainText(venues.get(Number(venue))?.venue ?? '') || venue,
    organizer: plainText(organizers.get(Number(organizer))?.organizer ?? '') || organizer,
    tags: decodedText(terms[0]?.name ?? '') || tags,
  }
}

type FieldNames = Readonly<Record<(typeof NAMED)[number]['name'], string | undefined>>

/** The author to filter by: by default the caller, unless the caller sees all events. */
function authorMeant({ caller }: Context, text: string | undefined): number | undefined {
  if (text === 'mine' || (text === undefined && !seesAll(caller))) return caller.id
  return isNumber(text) ? Number(text) : undefined
}

const PLACE = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)_(\d{1,9})$/

function placeAsked(
  query: URLSearchParams,
  name: 'after' | 'before',
): { after?: DeskPlace; before?: DeskPlace } {
  const text = query.get(name) ?? ''
  const [, day, time, id] = PLACE.exec(text) ?? []
  if (day !== undefined) return { [name]: { start: `${day} ${time}`, id: Number(id) } }
  return isNumber(text) ? { [name]: { start: '', id: Number(text) } } : {}
}

const writtenPlace = ({ start, id }: DeskPlace) =>
  start === '' ? String(id) : `${start.replace(' ', 'T')}_${id}`

export function listPath(
  { site }: Pick<Context, 'site'>,
  fields: Readonly<Record<string, string | undefined>>,
): string {
  const said = Object.entries(fields).filter((entry): entry is [string, string] => Boolean(entry[1]))
  const query = new URLSearchParams(said).toString()
  return deskPath(site, query === '' ? '/events' : `/events?${query}`)
}

interface Listing extends AskedList {
  context: Context
  found: DeskPageFound
  terms: PageTerms
  venues: readonly PickedName[]
  names: FieldNames
  today: string
  say: (text: DeskText, values?: Record<string, string>) => string
}

async function showEvents(request: DeskRequest): Promise<DeskView> {
  const { context, query } = request
  try {
    return await listView(request, await readList(context, query))
  } catch (error) {
    if (error instanceof Problem && error.code === 'rest_invalid_param')
      return unreadView(context, query, error)
    throw error
  }
}

function unreadView({ site }: Context, query: URLSearchParams, { details }: Problem): DeskView {
  const wrong = Object.entries(paramTexts(details.params ?? {}, site.language))
  const lines = wrong.map(([name, text]) => {
    const typed = query.get(name) ?? ''
    const isName = NAMED.some((known) => known.name === name) && typed.length <= LONGEST_NAME
    return html`<li>${isName ? sayAtDesk(site, 'There is no “{name}”.', { name: typed }) : text}</li>`
  })
  const fields = [...query].filter(([name]) => !wrong.some(([known]) => known === name))
  const back = listPath({ site }, Object.fromEntries(fields))
  return {
    status: 400,
    title: sayAtDesk(site, 'Events'),
    room: 'events',
    body: html`<div class="summary" role="alert" tabindex="-1" id="faults"><ul>${lines}</ul></div>\
<p class="ways start"><a class="button" href="${back}">${sayAtDesk(site, 'Remove this filter')}</a></p>`,
  }
}

const LONGEST_NAME = 100

async function listView({ context, query }: DeskRequest, asked: AskedList): Promise<DeskView> {
  const { site } = context
  const [terms, venues] = await Promise.all([
    readTermsAlone(context),
    pickNames('venue', '', context, MOST_OFFERED + 1),
  ])
  const [found, names] = await Promise.all([
    findDeskPage(context, asked.list, PER_PAGE),
    namesInFields(context, asked.fields),
  ])
  const events = await loadDeskEvents(context, found.ids)
  const say = deskTranslatorFor(site)
  const today = dayOf(wallNow(site.timezone, context.now))
  const listing: Listing = { ...asked, context, found, terms, venues, names, today, say }
  const chosen = chosenFilters(listing, events[0]?.title)
  return {
    title: say('Events'),
    room: 'events',
    notice: query.get('chosen') === 'none' && say('Choose the events first.'),
    under: say('Times are of {zone}.', { zone: site.timezone }),
    body: html`${tabs(listing)}
${await tools(listing, chosen.length)}
${
  chosen.length > 0 &&
  html`<ul class="chips">${chosen}<li><a href="${listPath(context, {
    status: asked.fields.status,
    author: asked.fields.author && seesAll(context.caller) ? undefined : asked.fields.author,
  })}">${say('Clear all filters')}</a></li></ul>`
}
${
  !found.isSorted &&
  asked.list.sort !== 'start' &&
  html`<p class="hint">${say('More than {count} events match; narrow the list to sort it so.', {
    count: writtenNumber(site, MOST_COUNTED),
  })}</p>`
}
${events.length === 0 ? nothing(listing, chosen.length > 0) : await table(listing, events)}
${otherPages(listing)}`,
  }
}

function tabs({ context, fields, found: { counts }, list, say }: Listing): Html {
  const link = (tab: DeskTab) => {
    const path = listPath(context, { ...fields, status: tab === 'coming' ? undefined : tab })
    return html`<a href="${path}"${tab === list.tab && html` aria-current="page"`}>${say(
      TAB_NAMES[tab],
    )}${counts && html` <span>${countInWords(context, counts[tab])}</span>`}</a>`
  }
  return html`<nav class="tabs" aria-label="${say('Status')}">${DESK_TABS.map(link)}</nav>`
}

/** Returns a count in words; above `MOST_COUNTED`, that number with a plus sign. */
export function countInWords({ site }: Pick<Context, 'site'>, count: number): string {
  return count > MOST_COUNTED ? `${writtenNumber(site, MOST_COUNTED)}+` : writtenNumber(site, count)
}

type Options = readonly { value: string; text: string }[]

async function tools(listing: Listing, filters: number): Promise<Html> {
  const { context, fields, terms, venues, say } = listing
  const { caller, db } = context
  const users = seesAll(caller) ? (await listUsers(db)).slice(0, MOST_OFFERED) : []
  const authors = [
    ...(seesAll(caller) ? [] : [{ value: 'all', text: say('Everybody') }]),
    ...(seesAll(caller) ? [{ value: 'mine', text: say('Mine') }] : []),
    ...users.filter(({ id }) => id !== caller.id).map(({ id, name }) => ({ value: String(id), text: name })),
  ]
  // Only callers who see all events get this filter, since a calendar's full address may be a secret.
  const sources = seesAll(caller) ? (await listSources(db, MOST_OFFERED)).map(sourceOption) : []
  const select = (name: ListField, label: string, none: string, options: Options) =>
    html`<label class="field"><span>${label}</span><select name="${name}">\
<option value="">${none}</option>${options.map(
      ({ value, text }) =>
        html`<option value="${value}"${fields[name] === value && html` selected`}>${text}</option>`,
    )}</select></label>`
  const day = (name: 'start_date' | 'end_date', label: string) =>
    html`<label class="field"><span>${label}</span><input type="date" name="${name}" value="${fields[name]}">\
</label>`
  return html`<form class="tools" method="get" role="search" action="${deskPath(
    context.site,
    '/events',
  )}">${HIDDEN.map(
    (name) => fields[name] && html`<input type="hidden" name="${name}" value="${fields[name]}">`,
  )}
<input type="search" name="search" maxlength="${String(
    limits.search.characters,
  )}" value="${fields.search}" aria-label="${say('Words in events')}" placeholder="${say(
    'Words in events',
  )}"><button type="submit" class="button">${say('Search')}</button>
<details class="filters"><summary class="button">${say('Filters')}${
    filters > 0 && html` <span class="count">${filters}</span>`
  }</summary><div class="panel">
${select('categories', say('Category'), say('All categories'), terms.choices.categories.all)}
${
  venues.length > MOST_OFFERED
    ? nameField(listing, 'venue', say('Venue'))
    : select('venue', say('Venue'), say('All venues'), venues.map(venueOption))
}
${nameField(listing, 'organizer', say('Organizer'))}${nameField(listing, 'tags', say('Tag'))}
${select('author', say('By'), seesAll(caller) ? say('Everybody') : say('Mine'), authors)}
${select(
  'sort',
  say('Order'),
  say(SORT_NAMES.start),
  DESK_SORTS.filter((sort) => sort !== 'start').map((sort) => ({ value: sort, text: say(SORT_NAMES[sort]) })),
)}
${day('start_date', say('From'))}${day('end_date', say('Until'))}
${sources.length > 0 && select('source', say('Imported from'), say('Anywhere'), sources)}
<button type="submit" class="button main">${say('Show')}</button></div></details></form>`
}

const HIDDEN = ['status', 'series'] as const

const venueOption = ({ id, name }: PickedName) => ({ value: String(id), text: decodedText(name) })

const sourceOption = ({ id, address }: { id: number; address: string }) => ({
  value: String(id),
  text: `${sourceName(address)} (${id})`,
})

function nameField({ names }: Listing, name: keyof FieldNames, label: string): Html {
  const kind = NAMED.find((known) => known.name === name)?.kind
  return html`<label class="field"><span>${label}</span><input type="text" name="${name}" \
value="${names[name]}" maxlength="300" autocomplete="off" dir="auto" data-names="${kind}"></label>`
}

function chosenFilters({ context, fields, terms, names, say }: Listing, title = ''): Html[] {
  const { site } = context
  const categoryName = [...terms.byId.values()].find(
    ({ slug, id, taxonomy }) =>
      taxonomy === 'category' && (slug === fields.categories || String(id) === fields.categories),
  )?.name
  const dayInWords = (text: string) => (isDay(text) ? written(site, 'dayMonthYear', text) : text)
  const words: Partial<Record<ListField, string | undefined>> = {
    search: fields.search && `“${fields.search}”`,
    categories: fields.categories && (categoryName ?? fields.categories),
    tags: fields.tags && `${say('Tag')}: ${names.tags}`,
    venue: fields.venue && names.venue,
    organizer: fields.organizer && `${say('Organizer')}: ${names.organizer}`,
    author:
      fields.author &&
      (fields.author === 'mine'
        ? say('Mine')
        : fields.author === 'all'
          ? say('Everybody')
          : `${say('By')}: ${fields.author}`),
    source: fields.source && say('Imported'),
    series: fields.series && say('Series: {title}', { title: titleAtDesk(site, title) }),
    start_date: fields.start_date && `${say('From')} ${dayInWords(fields.start_date)}`,
    end_date: fields.end_date && `${say('Until')} ${dayInWords(fields.end_date)}`,
  }
  return Object.entries(words).flatMap(([name, text]) =>
    text
      ? [
          html`<li><a class="chip" href="${listPath(context, {
            ...fields,
            [name]: undefined,
          })}"><span dir="auto">${text}</span> <span aria-hidden="true">×</span><span class="hidden">${say(
            'Remove this filter',
          )}</span></a></li>`,
        ]
      : [],
  )
}

function nothing({ context, fields, list, found: { counts }, say }: Listing, isFiltered: boolean): Html {
  const elsewhere = DESK_TABS.filter((tab) => tab !== list.tab && counts && counts[tab] > 0)
  const links = elsewhere.map(
    (tab) =>
      html`<a class="button" href="${listPath(context, {
        ...fields,
        status: tab === 'coming' ? undefined : tab,
      })}">${say(TAB_NAMES[tab])} <span class="count">${
        counts && countInWords(context, counts[tab])
      }</span></a>`,
  )
  if (isFiltered)
    return html`<div class="nothing"><p>${say(
      'Nothing matches.',
    )}</p><p class="ways">${links}<a class="button" href="${listPath(context, {
      status: fields.status,
    })}">${say('Clear all filters')}</a></p></div>`
  const text: DeskText = list.tab === 'trash' ? 'The trash is empty.' : 'Nothing here yet.'
  const mayMake = list.tab !== 'trash' && can(context.caller, 'edit')
  return html`<div class="nothing"><p>${say(text)}</p>${
    mayMake &&
    html`<p class="ways"><a class="button main" href="${deskPath(context.site, '/events/new')}">${say(
      'New event',
    )}</a></p>`
  }</div>`
}

async function table(listing: Listing, events: readonly DeskEvent[]): Promise<Html> {
  const { context, list, today, say } = listing
  const { site, db } = context
  const series = await findSeriesByIds(db, [...new Set(events.flatMap((event) => event.series ?? []))])
  const rules = new Map([...series].map(([id, row]) => [id, showRule(context, row).text]))
  const isByDay = list.sort === 'start'
  const isStillOn = (event: DeskEvent) => list.tab === 'coming' && dayOf(event.start_date) < today
  const groups = isByDay
    ? Map.groupBy(events, (event) => (isStillOn(event) ? '' : dayOf(event.start_date)))
    : new Map([['all', events]])
  const heading = (day: string) => {
    if (!isByDay) return ''
    const near = day === '' ? '' : nearName(site, day, today)
    const text = day === '' ? say('Still on') : writtenDay(site, day, today)
    return html`<tr class="day"><th colspan="8" scope="rowgroup">${
      near && html`<b>${near}</b> `
    }${text}</th></tr>`
  }
  const bodies = [...groups].map(
    ([day, own]) =>
      html`<tbody>${heading(day)}${own.map((event) =>
        row(listing, event, { rule: rules.get(event.series ?? 0), isDated: !isByDay || day === '' }),
      )}</tbody>`,
  )
  return html`<form method="post" action="${deskPath(site, '/events/many')}" class="many" data-many>
<table class="events"><thead><tr><th scope="col"><span class="hidden">${say('Choose')}</span></th>\
<th scope="col">${say('Time')}</th><th scope="col">${say('Event')}</th><th scope="col">${say('Venue')}</th>\
<th scope="col">${say(
    'Category',
  )}</th><th scope="col">${say('Status')}</th><th scope="col">${say('By')}</th><th scope="col">\
<span class="hidden">${say('Actions')}</span></th></tr></thead>
${bodies}</table>
${bulkBar(listing)}</form>`
}

const LINKS = ['categories', 'tags', 'venue', 'organizer'] as const
const SHOWN = ['picture', 'price', 'featured'] as const

const BAR: Readonly<Record<DeskTab, readonly BulkActionName[]>> = {
  coming: ['move', 'cancel', ...LINKS, ...SHOWN, 'draft', 'trash'],
  past: [...LINKS, ...SHOWN, 'draft', 'trash'],
  pending: ['publish', 'schedule', 'move', ...LINKS, ...SHOWN, 'draft', 'trash'],
  draft: ['publish', 'schedule', 'move', ...LINKS, ...SHOWN, 'trash'],
  future: ['publish', 'schedule', 'move', ...LINKS, ...SHOWN, 'draft', 'trash'],
  trash: ['restore', 'delete'],
}

const BAR_NAMES: Readonly<Record<BulkActionName, DeskText>> = {
  publish: 'Publish',
  schedule: 'Publish later',
  draft: 'Draft',
  trash: 'Trash',
  restore: 'Restore',
  delete: 'Delete permanently',
  categories: 'Categories',
  tags: 'Tags',
  venue: 'Venue',
  organizer: 'Organizer',
  picture: 'Picture',
  price: 'Price',
  featured: 'Featured',
  cancel: 'Cancel or postpone',
  move: 'Move',
}

const TO_PUBLISH: readonly BulkActionName[] = ['publish', 'schedule']

function bulkBar({ context: { caller, site }, fields, list, found, say }: Listing): Content {
  if (!can(caller, 'edit')) return ''
  const actions = BAR[list.tab].filter((action) => !TO_PUBLISH.includes(action) || can(caller, 'publish'))
  const isMore = found.earlier !== undefined || found.later !== undefined
  const total = found.counts?.[list.tab] ?? MOST_COUNTED + 1
  const most = writtenNumber(site, Math.min(total, MOST_COUNTED))
  const all = say(total > MOST_COUNTED ? 'All that match, at most {count}' : 'All {count} that match', {
    count: most,
  })
  const query = new URLSearchParams(Object.entries(fields)).toString()
  return html`<div class="bulk" data-chosen="${JSON.stringify(
    formsAtDesk(site, '{count} chosen'),
  )}" data-none="${say('Choose none')}" data-page="${say('Choose all on this page')}"><p>${say(
    'Chosen events:',
  )}</p><input type="hidden" name="list" value="${query}">${
    isMore && html`<label class="check"><input type="checkbox" name="all" value="1"> ${all}</label>`
  }<div class="actions">${actions.map(
    (action) =>
      html`<button type="submit" name="do" value="${action}" class="button${
        (action === 'trash' || action === 'delete') && ' bad'
      }">${say('{action}…', { action: say(BAR_NAMES[action]) })}</button>`,
  )}${
    list.tab !== 'trash' &&
    mayMerge({ caller }) &&
    html`<button type="submit" class="button" name="kind" value="event" formmethod="get" \
formaction="${deskPath(site, '/duplicates/merge')}">${say('{action}…', { action: say('Merge') })}</button>`
  }</div></div>`
}

function row(
  listing: Listing,
  event: DeskEvent,
  { rule, isDated }: { rule: string | undefined; isDated: boolean },
): Html {
  const { context, found, say } = listing
  const { site, caller } = context
  const title = titleAtDesk(site, event.title)
  const mayChange = mayEdit(caller, event)
  const name = eventLink(context, event, title, { look: 'title', attributes: html` dir="auto"` })
  const notes = [
    rule,
    event.event_status !== 'scheduled' && event.event_status_reason,
    event.hide_from_listings === 1 && say('Hidden from lists'),
    event.featured === 1 && say('Featured'),
  ].filter((note) => typeof note === 'string' && note !== '')
  const dates = found.dates.get(event.id) ?? 1
  const box =
    (mayChange || mayDelete(caller, event)) &&
    html`<label class="box"><input type="checkbox" name="ids[]" ${
      dates > 1
        ? html`value="${SERIES_TICK}${event.series}" data-dates="${dates}"`
        : html`value="${event.id}"`
    }><span class="hidden">${say('Choose')}: ${title}${
      dates > 1 && html`, ${countAtDesk(site, dates, '{count} dates')}`
    }</span></label>`
  return html`<tr><td class="pick">${box}</td><td class="when">${times(
    listing,
    event,
    isDated,
  )}</td><td class="what">${name}${notes.length > 0 && html`<small dir="auto">${notes.join(' · ')}</small>`}${
    dates > 1 && otherDates(listing, event, { title, dates })
  }</td><td class="where" dir="auto">${event.venue}${
    event.venues > 1 && html` <small class="more">+ ${event.venues - 1}</small>`
  }</td><td class="sort">${category(listing, event)}</td><td class="how">${states(
    listing,
    event,
  )}</td><td class="who" dir="auto"><span>${event.by}</span>${
    event.source && html`<small title="${event.source}">${sourceName(event.source)}</small>`
  }</td><td class="act">${actionsOf(listing, event, title)}</td></tr>`
}

function otherDates(
  { context, fields }: Listing,
  { series }: DeskEvent,
  { title, dates }: { title: string; dates: number },
): Html {
  const { site } = context
  const path = listPath(context, { ...fields, series: String(series) })
  return html`<small><a class="dates" href="${path}">${countAtDesk(
    site,
    dates - 1,
    'and {count} \
more',
  )}<span class="hidden">: ${title}</span></a> <span class="ticked">${countAtDesk(
    site,
    dates,
    '{count} dates chosen',
  )}</span></small>`
}

/** Prefix of a series' checkbox value; the series' number follows, not the ids of its dates. */
export const SERIES_TICK = 'series:'

function times({ context: { site }, today, say }: Listing, event: DeskEvent, isDated: boolean): Html {
  const { start_date: start, end_date: end } = event
  const last = lastDayOf(start, end)
  const zone =
    event.timezone !== site.timezone &&
    html` <abbr>${timezoneAbbreviation(event.timezone, event.utc_start_date)}</abbr>`
  const day = isDated && html`<small class="date">${writtenDate(site, dayOf(start), today)}</small>`
  const until =
    last > dayOf(start) &&
    html`<small class="until">${say('until {date}', { date: writtenDate(site, last, today) })}</small>`
  if (event.all_day === 1) return html`${day}<span>${say('All day')}</span>${until}`
  const ends = !until && end !== start && html`<small> – ${writtenEnd(site, start, end)}</small>`
  return html`${day}<time datetime="${start.slice(0, 16).replace(' ', 'T')}">${written(
    site,
    'time',
    start,
  )}</time>${ends}${zone}${until}`
}

function category({ terms }: Listing, { categories }: DeskEvent): Html {
  const shown = categories.flatMap((id) => terms.byId.get(id) ?? [])
  const [first, ...others] = shown
  return html`${
    first && html`<span class="h${first.hue}"><i class="dot" aria-hidden="true"></i>${first.name}</span>`
  }${
    others.length > 0 &&
    html` <small class="more" title="${others.map(({ name }) => name).join(', ')}">+ ${others.length}</small>`
  }`
}

const STATE_LOOKS: Readonly<Record<string, string>> = { pending: 'warn', future: 'good', trash: 'bad' }

function states({ context: { site } }: Listing, event: DeskEvent): Content {
  const word = statusWord(site, event)
  const isOff =
    word !== '' &&
    html`<span class="state ${event.event_status === 'canceled' ? 'bad' : 'warn'}">${word}</span>`
  if (event.status === 'publish')
    return isOff || html`<span class="plain">${statusName(site, event.status)}</span>`
  return html`<span class="state ${STATE_LOOKS[event.status]}">${statusName(site, event.status)}</span>${
    isOff && html` ${isOff}`
  }`
}

function sourceName(address: string): string {
  const host = /^[a-z]+:\/\/([^/:?#]+)/i.exec(address)?.[1]
  return host ?? address.slice(address.lastIndexOf('/') + 1)
}

/** Shows a row's actions twice: as buttons at its end for mouse and keyboard, and as a menu for touch. */
function actionsOf({ context, say }: Listing, event: DeskEvent, title: string): Html {
  const { site, caller } = context
  const [mayChange, mayRemove] = [mayEdit(caller, event), mayDelete(caller, event)]
  const isOpen = mayOpen(context, event)
  const isTrashed = event.status === 'trash'
  const one = (action: string) => deskPath(site, `/events/many?do=${action}&ids=${event.id}`)
  const named = html`<span class="hidden">: ${title}</span>`
  const link = (href: string, text: DeskText, look = '') =>
    html`<li><a href="${href}"${look && html` class="${look}"`}>${say(text)}${named}</a></li>`
  const links = isTrashed
    ? [
        mayChange && link(one('restore'), 'Restore'),
        mayRemove && link(one('delete'), 'Delete permanently', 'bad'),
      ]
    : [
        isOpen && link(deskPath(site, `/events/${event.id}`), mayChange ? 'Edit' : 'Propose change'),
        isOpen && link(deskPath(site, `/events/${event.id}/duplicate`), 'Duplicate'),
        event.status === 'publish' && link(recordUrl(site, 'event', event), 'View'),
        mayChange && event.event_status === 'scheduled' && link(one('cancel'), 'Cancel…'),
        mayRemove && link(one('trash'), 'Trash', 'bad'),
      ]
  return html`<ul class="near">${links}</ul><details class="menu"><summary><span aria-hidden="true">⋯</span>\
<span class="hidden">${say('Actions')}${named}</span></summary><ul>${links}</ul></details>`
}

function otherPages({ context, fields, found: { earlier, later }, say }: Listing): Content {
  if (!earlier && !later) return ''
  const to = (name: 'before' | 'after', place: DeskPlace | undefined, text: DeskText) =>
    place
      ? html`<a class="button" href="${listPath(context, {
          ...fields,
          [name]: writtenPlace(place),
        })}"${html` rel="${name === 'after' ? 'next' : 'prev'}"`}>${say(text)}</a>`
      : ''
  return html`<nav class="pages" aria-label="${say('More pages')}">${
    earlier &&
    html`<a class="button" href="${listPath(context, fields)}">${say('To the start of the list')}</a>`
  }${to('before', earlier, 'Previous page')}${to('after', later, 'Next page')}</nav>`
}

export const eventListPages: readonly DeskPage[] = [{ at: '/events', get: showEvents }]

export const BULK_ACTIONS = {
  publish: { ask: 'Publish {count} events?', press: 'Publish' },
  draft: { ask: 'Revert {count} events to drafts?', press: 'Revert to drafts' },
  trash: { ask: 'Move {count} events to the trash?', press: 'Move to the trash' },
  restore: { ask: 'Restore {count} events?', press: 'Restore' },
  delete: { ask: 'Delete {count} events permanently?', press: 'Delete permanently' },
  categories: { ask: 'Change the categories of {count} events', press: 'Change categories' },
  tags: { ask: 'Change the tags of {count} events', press: 'Change tags' },
  venue: { ask: 'Change the venues of {count} events', press: 'Change the venue' },
  organizer: { ask: 'Change the organizers of {count} events', press: 'Change the organizer' },
  picture: { ask: 'Set the picture of {count} events', press: 'Set the picture' },
  price: { ask: 'Change the price of {count} events', press: 'Change the price' },
  featured: { ask: 'Feature {count} events?', press: 'Feature' },
  schedule: { ask: 'Publish {count} events later', press: 'Publish later' },
  cancel: { ask: 'Cancel or postpone {count} events', press: 'Cancel or postpone' },
  move: { ask: 'Move {count} events', press: 'Move' },
} as const satisfies Record<string, { ask: CountedIn<typeof deskTexts>; press: DeskText }>

export type BulkActionName = keyof typeof BULK_ACTIONS
