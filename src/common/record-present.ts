import type { Asking, Presenting } from '../declare/asking.ts'
import type { Fields } from '../declare/resource.ts'
import { can, mayEdit, mayRead } from '../people/caller.ts'
import { Problem } from '../problems.ts'
import type { ImageRow, RecordColumns, RecordKind } from '../storage/schema.ts'
import { renderText, renderTitle } from '../text/html.ts'
import { presentImage } from './images.ts'

/** The page of a record for people; by number while it has no public address of its own (contract 3.1). */
export function recordUrl(
  site: Asking['site'],
  kind: Exclude<RecordKind, 'image'>,
  row: Pick<RecordColumns, 'id' | 'status' | 'slug'>,
): string {
  if (row.status === 'publish' || row.status === 'private') return `${site.url}/${kind}/${row.slug}/`
  const type = kind === 'event' ? `${site.vendor}_events` : `${site.vendor}_${kind}`
  return `${site.url}/?post_type=${type}&p=${row.id}`
}

/** The members every record starts with (contract 3.1-3.3). */
export function recordHead(row: Omit<RecordColumns, 'search'>) {
  return {
    author: String(row.author),
    status: row.status,
    date: row.date,
    date_utc: row.date_utc,
    modified: row.modified,
    modified_utc: row.modified_utc,
  }
}

/** The name of a record that no other deployment's records share. */
export function globalId(site: Asking['site'], id: number): string {
  return `${site.globalHost}?id=${id}`
}

/** False for what records leave out: `""`, `false`, `"0"`, null (contract 3.2). A coordinate of 0 stays. */
const isShown = (value: unknown) => value === 0 || (value !== '0' && Boolean(value))

type LinkedPresentable = RecordColumns & { excerpt: string; description: string }

/** Names of the plain fields a kind shows after its head, by its declaration: worked out once, since every event shows such records. */
const detailNames = new WeakMap<Fields, readonly string[]>()

function detailsOf(fields: Fields, kind: string): readonly string[] {
  const known = detailNames.get(fields)
  if (known) return known
  const names = Object.entries(fields).flatMap(([name, field]) =>
    field.kind.keep && name !== kind && name !== 'description' && field.kind.answers !== 'boolean' ? [name] : [],
  )
  detailNames.set(fields, names)
  return names
}

/** A venue or organizer as its own routes and events show it: what both kinds have in common, details in the order declared. */
export function presentLinkedRecord(
  { site, images }: Presenting,
  kind: 'venue' | 'organizer',
  fields: Fields,
  row: LinkedPresentable,
  image: ImageRow | undefined,
): Record<string, unknown> {
  const columns = row as unknown as Readonly<Record<string, unknown>>
  const trusted = row.trusted === 1
  const shown: Record<string, unknown> = {}
  const show = (name: string, value: unknown) => {
    if (isShown(value)) shown[name] = value
  }
  show('id', row.id)
  Object.assign(shown, recordHead(row))
  show('url', recordUrl(site, kind, row))
  show(kind, renderTitle(String(columns[kind]), trusted))
  show('description', renderText(row.description, trusted))
  show('excerpt', renderText(row.excerpt, trusted))
  show('slug', row.slug)
  show('image', image && presentImage(image, images.mediaUrl))
  for (const name of detailsOf(fields, kind)) show(name, columns[name])
  return shown
}

/** @throws Problem <kind>-not-accessible when the caller may not read the record (contract 7.3). */
export function refuseUnreadable(asking: Asking, kind: 'event' | 'venue' | 'organizer', row: RecordColumns): void {
  if (!mayRead(asking.caller, row)) throw new Problem(`${kind}-not-accessible`)
}

/** The rights on records: writers may create, and change or remove what `mayEdit` and `mayDelete` allow. */
export const recordRights = {
  create: (asking: Asking) => can(asking.caller, 'edit'),
  update: (asking: Asking, row?: RecordColumns) => (row ? mayEdit(asking.caller, row) : can(asking.caller, 'edit')),
}
