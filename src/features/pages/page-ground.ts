import { type CacheBudget, dropAll } from '../../base/cache.ts'
import type { Language, Site } from '../../base/config.ts'
import { dayOf, wallNow } from '../../base/text/moments.ts'
import type { Context } from '../../calendar/declare/context.ts'
import type { EventMemory } from '../../store/memory/event-memory.ts'
import { type Cards, noCards } from './cards.ts'
import type { Look } from './look.ts'
import { noOldPaths, type OldPaths } from './old-paths.ts'
import { type Assets, readAssets } from './page-assets.ts'
import { weekStartOf } from './page-dates.ts'
import { byLanguage } from './page-languages.ts'
import { type PageTerms, readPageTerms } from './page-terms.ts'
import type { PageLink, Subscribes } from './pages-part.ts'
import type { Viewing } from './viewing.ts'

/** What all pages share while the service runs. */
export interface Pages {
  memory: EventMemory
  assets: Assets
  look: Look
  links: readonly PageLink[]
  subscribes?: Subscribes | undefined
  /** `memory.settings` when the look was read; once it differs, the look is outdated. */
  settings: number
  cards: Readonly<Record<Language, Cards>>
  terms: { version: string; read: Promise<PageTerms> } | undefined
  oldPaths: OldPaths
}

/** @throws Error with one sentence for a file that cannot be read */
export function makePages(
  site: Site,
  memory: EventMemory,
  budget: CacheBudget,
  { look, links, subscribes }: Pick<Pages, 'look' | 'links' | 'subscribes'>,
): Pages {
  return {
    memory,
    assets: readAssets(site, look, links),
    look,
    links,
    subscribes,
    settings: memory.settings,
    cards: byLanguage(() => noCards(budget)),
    terms: undefined,
    oldPaths: noOldPaths(),
  }
}

export function renewLook(pages: Pages, site: Site): void {
  pages.settings = pages.memory.settings
  pages.assets = readAssets(site, pages.look, pages.links)
  for (const cards of Object.values(pages.cards)) dropAll(cards)
}

export async function viewingOf(pages: Pages, context: Context, address?: string): Promise<Viewing> {
  const { memory, assets, look, links, subscribes, cards } = pages
  const { site, now } = context
  const terms = await termsOf(pages, context)
  const wall = wallNow(site.timezone, now)
  return {
    context,
    memory,
    cards: cards[site.language],
    assets,
    look,
    links,
    subscribes,
    // A copy, since each page adds the terms that it shows, for itself only.
    terms: { ...terms, byId: new Map(terms.byId) },
    weekStart: weekStartOf(site, look.weekStart),
    wall,
    today: dayOf(wall),
    address,
  }
}

function termsOf(pages: Pages, context: Context): Promise<PageTerms> {
  const { version } = pages.memory
  if (pages.terms?.version !== version || version === '') {
    const read = readPageTerms(context)
    pages.terms = { version, read }
    read.catch(() => {
      if (pages.terms?.read === read) pages.terms = undefined
    })
  }
  return pages.terms.read
}
