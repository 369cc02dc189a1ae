import { eventWords } from '../../calendar/events/event-filters.ts'
import type { WordsFound } from '../../store/storage/search/find-words.ts'
import { type EventFilters, findPageEvents } from './page-finding.ts'
import { type Html, html } from './page-html.ts'
import { queryText } from './page-query.ts'
import { scopeOf } from './page-terms.ts'
import type { EventsAsked } from './view-head.ts'
import { say, sayEvents, spanLink, type Viewing } from './viewing.ts'

// Says on a page which words of a search were read as similar words, and which words no event has.

/** Where the words of a search are found; undefined for a page without words. */
async function readWords({ context }: Viewing, { query }: EventsAsked): Promise<WordsFound | undefined> {
  const { words } = query.filters
  return words === undefined ? undefined : eventWords.find(words, context)
}

/** Names the words that no event has and, where the search finds events, the words that were read as similar ones. */
export async function wordsNote(viewing: Viewing, asked: EventsAsked, total: number): Promise<Html | false> {
  const { site } = viewing.context
  const { words = [] } = (await readWords(viewing, asked)) ?? {}
  const notes = words.flatMap(({ text, instead, isThere }) => {
    if (!isThere) return [say(site, 'Nothing matches “{word}”.', { word: text })]
    if (instead === undefined || total === 0) return []
    return [say(site, 'These results are for “{word}”; nothing matches “{written}”.', { word: text, written: instead })]
  })
  return notes.length > 0 && html`<p class="note">${notes.join(' ')}</p>`
}

/** The most words of a search whose events are counted one by one, where no event has all of them. */
const MOST_COUNTED = 5

/** Links to the events of each word of a search that finds none with all of them. */
export async function fewerWords(viewing: Viewing, asked: EventsAsked, filters: EventFilters): Promise<Html | false> {
  const { site } = viewing.context
  const { words = [] } = (await readWords(viewing, asked)) ?? {}
  if (words.length < 2) return false
  const links: Html[] = []
  for (const { text, isThere } of words.slice(0, MOST_COUNTED)) {
    const { total } = isThere ? await findPageEvents(viewing, { ...filters, words: text }, 1, 1) : { total: 0 }
    if (total === 0) continue
    const query = new URLSearchParams(queryText(asked.query))
    query.set('search', text)
    const path = spanLink(site, asked.span, asked.term && scopeOf(asked.term), query.toString())
    links.push(
      html`<li><a class="pill" href="${path}"><bdi>${text}</bdi> <small>${sayEvents(site, total)}</small></a></li>`,
    )
  }
  return (
    links.length > 0 &&
    html`<section class="fewer"><h2>${say(site, 'Try just one of the words')}</h2><ul class="pills">${links}</ul></section>`
  )
}
