import type { Site } from '../../base/config.ts'
import type { Context } from '../../calendar/declare/context.ts'
import type { LinkedKind } from '../../calendar/linked/linked-store.ts'
import type { EventMemory } from '../../store/memory/event-memory.ts'
import type { EventRow } from '../../store/storage/schema.ts'
import type { Cards } from './cards.ts'
import type { Look } from './look.ts'
import { rootOf, spanPath, type TermPath } from './page-addresses.ts'
import type { Asset, Assets } from './page-assets.ts'
import { writtenNumber } from './page-dates.ts'
import { type Html, html } from './page-html.ts'
import { keepLanguage } from './page-languages.ts'
import type { PageTerms } from './page-terms.ts'
import { sayCount, sayOfPages } from './page-texts.ts'
import type { PageLink, Subscribes } from './pages-part.ts'
import type { Span } from './spans.ts'

export interface Viewing {
  context: Context
  memory: EventMemory
  cards: Cards
  terms: PageTerms
  assets: Assets
  look: Look
  links: readonly PageLink[]
  subscribes?: Subscribes | undefined
  /** From 0 (Sunday) to 6 (Saturday). */
  weekStart: number
  /** Present local time of the site; `today` is its day. */
  wall: string
  today: string
  address: string | undefined
  /** Position around which the visitor looks for events. */
  around?: { lat: number; lng: number } | undefined
}

export interface FeedLink {
  mediaType: string
  title: string
  /** Path below the URL of the site. */
  path: string
}

export interface View {
  status: number
  title: string
  description: string
  /** Path without filters; undefined for a page without an address of its own, such as an error. */
  canonical: string | undefined
  /** URL of the page on another site, if that is the original. */
  original?: string | undefined
  isIndexed: boolean
  previous?: string | undefined
  next?: string | undefined
  image?: string | undefined
  type?: 'website' | 'article'
  linkedData?: object | undefined
  feeds?: readonly FeedLink[]
  /** True for the unfiltered front page, which can do without most of the style sheet `others`. */
  isPlain?: boolean
  styles?: readonly Pick<Asset, 'path'>[]
  imagesFrom?: string | undefined
  scripts?: readonly Pick<Asset, 'path'>[]
  current: Span['view'] | LinkedKind | undefined
  body: Html
}

export const say = sayOfPages

export const sayEvents = (site: Site, count: number) =>
  sayCount(site, '{count} events', count, { count: writtenNumber(site, count) })

export const sayMore = (site: Site, count: number) =>
  sayCount(site, '+{count} more', count, { count: writtenNumber(site, count) })

/** Returns the path below the site's root, with the language if the query names one. */
export const pathTo = (site: Site, path: string) => keepLanguage(site, rootOf(site) + path)

/** Attribute `lang` for the calendar's own texts on pages in another language; browsers hyphenate by it. */
export const contentLanguage = ({ language, languages: [own = language] }: Site): Html | false =>
  own !== language && html` lang="${own}"`

/** A name isolated from its surroundings, so that it is read in its own direction. */
export const nameShown = (site: Site, name: string): Html => html`<bdi${contentLanguage(site)}>${name}</bdi>`

export function spanLink(site: Site, span: Span, scope: TermPath | undefined, query: string): string {
  return pathTo(site, spanPath(span, scope) + (query === '' ? '' : `?${query}`))
}

export const pageWork = ({ description, trusted }: Pick<EventRow, 'description' | 'trusted'>) =>
  ({ work: 'page', raw: description, trusted: trusted === 1 }) as const
