import type { Site } from '../../base/config.ts'
import type { TimeOfDay, WhenWord } from '../../base/fields/event-fields.ts'
import type { EventsQuery } from '../../calendar/events/event-filters.ts'
import { written } from '../feeds/date-forms.ts'
import { countLeft, countWhen } from './count-matching.ts'
import type { TermPath } from './page-addresses.ts'
import { capitalized, firstOf, monthOf, monthsLater, writtenNumber } from './page-dates.ts'
import { type EventFilters, withoutDatesAndWhen } from './page-finding.ts'
import { type Html, html } from './page-html.ts'
import { changedQuery, OF_LISTS, type PageQuery, queryText } from './page-query.ts'
import type { PageText } from './page-texts.ts'
import { isList, type Span } from './spans.ts'
import { pathTo, say, spanLink, type Viewing } from './viewing.ts'

// Chips: links that set a filter, or remove it if it is set.

/** Values of `when` with a chip. */
export const CHIP_TIMES = {
  today: 'Today',
  tonight: 'Tonight',
  tomorrow: 'Tomorrow',
  weekend: 'This weekend',
  week: 'Next 7 days',
} as const satisfies Readonly<Partial<Record<WhenWord, PageText>>>

const SWITCHES = [
  ['time', 'evening', 'Evenings'],
  ['free', 'true', 'Free'],
  ['access', 'step_free', 'Step-free'],
  ['attendance', 'online,mixed', 'Online'],
] as const satisfies readonly (readonly [string, string, PageText])[]

type Switch = (typeof SWITCHES)[number]

const POSITION = ['geoloc_lat', 'geoloc_lng', 'geoloc_radius']

export const DATES_ID = 'dates'

interface CountedChip {
  text: Html | string
  address: string
  isChosen: boolean
  count?: number | undefined
  hue?: string
}

/** A chosen chip shows no count, since clicking it removes its filter. */
export function filterChip(site: Site, { text, address, isChosen, count, hue = '' }: CountedChip): Html {
  const number = !isChosen && count !== undefined && html` <small>${writtenNumber(site, count)}</small>`
  return html`<a class="pill${hue}${count === 0 && !isChosen && ' none'}" href="${address}"${
    isChosen && html` aria-current="true"`
  }>${hue && html`<i class="dot" aria-hidden="true"></i>`}${text}${number}</a>`
}

export interface CategoryChips {
  shown: readonly Html[]
  others: Html | false
}

interface ChipFilter {
  span: Span
  scope: TermPath | undefined
  query: PageQuery
  counts: ChipCounts
  hasDates: boolean
  categories: CategoryChips
}

/** Chips with links that keep the other filters. Only lists have chips for `when`. */
export function filterChips(viewing: Viewing, chips: ChipFilter): Html {
  const { span, scope, query, counts, categories } = chips
  const { site } = viewing.context
  const { sent } = query
  const to = (target: Span, changes: Readonly<Record<string, string | undefined>>) =>
    spanLink(site, target, scope, queryText(changedQuery(query, changes)))
  const switchOf = ([name, value, text]: Switch) => {
    const isChosen = isChosenIn(sent, name, value)
    const address = to(span, { [name]: switched(sent.get(name), name, value, isChosen) })
    return { text: say(site, text), address, isChosen, count: counts.switches.get(name) }
  }
  const [evenings, free, stepFree, online] = SWITCHES.map(switchOf)
  const access = (stepFree?.isChosen || (stepFree?.count ?? 0) > 0) && stepFree
  const isOffered = (chip: CountedChip) => chip.count !== 0 || query.isFiltered
  const evening = evenings && filterChip(site, evenings)
  const times =
    isList(span) &&
    html`<nav class="pills" tabindex="-1" aria-label="${say(site, 'When')}">${timeChips(
      viewing,
      chips,
      to,
    )}${nextMonth(viewing, chips)}${evening}${
      chips.hasDates && html`<a class="pill dates" href="#${DATES_ID}">${say(site, 'Pick a date')}</a>`
    }</nav>`
  return html`${times}<nav class="pills" tabindex="-1" aria-label="${say(site, 'What')}">${
    !times && evening
  }${free && isOffered(free) && filterChip(site, free)}${categories.shown}${
    access && filterChip(site, access)
  }${online && isOffered(online) && filterChip(site, online)}${nearChip(viewing, query, (changes) =>
    to(span, changes),
  )}${categories.others}</nav>`
}

