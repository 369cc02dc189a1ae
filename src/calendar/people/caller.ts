// The caller of a request, and what they may do: roles, rights and scopes.

/** The roles a user may have, the most powerful first (rule 26.1). */
export const ROLES = ['administrator', 'editor', 'author', 'contributor', 'subscriber'] as const
export type Role = (typeof ROLES)[number]

/** A right of a role. `edit` and `delete` mean one's own unpublished records; the others add to them. */
export type Capability =
  | 'edit'
  | 'edit_published'
  | 'edit_others'
  | 'delete'
  | 'delete_published'
  | 'delete_others'
  | 'publish'
  | 'read_private'
  | 'upload'
  | 'manage_categories'
  | 'manage_tags'
  | 'unfiltered_html'
  | 'manage_users'

/** The scopes of a credential; one without any may do everything that its owner's role may. */
export const SCOPES = ['read-drafts', 'write-own', 'write-all', 'media'] as const
export type CredentialScope = (typeof SCOPES)[number]

const CONTRIBUTOR = ['edit', 'delete'] as const
const AUTHOR = [
  ...CONTRIBUTOR,
  'edit_published',
  'delete_published',
  'publish',
  'upload',
  'manage_categories',
] as const
const EDITOR = [
  ...AUTHOR,
  'edit_others',
  'delete_others',
  'read_private',
  'manage_tags',
  'unfiltered_html',
] as const

/** The table of rights: which capabilities each role holds (rule 26.1). */
const capabilitiesOf: Readonly<Record<Role, ReadonlySet<Capability>>> = {
  administrator: new Set<Capability>([...EDITOR, 'manage_users']),
  editor: new Set<Capability>(EDITOR),
  author: new Set<Capability>(AUTHOR),
  contributor: new Set<Capability>(CONTRIBUTOR),
  subscriber: new Set<Capability>(),
}

const WRITE_OWN = [
  'edit',
  'edit_published',
  'delete',
  'delete_published',
  'publish',
  'unfiltered_html',
] as const
const WRITE_ALL = [
  ...WRITE_OWN,
  'edit_others',
  'delete_others',
  'read_private',
  'manage_categories',
  'manage_tags',
  'manage_users',
] as const

/** The capabilities that each scope lets a credential use, as far as the role of its owner has them. */
const capabilitiesIn: Readonly<Record<CredentialScope, ReadonlySet<Capability>>> = {
  'read-drafts': new Set<Capability>(['read_private']),
  'write-own': new Set<Capability>(WRITE_OWN),
  'write-all': new Set<Capability>(WRITE_ALL),
  media: new Set<Capability>(['upload']),
}

/** The user who makes a request, or nobody. */
export interface Caller {
  /** User id; 0 for anonymous callers, who own nothing. */
  id: number
  login: string
  role: Role | undefined
  /** The scopes of the credential; without any it may do everything that the role may. */
  scopes?: readonly CredentialScope[]
  /** The credential of the request; none for a person at the desk. */
  credential?: { id: number; isLasting: boolean }
  /**
   * True for a caller who writes texts of somebody else: these are sanitised, whatever the role may write.
   */
  isFiltered?: boolean
}

export const anonymous: Caller = { id: 0, login: '', role: undefined }

/** The columns that rights depend on. */
export interface Owned {
  author: number
  status: string
}

const PUBLISHED = new Set(['publish', 'private', 'future'])

export function isLoggedIn(caller: Caller): boolean {
  return caller.id !== 0
}

/**
 * True when the role of the caller has the capability, and the credential may use it: scopes narrow a role
 * and never widen it.
 */
export function can(caller: Caller, capability: Capability): boolean {
  if (caller.isFiltered && capability === 'unfiltered_html') return false
  return holds(caller, capability) && isInScope(caller, (scope) => capabilitiesIn[scope].has(capability))
}

/** Returns the capabilities that `can` confirms. */
export function capabilitiesHeld(caller: Caller): Capability[] {
  return caller.role === undefined ? [] : [...capabilitiesOf[caller.role]].filter((held) => can(caller, held))
}

function holds(caller: Caller, capability: Capability): boolean {
  return caller.role !== undefined && capabilitiesOf[caller.role].has(capability)
}

function isInScope({ scopes }: Caller, test: (scope: CredentialScope) => boolean): boolean {
  return scopes === undefined || scopes.some(test)
}

/** True when the credential of the caller has no scopes and no end, so that another one gives nobody more. */
export function isUnlimited({ scopes, credential }: Caller): boolean {
  return scopes === undefined && credential?.isLasting !== false
}

/**
 * True when the caller sees their own records whatever their status: every scope but `media` lets them, since
 * who may write a record may read it.
 */
export function seesOwn(caller: Caller): boolean {
  return isLoggedIn(caller) && isInScope(caller, (scope) => scope !== 'media')
}

/** True when the caller sees everybody's records whatever their status. */
export function seesAll(caller: Caller): boolean {
  return (
    holds(caller, 'edit_others') &&
    isInScope(caller, (scope) => scope === 'read-drafts' || scope === 'write-all')
  )
}

/** True when the caller may ask lists for records that are not published. */
export function seesUnpublished(caller: Caller): boolean {
  return holds(caller, 'edit') && seesOwn(caller)
}

/**
 * True when the caller may change this record (rule 26.2): their own while unpublished, published ones and
 * others' by right.
 */
export function mayEdit(caller: Caller, record: Owned): boolean {
  return mayChange(caller, record, { own: 'edit', published: 'edit_published', others: 'edit_others' })
}

/** True when the caller may move this record to the trash. */
export function mayDelete(caller: Caller, record: Owned): boolean {
  return mayChange(caller, record, { own: 'delete', published: 'delete_published', others: 'delete_others' })
}

const ON_ANY_RECORD = [
  'edit',
  'edit_published',
  'edit_others',
  'delete',
  'delete_published',
  'delete_others',
  'upload',
] as const

/**
 * True when the caller may change and remove every record, so that their rights need not be looked up for
 * each.
 */
export function mayChangeAll(caller: Caller): boolean {
  return ON_ANY_RECORD.every((capability) => can(caller, capability))
}

function mayChange(
  caller: Caller,
  record: Owned,
  needed: Record<'own' | 'published' | 'others', Capability>,
): boolean {
  if (!can(caller, needed.own)) return false
  if (record.author !== caller.id) return can(caller, needed.others)
  return !PUBLISHED.has(record.status) || can(caller, needed.published)
}

/**
 * True when the caller may read this record: published, their own, or by the right to edit others' (rule
 * 26.4).
 */
export function mayRead(caller: Caller, record: Owned): boolean {
  if (record.status === 'publish') return true
  return (record.author === caller.id && seesOwn(caller)) || seesAll(caller)
}
