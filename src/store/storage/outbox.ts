import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { countLater } from './changes.ts'
import type { Db } from './database.ts'
import type { Recorded, Recording } from './recording.ts'

// A change is written to the outbox in its own transaction, for every webhook that asks for it: there are both or neither. What follows from
// another change, such as the dates of a series from the series, has no act and is not told.

/** The kinds of records that webhooks tell of; categories and tags are terms. */
export const TOLD_KINDS = ['event', 'venue', 'organizer', 'series', 'term'] as const

/** How a record has changed. */
export const VERBS = ['created', 'updated', 'deleted'] as const
type Verb = (typeof VERBS)[number]

/** A change that webhooks may be told of. */
interface ToldChange {
  kind: string
  record: number
  /** The change for private webhooks, and for all others; empty where they get no message. */
  verb: Verb
  public_verb: Verb | ''
  /** 1 for an event that changes together with a series: as one of its dates it is not told by itself. */
  with_series: number
  /** How many transactions of the same commit have changed the record since. */
  later: number
  message: string
  time: string
}

/** The changes of a commit that webhooks may be told of, as JSON; undefined when there are none. */
export function toldChanges(recordings: readonly Recording[], nowUtc: string): string | undefined {
  const told: ToldChange[] = []
  const later = countLater(recordings)
  for (const { changes } of recordings) {
    const hasSeries = [...changes.values()].some(({ kind }) => kind === 'series')
    for (const change of changes.values()) {
      const { kind, record, act } = change
      if (!act || !TOLD_KINDS.some((known) => known === kind)) continue
      const verbs = { verb: verbOf(change), public_verb: publicVerb(change) }
      const with_series = Number(hasSeries && kind === 'event')
      const counted = { with_series, later: later.get(change) ?? 0 }
      told.push({ kind, record, ...verbs, ...counted, message: randomUUID(), time: nowUtc })
    }
  }
  return told.length === 0 ? undefined : JSON.stringify(told)
}

/** As lists show it to the public: coming into them is being made, and not to be in them any more is being deleted. */
function publicVerb({ wasPublic, isPublic, wasHidden, isHidden, isDeleted }: Recorded): Verb | '' {
  const isSeen = isPublic && !isHidden && !isDeleted
  if (wasPublic && !wasHidden) return isSeen ? 'updated' : 'deleted'
  return isSeen ? 'created' : ''
}

function verbOf({ act, isDeleted }: Recorded): Verb {
  if (isDeleted || act?.action === 'trash') return 'deleted'
  return act?.action === 'create' ? 'created' : 'updated'
}

/** The condition that at least one webhook is enabled. */
export const IS_TOLD = `exists (select 1 from webhooks where disabled_utc = '')`

const VERB = 'case w.is_private when 1 then c.verb else c.public_verb end'
const EVENTS = `',' || w.events || ','`

/**
 * The statement that writes changes to the outbox: its text before and after the source of the changes `c`. Without webhooks it looks at no change.
 */
export const TELL = {
  before: `insert into webhook_deliveries
    (webhook, message, type, kind, record, sequence, state, created_utc, next_utc, attempts, status, error)
    select w.id, 'msg_' || c.message || '_' || w.id, c.kind || '.' || ${VERB}, c.kind, c.record, n.sequence - c.later, 'waiting', c.time, c.time, 0, 0, ''
    from webhooks w cross join`,
  after: `join changes n on n.kind = c.kind and n.record = c.record where w.disabled_utc = '' and ${VERB} <> '' and (${EVENTS} like '%,*,%' or ${EVENTS} like '%,' || c.kind || '.*,%'
    or ${EVENTS} like '%,' || c.kind || '.' || ${VERB} || ',%')
    and (c.with_series = 0 or not exists (select 1 from events e where e.id = c.record and e.series is not null))`,
} as const

/** Drops at most `most` messages that were written before a time. Returns how many. */
export async function dropDeliveries(tx: Db, beforeUtc: string, most: number): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    delete from webhook_deliveries where id in
      (select id from webhook_deliveries where created_utc < ${beforeUtc} limit ${most}) returning id
  `.execute(tx)
  return rows.length
}
