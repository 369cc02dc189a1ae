import type { Context } from '../declare/context.ts'
import { findNamed, findSameName, type PickedName } from './picked-names.ts'
import type { QuickLine } from './quick-line.ts'

/** The records that the names of a line mean. */
export interface QuickLinks {
  /** The title, without the part behind a comma that has turned out to be a venue. */
  title: string
  venue?: PickedName
  /** The name of a venue that nobody has made yet. */
  newVenue?: string
  categories: PickedName[]
  tags: PickedName[]
  /** Names behind `#` that are neither a category nor a tag yet. */
  newTags: string[]
}

/** The most names behind `#` that are looked up; more are taken for new ones. */
const MOST_LABELS = 10

/**
 * Looks up the names of a line among what the caller may see: by the whole name, or else by a beginning that only one has. Nothing is made. A name behind
 * `#` is that of a category before that of a tag; hyphens in it may stand for blanks.
 */
export async function findQuickLinks(line: QuickLine, context: Pick<Context, 'db' | 'caller'>): Promise<QuickLinks> {
  const links: QuickLinks = { title: line.title, categories: [], tags: [], newTags: [] }
  for (const label of line.labels.slice(0, MOST_LABELS)) await addLabel(links, label, context)
  for (const label of line.labels.slice(MOST_LABELS)) links.newTags.push(label)
  if (line.venue === undefined) return { ...links, ...(await venueInTitle(line.title, context)) }
  const venue = await findNamed('venue', line.venue, context)
  return { ...links, ...(venue ? { venue } : { newVenue: line.venue }) }
}

async function addLabel(links: QuickLinks, label: string, context: Pick<Context, 'db' | 'caller'>): Promise<void> {
  const names = [...new Set([label, label.replace(/[-_]/g, ' ')])]
  for (const kind of ['category', 'tag'] as const)
    for (const name of names) {
      const found = await findNamed(kind, name, context)
      const list = kind === 'category' ? links.categories : links.tags
      if (!found) continue
      if (!list.some(({ id }) => id === found.id)) list.push(found)
      return
    }
  if (!links.newTags.includes(label)) links.newTags.push(label)
}

/** The venue behind the last comma of a title, where there is one of just that name. */
async function venueInTitle(
  title: string,
  context: Pick<Context, 'db' | 'caller'>,
): Promise<Partial<Pick<QuickLinks, 'title' | 'venue'>>> {
  const at = title.lastIndexOf(', ')
  const venue = at < 1 ? undefined : await findSameName('venue', title.slice(at + 2), context)
  return venue ? { title: title.slice(0, at), venue } : {}
}
