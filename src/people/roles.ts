/** The roles a user may have, the most powerful first (rule 26.1). */
export const ROLES = ['administrator', 'editor', 'author', 'contributor', 'subscriber'] as const
export type Role = (typeof ROLES)[number]

/** The rights of a role. `edit` and `delete` mean one's own unpublished records; the others add to them. */
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
export type Scope = (typeof SCOPES)[number]

const CONTRIBUTOR = ['edit', 'delete'] as const
const AUTHOR = [...CONTRIBUTOR, 'edit_published', 'delete_published', 'publish', 'upload', 'manage_categories'] as const
const EDITOR = [...AUTHOR, 'edit_others', 'delete_others', 'read_private', 'manage_tags', 'unfiltered_html'] as const

/** The table of rights: which capabilities each role holds (rule 26.1). */
export const capabilitiesOf: Readonly<Record<Role, ReadonlySet<Capability>>> = {
  administrator: new Set<Capability>([...EDITOR, 'manage_users']),
  editor: new Set<Capability>(EDITOR),
  author: new Set<Capability>(AUTHOR),
  contributor: new Set<Capability>(CONTRIBUTOR),
  subscriber: new Set<Capability>(),
}

const WRITE_OWN = ['edit', 'edit_published', 'delete', 'delete_published', 'publish', 'unfiltered_html'] as const
const WRITE_ALL = [
  ...WRITE_OWN,
  'edit_others',
  'delete_others',
  'read_private',
  'manage_categories',
  'manage_tags',
  'manage_users',
] as const

/** The capabilities of its owner's role that a scope lets a credential use. */
export const capabilitiesIn: Readonly<Record<Scope, ReadonlySet<Capability>>> = {
  'read-drafts': new Set<Capability>(['read_private']),
  'write-own': new Set<Capability>(WRITE_OWN),
  'write-all': new Set<Capability>(WRITE_ALL),
  media: new Set<Capability>(['upload']),
}
