import type { Site } from '../../base/config.ts'
import type { Feature, ServiceStart } from '../../feature.ts'

// What other features bring to the pages: links to pages of their own.

export interface PagesPart {
  /** In the head of all pages, and below lists on other sites. */
  links: readonly PageLink[]
}

export interface PageLink {
  /** Below the site, with a slash at its end, such as `/events/community/add/`. */
  path: string
  text: (site: Pick<Site, 'language'>) => string
}

declare module '../../feature.ts' {
  interface Feature {
    /** Loaded when pages are served. */
    pages?: (start: ServiceStart) => Promise<PagesPart | undefined>
  }
}

export async function listPageLinks(start: ServiceStart): Promise<PageLink[]> {
  const parts = await Promise.all(start.features.map((feature: Feature) => feature.pages?.(start)))
  return parts.flatMap((part) => part?.links ?? [])
}
