import { asColumn, type linkedMembers } from '../../base/fields/member.ts'
import { Problem } from '../../base/problems.ts'
import { renderTitle } from '../../base/text/html.ts'
import { renderedText } from '../../base/text/long-texts.ts'
import type { ImageRow, PagedKind, RecordColumns } from '../../store/storage/schema.ts'
import type { Context, Presenting } from '../declare/context.ts'
import type { Fields } from '../declare/resource.ts'
import { showImage } from '../images/images.ts'
import { can, mayEdit, mayRead } from '../people/caller.ts'

type Addressed = Pick<RecordColumns, 'id' | 'status' | 'slug'>

/** The WordPress post type, which URLs and the member `type` have (rule 3.8). */
export const postType = ({ vendor }: Pick<Context['site'], 'vendor'>, kind: PagedKind) =>
  kind === 'event' ? `${vendor}_events` : `${vendor}_${kind}`

/** The path of the record's page: with the slug if published or private, else with the id (rule 4.4). */
export function recordPath(site: Context['site'], kind: PagedKind, { id, status, slug }: Addressed): string {
  if (status === 'publish' || status === 'private') return `/${kind}/${slug}/`
  return `/?post_type=${postType(site, kind)}&p=${id}`
}

export const recordUrl = (site: Context['site'], kind: PagedKind, row: Addressed): string =>
  site.url + recordPath(site, kind, row)

/** The members that follow the id (rule 4.2). */
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

/** An id that is unique among all servers. */
export function globalId(site: Context['site'], id: number): string {
  return `${site.globalHost}?id=${id}`
}

/** True if answers show the value: the number 0 and false too, but not `""`, `"0"` and null (rule 6.3). */
const isShown = (value: unknown) => value === 0 || value === false || (value !== '0' && Boolean(value))

type LinkedPresentable = RecordColumns & { excerpt: string; description: string }

/** Fields that `kind.show` presents. Computed once, since most events show venues and organizers. */
const plainFields = new WeakMap<Fields, Record<'details' | 'flags', readonly ShownField[]>>()

interface ShownField {
  name: string
  show: (kept: unknown) => unknown
}

function plainFieldsOf(fields: Fields, kind: string): Record<'details' | 'flags', readonly ShownField[]> {
  const known = plainFields.get(fields)
  if (known) return known
  const kept = Object.entries(fields).filter(
    ([name, field]) => field.kind.toColumn && name !== kind && name !== 'description',
  )
  const shown = (isFlag: boolean) =>
    kept
      .filter(([, { kind }]) => (kind.isFlag === true) === isFlag)
      .map(([name, { kind }]) => ({ name, show: kind.show ?? asColumn }))
  const made = { details: shown(false), flags: shown(true) }
  plainFields.set(fields, made)
  return made
}

type Of<Name extends string> = Readonly<Record<Name, unknown>>
type Always = keyof typeof linkedMembers.always

export function presentLinkedRecord(
  presenting: Presenting,
  kind: 'venue' | 'organizer',
  fields: Fields,
  row: LinkedPresentable,
  image: ImageRow | undefined,
  linkedData: object | undefined,
): Record<string, unknown> {
  const { site } = presenting
  const columns = row as unknown as Readonly<Record<string, unknown>>
  const trusted = row.trusted === 1
  const { details, flags } = plainFieldsOf(fields, kind)
  const global = globalId(site, row.id)
  const end = { global_id: global, global_id_lineage: [global] }
  const head = { id: row.id, ...recordHead(row), url: recordUrl(site, kind, row) } satisfies Of<
    Exclude<Always, keyof typeof end>
  >
  const { json_ld, ...texts } = {
    description: renderedText(row.description, trusted),
    excerpt: renderedText(row.excerpt, trusted),
    slug: row.slug,
    image: image && showImage(presenting, image),
    json_ld: linkedData,
  } satisfies Of<keyof typeof linkedMembers.some>
  const shown: Record<string, unknown> = head
  const show = (name: string, value: unknown) => {
    if (isShown(value)) shown[name] = value
  }
  show(kind, renderTitle(String(columns[kind]), trusted))
  for (const [name, text] of Object.entries(texts)) show(name, text)
  for (const detail of details) show(detail.name, detail.show(columns[detail.name]))
  show('json_ld', json_ld)
  for (const flag of flags) shown[flag.name] = flag.show(columns[flag.name])
  return Object.assign(shown, end)
}

/** @throws Problem <kind>-not-accessible when the caller may not read the record (rule 25.3) */
export function requireReadable(context: Context, kind: PagedKind, row: RecordColumns): void {
  if (!mayRead(context.caller, row)) throw new Problem(`${kind}-not-accessible`)
}

/** Callers who may edit at all may create records, and update those that `mayEdit` allows. */
export const recordRights = {
  create: (context: Context) => can(context.caller, 'edit'),
  update: (context: Context, row?: RecordColumns) =>
    row ? mayEdit(context.caller, row) : can(context.caller, 'edit'),
}
