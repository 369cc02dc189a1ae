import type { Context, Presenting } from '../context/context.ts'
import type { Fields } from '../declare/resource.ts'
import { url } from '../fields/kinds.ts'
import { showImage } from '../images/images.ts'
import { can, mayEdit, mayRead } from '../people/caller.ts'
import { Problem } from '../problems.ts'
import type { ImageRow, RecordColumns, RecordKind } from '../storage/schema.ts'
import { renderTitle } from '../text/html.ts'
import { renderedText } from '../text/long-texts.ts'
import { shownUrl } from '../text/urls.ts'

/** The page of a record for people; by number while it has no public address of its own (rule 4.4). */
export function recordUrl(
  site: Context['site'],
  kind: Exclude<RecordKind, 'image' | 'series'>,
  row: Pick<RecordColumns, 'id' | 'status' | 'slug'>,
): string {
  if (row.status === 'publish' || row.status === 'private') return `${site.url}/${kind}/${row.slug}/`
  const type = kind === 'event' ? `${site.vendor}_events` : `${site.vendor}_${kind}`
  return `${site.url}/?post_type=${type}&p=${row.id}`
}

/** The members every record starts with (rule 4.2). */
function recordHead(row: Omit<RecordColumns, 'search' | 'dated'>) {
  return {
    author: String(row.author),
    status: row.status,
    date: row.date,
    date_utc: row.date_utc,
    modified: row.modified,
    modified_utc: row.modified_utc,
  }
}

/** The name of a record, unique among all deployments. */
export function globalId(site: Context['site'], id: number): string {
  return `${site.globalHost}?id=${id}`
}

/** False for the values that records leave out: `""`, `false`, `"0"`, null (rule 6.3). A coordinate of 0 stays. */
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

const isUrlField = (fields: Fields, name: string) => fields[name]?.kind.keep === url.keep

/** A venue or organizer as its own routes and events show it: what both kinds have in common, details in the order declared. */
export function presentLinkedRecord(
  presenting: Presenting,
  kind: 'venue' | 'organizer',
  fields: Fields,
  row: LinkedPresentable,
  image: ImageRow | undefined,
): Record<string, unknown> {
  const { site } = presenting
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
  show('description', renderedText(row.description, trusted))
  show('excerpt', renderedText(row.excerpt, trusted))
  show('slug', row.slug)
  show('image', image && showImage(presenting, image))
  for (const name of detailsOf(fields, kind))
    show(name, isUrlField(fields, name) ? shownUrl(String(columns[name])) : columns[name])
  return shown
}

/** @throws Problem <kind>-not-accessible when the caller may not read the record (rule 25.3). */
export function refuseUnreadable(context: Context, kind: 'event' | 'venue' | 'organizer', row: RecordColumns): void {
  if (!mayRead(context.caller, row)) throw new Problem(`${kind}-not-accessible`)
}

/** The rights on records: writers may create, and change or remove what `mayEdit` and `mayDelete` allow. */
export const recordRights = {
  create: (context: Context) => can(context.caller, 'edit'),
  update: (context: Context, row?: RecordColumns) => (row ? mayEdit(context.caller, row) : can(context.caller, 'edit')),
}
