import { Problem } from '../../base/problems.ts'
import { prepareTexts, showPrepared } from '../../base/text/long-texts.ts'
import { holdRecord } from '../../store/storage/locks.ts'
import type { Tx } from '../../store/storage/recording.ts'
import type { EventRow } from '../../store/storage/schema.ts'
import { passTurn } from '../../store/storage/statement.ts'
import { showRecord } from '../../store/storage/unshowable.ts'
import type { Context } from '../declare/context.ts'
import type { AskedUpdate, Operations, Presentation, WriteResult, WriteSteps } from '../declare/operations.ts'
import { trashedAnyway } from '../linked/linked-operations.ts'
import { linkEntries } from '../linked/linked-store.ts'
import { recordRights, requireReadable } from '../linked/record-present.ts'
import { mayDelete, mayEdit } from '../people/caller.ts'
import { sentTexts } from '../records/record-rules.ts'
import { findKind, idAt, textsOfRecord, textsToWrite } from '../records/record-store.ts'
import { termEntries } from '../terms/term-rules.ts'
import { linksOfEvent, loadEvents, loadJson, readSingle } from './event-bytes.ts'
import type { LoadedEvent } from './event-filters.ts'
import { presentEvent, presentWritten, textsOfEvent, writeCore } from './event-present.ts'
import {
  type AskedEvent,
  changeEvent,
  type EventValues,
  type PreparedEvent,
  prepareEvent,
  type SettledEvent,
  settleNew,
  trashEvent,
} from './event-rules.ts'
import {
  type EventLinks,
  findEvent,
  findEventLinks,
  linkedBytes,
  savedRow,
  saveEvents,
} from './event-store.ts'
import { asSeenBy } from './event-when.ts'
import { findAllEvents, findEvents } from './find-events.ts'

// The operations on events that REST, the desk, imports and assistants call.

const presentation: Presentation<LoadedEvent> = {
  nameOf: ({ row }) => ({ kind: 'event', id: row.id }),
  textsOf: ({ row, links }, extent) => textsOfEvent(row, links, extent),
  present: (context, { row, links }, extent) => presentEvent(context, row, links, extent),
}

/** Fetches a new event's images, and prepares texts that take long to show. */
export async function prepareNew(context: Context, values: EventValues): Promise<PreparedEvent> {
  const prepared = await prepareEvent(values, context)
  await prepareTexts(textsToWrite(sentTexts(context, values, undefined)))
  return prepared
}

/** Creates one event. @throws UnshowableRecord if it cannot be shown; Problem for refused values */
export async function createEvent(tx: Tx, prepared: PreparedEvent, context: Context): Promise<WriteResult> {
  const [made] = await createAll(tx, [{ prepared, context }])
  if (!made) throw new Error('no event was made')
  return made
}

/**
 * Creates events in one transaction: if one fails or cannot be shown, none is written. If there are several,
 * other work gets its turn between steps.
 * @throws Problem, UnshowableRecord
 */
export async function createAll(tx: Tx, asked: readonly AskedEvent[]): Promise<WriteResult[]> {
  const afterStep = async () => {
    if (asked.length > 1) await passTurn(tx)
  }
  const events = await settleNew(tx, asked)
  await afterStep()
  await saveEvents(tx, events)
  await afterStep()
  const rows = events.map(savedRow)
  const fits = await Promise.all(rows.map(({ id }, at) => fitsAnswer(tx, id, asked[at]?.context)))
  const known = new Map(events.map(({ values, links }) => [values.id, links]))
  const links = await findEventLinks(
    tx,
    rows.filter((_row, at) => fits[at]),
    known,
  )
  await afterStep()
  return Promise.all(
    asked.map(async ({ context }, at) => {
      const row = rows[at]
      if (!row) throw new Error('no event was made')
      const answer = await answerWritten(context, row, links.get(row.id), events[at]?.made ?? NONE)
      return { id: row.id, series: null, answer }
    }),
  )
}

const NONE: ReadonlySet<number> = new Set()

/** True if the linked texts fit the answer. Reads only their size, since a hundred texts may be long. */
async function fitsAnswer(
  tx: Tx,
  id: number,
  { answerBudget }: Pick<Context, 'answerBudget'> = {},
): Promise<boolean> {
  return answerBudget === undefined || (await linkedBytes(tx, id)) <= answerBudget.bytes
}

/** The answer to a write: the event, or without `links` its id. @throws UnshowableRecord */
async function answerWritten(
  context: Context,
  row: EventRow,
  links: EventLinks | undefined,
  made: ReadonlySet<number>,
): Promise<object> {
  const seen = asSeenBy(context.caller, row)
  if (links)
    return showPrepared(textsOfEvent(row, links, 'single'), () => presentWritten(context, seen, links, made))
  await showPrepared(textsOfRecord(row, 'listed'), () =>
    showRecord('event', row.id, () => writeCore(context, seen, undefined)),
  )
  return { id: row.id }
}

