import type { Site } from '../../base/config.ts'
import type { Context } from '../../calendar/declare/context.ts'
import type { LinkedKind } from '../../calendar/linked/linked-store.ts'
import type { MessageText } from '../../calendar/locales/messages.ts'
import { translate } from '../../calendar/locales/translate.ts'
import { writtenNumber } from '../../http/page-dates.ts'
import type { Html } from '../../http/page-html.ts'
import type { EventMemory } from '../../store/memory/event-memory.ts'
import type { EventRow } from '../../store/storage/schema.ts'
import type { Cards } from './cards.ts'
import type { Look } from './look.ts'
import { rootOf, spanPath, type TermPath } from './page-addresses.ts'
import type { Asset, Assets } from './page-assets.ts'
import { keepLanguage } from './page-languages.ts'
import type { PageTerms } from './page-terms.ts'
import type { Span } from './spans.ts'

// The type of a view, the data that views are made with, and the functions for texts and links that all of
// them use.

/** The data, the clock and the look that every view is made with. */
export interface Viewing {
  context: Context
  memory: EventMemory
  cards: Cards
  terms: PageTerms
  assets: Assets
  look: Look
  /** The first day of the week, 0 for Sunday to 6 for Saturday. */
  weekStart: number
  /** The present time in the zone of the site, and its day. */
  wall: string
  today: string
  /**
   * The path and query of the page, as the request has them; undefined for a preview, which has no public
   * address.
   */
  address: string | undefined
  /** The position around which the reader looks for events. */
  around?: { lat: number; lng: number } | undefined
}

/** A link to the same events in another format, for programs that read the head of a page. */
export interface FeedLink {
  mediaType: string
  title: string
  /** The path of the feed, below the address of the site. */
  path: string
}

/** A page before it is put into the layout. */
export interface View {
  status: number
  /** The title of the document, without the name of the site. */
  title: string
  description: string
  /**
   * The path of the page without filters, below the root of the site; undefined for a page without an address
   * of its own.
   */
  canonical: string | undefined
  /** The canonical address of the page on another site, if that site stays the original. */
  original?: string | undefined
  /** Whether search engines may index it. */
  isIndexed: boolean
  /** Paths of the pages before and after it. */
  previous?: string | undefined
  next?: string | undefined
  /** The address of a picture that previews of links show. */
  image?: string | undefined
  /** The Open Graph type of its subject. */
  type?: 'website' | 'article'
  linkedData?: object | undefined
  /** The same events in other formats. */
  feeds?: readonly FeedLink[]
  /** The style sheets it needs besides the one of all pages. */
  styles?: readonly Pick<Asset, 'path'>[]
  /** The origin of images that it loads besides those of all pages. */
  imagesFrom?: string | undefined
  /** The scripts it needs besides the one of all pages. */
  scripts?: readonly Pick<Asset, 'path'>[]
  /** The part of the site that the navigation marks as the present one. */
  current: Span['view'] | LinkedKind | undefined
  body: Html
}

/** Returns an English text in the language of the site. */
export function say(
  { language }: Site,
  text: MessageText,
  values?: Readonly<Record<string, string>>,
): string {
  return translate(language, text, values)
}

/** Writes a number of events in words. */
export function sayEvents(site: Site, count: number): string {
  return count === 1
    ? say(site, '1 event')
    : say(site, '{count} events', { count: writtenNumber(site, count) })
}

/** Writes how many more there are than those that are shown. */
export const sayMore = (site: Site, count: number) =>
  count === 1 ? say(site, '+1 more') : say(site, '+{count} more', { count: writtenNumber(site, count) })

/**
 * Returns a path of the site, with or without a query, as links need it: with the root of the site, and with
 * the language that the page's address names.
 */
export const pathTo = (site: Site, path: string) => keepLanguage(site, rootOf(site) + path)

/** Returns the address of a span of events with these filters. */
export function spanLink(site: Site, span: Span, scope: TermPath | undefined, query: string): string {
  return pathTo(site, spanPath(span, scope) + (query === '' ? '' : `?${query}`))
}

/** Returns the work of preparing the description of a record for its page, as `showPrepared` takes it. */
export const pageWork = ({ description, trusted }: Pick<EventRow, 'description' | 'trusted'>) =>
  ({ work: 'page', raw: description, trusted: trusted === 1 }) as const
