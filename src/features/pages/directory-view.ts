import { Problem } from '../../base/problems.ts'
import { plainText } from '../../base/text/html.ts'
import type { LinkedKind } from '../../calendar/linked/linked-store.ts'
import { recordPath } from '../../calendar/linked/record-present.ts'
import { soonFilled } from '../../store/memory/event-memory.ts'
import { countComing } from './coming-events.ts'
import { type DirectoryEntry, listDirectory, listLetters } from './linked-directory.ts'
import { endOfOver } from './page-dates.ts'
import { type Html, html } from './page-html.ts'
import { languageField } from './page-languages.ts'
import { pager } from './view-head.ts'
import { nameShown, pathTo, say, sayEvents, spanLink, type View, type Viewing } from './viewing.ts'

/** Entries per page; those beyond page `LAST_PAGE` are found by name or first letter. */
const MOST_ENTRIES = 100
const LAST_PAGE = 50
const LONGEST_NAME = 200
/** Up to this many entries need no search form, letters or headings. */
const FEW = 20

const TEXTS = {
  venue: {
    path: '/venues/',
    heading: 'Venues',
    search: 'Search venues',
    none: 'There are no venues here yet.',
    unmatched: 'No venues match.',
  },
  organizer: {
    path: '/organizers/',
    heading: 'Organizers',
    search: 'Search organizers',
    none: 'There are no organizers here yet.',
    unmatched: 'No organizers match.',
  },
} as const

interface Asked {
  kind: LinkedKind
  words: string
  letter: string
  page: number
}

/** @throws Problem event-archive-page-not-found for a page after the last */
export async function directoryView(
  viewing: Viewing,
  kind: LinkedKind,
  query: URLSearchParams,
  page: number,
): Promise<View> {
  const { context } = viewing
  const { site, db } = context
  const [letter = ''] = query.get('letter') ?? ''
  const asked: Asked = {
    kind,
    words: (query.get('search') ?? '').replaceAll('\0', '').trim().slice(0, LONGEST_NAME),
    letter,
    page,
  }
  const texts = TEXTS[kind]
  if (page > LAST_PAGE) throw new Problem('event-archive-page-not-found')
  const place = { offset: (page - 1) * MOST_ENTRIES, most: MOST_ENTRIES + 1 }
  const [found, letters] = await Promise.all([
    listDirectory(db, kind, asked, place),
    listLetters(db, kind),
    soonFilled(viewing.memory),
  ])
  if (page > 1 && found.length === 0) throw new Problem('event-archive-page-not-found')
  const isWhole = asked.words === '' && asked.letter === ''
  const entries = found.slice(0, MOST_ENTRIES)
  const isLong = !isWhole || entries.length > FEW || page > 1
  const way = (other: number, text: string) => ({ path: addressOf(viewing, { ...asked, page: other }), text })
  const previous = page > 1 ? way(page - 1, say(site, 'Previous page')) : undefined
  const next =
    found.length > MOST_ENTRIES && page < LAST_PAGE ? way(page + 1, say(site, 'Next page')) : undefined
  return {
    status: 200,
    title: say(site, texts.heading),
    description: entries
      .slice(0, 8)
      .map((entry) => nameOf(viewing, kind, entry))
      .join(', '),
    canonical: texts.path,
    isIndexed: isWhole && page === 1 && entries.length > 0,
    previous: previous?.path,
    next: next?.path,
    styles: [viewing.assets.places],
    current: kind,
    body: html`<div class="head"><div class="heading"><h1 tabindex="-1">${say(site, texts.heading)}</h1>${
      kind === 'venue' &&
      html`<p class="count"><a class="quiet" href="${spanLink(
        site,
        { view: 'map' },
        undefined,
        '',
      )}">${say(site, 'Events by venue')}</a></p>`
    }</div></div>
${isLong && searchForm(viewing, asked)}${isLong && letters.length > 1 && letterBar(viewing, asked, letters)}
<div class="results">${
      entries.length === 0
        ? html`<p class="nothing">${say(site, isWhole ? texts.none : texts.unmatched)}</p>`
        : isLong
          ? groups(viewing, kind, entries)
          : html`<div class="directory"><ul>${entries.map((entry) =>
              entryRow(viewing, kind, entry),
            )}</ul></div>`
    }</div>
${pager(previous, next, say(site, 'More pages'))}`,
  }
}

function addressOf({ context: { site } }: Viewing, { kind, words, letter, page }: Asked): string {
  const query = new URLSearchParams()
  if (words !== '') query.set('search', words)
  if (letter !== '') query.set('letter', letter)
  if (page > 1) query.set('page', String(page))
  const text = query.toString()
  return pathTo(site, TEXTS[kind].path + (text === '' ? '' : `?${text}`))
}

function searchForm(viewing: Viewing, { kind, words }: Asked): Html {
  const { site } = viewing.context
  const label = say(site, TEXTS[kind].search)
  return html`<form class="filter names" role="search" method="get" action="${pathTo(
    site,
    TEXTS[kind].path,
  )}">${languageField(site)}<div class="words"><input type="search" name="search" value="${
    words
  }" maxlength="${LONGEST_NAME}" placeholder="${label}" aria-label="${
    label
  }"><button type="submit" class="button main">${say(site, 'Search')}</button></div></form>`
}

function letterBar(viewing: Viewing, asked: Asked, letters: readonly string[]): Html {
  const { site } = viewing.context
  const isAll = asked.letter === '' && asked.words === ''
  const one = (letter: string, text: string, isChosen: boolean) =>
    html`<a href="${addressOf(viewing, { ...asked, words: '', letter, page: 1 })}"${
      isChosen && html` aria-current="true"`
    }>${text}</a>`
  return html`<nav class="letters" aria-label="${say(site, 'First letters')}">${one(
    '',
    say(site, 'All'),
    isAll,
  )}${letters.map((letter) => one(letter, capital(letter), letter === asked.letter))}</nav>`
}

function groups(viewing: Viewing, kind: LinkedKind, entries: readonly DirectoryEntry[]): Html {
  const byLetter = Map.groupBy(entries, (entry) => capital(entry.letter))
  return html`<div class="directory">${[...byLetter].map(
    ([letter, own]) =>
      html`<section><h2>${letter}</h2><ul>${own.map((entry) =>
        entryRow(viewing, kind, entry),
      )}</ul></section>\n`,
  )}</div>`
}

const capital = (letter: string) => (letter.toUpperCase().length === 1 ? letter.toUpperCase() : letter)

function nameOf({ context: { site } }: Viewing, kind: LinkedKind, { name }: DirectoryEntry): string {
  return plainText(name) || say(site, kind === 'venue' ? 'Venue' : 'Organizer')
}

function entryRow(viewing: Viewing, kind: LinkedKind, entry: DirectoryEntry): Html {
  const { context, memory, wall } = viewing
  const { site } = context
  const coming = memory.index && countComing(memory.index, kind, entry.id, endOfOver(wall))
  const city = plainText(entry.city)
  return html`<li${coming === 0 && html` class="idle"`}><a href="${pathTo(
    site,
    recordPath(site, kind, entry),
  )}">${nameShown(site, nameOf(viewing, kind, entry))}</a>${
    city && html` <span class="where">${nameShown(site, city)}</span>`
  }${
    coming !== undefined && coming > 0 && html` <span class="coming">${sayEvents(site, coming)}</span>`
  }</li>`
}