type LinkTo = (span: Span, changes: Readonly<Record<string, string | undefined>>) => string

function timeChips(viewing: Viewing, { query: { sent }, counts }: ChipFilter, to: LinkTo): Html[] {
  const { site } = viewing.context
  const list: Span = { view: 'list' }
  const anyDay = Object.fromEntries(OF_LISTS.map((name) => [name, undefined]))
  const times = CHIP_WORDS.map((word, at) => {
    const isChosen = sent.get('when') === word
    const address = to(list, { ...anyDay, when: isChosen ? undefined : word })
    return filterChip(site, {
      text: say(site, CHIP_TIMES[word]),
      address,
      isChosen,
      count: counts.times?.[at],
    })
  })
  if (!OF_LISTS.some((name) => sent.has(name))) return times
  return [
    ...times,
    filterChip(site, { text: say(site, 'Any day'), address: to(list, anyDay), isChosen: false }),
  ]
}

/** The next month of what is asked for; the plain list, beside the small month, needs no chip. */
function nextMonth({ context: { site }, today }: Viewing, { scope, query }: ChipFilter): Html | false {
  const month = monthsLater(monthOf(today), 1)
  if (month === undefined || (scope === undefined && !query.isFiltered)) return false
  const form = month.slice(0, 4) === today.slice(0, 4) ? 'month' : 'monthYear'
  const address = spanLink(site, { view: 'month', month }, scope, queryText(query, OF_LISTS))
  const text = capitalized(site, written(site, form, firstOf(month)))
  return filterChip(site, { text, address, isChosen: false })
}

const isChosenIn = (sent: ReadonlyMap<string, string>, name: string, value: string) =>
  name === 'access' ? factsIn(sent.get(name)).includes(value) : sent.get(name) === value

const factsIn = (sent = '') => sent.split(',').flatMap((fact) => fact.trim() || [])

/** A filter's value after a click. In `access`, only this one fact changes. */
function switched(
  sent: string | undefined,
  name: string,
  value: string,
  isChosen: boolean,
): string | undefined {
  if (name !== 'access') return isChosen ? undefined : value
  const others = factsIn(sent).filter((fact) => fact !== value)
  return [...others, ...(isChosen ? [] : [value])].join(',') || undefined
}

export interface ChipCounts {
  times: readonly number[] | undefined
  categories: ReadonlyMap<string, number>
  switches: ReadonlyMap<string, number>
}

const CHIP_WORDS: readonly (keyof typeof CHIP_TIMES)[] = ['today', 'tonight', 'tomorrow', 'weekend', 'week']

export const NOT_COUNTED: ChipCounts = { times: undefined, categories: new Map(), switches: new Map() }

/** What chips count, except those for `when`: each of these counts the events of its own days. */
export interface CountedLists {
  filters: EventFilters
  /** Returns the filters of the lists that the page would show with `filters`. */
  lists: (filters: EventFilters) => readonly EventFilters[]
}

