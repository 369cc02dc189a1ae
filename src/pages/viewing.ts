import type { Site } from '../config.ts'
import type { Context } from '../context/context.ts'
import type { MessageText } from '../locales/messages.ts'
import { translate } from '../locales/translate.ts'
import type { EventMemory } from '../memory/event-memory.ts'
import type { Cards } from './cards.ts'
import { rootOf, type Scope, type Span, spanPath } from './page-addresses.ts'
import type { Asset, Assets } from './page-assets.ts'
import { writtenNumber } from './page-dates.ts'
import type { Html } from './page-html.ts'
import type { PageTerms } from './page-terms.ts'

/** What every view is made with: the data, the clock and the looks. */
export interface Viewing {
  context: Context
  memory: EventMemory
  cards: Cards
  terms: PageTerms
  assets: Assets
  /** 0 for Sunday to 6 for Saturday. */
  weekStart: number
  /** The day it is in the zone of the site. */
  today: string
}

/** The same events in another format, for programs that read the head of a page. */
export interface FeedLink {
  mediaType: string
  title: string
  /** Below the address of the site. */
  path: string
}

/** A page before it is put into the layout. */
export interface View {
  status: number
  /** Of the document, without the name of the site. */
  title: string
  description: string
  /** The path of the page without filters, below the root of the site; undefined for a page that is none of its own. */
  canonical: string | undefined
  /** The address of the page elsewhere that this one shows the same as, which is canonical in its place. */
  original?: string | undefined
  /** Whether search engines may keep it. */
  isIndexed: boolean
  /** Paths of the pages before and after it. */
  previous?: string | undefined
  next?: string | undefined
  /** The address of a picture. */
  image?: string | undefined
  /** Open Graph's word for what it is about. */
  type?: 'website' | 'article'
  linkedData?: object | undefined
  /** The same events in other formats. */
  feeds?: readonly FeedLink[]
  /** What it needs beside the script of all pages. */
  scripts?: readonly Pick<Asset, 'path'>[]
  /** Which part of the site it belongs to. */
  current: 'list' | 'month' | 'day' | undefined
  body: Html
}

/** An English text in the language of the site. */
export function say({ language }: Site, text: MessageText, values?: Readonly<Record<string, string>>): string {
  return translate(language, text, values)
}

/** How many events there are, in words. */
export function sayEvents(site: Site, count: number): string {
  return count === 1 ? say(site, '1 event') : say(site, '{count} events', { count: writtenNumber(site, count) })
}

/** A path of the site as links have it. */
export const pathTo = (site: Site, path: string) => rootOf(site) + path

/** The address of a span of events with these filters. */
export function spanLink(site: Site, span: Span, scope: Scope | undefined, query: string): string {
  return pathTo(site, spanPath(span, scope)) + (query === '' ? '' : `?${query}`)
}
