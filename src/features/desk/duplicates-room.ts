import { invalidParam, Problem } from '../../base/problems.ts'
import { decodedText, plainText } from '../../base/text/html.ts'
import { dayOf, wallNow } from '../../base/text/moments.ts'
import type { Context } from '../../calendar/declare/context.ts'
import { mayRead, type Owned } from '../../calendar/people/caller.ts'
import { isPossibleId } from '../../calendar/records/record-store.ts'
import { resourceNamed } from '../../calendar/resources.ts'
import { written } from '../feeds/date-forms.ts'
import { writtenDate, writtenNumber } from '../pages/page-dates.ts'
import { type Content, type Html, html } from '../pages/page-html.ts'
import { shortened } from '../pages/teasers.ts'
import { loadDeskEvents } from './desk-event-rows.ts'
import { statusName } from './desk-inputs.ts'
import {
  type DeskAnswer,
  type DeskPage,
  type DeskRequest,
  type DeskView,
  deskPath,
  fieldOf,
  whenAtDesk,
} from './desk-page.ts'
import { type DuplicateText, sayOfDuplicates } from './duplicate-texts.ts'
import { type DoubledKind, findLikelyPairs, type LikelyPair } from './duplicates.ts'
import { countUses, isMerged, MOST_USES_COUNTED } from './merge-records.ts'
import {
  keepApart,
  listMerges,
  type Mergeable,
  mayMerge,
  mergeableIn,
  mergeForNow,
  putApart,
} from './merges.ts'
import { statusOf } from './permitted-record.ts'

// Pages of likely duplicates. A pair is merged by one click or marked as different; a merge can be undone.

const KINDS = [
  ['venue', 'Venues'],
  ['organizer', 'Organizers'],
  ['event', 'Events'],
] as const satisfies readonly (readonly [DoubledKind, DuplicateText])[]

const ROOMS = {
  venue: 'venues',
  organizer: 'organizers',
  event: 'events',
  category: 'categories',
  tag: 'tags',
} as const satisfies Record<Mergeable, string>

const PER_PAGE = 20
const MOST_MERGES = 20

const sayer =
  ({ site }: Pick<Context, 'site'>) =>
  (text: DuplicateText, values?: Readonly<Record<string, string>>): string =>
    sayOfDuplicates(site, text, values)

function requireMerger(context: Context): void {
  if (!mayMerge(context)) throw new Problem('rest_forbidden')
}

interface Twin {
  id: number
  name: string
  lines: readonly string[]
  status: string
  uses: number | undefined
}

async function loadTwins(
  context: Context,
  kind: Mergeable,
  ids: readonly number[],
): Promise<Map<number, Twin>> {
  const possible = [...new Set(ids)].filter(isPossibleId)
  const twins =
    kind === 'event' ? await eventTwins(context, possible) : await linkedTwins(context, kind, possible)
  return new Map(twins.map((twin) => [twin.id, twin]))
}

async function eventTwins(context: Context, ids: readonly number[]): Promise<Twin[]> {
  const { site, caller, now } = context
  const today = dayOf(wallNow(site.timezone, now))
  const events = (await loadDeskEvents(context, ids)).filter((event) => mayRead(caller, event))
  return events.map(({ id, title, start_date, all_day, venue, by, status, source }) => {
    const time = all_day === 1 ? '' : `, ${written(site, 'time', start_date)}`
    const lines = [
      `${writtenDate(site, dayOf(start_date), today)}${time}`,
      venue,
      source === '' ? by : `${by}, ${source}`,
    ]
    return { id, name: plainText(title), lines: lines.filter((line) => line !== ''), status, uses: undefined }
  })
}

const TOLD = ['address', 'city', 'phone', 'email', 'website', 'slug'] as const

async function linkedTwins(
  context: Context,
  kind: Exclude<Mergeable, 'event'>,
  ids: readonly number[],
): Promise<Twin[]> {
  const { operations } = resourceNamed(kind)
  const uses = isMerged(kind) ? await countUses(context.db, kind, ids) : new Map<number, number>()
  const twins: Twin[] = []
  for (const id of ids) {
    const row = await operations.locate(context, { id })
    const status = statusOf(row)
    if (row === undefined || status === 'trash') continue
    if (status !== undefined && !mayRead(context.caller, row as Owned)) continue
    const columns: Readonly<Record<string, unknown>> = { ...Object(row) }
    const text = (name: string) => decodedText(String(columns[name] ?? ''))
    twins.push({
      id,
      name: text(kind === 'venue' || kind === 'organizer' ? kind : 'name'),
      lines: TOLD.map(text).filter((line) => line !== ''),
      status: status ?? 'publish',
      uses: uses.get(id),
    })
  }
  return twins
}

