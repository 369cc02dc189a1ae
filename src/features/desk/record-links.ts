import type { Context } from '../../calendar/declare/context.ts'
import { recordPath } from '../../calendar/linked/record-present.ts'
import { can, mayEdit } from '../../calendar/people/caller.ts'
import type { Db } from '../../store/storage/database.ts'
import { type PagedKind, type RecordColumns, TABLE_OF } from '../../store/storage/schema.ts'
import { wholeList } from '../../store/storage/sql-parts.ts'
import { type Content, type Html, html } from '../pages/page-html.ts'
import { pathTo } from '../pages/viewing.ts'
import { deskPath } from './desk-page.ts'
import { mayPropose } from './review/review.ts'

// Links to records in the desk's lists, never to forms that the caller may not open.

const ROOMS = { event: 'events', venue: 'venues', organizer: 'organizers' } as const satisfies Record<
  PagedKind,
  string
>

/** True if the caller may change the record, or propose changes to their own event. */
export const mayOpen = (context: Context, row: Linkable, kind: PagedKind = 'event'): boolean =>
  mayEdit(context.caller, row) || (kind === 'event' && mayPropose(context, row))

function hrefOf(context: Context, kind: PagedKind, row: Linkable): string | undefined {
  if (mayOpen(context, row, kind)) return deskPath(context.site, `/${ROOMS[kind]}/${row.id}`)
  return row.status === 'publish' ? pathTo(context.site, recordPath(context.site, kind, row)) : undefined
}

/** @param look the attribute `class` */
export function linkOrText(
  href: string | undefined,
  text: Content,
  { look = '', attributes }: { look?: string; attributes?: Html } = {},
): Html {
  const start = look && html` class="${look}"`
  return href === undefined
    ? html`<span${start}${attributes}>${text}</span>`
    : html`<a${start} href="${href}"${attributes}>${text}</a>`
}

export function eventLink(
  context: Context,
  event: Linkable,
  text: Content,
  looks?: Parameters<typeof linkOrText>[2],
): Html {
  return linkOrText(hrefOf(context, 'event', event), text, looks)
}

export async function findHrefs(
  context: Context,
  kind: PagedKind,
  ids: readonly number[],
): Promise<Map<number, string>> {
  const rows = await listLinkable(context.db, kind, ids)
  return new Map(
    rows.flatMap((row) => {
      const href = hrefOf(context, kind, row)
      return href === undefined ? [] : [[row.id, href] as const]
    }),
  )
}

/** The author whose events a page shows: the caller, or undefined if they may change everybody's events. */
export const authorFirst = ({ caller }: Pick<Context, 'caller'>): number | undefined =>
  can(caller, 'edit_others') ? undefined : caller.id

export type Linkable = Pick<RecordColumns, 'id' | 'author' | 'slug' | 'status'>

export async function listLinkable(db: Db, kind: PagedKind, ids: readonly number[]): Promise<Linkable[]> {
  if (ids.length === 0) return []
  return db
    .selectFrom(TABLE_OF[kind])
    .select(['id', 'author', 'slug', 'status'])
    .where('id', 'in', wholeList(db, ids))
    .execute()
}
