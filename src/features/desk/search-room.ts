import { dayOf, wallNow } from '../../base/text/moments.ts'
import type { Context } from '../../calendar/declare/context.ts'
import { written } from '../feeds/date-forms.ts'
import { writtenDay } from '../pages/page-dates.ts'
import { html } from '../pages/page-html.ts'
import { statusName } from './desk-inputs.ts'
import {
  countAtDesk,
  type DeskAnswer,
  type DeskPage,
  type DeskRequest,
  deskPath,
  sayAtDesk,
} from './desk-page.ts'
import type { DeskText } from './desk-texts.ts'
import { findAsTyped, type TypedHit } from './find-as-typed.ts'
import { findHrefs, linkOrText } from './record-links.ts'

const KINDS = { event: 'Event', venue: 'Venue', organizer: 'Organizer' } as const satisfies Record<
  TypedHit['kind'],
  DeskText
>

interface ShownHit {
  /** Path of the form or of the public page; undefined if the caller may open neither. */
  href: string | undefined
  title: string
  /** An event's start, or a venue's city. */
  about: string
  kind: string
  state: string
}

async function hitsOf(search: string, context: Context): Promise<ShownHit[]> {
  const found = await findAsTyped(search, context)
  const kinds = ['event', 'venue', 'organizer'] as const
  const idsOf = (kind: TypedHit['kind']) => found.filter((hit) => hit.kind === kind).map(({ id }) => id)
  const hrefs = new Map(
    await Promise.all(
      kinds.map(async (kind) => [kind, await findHrefs(context, kind, idsOf(kind))] as const),
    ),
  )
  return found.map((hit) => showHit(context, hit, hrefs.get(hit.kind)?.get(hit.id)))
}

function showHit(
  { site, now }: Context,
  { kind, title, about, status }: TypedHit,
  href: string | undefined,
): ShownHit {
  const today = dayOf(wallNow(site.timezone, now))
  const when =
    kind === 'event' ? `${writtenDay(site, dayOf(about), today)}, ${written(site, 'time', about)}` : about
  return {
    href,
    title: title || sayAtDesk(site, '(no title)'),
    about: when,
    kind: sayAtDesk(site, KINDS[kind]),
    state: status === 'publish' ? '' : statusName(site, status),
  }
}

const searchIn = ({ query }: DeskRequest) => query.get('search')?.trim() ?? ''

/** Shows the hits; a single hit is opened at once. */
async function showFound(request: DeskRequest): Promise<DeskAnswer> {
  const { context } = request
  const { site } = context
  const search = searchIn(request)
  const found = await hitsOf(search, context)
  const [only, ...others] = found
  if (only?.href !== undefined && others.length === 0) return { seeOther: only.href }
  const rows = found.map(
    ({ href, title, about, kind, state }) =>
      html`<li>${linkOrText(href, title, { look: 'title', attributes: html` dir="auto"` })}${
        state && html` <span class="state">${state}</span>`
      }<small>${[kind, about].filter(Boolean).join(' · ')}</small></li>`,
  )
  const inEvents = deskPath(site, `/events?${new URLSearchParams({ search })}`)
  return {
    title:
      search === ''
        ? sayAtDesk(site, 'Search everything')
        : sayAtDesk(site, 'Found for “{text}”', { text: search }),
    body: html`<form class="tools" method="get" role="search"><input type="search" name="search" \
maxlength="300" value="${search}" aria-label="${sayAtDesk(
      site,
      'Search everything',
    )}"><button type="submit" class="button">${sayAtDesk(site, 'Search')}</button></form>
${
  rows.length > 0
    ? html`<ul class="hits">${rows}</ul>`
    : html`<p class="nothing">${sayAtDesk(
        site,
        search === '' ? 'Type a title, a venue, an organizer, a number or a UID.' : 'Nothing matches.',
      )}</p>`
}
${
  search !== '' &&
  html`<p class="ways"><a class="button" href="${inEvents}">${sayAtDesk(
    site,
    'All events with these words',
  )}</a></p>`
}`,
  }
}

async function tellFound(request: DeskRequest): Promise<DeskAnswer> {
  const { context } = request
  const hits = (await hitsOf(searchIn(request), context)).filter(({ href }) => href !== undefined)
  const { site } = context
  return {
    data: {
      hits,
      told:
        hits.length === 0
          ? sayAtDesk(site, 'Nothing matches.')
          : countAtDesk(site, hits.length, '{count} found'),
    },
  }
}

export const searchPages: readonly DeskPage[] = [
  { at: '/search', get: showFound },
  { at: '/search/as-typed', get: tellFound },
]