async function showDuplicates(request: DeskRequest): Promise<DeskView> {
  const { context, query } = request
  requireMerger(context)
  const say = sayer(context)
  const kind = KINDS.find(([known]) => known === query.get('kind'))?.[0] ?? 'venue'
  const from = Math.min(Number(/^\d{1,4}$/.exec(query.get('from') ?? '')?.[0] ?? 0), 10_000)
  const pairs = await findLikelyPairs(context, kind)
  const shown = pairs.slice(from, from + PER_PAGE)
  const twins = await loadTwins(
    context,
    kind,
    shown.flatMap(({ ids }) => ids),
  )
  const tabs = KINDS.map(
    ([one, text]) =>
      html`<a href="${deskPath(context.site, `/duplicates?kind=${one}`)}"${
        one === kind && html` aria-current="page"`
      }>${say(text)}${one === kind && html` <span>${writtenNumber(context.site, pairs.length)}</span>`}</a>`,
  )
  const page = (to: number, text: DuplicateText) =>
    html`<a class="button" href="${deskPath(
      context.site,
      `/duplicates?kind=${kind}&from=${to}`,
    )}">${say(text)}</a>`
  return {
    title: say('Duplicates'),
    room: 'duplicates',
    notice: mergeNotice(request),
    under: say('Records that are likely the same, by name, address and nearness.'),
    body: html`<nav class="tabs" aria-label="${say('Duplicates')}">${tabs}</nav>
${
  shown.length === 0
    ? html`<p class="nothing">${say('Nothing looks like a duplicate.')}</p>`
    : html`<div class="pairs">${shown.map((pair) => pairForm(context, kind, pair, twins))}</div>`
}
${
  (from > 0 || pairs.length > from + PER_PAGE) &&
  html`<nav class="pages" aria-label="${say('More pages')}">${
    from > 0 && page(Math.max(0, from - PER_PAGE), 'Previous page')
  }${pairs.length > from + PER_PAGE && page(from + PER_PAGE, 'Next page')}</nav>`
}
${await recentMerges(context)}`,
  }
}

function mergeNotice({ context, query }: DeskRequest): Content {
  const say = sayer(context)
  if (query.has('apart')) return say('They are kept apart.')
  if (query.has('undone')) return say('They are two records again.')
  const merge = /^[1-9]\d{0,14}$/.exec(query.get('merged') ?? '')?.[0]
  return merge === undefined ? '' : html`${say('They are one record now.')} ${undoOf(context, merge)}`
}

export function undoOf(context: Context, merge: string): Html {
  return html`<form class="inline-form" method="post" action="${deskPath(
    context.site,
    '/duplicates/undo',
  )}"><input type="hidden" name="merge" value="${merge}"><button type="submit" class="button quiet">${sayer(
    context,
  )('Undo')}</button></form>`
}

/** Returns the record to keep: the one with more events, else a public one, else the older one. */
function staying(twins: readonly Twin[]): Twin | undefined {
  const isPublic = ({ status }: Twin) => Number(status === 'publish')
  return twins.toSorted(
    (a, b) => (b.uses ?? 0) - (a.uses ?? 0) || isPublic(b) - isPublic(a) || a.id - b.id,
  )[0]
}

function pairForm(
  context: Context,
  kind: Mergeable,
  { ids }: LikelyPair,
  all: ReadonlyMap<number, Twin>,
): Content {
  const twins = ids.flatMap((id) => all.get(id) ?? [])
  return twins.length === 2 && twinsForm(context, kind, twins, true)
}