export async function prepareChange(
  context: Context,
  { row, values }: AskedUpdate<EventRow>,
): Promise<PreparedEvent & { id: number }> {
  const prepared = await prepareEvent(values, context)
  await prepareTexts(textsToWrite(sentTexts(context, values, row)))
  return { ...prepared, id: row.id }
}

/** Larger events are written alone, since requests that share a transaction wait for all of its events. */
const MOST_SHARED = { characters: 20_000, links: 50 }

/** True for a small event without `author` that creates no image, record or term others would wait for. */
export function mayShare(values: EventValues): boolean {
  const {
    author,
    image,
    venue,
    organizer,
    categories = [],
    tags = [],
    description = '',
    excerpt = '',
  } = values
  const links = [venue ?? [], organizer ?? []].flatMap((sent) => linkEntries(sent) ?? [])
  const terms = [categories, tags].flatMap((sent) => termEntries(sent) ?? [])
  return (
    author === undefined &&
    image === undefined &&
    description.length + excerpt.length <= MOST_SHARED.characters &&
    links.length + terms.length <= MOST_SHARED.links &&
    links.every((entry) => 'id' in entry) &&
    terms.every((entry) => typeof entry === 'number')
  )
}

const update: WriteSteps<AskedUpdate<EventRow>, PreparedEvent & { id: number }> = {
  prepare: prepareChange,
  write: async (tx, prepared, context) =>
    readBack(
      tx,
      await changeEvent(tx, await getHeld(tx, prepared.id, context, mayEdit), prepared, context),
      context,
    ),
}

const remove: WriteSteps<EventRow, EventRow> = {
  prepare: async (_context, row) => row,
  write: async (tx, row, context) => {
    const current = await getHeld(tx, row.id, context, mayDelete)
    if (current.status === 'trash') throw new Problem('event-is-in-trash')
    return readTrashed(tx, await trashEvent(tx, current, context), context)
  },
}

export const eventOperations: Operations<EventRow, LoadedEvent> = {
  versioned: { kind: 'event', idOf: ({ id }) => id },
  find: findEvents,
  findAll: findAllEvents,
  among: async (context, ids, query) => findAllEvents(context, { ...query, include: [...ids] }),
  load: loadEvents,
  loadJson,
  readSingle,
  locate: async (context, address) => {
    const id = await idAt(context, 'events', address)
    return id === undefined ? undefined : findEvent(context.db, id)
  },
  missing: async (context, address) => {
    const known = 'id' in address && (await findKind(context.db, address.id)) !== undefined
    return new Problem(known ? 'rest-invalid-event-id' : 'rest-event-not-found')
  },
  loadOne: async (context, row) => {
    if (row.status === 'trash' && !mayEdit(context.caller, row))
      throw new Problem('event-no-longer-available')
    requireReadable(context, 'event', row)
    return { row: asSeenBy(context.caller, row), links: await linksOfEvent(context.db, row) }
  },
  presentation,
  create: { prepare: prepareNew, write: createEvent },
  update,
  remove,
  rights: {
    ...recordRights,
    remove: (context, row) => (row ? mayDelete(context.caller, row) : recordRights.create(context)),
  },
}

/**
 * Locks and reads an event, then checks `may`: another writer may have published it or changed its author.
 * @throws Problem rest-event-not-found, rest_forbidden
 */
export async function getHeld(tx: Tx, id: number, context: Context, may: typeof mayEdit): Promise<EventRow> {
  const [, row] = await Promise.all([holdRecord(tx, 'events', id), findEvent(tx, id)])
  if (!row) throw new Problem('rest-event-not-found')
  if (!may(context.caller, row)) throw new Problem('rest_forbidden')
  return row
}

/** The answer to a write, read in its transaction, so that an event that cannot be shown is not written. */
export async function readBack(tx: Tx, saved: SettledEvent, context: Context): Promise<WriteResult> {
  const row = savedRow(saved)
  const { id, series } = row
  const found = (await fitsAnswer(tx, id, context)) ? await linksOfEvent(tx, row, saved.links) : undefined
  return { id, series, answer: await answerWritten(context, row, found, saved.made) }
}

/** The answer to a removal. An event that cannot be shown is trashed all the same. */
export async function readTrashed(tx: Tx, saved: SettledEvent, context: Context): Promise<WriteResult> {
  const row = savedRow(saved)
  const { id, series } = row
  const found = await linksOfEvent(tx, row, saved.links)
  const shown = showPrepared(textsOfEvent(row, found, 'single'), () =>
    presentWritten(context, asSeenBy(context.caller, row), found, saved.made),
  )
  return { id, series, answer: await shown.catch((error: unknown) => trashedAnyway(context, id, error)) }
}
