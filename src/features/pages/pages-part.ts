import type { Site } from '../../base/config.ts'
import type { Feature, ServiceStart } from '../../feature.ts'

// Other features bring links to pages of their own.

export interface PagesPart {
  links: readonly PageLink[]
  /** Links by which readers are told of a list's news, and of an event. */
  subscribes?: Subscribes
}

export interface Subscribes {
  /** @param query without dates; a term of the path is in it */
  list: (site: Site, query: string) => { path: string; text: string }
  event: (site: Site, id: number) => { path: string; text: string }
}

export interface PageLink {
  /** The path begins below the site and ends in a slash, such as `/events/community/add/`. */
  path: string
  text: (site: Pick<Site, 'language'>) => string
  /** One character that stands for the text in the page header on phones. */
  sign?: string
}

declare module '../../feature.ts' {
  interface Feature {
    pages?: (start: ServiceStart) => Promise<PagesPart | undefined>
  }
}

export async function readPagesParts(start: ServiceStart): Promise<PagesPart> {
  const parts = await Promise.all(start.features.map((feature: Feature) => feature.pages?.(start)))
  const subscribes = parts.find((part) => part?.subscribes)?.subscribes
  return { links: parts.flatMap((part) => part?.links ?? []), ...(subscribes && { subscribes }) }
}