/** Counts events for chips; a search, and what the index cannot count, has no counts. */
export function countChips(
  { context }: Viewing,
  { filters, lists }: CountedLists,
  slugs: readonly string[],
): ChipCounts {
  if (filters.words !== undefined || filters.search !== undefined) return NOT_COUNTED
  const { categories: _chosen, ...others } = filters
  const asked = (own: EventFilters): EventsQuery => ({ strict_dates: true, ...own, page: 1, per_page: 1 })
  const left = (own: EventFilters, conditions: readonly EventFilters[]) => {
    return countLeft(context, lists(own).map(asked), conditions) ?? []
  }
  const isPlain = filters.categories === undefined
  const ofCategories = slugs.map((slug) => ({ categories: [slug] }))
  const ofSwitches = SWITCH_FILTERS.map(([, own]) => own)
  const switches = left(filters, isPlain ? [...ofSwitches, ...ofCategories] : ofSwitches)
  const categories = isPlain ? switches.slice(ofSwitches.length) : left(others, ofCategories)
  return {
    times: countWhen(context, asked(withoutDatesAndWhen(filters)), CHIP_WORDS),
    categories: named(slugs, categories),
    switches: named(
      SWITCH_FILTERS.map(([name]) => name),
      switches,
    ),
  }
}

const named = (names: readonly string[], counts: readonly number[]) =>
  new Map(names.flatMap((name, at) => (counts[at] === undefined ? [] : [[name, counts[at]] as const])))

const SWITCH_FILTERS: readonly (readonly [Switch[0], EventFilters])[] = [
  ['free', { free: true }],
  ['access', { access: ['step_free'] }],
  ['attendance', { attendance: ['online', 'mixed'] }],
]

/** Chip for events near the visitor; false if no position is set and no venue has coordinates. */
function nearChip(
  { context: { site }, memory, terms }: Viewing,
  { sent }: PageQuery,
  to: (changes: Readonly<Record<string, undefined>>) => string,
): Html | false {
  if (sent.has('geoloc_lat'))
    return html`<a class="pill" href="${to(
      Object.fromEntries(POSITION.map((name) => [name, undefined])),
    )}" aria-current="true">${say(site, 'Near me')}</a>`
  if (!memory.index || memory.index.places.all.size === 0) return false
  const places = terms.choices.places.all.length > 0 ? `#${FIELDS_ID}` : pathTo(site, '/venues/')
  return html`<a class="pill" href="${places}" data-lost="${say(
    site,
    'We couldn’t find your location. Choose a place in the filters.',
  )}">${say(site, 'Near me')}</a>`
}

/** Id of the element with further filters; it opens when a link leads to it. */
export const FIELDS_ID = 'fields'

export function hasChip(name: string, value: string): boolean {
  if (name === 'when') return value in CHIP_TIMES
  return POSITION.includes(name) || SWITCHES.some(([own, on]) => own === name && on === value)
}

export function chosenInWords(site: Site, sent: ReadonlyMap<string, string>): string {
  const when = askedInWords(site, 'when', sent.get('when') ?? '')
  const switches = SWITCHES.flatMap(([name, value, text]) =>
    sent.get(name) === value ? [say(site, text)] : [],
  )
  return [when, ...switches].filter(Boolean).join(' · ')
}

const IN_WORDS: Readonly<Record<WhenWord | TimeOfDay, PageText>> = {
  ...CHIP_TIMES,
  now: 'Now',
  month: 'Next 30 days',
  morning: 'Mornings',
  afternoon: 'Afternoons',
  evening: 'Evenings',
}
const ATTENDED: Readonly<Record<string, PageText>> = {
  in_person: 'In person',
  online: 'Online',
  mixed: 'Also online',
}

const STATUSES: Readonly<Record<string, PageText>> = {
  scheduled: 'Scheduled',
  canceled: 'Canceled',
  postponed: 'Postponed',
}

/** The filter in words; undefined except for `when`, `time`, `free`, `attendance` and `event_status`. */
export function askedInWords(site: Site, name: string, value: string): string | undefined {
  const listed = (words: Readonly<Record<string, PageText>>) =>
    value
      .split(',')
      .map((word) => words[word.trim()])
      .flatMap((text) => (text === undefined ? [] : say(site, text)))
      .join(', ')
  if (name === 'when' || name === 'time') return listed(IN_WORDS)
  if (name === 'attendance') return listed(ATTENDED)
  if (name === 'event_status') return listed(STATUSES)
  if (name === 'free')
    return say(site, value === 'true' || value === '1' ? 'Free' : 'Not free, or price unknown')
  return undefined
}
