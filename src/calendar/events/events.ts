import { Problem } from '../../base/problems.ts'
import { prepareTexts, showPrepared } from '../../base/text/long-texts.ts'
import { storePresented } from '../../store/memory/presented-records.ts'
import type { Db } from '../../store/storage/database.ts'
import { holdRecord } from '../../store/storage/locks.ts'
import type { Tx } from '../../store/storage/recording.ts'
import type { EventRow } from '../../store/storage/schema.ts'
import { showRecord } from '../../store/storage/unshowable.ts'
import type { Context } from '../declare/context.ts'
import type { AskedUpdate, Found, Operations, Presentation, WriteSteps } from '../declare/operations.ts'
import { trashedAnyway } from '../linked/linked-operations.ts'
import { recordRights, requireReadable } from '../linked/record-present.ts'
import { mayDelete, mayEdit } from '../people/caller.ts'
import { textsToWrite } from '../records/present-records.ts'
import { sentTexts } from '../records/record-rules.ts'
import { findKind, idAt } from '../records/record-store.ts'
import { formOf, loadJson, presentCore } from './event-bytes.ts'
import type { LoadedEvent } from './event-filters.ts'
import { presentEvent, presentSingleEvent, presentWritten, textsOfEvent } from './event-present.ts'
import {
  type EventValues,
  type LookAtWritten,
  type PreparedEvent,
  prepareEvent,
  trashEvent,
  writeEvent,
} from './event-rules.ts'
import {
  derivedColumns,
  findEvent,
  findEventLinks,
  findListedEvents,
  findNext,
  type KnownLinks,
  linkedBytes,
} from './event-store.ts'
import { findAllEvents, findEvents } from './find-events.ts'
import { asSeenBy } from './online-link.ts'

// The operations on events: what REST, the desk, imports and assistants do with them.

const presentation: Presentation<LoadedEvent> = {
  nameOf: ({ row }) => ({ kind: 'event', id: row.id }),
  textsOf: ({ row, links }, extent) => textsOfEvent(row, links, extent),
  present: (context, { row, links }, extent) =>
    extent === 'single' ? presentSingleEvent(context, row, links) : presentEvent(context, row, links),
}

/** Prepares a new event, with the texts that take long. */
export async function prepareNew(context: Context, values: EventValues): Promise<PreparedEvent> {
  const prepared = await prepareEvent(values, context)
  await prepareTexts(textsToWrite(sentTexts(context, values, undefined)))
  return prepared
}

const create: WriteSteps<EventValues, PreparedEvent> = {
  prepare: prepareNew,
  write: (tx, prepared, context) => writeEvent(tx, undefined, prepared, context, readBack(context)),
}

/** Prepares a change of an event, with the texts that take long. */
export async function prepareChange(
  context: Context,
  { row, values }: AskedUpdate<EventRow>,
): Promise<PreparedEvent & { id: number }> {
  const prepared = await prepareEvent(values, context)
  await prepareTexts(textsToWrite(sentTexts(context, values, row)))
  return { ...prepared, id: row.id }
}

const update: WriteSteps<AskedUpdate<EventRow>, PreparedEvent & { id: number }> = {
  prepare: prepareChange,
  write: async (tx, prepared, context) =>
    writeEvent(tx, await getHeld(tx, prepared.id, context, mayEdit), prepared, context, readBack(context)),
}

const remove: WriteSteps<EventRow, EventRow> = {
  prepare: async (_context, row) => row,
  write: async (tx, row, context) => {
    const current = await getHeld(tx, row.id, context, mayDelete)
    if (current.status === 'trash') throw new Problem('event-is-in-trash')
    return trashEvent(tx, current, context, readTrashed(context))
  },
}

