import {
  clearableText,
  isNamedRecord,
  listEntries,
  readInteger,
  settledText,
  text,
} from '../../base/fields/kinds.ts'
import { limits, over, overText } from '../../base/fields/limits.ts'
import { invalidParam, type ParamFault, Problem } from '../../base/problems.ts'
import { fold } from '../../base/text/characters.ts'
import { singleLine } from '../../base/text/html.ts'
import { numberedSlug, shortSlug, slugify } from '../../base/text/slugs.ts'
import { holdName } from '../../store/storage/locks.ts'
import type { Tx } from '../../store/storage/recording.ts'
import type { Taxonomy, TermRow } from '../../store/storage/schema.ts'
import type { Context, ValueContext } from '../declare/context.ts'
import { defineFields } from '../declare/resource.ts'
import { type Caller, can } from '../people/caller.ts'
import { countMade } from '../records/record-rules.ts'
import {
  findAncestors,
  findTerm,
  findTermBySlug,
  findTermsByEntries,
  findTermsByName,
  findTermsByTexts,
  freeTermSlug,
  insertTerm,
  levelsBelow,
  MOST_TREE_LEVELS,
  updateTerm,
} from './term-store.ts'

/** Fields of categories and tags alike (rule 3.9). */
export const termFields = defineFields({
  name: { kind: text, about: 'The name of the term', label: 'Name', required: true, within: limits.termName },
  description: {
    kind: clearableText,
    about: 'The description of the term',
    label: 'Description',
    within: limits.termText,
  },
  slug: {
    kind: settledText,
    about: 'The slug of the term',
    label: 'Web address',
    hint: 'Left empty, it is made from the name.',
    inLists: true,
    within: limits.slug,
  },
})

const LONGEST = limits.termName.characters

/** Authors may create and change categories, editors also tags (rule 26.3). */
export function mayManageTerms(caller: Caller, taxonomy: Taxonomy): boolean {
  return can(caller, taxonomy === 'category' ? 'manage_categories' : 'manage_tags')
}

/** Makes a check that all terms of a list exist, by id, slug or name (rule 13.2). */
export function isTermList(taxonomy: Taxonomy) {
  return async (value: unknown, context: Context): Promise<boolean> => {
    const entries = (listEntries(value) ?? []).map((entry) => String(entry).trim())
    return !(await findTermsByEntries(context.db, taxonomy, entries)).includes(undefined)
  }
}

export function isTermId(taxonomy: Taxonomy) {
  return async (value: unknown, context: Context): Promise<boolean> => {
    const id = readInteger(value)
    return id !== undefined && (await findTerm(context.db, taxonomy, id)) !== undefined
  }
}

/** True for a category, and for 0 or empty, which mean no parent (rules 13.2 and 22.3). */
export async function isParent(value: unknown, context: Context): Promise<boolean> {
  if (value === 0 || value === '0' || value === '') return true
  if (typeof value !== 'string' && typeof value !== 'number') return false
  return !(await findTermsByEntries(context.db, 'category', [String(value)])).includes(undefined)
}

export interface TermValues {
  name?: string
  slug?: string
  description?: string
  parent?: number
}

function settleName(name: string): string {
  const settled = singleLine(name)
  if (settled === '' || settled.length > LONGEST) throw invalidParam('name')
  return settled
}

function* slugCandidates(base: string, parentSlug: string | undefined): Generator<string> {
  yield base
  // Cut, since both together may be longer than a slug may be.
  const wider = parentSlug ? shortSlug(`${base}-${parentSlug}`) : base
  if (parentSlug) yield wider
  for (let n = 2; ; n++) yield numberedSlug(wider, n)
}

export class TermExists extends Problem {
  readonly term: number

  constructor(term: number) {
    super('term_exists', { data: { term_id: term } })
    this.term = term
  }
}

/**
 * Creates a term (rules 22.1 and 22.2).
 * @throws TermExists if a term has the name, and for categories the parent, unless another slug is sent;
 * Problem rest_invalid_param for an empty or long name, or a parent too deep in the tree
 */
export async function createTerm(
  tx: Tx,
  taxonomy: Taxonomy,
  values: TermValues & { name: string },
): Promise<TermRow> {
  const name = settleName(values.name)
  const parent = values.parent ?? 0
  const asked = values.slug ? slugify(values.slug) : ''
  await holdNames(tx, taxonomy)
  const namesakes = await findTermsByName(tx, taxonomy, name)
  const twin = namesakes.find((term) => taxonomy === 'tag' || term.parent === parent)
  if (twin && (asked === '' || asked === twin.slug)) throw new TermExists(twin.id)
  const parentTerm = parent === 0 || asked !== '' ? undefined : await findTerm(tx, taxonomy, parent)
  await refuseDeep(tx, parent, 1)
  const base = (asked || slugify(name) || taxonomy).slice(0, LONGEST)
  const slug = await freeTermSlug(tx, taxonomy, slugCandidates(base, parentTerm?.slug), 0)
  return insertTerm(tx, {
    taxonomy,
    name,
    slug,
    description: values.description ?? '',
    parent,
    folded: fold(name),
  })
}

