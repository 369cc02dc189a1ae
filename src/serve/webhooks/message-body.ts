import { Problem } from '../../base/problems.ts'
import { utcToMs } from '../../base/text/zones.ts'
import type { Context } from '../../calendar/declare/context.ts'
import { OWN_NAMESPACE } from '../../calendar/declare/resource.ts'
import { presentById } from '../../calendar/records/present-records.ts'
import { resources, type Served, series } from '../../calendar/resources.ts'
import { TOLD_KINDS } from '../../store/storage/outbox.ts'
import type { DeliveryColumns } from '../../store/storage/schema.ts'
import { findSequences } from '../../store/storage/sequences.ts'

// The body of a message to a webhook.

/** Bytes of a message; a record that takes more is left out, and has to be read. */
const MOST_BYTES = 20_000

/**
 * A message as JSON: the type of a change, when it was made, and the record as lists show it now to the reader of `context`, with its sequence.
 * Undefined when the record is not there for that reader any more, as the message of a later change tells.
 */
export async function writeMessage(message: DeliveryColumns, context: Context): Promise<string | undefined> {
  const { type, kind, record: id, sequence, created_utc } = message
  const head = { type, timestamp: new Date(utcToMs(created_utc)).toISOString(), calendar: context.site.url }
  if (!isOfRecord(type)) return JSON.stringify({ ...head, data: { kind, id, sequence } })
  // Read before the record: an older number on a newer state does no harm, and the other way round would.
  const latest = await findSequence(message, context)
  const found = await findRecord(kind, id, context)
  if (!found) return undefined
  const data = { kind, id, sequence: latest, rest_url: found.url }
  const whole = JSON.stringify({ ...head, data: { ...data, record: found.record } })
  return Buffer.byteLength(whole) <= MOST_BYTES ? whole : JSON.stringify({ ...head, data })
}

async function findSequence({ kind, record, sequence }: DeliveryColumns, { db }: Context): Promise<number> {
  const told = TOLD_KINDS.find((known) => known === kind)
  const found = told && (await findSequences(db, told, [record])).get(record)
  return Math.max(sequence, found ?? 0)
}

const isOfRecord = (type: string) => type.endsWith('.created') || type.endsWith('.updated')

async function findRecord(
  kind: string,
  id: number,
  context: Context,
): Promise<{ url: string; record: object } | undefined> {
  for (const { resource, operations } of servedAs(kind)) {
    const row = await operations.locate(context, { id })
    const record = row === undefined ? undefined : await present(operations, row, id, context)
    if (record) return { url: addressOf(resource, id, context), record }
  }
  return undefined
}

/** The resources whose records messages of this kind are about. */
function servedAs(kind: string): Served[] {
  if (kind === 'series') return [series]
  const names = kind === 'term' ? ['category', 'tag'] : [kind]
  return resources.filter(({ resource }) => names.includes(resource.name))
}

async function present(
  { loadOne, presentation }: Served['operations'],
  row: unknown,
  id: number,
  context: Context,
): Promise<object | undefined> {
  try {
    return (await presentById(context, presentation, [await loadOne(context, row)])).get(id)
  } catch (error) {
    if (error instanceof Problem) return undefined
    throw error
  }
}

function addressOf({ path, name }: Served['resource'], id: number, { site }: Context): string {
  return `${name === 'series' ? `${site.restUrl}/${OWN_NAMESPACE}` : site.base}/${path}/${id}`
}