/** The operations on events. */
export const eventOperations: Operations<EventRow, LoadedEvent> = {
  versioned: { kind: 'event', idOf: ({ id }) => id },
  find: findEvents,
  findAll: findAllEvents,
  among: async (context, ids, query) => findAllEvents(context, { ...query, include: [...ids] }),
  load,
  loadJson,
  locate: async (context, address) => {
    const id = await idAt(context, 'events', address)
    return id === undefined ? undefined : findEvent(context.db, id)
  },
  missing: async (context, address) => {
    const known = 'id' in address && (await findKind(context.db, address.id)) !== undefined
    return new Problem(known ? 'rest-invalid-event-id' : 'rest-event-not-found')
  },
  loadOne: async (context, row) => {
    if (row.status === 'trash' && !mayEdit(context.caller, row)) throw new Problem('event-no-longer-available')
    requireReadable(context, 'event', row)
    return { row: asSeenBy(context.caller, row), links: await linksOfEvent(context.db, row) }
  },
  presentation,
  create,
  update,
  remove,
  rights: {
    ...recordRights,
    remove: (context, row) => (row ? mayDelete(context.caller, row) : recordRights.create(context)),
  },
}

/**
 * Holds an event until the end of the transaction. Rights are checked again on the held row, since another writer may have published it or changed
 * its author after the first look.
 * @throws Problem rest-event-not-found, rest_forbidden
 */
export async function getHeld(tx: Tx, id: number, context: Context, may: typeof mayEdit): Promise<EventRow> {
  const [, row] = await Promise.all([holdRecord(tx, 'events', id), findEvent(tx, id)])
  if (!row) throw new Problem('rest-event-not-found')
  if (!may(context.caller, row)) throw new Problem('rest_forbidden')
  return row
}

export async function linksOfEvent(db: Db, row: EventRow, known?: KnownLinks) {
  const links = (await findEventLinks(db, [row], known)).get(row.id)
  if (!links) throw new Error(`links of event ${row.id} were not looked up`)
  return links
}

/** Presents a written event inside its transaction: an event that cannot be shown is not written. Its presented text is stored. */
export function readBack(context: Context): LookAtWritten {
  return async (tx, written, links) => {
    const row = { ...written, ...derivedColumns(written) }
    const { id, series } = row
    const presented = showRecord('event', id, () => presentCore(context, row))
    // Few words may link to a hundred long texts, so these are not read for an answer that has no room for them.
    if (context.room && (await linkedBytes(tx, id)) > context.room.bytes) return { id, series, answer: { id } }
    const [found] = await Promise.all([
      linksOfEvent(tx, row, links),
      presented && storePresented(tx, formOf(context), [presented]),
    ])
    const answer = await showPrepared(textsOfEvent(row, found, 'single'), () =>
      presentWritten(
        context,
        asSeenBy(context.caller, row),
        found,
        row.online_from === '' ? presented : undefined,
        links.made,
      ),
    )
    return { id, series, answer }
  }
}

/** Presents an event that goes to the trash; one that cannot be shown may go there too. */
export function readTrashed(context: Context): LookAtWritten {
  return async (tx, row, links) => {
    const { id, series } = row
    const found = await linksOfEvent(tx, row, links)
    const shown = showPrepared(textsOfEvent(row, found, 'single'), () =>
      presentWritten(context, asSeenBy(context.caller, row), found, undefined, links.made),
    )
    return { id, series, answer: await shown.catch((error: unknown) => trashedAnyway(context, id, error)) }
  }
}

/** The rows found with the ids, or the rows that the ids have now: an event may have been withdrawn since the index found it. */
async function load(context: Context, { ids, rows, statuses, isCollapsed }: Found<EventRow>): Promise<LoadedEvent[]> {
  const listed = rows ?? (await findListedEvents(context, ids))
  const present = statuses ? listed.filter(({ status }) => statuses.includes(status)) : listed
  const links = await findEventLinks(context.db, present)
  const next = isCollapsed ? await findNext(context.db, present) : new Map()
  return present.flatMap((row) => {
    const own = links.get(row.id)
    return own
      ? [
          {
            row: asSeenBy(context.caller, row),
            links: { ...own, ...(next.has(row.id) ? { next: next.get(row.id) } : {}) },
          },
        ]
      : []
  })
}
