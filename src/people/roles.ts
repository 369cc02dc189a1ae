/** The roles a user may have, the most powerful first (contract 8.2). */
export const ROLES = ['administrator', 'editor', 'author', 'contributor', 'subscriber'] as const
export type Role = (typeof ROLES)[number]

/** What a role may do. `edit` and `delete` mean one's own unpublished records; the others add to them. */
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

const CONTRIBUTOR = ['edit', 'delete'] as const
const AUTHOR = [...CONTRIBUTOR, 'edit_published', 'delete_published', 'publish', 'upload', 'manage_categories'] as const
const EDITOR = [...AUTHOR, 'edit_others', 'delete_others', 'read_private', 'manage_tags', 'unfiltered_html'] as const

/** The table of rights: which capabilities each role holds (contract 8.2). */
export const capabilitiesOf: Readonly<Record<Role, ReadonlySet<Capability>>> = {
  administrator: new Set<Capability>([...EDITOR, 'manage_users']),
  editor: new Set<Capability>(EDITOR),
  author: new Set<Capability>(AUTHOR),
  contributor: new Set<Capability>(CONTRIBUTOR),
  subscriber: new Set<Capability>(),
}
