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

export interface Viewing {
  context: Context
  memory: EventMemory
  cards: Cards
  terms: PageTerms
  assets: Assets
  look: Look
  links: readonly PageLink[]
  subscribes?: Subscribes | undefined
  /** 0 is Sunday, 6 is Saturday. */
  weekStart: number
  /** It is in the zone of the site. */
  wall: string
  today: string
  address: string | undefined
  /** The reader looks around this position. */
  around?: { lat: number; lng: number } | undefined
}

export interface FeedLink {
  mediaType: string
  title: string
  /** It begins below the address of the site. */
  path: string
}

export interface View {
  status: number
  title: string
  description: string
  /** It has no filters. A page without an address of its own has none. */
  canonical: string | undefined
  /** It is on another site, if that stays the original. */
  original?: string | undefined
  isIndexed: boolean
  previous?: string | undefined
  next?: string | undefined
  image?: string | undefined
  type?: 'website' | 'article'
  linkedData?: object | undefined
  feeds?: readonly FeedLink[]
  /** Nothing is filtered, so the style of other pages is not needed. */
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

/** It has the root of the site, and the language that the address names. */
export const pathTo = (site: Site, path: string) => keepLanguage(site, rootOf(site) + path)

/** Texts of the calendar on pages in another language have it, since browsers hyphenate by it. */
export const contentLanguage = ({ language, languages: [own = language] }: Site): Html | false =>
  own !== language && html` lang="${own}"`

/** A name is read in its own direction. */
export const nameShown = (site: Site, name: string): Html => html`<bdi${contentLanguage(site)}>${name}</bdi>`

export function spanLink(site: Site, span: Span, scope: TermPath | undefined, query: string): string {
  return pathTo(site, spanPath(span, scope) + (query === '' ? '' : `?${query}`))
}

export const pageWork = ({ description, trusted }: Pick<EventRow, 'description' | 'trusted'>) =>
  ({ work: 'page', raw: description, trusted: trusted === 1 }) as const
