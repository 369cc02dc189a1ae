import { geoFilter } from '../common/geoloc.ts'
import { keepPresented } from '../common/presented-records.ts'
import { recordRights, refuseUnreadable } from '../common/record-present.ts'
import { findKind, pageRequest } from '../common/record-store.ts'
import { statusLinks } from '../common/status.ts'
import type { Asking } from '../declare/asking.ts'
import type { ListAnswer, Operations } from '../declare/operations.ts'
import type { Parsed } from '../declare/resource.ts'
import { mayDelete, mayEdit } from '../people/caller.ts'
import { Problem } from '../problems.ts'
import type { Db } from '../storage/database.ts'
import { holdRecord } from '../storage/locks.ts'
import type { EventRow } from '../storage/schema.ts'
import { parameter } from '../text/query-text.ts'
import type { event } from './event.ts'
import { eventLinkedData, presentEvent } from './event-present.ts'
import { changeEvent, createEvent, type LookAtWritten, prepareEvent, trashEvent } from './event-rules.ts'
import { type EventLinks, findEvent, findEventLinks, type KnownLinks, listEvents } from './event-store.ts'
import { type EventWindow, eventWindow } from './event-window.ts'
import { formOf, presentOwn } from './presented-events.ts'

/** What the routes do with events. */
export const eventOperations: Operations<EventRow> = {
  list: listAnswer,
  find: (asking, address) => findEvent(asking.db, address),
  missing: async (asking, address) => {
    const known = 'id' in address && (await findKind(asking.db, address.id)) !== undefined
    return new Problem(known ? 'rest-invalid-event-id' : 'rest-event-not-found')
  },
  read: async (asking, row) => {
    if (row.status === 'trash' && !mayEdit(asking.caller, row)) throw new Problem('event-no-longer-available')
    refuseUnreadable(asking, 'event', row)
    const links = await linksOf(asking.db, row)
    return { ...presentEvent(asking, row, links), json_ld: eventLinkedData(asking, row, links) }
  },
  create: async (asking, values) => {
    const prepared = await prepareEvent(values, asking)
    const written = await asking.write((tx) => createEvent(tx, prepared, asking, readBack(asking)))
    return presentEvent(asking, ...written)
  },
  update: async (asking, row, values) => {
    const prepared = await prepareEvent(values, asking)
    const written = await asking.write(async (tx) =>
      changeEvent(tx, await getHeld(tx, row.id), prepared, asking, readBack(asking)),
    )
    return presentEvent(asking, ...written)
  },
  remove: async (asking, row) => {
    const written = await asking.write(async (tx) => {
      const current = await getHeld(tx, row.id)
      if (current.status === 'trash') throw new Problem('event-is-in-trash')
      return trashEvent(tx, current, asking, readBack(asking))
    })
    return presentEvent(asking, ...written)
  },
  rights: {
    ...recordRights,
    remove: (asking, row) => (row ? mayDelete(asking.caller, row) : recordRights.create(asking)),
  },
}

/** An event that nobody else changes until the end of the transaction. @throws Problem rest-event-not-found */
async function getHeld(tx: Db, id: number): Promise<EventRow> {
  const [, row] = await Promise.all([holdRecord(tx, 'events', id), findEvent(tx, { id })])
  if (!row) throw new Problem('rest-event-not-found')
  return row
}

async function linksOf(db: Db, row: EventRow, known?: KnownLinks) {
  const links = (await findEventLinks(db, [row], known)).get(row.id)
  if (!links) throw new Error(`links of event ${row.id} were not looked up`)
  return links
}

/** What an event is presented from. */
type Shown = [row: EventRow, links: EventLinks, own: string | undefined]

/** What an event is shown with that has just been written, in the transaction that wrote it. It is kept presented from there. */
function readBack(asking: Asking): LookAtWritten<Shown> {
  return async (tx, row, links) => {
    const presented = presentOwn(asking, row)
    const [found] = await Promise.all([
      linksOf(tx, row, links),
      presented && keepPresented(tx, formOf(asking), [presented]),
    ])
    return [row, found, presented?.own]
  }
}

type Query = Parsed<typeof event.filters>

async function listAnswer(asking: Asking, asked: Query): Promise<ListAnswer> {
  const window = eventWindow(asked, asking)
  const page = pageRequest(asked, asking)
  const { rows, total } = await listEvents({ ...asked, ...(await geoFilter(asking, asked)), window }, page, asking)
  const links = await findEventLinks(asking.db, rows)
  const items = rows.flatMap((row) => {
    const own = links.get(row.id)
    return own ? [presentEvent(asking, row, own)] : []
  })
  return {
    items,
    total,
    ...page,
    ...effectiveParameters(asking, asked, window),
    pastEnd: 'event-archive-page-not-found',
  }
}

/** The parameters of links in their order (contract 4.1): the window as it was worked out, every filter as it was sent. */
export function effectiveParameters(
  asking: Asking,
  query: Query,
  window: EventWindow,
): Pick<ListAnswer, 'effective' | 'shownOnly'> {
  const { status, shownOnly } = statusLinks(asking.caller, query.status)
  const effective =
    parameter('start_date', window.from) +
    parameter('end_date', window.to) +
    parameter('search', query.search) +
    parameter('geoloc', asDigit(query.geoloc)) +
    parameter('geoloc_lat', query.geoloc_lat) +
    parameter('geoloc_lng', query.geoloc_lng) +
    parameter('geoloc_radius', query.geoloc_radius) +
    parameter('status', status) +
    parameter('post_parent', query.post_parent) +
    parameter('include', query.include) +
    parameter('starts_before', window.startsBefore) +
    parameter('starts_after', window.startsAfter) +
    parameter('ends_before', window.endsBefore) +
    parameter('ends_after', window.endsAfter) +
    parameter('strict_dates', query.strict_dates || undefined) +
    parameter('venue', query.venue) +
    parameter('organizer', query.organizer) +
    parameter('featured', asDigit(query.featured)) +
    parameter('categories', query.categories) +
    parameter('tags', query.tags)
  return { effective, shownOnly }
}

const asDigit = (flag: boolean | undefined) => (flag === undefined ? undefined : Number(flag))
