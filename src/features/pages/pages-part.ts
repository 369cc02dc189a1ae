import type { Site } from '../../base/config.ts'
import type { Feature, ServiceStart } from '../../feature.ts'

export interface PagesPart {
  links: readonly PageLink[]
  subscribes?: Subscribes
}

export interface Subscribes {
  /** @param query the filters, including the path's term, without dates */
  list: (site: Site, query: string) => { path: string; text: string }
  event: (site: Site, id: number) => { path: string; text: string }
}

export interface PageLink {
  /** Path below the site's root, with a final slash, such as `/events/community/add/`. */
  path: string
  text: (site: Pick<Site, 'language'>) => string
  /** One character instead of the text, for the page header on phones. */
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