function twinsForm(context: Context, kind: Mergeable, twins: readonly Twin[], mayDiffer: boolean): Html {
  const { site } = context
  const say = sayer(context)
  const stays = staying(twins)
  const ids = twins.map(({ id }) => id).join(',')
  const sides = twins.map(
    (twin) =>
      html`<label class="twin"><input type="radio" name="into" value="${twin.id}"${
        twin === stays && html` checked`
      }><span class="twin-facts"><a href="${deskPath(site, `/${ROOMS[kind]}/${twin.id}`)}" dir="auto">${
        twin.name || say('(no title)')
      }</a>${twin.lines.map(
        (line) => html`<small dir="auto">${shortened(line, LONGEST_LINE)}</small>`,
      )}<small>${[
        twin.uses !== undefined && usesIn(context, twin.uses),
        twin.status !== 'publish' && statusName(site, twin.status),
        `#${twin.id}`,
      ]
        .filter(Boolean)
        .join(' · ')}</small></span></label>`,
  )
  return html`<form class="pair card" method="post" action="${deskPath(
    site,
    '/duplicates/merge',
  )}"><input type="hidden" name="kind" value="${kind}"><input type="hidden" name="ids" value="${ids}">\
<fieldset><legend>${say(
    'The one that stays',
  )}</legend>${sides}</fieldset><p class="ways start"><button type="submit" class="button \
main">${say('Merge')}</button>${
    mayDiffer &&
    html`<button type="submit" class="button quiet" formaction="${deskPath(
      site,
      '/duplicates/apart',
    )}">${say('Not the same')}</button>`
  }</p></form>`
}

const LONGEST_LINE = 100

function usesIn(context: Context, uses: number): string {
  const count = `${writtenNumber(context.site, uses)}${uses >= MOST_USES_COUNTED ? '+' : ''}`
  return sayer(context)('Number of events: {count}', { count })
}

async function recentMerges(context: Context): Promise<Content> {
  const { site, now } = context
  const say = sayer(context)
  const merges = await listMerges(context, MOST_MERGES)
  if (merges.length === 0) return ''
  const lines = merges.map(({ id, kind, into_record, gone_name, into_name, done_utc }) => {
    const room = mergeableIn(kind)
    const into = html`<a href="${room && deskPath(site, `/${ROOMS[room]}/${into_record}`)}" dir="auto">${
      plainText(into_name) || `#${into_record}`
    }</a>`
    return html`<li><span><bdi>${plainText(gone_name)}</bdi> → ${into} <small>${whenAtDesk(
      site,
      done_utc,
      now,
    )}</small></span>${undoOf(context, String(id))}</li>`
  })
  return html`<section class="merged"><h2>${say(
    'Merged in the last 30 days',
  )}</h2><ul>${lines}</ul></section>`
}

/** @throws Problem rest_invalid_param unless there are a known kind and exactly two ids */
function askedPair({ form, query }: DeskRequest): { kind: Mergeable; ids: [number, number] } {
  const kind = mergeableIn(fieldOf({ form }, 'kind') || (query.get('kind') ?? ''))
  if (!kind) throw invalidParam('kind')
  const sent = form.ids === undefined ? [...query.getAll('ids'), ...query.getAll('ids[]')] : [form.ids].flat()
  const ids = sent
    .flatMap((text) => String(text).slice(0, 100).split(','))
    .filter((text) => /^[1-9]\d{0,14}$/.test(text))
  const [one, other, ...more] = [...new Set(ids.map(Number))]
  if (one === undefined || other === undefined || more.length > 0) throw invalidParam('ids')
  return { kind, ids: [one, other] }
}

async function showPair(request: DeskRequest): Promise<DeskView> {
  const { context } = request
  const { site } = context
  requireMerger(context)
  const say = sayer(context)
  const pair = findPair(request)
  const twins = pair ? [...(await loadTwins(context, pair.kind, pair.ids)).values()] : []
  const kind = pair?.kind ?? mergeableIn(request.query.get('kind') ?? '') ?? 'venue'
  const isPair = twins.length === 2
  return {
    ...(!isPair && { status: 422 }),
    title: isPair ? say('Merge') : say('Choose two to merge.'),
    room: ROOMS[kind],
    under: html`<a href="${deskPath(site, `/${ROOMS[kind]}`)}">${say('Back to the list')}</a>`,
    body: html`${
      isPair &&
      html`<p class="hint">${say(
        'All events and old addresses go over to the one that stays; the other goes to the trash.',
      )} ${say('This can be undone for 30 days.')}</p>${twinsForm(context, kind, twins, false)}`
    }${
      !isPair &&
      html`<p class="ways start"><a class="button" href="${deskPath(site, `/${ROOMS[kind]}`)}">${say(
        'Back to the list',
      )}</a></p>`
    }`,
  }
}

function findPair(request: DeskRequest): ReturnType<typeof askedPair> | undefined {
  try {
    return askedPair(request)
  } catch (error) {
    if (error instanceof Problem && error.code === 'rest_invalid_param') return undefined
    throw error
  }
}

async function mergePair(request: DeskRequest): Promise<DeskAnswer> {
  const { context } = request
  requireMerger(context)
  const { kind, ids } = askedPair(request)
  const into = Number(fieldOf(request, 'into') || ids[0])
  const from = ids.find((id) => id !== into)
  if (!ids.includes(into) || from === undefined) throw invalidParam('into')
  const { merge } = await mergeForNow(context, kind, from, into)
  return { seeOther: deskPath(context.site, `/duplicates?kind=${kind}&merged=${merge}`) }
}

async function undoMerge(request: DeskRequest): Promise<DeskAnswer> {
  const { context } = request
  requireMerger(context)
  const merge = /^[1-9]\d{0,14}$/.exec(fieldOf(request, 'merge'))?.[0]
  const done = merge === undefined ? undefined : await putApart(context, Number(merge))
  if (done && done !== 'merged since')
    return { seeOther: deskPath(context.site, `/duplicates?kind=${done.kind}&undone`) }
  const say = sayer(context)
  return {
    status: 422,
    title: say(
      done === 'merged since'
        ? 'The one that stayed was merged into another one since. Undo that merge first.'
        : 'That was undone before, or is older than 30 days.',
    ),
    room: 'duplicates',
    body: html`<p class="ways start"><a class="button" href="${deskPath(context.site, '/duplicates')}">${say(
      'Duplicates',
    )}</a></p>`,
  }
}

async function keepPairApart(request: DeskRequest): Promise<DeskAnswer> {
  const { context } = request
  requireMerger(context)
  const { kind, ids } = askedPair(request)
  await context.write((tx) => keepApart(tx, kind, ids))
  return { seeOther: deskPath(context.site, `/duplicates?kind=${kind}&apart`) }
}

export const duplicatePages: readonly DeskPage[] = [
  { at: '/duplicates', get: showDuplicates },
  { at: '/duplicates/merge', get: showPair, post: mergePair },
  { at: '/duplicates/undo', post: undoMerge },
  { at: '/duplicates/apart', post: keepPairApart },
]
