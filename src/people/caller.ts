import { type Capability, capabilitiesOf, type Role } from './roles.ts'

/** Who makes a request: a user, or anybody. */
export interface Caller {
  /** User id; 0 for anonymous callers, who own nothing. */
  id: number
  login: string
  role: Role | undefined
}

export const anonymous: Caller = { id: 0, login: '', role: undefined }

/** What rights are decided on. */
export interface Owned {
  author: number
  status: string
}

const PUBLISHED = new Set(['publish', 'private', 'future'])

export function isLoggedIn(caller: Caller): boolean {
  return caller.id !== 0
}

export function can(caller: Caller, capability: Capability): boolean {
  return caller.role !== undefined && capabilitiesOf[caller.role].has(capability)
}

/** True when the caller may change this record (contract 8.2): their own while unpublished, published ones and others' by right. */
export function mayEdit(caller: Caller, record: Owned): boolean {
  return mayChange(caller, record, { own: 'edit', published: 'edit_published', others: 'edit_others' })
}

/** True when the caller may move this record to the trash. */
export function mayDelete(caller: Caller, record: Owned): boolean {
  return mayChange(caller, record, { own: 'delete', published: 'delete_published', others: 'delete_others' })
}

function mayChange(caller: Caller, record: Owned, needed: Record<'own' | 'published' | 'others', Capability>): boolean {
  if (!can(caller, needed.own)) return false
  if (record.author !== caller.id) return can(caller, needed.others)
  return !PUBLISHED.has(record.status) || can(caller, needed.published)
}

/** True when the caller may read this record: published, their own, or by the right to edit others' (contract 0.3.6). */
export function mayRead(caller: Caller, record: Owned): boolean {
  if (record.status === 'publish') return true
  return isLoggedIn(caller) && (record.author === caller.id || can(caller, 'edit_others'))
}
