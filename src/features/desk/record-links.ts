import type { Context } from '../../calendar/declare/context.ts'
import { recordPath } from '../../calendar/linked/record-present.ts'
import { can, mayEdit } from '../../calendar/people/caller.ts'
import { type Linkable, listLinkable } from '../../calendar/records/record-store.ts'
import { type Content, type Html, html } from '../../http/page-html.ts'
import type { PagedKind } from '../../store/storage/schema.ts'
import { pathTo } from '../pages/viewing.ts'
import { deskPath } from './desk-page.ts'
import { mayPropose } from './review/review.ts'

// Says where the records in lists of the desk lead, so that no list links to a form which the caller may not
// open.

const ROOMS = { event: 'events', venue: 'venues', organizer: 'organizers' } as const satisfies Record<
  PagedKind,
  string
>

/**
 * True where the form of a record opens: for those who may change it, or propose a change of their own event.
 */
export const mayOpen = (context: Context, row: Linkable, kind: PagedKind = 'event'): boolean =>
  mayEdit(context.caller, row) || (kind === 'event' && mayPropose(context, row))

/**
 * Returns where a record leads: to its form, else to its public page; undefined where the caller may open
 * neither.
 */
function hrefOf(context: Context, kind: PagedKind, row: Linkable): string | undefined {
  if (mayOpen(context, row, kind)) return deskPath(context.site, `/${ROOMS[kind]}/${row.id}`)
  return row.status === 'publish' ? pathTo(context.site, recordPath(context.site, kind, row)) : undefined
}

/**
 * Returns a text as a link to `href`, or alone where there is none.
 * @param look the value of the attribute `class`, if any
 */
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

/** Returns the title of an event as a link to where it leads. */
export function eventLink(
  context: Context,
  event: Linkable,
  text: Content,
  looks?: Parameters<typeof linkOrText>[2],
): Html {
  return linkOrText(hrefOf(context, 'event', event), text, looks)
}

/** Looks up where records lead, by their ids. */
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

/**
 * Returns the author whose events come first in plans that have everybody's; undefined for those who may
 * change everybody's.
 */
export const authorFirst = ({ caller }: Pick<Context, 'caller'>): number | undefined =>
  can(caller, 'edit_others') ? undefined : caller.id
