import type { Site } from '../../base/config.ts'
import type { TimeOfDay, WhenWord } from '../../base/fields/event-fields.ts'
import type { MessageText } from '../../calendar/locales/messages.ts'
import { type Html, html } from '../../http/page-html.ts'
import type { TermPath } from './page-addresses.ts'
import { changedQuery, type PageQuery, queryText } from './page-query.ts'
import { isList, type Span } from './spans.ts'
import { pathTo, say, spanLink, type Viewing } from './viewing.ts'

// The chips above lists, which set a filter or take it back; filters in words.

/** The values of `when` with a chip; others are for programs. */
export const CHIP_TIMES = {
  today: 'Today',
  tonight: 'Tonight',
  tomorrow: 'Tomorrow',
  weekend: 'This weekend',
  week: 'Next 7 days',
} as const satisfies Readonly<Partial<Record<WhenWord, MessageText>>>

const SWITCHES = [
  ['time', 'evening', 'Evenings'],
  ['free', 'true', 'Free'],
  ['attendance', 'online,mixed', 'Online'],
] as const satisfies readonly (readonly [string, string, MessageText])[]

const POSITION = ['geoloc_lat', 'geoloc_lng', 'geoloc_radius']
const DATES = ['when', 'start_date', 'end_date']

interface ChipFilter {
  span: Span
  scope: TermPath | undefined
  query: PageQuery
}

/** Links that set a filter, or take it back where it is chosen, and keep everything else. */
export function filterChips(viewing: Viewing, { span, scope, query }: ChipFilter): Html {
  const { site } = viewing.context
  const { sent } = query
  const list: Span = { view: 'list' }
  const to = (target: Span, changes: Readonly<Record<string, string | undefined>>) =>
    spanLink(site, target, scope, queryText(changedQuery(query, changes)))
  const press = (text: string, address: string, isChosen: boolean) =>
    html`<a class="pill" href="${address}"${isChosen && html` aria-current="true"`}>${text}</a>`
  const anyDay = Object.fromEntries(DATES.map((name) => [name, undefined]))
  const hasDates = isList(span) && DATES.some((name) => sent.has(name))
  // Views with dates of their own have no times.
  const times = !isList(span)
    ? []
    : Object.entries(CHIP_TIMES).map(([word, text]) => {
        const isChosen = sent.get('when') === word
        return press(say(site, text), to(list, { ...anyDay, when: isChosen ? undefined : word }), isChosen)
      })
  const switches = SWITCHES.map(([name, value, text]) => {
    const isChosen = sent.get(name) === value
    return press(say(site, text), to(span, { [name]: isChosen ? undefined : value }), isChosen)
  })
  return html`<nav class="pills quick" aria-label="${say(site, 'Time, price and place')}">${times}${hasDates && press(say(site, 'Any day'), to(list, anyDay), false)}${switches}${nearChip(viewing, query, (changes) => to(span, changes))}</nav>`
}

/** Without the script it leads to a choice of places. False where no venue has a position. */
function nearChip(
  { context: { site }, assets, memory, terms }: Viewing,
  { sent }: PageQuery,
  to: (changes: Readonly<Record<string, undefined>>) => string,
): Html | false {
  if (sent.has('geoloc_lat'))
    return html`<a class="pill" href="${to(Object.fromEntries(POSITION.map((name) => [name, undefined])))}" aria-current="true">${say(site, 'Near me')}</a>`
  if (!memory.index || memory.index.places.all.size === 0) return false
  const places = terms.choices.places.all.length > 0 ? `#${FIELDS_ID}` : pathTo(site, '/venues/')
  return html`<a class="pill" href="${places}" data-near="${pathTo(site, assets.near.path)}" data-lost="${say(site, 'We couldn’t find your location. Choose a place in the filters.')}">${say(site, 'Near me')}</a>`
}

/** Opens when a link leads there. */
export const FIELDS_ID = 'fields'

export function hasChip(name: string, value: string): boolean {
  if (name === 'when') return value in CHIP_TIMES
  return POSITION.includes(name) || SWITCHES.some(([own, on]) => own === name && on === value)
}

/** Empty where nothing is chosen. */
export function chosenInWords(site: Site, sent: ReadonlyMap<string, string>): string {
  const when = askedInWords(site, 'when', sent.get('when') ?? '')
  const switches = SWITCHES.flatMap(([name, value, text]) =>
    sent.get(name) === value ? [say(site, text)] : [],
  )
  return [when, ...switches].filter(Boolean).join(' · ')
}

const IN_WORDS: Readonly<Record<WhenWord | TimeOfDay, MessageText>> = {
  ...CHIP_TIMES,
  now: 'Now',
  month: 'Next 30 days',
  morning: 'Mornings',
  afternoon: 'Afternoons',
  evening: 'Evenings',
}
const ATTENDED: Readonly<Record<string, MessageText>> = {
  in_person: 'In person',
  online: 'Online',
  mixed: 'Also online',
}

const STATUSES: Readonly<Record<string, MessageText>> = {
  scheduled: 'Scheduled',
  canceled: 'Canceled',
  postponed: 'Postponed',
}

/** Undefined for other filters than times, prices, ways to take part and statuses. */
export function askedInWords(site: Site, name: string, value: string): string | undefined {
  const listed = (words: Readonly<Record<string, MessageText>>) =>
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