/**
 * Updates a term (rules 22.1 to 22.3).
 * @throws Problem duplicate_term_slug; rest_invalid_param for an empty or long name, or for a parent that is
 * the term itself, below it, or too deep in the tree
 */
export async function changeTerm(tx: Tx, term: TermRow, values: TermValues): Promise<void> {
  const columns: Parameters<typeof updateTerm>[2] = {}
  if (values.name !== undefined) {
    columns.name = settleName(values.name)
    columns.folded = fold(columns.name)
  }
  if (values.description !== undefined) columns.description = values.description
  const slug = slugify(values.slug ?? '').slice(0, LONGEST)
  if (slug !== '') {
    const holder = await findTermBySlug(tx, term.taxonomy, slug)
    if (holder && holder.id !== term.id) throw new Problem('duplicate_term_slug')
    columns.slug = slug
  }
  if (values.parent !== undefined) {
    await holdName(tx, `tree of ${term.taxonomy}`)
    const below = await levelsBelow(tx, [term.id])
    if (values.parent !== 0 && below.found.has(values.parent)) throw invalidParam('parent')
    await refuseDeep(tx, values.parent, below.levels)
    columns.parent = values.parent
  }
  await updateTerm(tx, term, columns)
}

/**
 * The tree is kept shallow, since every answer reads all ancestors.
 * @throws Problem rest_invalid_param if `levels` more levels below `parent` are too many
 */
async function refuseDeep(tx: Tx, parent: number, levels: number): Promise<void> {
  if (parent === 0) return
  const above = await findAncestors(tx, [{ parent }])
  if (above.size + levels > MOST_TREE_LEVELS) throw invalidParam('parent', over('levels', MOST_TREE_LEVELS))
}

type TermEntry = number | string

/**
 * Reads the terms sent for an event (rule 22.4): ids, slugs, names, text with commas, or objects as in
 * answers. Undefined for anything else.
 */
export function termEntries(value: unknown): TermEntry[] | undefined {
  if (typeof value === 'boolean') return undefined
  const entries = (isNamedRecord(value) ? [value] : listEntries(value))?.map(termEntry)
  return entries?.every((entry): entry is TermEntry => entry !== undefined)
    ? entries.filter((entry) => entry !== '' && entry !== 0)
    : undefined
}

export function areTermEntries(value: unknown, { site }: ValueContext): boolean | ParamFault {
  const entries = termEntries(value)
  if (!entries) return false
  for (const entry of entries) {
    const fault = typeof entry === 'string' && overText(entry, limits.termName, site)
    if (fault) return fault
  }
  return true
}

function termEntry(value: unknown): TermEntry | undefined {
  if (typeof value === 'number') return readInteger(value)
  if (typeof value === 'string') return /^\s*\d+\s*$/.test(value) ? readInteger(value) : value.trim()
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return undefined
  if ('id' in value) return readInteger(value.id)
  if ('slug' in value && typeof value.slug === 'string') return value.slug
  return 'name' in value && typeof value.name === 'string' ? value.name : undefined
}

/**
 * The ids of the terms sent for an event. Unknown ids are ignored; unknown texts become new terms if the
 * caller may create them (rule 22.4). `known` has the terms of sent ids.
 */
export async function settleTerms(
  tx: Tx,
  context: Context,
  taxonomy: Taxonomy,
  entries: readonly TermEntry[],
  known: ReadonlyMap<number, TermRow>,
): Promise<number[]> {
  const texts = entries.filter((entry) => typeof entry === 'string')
  const meant = await findTermsByTexts(tx, taxonomy, texts)
  const byText = new Map(texts.map((text, at) => [text, meant[at]]))
  const mayMake = mayManageTerms(context.caller, taxonomy)
  const ids = new Set<number>()
  for (const entry of entries) {
    const found = typeof entry === 'string' ? byText.get(entry) : known.get(entry)
    const term =
      found ??
      (typeof entry === 'string' && mayMake ? await findOrCreate(tx, context, taxonomy, entry) : undefined)
    if (term?.taxonomy === taxonomy) ids.add(term.id)
  }
  return [...ids]
}

async function findOrCreate(tx: Tx, context: Context, taxonomy: Taxonomy, text: string): Promise<TermRow> {
  await holdNames(tx, taxonomy)
  const [found] = await findTermsByTexts(tx, taxonomy, [text])
  if (found) return found
  countMade(tx, context, taxonomy === 'tag' ? 'tags' : 'categories')
  return createTerm(tx, taxonomy, { name: text })
}

/** One lock for a taxonomy: else two writers that create terms in different orders would deadlock. */
function holdNames(tx: Tx, taxonomy: Taxonomy): Promise<void> {
  return holdName(tx, `names of ${taxonomy}`)
}
