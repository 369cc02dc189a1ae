import { listEntries } from '../../base/fields/kinds.ts'
import type { Context } from '../../calendar/declare/context.ts'
import { findImages } from '../../calendar/images/images.ts'
import { presentById } from '../../calendar/records/present-records.ts'
import { taxonomyWord } from '../../calendar/terms/term-present.ts'
import { findTermsByIds } from '../../calendar/terms/term-store.ts'
import type { TermRow } from '../../store/storage/schema.ts'
import { mediaPresentation } from './platform-media.ts'
import { presentTerms } from './platform-terms.ts'

// Embeds linked records in answers of the platform (_embed).

/** The relations that an answer may embed: those marked embeddable in its `_links`. */
const RELATIONS = ['wp:featuredmedia', 'wp:term'] as const
type Relation = (typeof RELATIONS)[number]

/** The relations that `_embed` asks for: all when it is only named, those it lists otherwise. */
export function embeddedRelations(asked: unknown): ReadonlySet<Relation> {
  if (asked === undefined || asked === null) return new Set()
  const words = (listEntries(asked) ?? []).map((word) => String(word).trim())
  const named = RELATIONS.filter((relation) => words.includes(relation))
  return new Set(named.length > 0 || words.some((word) => word.includes(':')) ? named : RELATIONS)
}

/** The members that embedding reads of a record in the platform's shape. */
interface Post {
  featured_media: number
  tags?: number[]
}

function isPost(body: unknown): body is Post {
  return body !== null && typeof body === 'object' && 'featured_media' in body
}

/** The records of an answer, whether it is one or a list, with what `relations` name in `_embedded`. Anything else stays as it is. */
export async function withEmbedded(
  body: unknown,
  relations: ReadonlySet<Relation>,
  context: Context,
): Promise<unknown> {
  if (relations.size === 0) return body
  const posts = (Array.isArray(body) ? body : [body]).filter(isPost)
  if (posts.length === 0) return body
  const images = relations.has('wp:featuredmedia') ? await findFeatured(posts, context) : new Map<number, object>()
  const terms = relations.has('wp:term') ? await findTerms(posts, context) : new Map<number, object>()
  const embed = (post: unknown) =>
    isPost(post) ? { ...post, _embedded: embeddedIn(post, images, terms, relations, context) } : post
  return Array.isArray(body) ? body.map(embed) : embed(body)
}

function embeddedIn(
  post: Post,
  images: ReadonlyMap<number, object>,
  terms: ReadonlyMap<number, object>,
  relations: ReadonlySet<Relation>,
  { site }: Context,
): Record<string, object[]> {
  const image = images.get(post.featured_media)
  const categories = idsIn(post, taxonomyWord(site, 'category'))
  const termsOf = (ids: readonly number[]) => ids.flatMap((id) => terms.get(id) ?? [])
  return {
    ...(image ? { 'wp:featuredmedia': [image] } : {}),
    ...(relations.has('wp:term') && post.tags ? { 'wp:term': [termsOf(categories), termsOf(post.tags ?? [])] } : {}),
  }
}

function idsIn(post: object, member: string): number[] {
  const ids: unknown = Object.entries(post).find(([name]) => name === member)?.[1]
  return Array.isArray(ids) ? ids : []
}

async function findFeatured(posts: readonly Post[], context: Context): Promise<Map<number, object>> {
  const ids = posts.map((post) => post.featured_media).filter((id) => id !== 0)
  const rows = await findImages(context.db, ids)
  return presentById(context, mediaPresentation, [...rows.values()])
}

async function findTerms(posts: readonly Post[], context: Context): Promise<Map<number, object>> {
  const category = taxonomyWord(context.site, 'category')
  const ids = new Set(posts.flatMap((post) => [...idsIn(post, category), ...(post.tags ?? [])]))
  const rows = await findTermsByIds(context.db, [...ids])
  const shown = (terms: TermRow[], path: string) => presentTerms(context, path, terms)
  const ofTaxonomy = (taxonomy: TermRow['taxonomy']) => rows.filter((row) => row.taxonomy === taxonomy)
  return new Map([...(await shown(ofTaxonomy('category'), category)), ...(await shown(ofTaxonomy('tag'), 'tags'))])
}

/** The texts of a body as sent, which only `context=edit` shows. */
const TEXTS = ['title', 'content', 'excerpt', 'caption', 'description']

/** The records of an answer without the texts as sent, as every context but `edit` shows them. */
export function withoutRaw(body: unknown): unknown {
  if (Array.isArray(body)) return body.map(withoutRaw)
  if (body === null || typeof body !== 'object') return body
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => [
      name,
      TEXTS.includes(name) ? rendered(value) : name === 'previous' ? withoutRaw(value) : value,
    ]),
  )
}

function rendered(value: unknown): unknown {
  if (value === null || typeof value !== 'object' || !('raw' in value)) return value
  const { raw: _raw, ...shown } = value
  return shown
}

/** Whether an answer holds the texts of one record as sent; only callers who may edit it get them. */
export function hasRaw(body: unknown): boolean {
  if (body === null || typeof body !== 'object' || !('title' in body)) return false
  return body.title !== null && typeof body.title === 'object' && 'raw' in body.title
}
