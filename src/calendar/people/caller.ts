/** The most powerful first (rule 26.1). */
export const ROLES = ['administrator', 'editor', 'author', 'contributor', 'subscriber'] as const
export type Role = (typeof ROLES)[number]

/** `edit` and `delete` are for one's own unpublished records. */
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

/** A credential without scopes allows everything that its owner's role does. */
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

/** See rule 26.1. */
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

/** What each scope allows, if the role allows it too. */
const capabilitiesIn: Readonly<Record<CredentialScope, ReadonlySet<Capability>>> = {
  'read-drafts': new Set<Capability>(['read_private']),
  'write-own': new Set<Capability>(WRITE_OWN),
  'write-all': new Set<Capability>(WRITE_ALL),
  media: new Set<Capability>(['upload']),
}

export interface Caller {
  /** 0 for anonymous callers, who own nothing. */
  id: number
  login: string
  role: Role | undefined
  scopes?: readonly CredentialScope[]
  /** Absent for people signed in at the desk. */
  credential?: { id: number; isLasting: boolean }
  /** True if the caller writes somebody else's texts, which are sanitised whatever the role. */
  isFiltered?: boolean
}

export const anonymous: Caller = { id: 0, login: '', role: undefined }

export interface Owned {
  author: number
  status: string
}

const PUBLISHED = new Set(['publish', 'private', 'future'])

export function isLoggedIn(caller: Caller): boolean {
  return caller.id !== 0
}

/** True if the role has the capability and the scopes allow it. */
export function can(caller: Caller, capability: Capability): boolean {
  if (caller.isFiltered && capability === 'unfiltered_html') return false
  return holds(caller, capability) && isInScope(caller, (scope) => capabilitiesIn[scope].has(capability))
}

export function capabilitiesHeld(caller: Caller): Capability[] {
  return caller.role === undefined ? [] : [...capabilitiesOf[caller.role]].filter((held) => can(caller, held))
}

function holds(caller: Caller, capability: Capability): boolean {
  return caller.role !== undefined && capabilitiesOf[caller.role].has(capability)
}

function isInScope({ scopes }: Caller, test: (scope: CredentialScope) => boolean): boolean {
  return scopes === undefined || scopes.some(test)
}

/** True if the credential allows all that the role does and never expires, so that no other allows more. */
export function isUnlimited({ scopes, credential }: Caller): boolean {
  return scopes === undefined && credential?.isLasting !== false
}

/**
 * True if the caller sees own unpublished records: with every scope but `media`, since those who may write a
 * record may read it.
 */
export function seesOwn(caller: Caller): boolean {
  return isLoggedIn(caller) && isInScope(caller, (scope) => scope !== 'media')
}

export function seesAll(caller: Caller): boolean {
  return (
    holds(caller, 'edit_others') &&
    isInScope(caller, (scope) => scope === 'read-drafts' || scope === 'write-all')
  )
}

export function seesUnpublished(caller: Caller): boolean {
  return holds(caller, 'edit') && seesOwn(caller)
}

/**
 * Rule 26.2: `edit` is enough for one's own unpublished records; `edit_published` and `edit_others` allow the
 * others.
 */
export function mayEdit(caller: Caller, record: Owned): boolean {
  return mayChange(caller, record, { own: 'edit', published: 'edit_published', others: 'edit_others' })
}

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

/** True if rights need not be checked for each record. */
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

/** Everybody reads published records, users also their own, and some users all (rule 26.4). */
export function mayRead(caller: Caller, record: Owned): boolean {
  if (record.status === 'publish') return true
  return (record.author === caller.id && seesOwn(caller)) || seesAll(caller)
}
