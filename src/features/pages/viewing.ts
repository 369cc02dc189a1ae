import type { Site } from '../../base/config.ts'
import type { Context } from '../../calendar/declare/context.ts'
import type { LinkedKind } from '../../calendar/linked/linked-store.ts'
import { writtenNumber } from '../../http/page-dates.ts'
import { type Html, html } from '../../http/page-html.ts'
import type { EventMemory } from '../../store/memory/event-memory.ts'
import type { EventRow } from '../../store/storage/schema.ts'
import type { Cards } from './cards.ts'
import type { Look } from './look.ts'
import { rootOf, spanPath, type TermPath } from './page-addresses.ts'
import type { Asset, Assets } from './page-assets.ts'
import { keepLanguage } from './page-languages.ts'
import type { PageTerms } from './page-terms.ts'
import { sayCount, sayOfPages } from './page-texts.ts'
import type { PageLink, Subscribes } from './pages-part.ts'
import type { Span } from './spans.ts'

// What views are made with, and the texts and links that all of them use.

export interface Viewing {
  context: Context
  memory: EventMemory
  cards: Cards
  terms: PageTerms
  assets: Assets
  look: Look
  /** Of other features. */
  links: readonly PageLink[]
  subscribes?: Subscribes | undefined
  /** 0 for Sunday to 6 for Saturday. */
  weekStart: number
  /** In the zone of the site. */
  wall: string
  today: string
  /** As requested; undefined for a preview. */
  address: string | undefined
  /** The reader looks around it. */
  around?: { lat: number; lng: number } | undefined
}

/** In the head of a page. */
export interface FeedLink {
  mediaType: string
  title: string
  /** Below the address of the site. */
  path: string
}

/** Before it is put into the layout. */
export interface View {
  status: number
  /** Without the name of the site. */
  title: string
  description: string
  /** Without filters; undefined for a page without an address of its own. */
  canonical: string | undefined
  /** On another site, if that stays the original. */
  original?: string | undefined
  /** By search engines. */
  isIndexed: boolean
  /** Paths. */
  previous?: string | undefined
  next?: string | undefined
  /** For previews of links. */
  image?: string | undefined
  /** Open Graph. */
  type?: 'website' | 'article'
  linkedData?: object | undefined
  feeds?: readonly FeedLink[]
  /** The front page without filters, which needs no style for others. */
  isPlain?: boolean
  /** Besides that of all pages. */
  styles?: readonly Pick<Asset, 'path'>[]
  /** Besides those of all pages. */
  imagesFrom?: string | undefined
  /** Besides that of all pages. */
  scripts?: readonly Pick<Asset, 'path'>[]
  /** Marked in the navigation. */
  current: Span['view'] | LinkedKind | undefined
  body: Html
}

export const say = sayOfPages

export const sayEvents = (site: Site, count: number) =>
  sayCount(site, '{count} events', count, { count: writtenNumber(site, count) })

export const sayMore = (site: Site, count: number) =>
  sayCount(site, '+{count} more', count, { count: writtenNumber(site, count) })

/** With the root of the site, and the language that the address names. */
export const pathTo = (site: Site, path: string) => keepLanguage(site, rootOf(site) + path)

/** An attribute for texts of the calendar on pages in another language: browsers hyphenate by it. */
export const contentLanguage = ({ language, languages: [own = language] }: Site): Html | false =>
  own !== language && html` lang="${own}"`

/** A name in its own direction. */
export const nameShown = (site: Site, name: string): Html => html`<bdi${contentLanguage(site)}>${name}</bdi>`

export function spanLink(site: Site, span: Span, scope: TermPath | undefined, query: string): string {
  return pathTo(site, spanPath(span, scope) + (query === '' ? '' : `?${query}`))
}

/** As `showPrepared` takes it. */
export const pageWork = ({ description, trusted }: Pick<EventRow, 'description' | 'trusted'>) =>
  ({ work: 'page', raw: description, trusted: trusted === 1 }) as const
