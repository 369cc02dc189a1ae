import type { Site } from '../../base/config.ts'
import type { Feature, ServiceStart } from '../../feature.ts'

// What other features bring to the pages: links to pages of their own.

export interface PagesPart {
  /** In the head of all pages, and below lists on other sites. */
  links: readonly PageLink[]
  /** Where readers are told of what is in a list, and of an event. */
  subscribes?: Subscribes
}

export interface Subscribes {
  /** @param query without dates; a term of the path is in it */
  list: (site: Site, query: string) => { path: string; text: string }
  event: (site: Site, id: number) => { path: string; text: string }
}

export interface PageLink {
  /** Below the site, with a slash at its end, such as `/events/community/add/`. */
  path: string
  text: (site: Pick<Site, 'language'>) => string
  /** One character that stands for it in the head of a phone, which has no room for the text. */
  sign?: string
}

declare module '../../feature.ts' {
  interface Feature {
    /** Loaded when pages are served. */
    pages?: (start: ServiceStart) => Promise<PagesPart | undefined>
  }
}

/** Of all features together. */
export async function readPagesParts(start: ServiceStart): Promise<PagesPart> {
  const parts = await Promise.all(start.features.map((feature: Feature) => feature.pages?.(start)))
  const subscribes = parts.find((part) => part?.subscribes)?.subscribes
  return { links: parts.flatMap((part) => part?.links ?? []), ...(subscribes && { subscribes }) }
}
