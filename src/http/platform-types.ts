import type { Site } from '../config.ts'
import type { MessageText } from '../locales/messages.ts'
import { translate } from '../locales/translate.ts'
import { taxonomyWord } from '../terms/term-present.ts'
import { postType } from './platform-records.ts'

/** A type of post as `wp/v2/types` describes it (rule 29.5). */
interface PostType {
  slug: string
  rest_base: string
  name: MessageText
  taxonomies: string[]
  has_archive: boolean
}

/** The words of all types, in the order of the answer. */
export function typeWords(site: Site): string[] {
  return typesOf(site).map(({ slug }) => slug)
}

function typesOf(site: Site): PostType[] {
  const record = (kind: 'event' | 'venue' | 'organizer', name: MessageText, taxonomies: string[]) => {
    const slug = postType(site, kind)
    return { slug, rest_base: slug, name, taxonomies, has_archive: kind === 'event' }
  }
  return [
    { slug: 'attachment', rest_base: 'media', name: 'Media', taxonomies: [], has_archive: false },
    record('event', 'Events', ['post_tag', taxonomyWord(site, 'category')]),
    record('venue', 'Venues', []),
    record('organizer', 'Organizers', []),
  ]
}

/** All types by their words; `site` is that of the platform's routes. */
export function describeTypes(site: Site): Record<string, object> {
  return Object.fromEntries(typesOf(site).map((type) => [type.slug, describeType(site, type)]))
}

function describeType(site: Site, { name, ...type }: PostType): object {
  return {
    description: '',
    hierarchical: false,
    ...type,
    name: translate(site.language, name),
    icon: null,
    rest_namespace: site.namespace,
    _links: {
      self: [{ href: `${site.base}/types/${type.slug}` }],
      collection: [{ href: `${site.base}/types` }],
      'wp:items': [{ href: `${site.base}/${type.rest_base}` }],
    },
  }
}
