import { sql } from 'kysely'
import type { Db } from '../database.ts'
import type { Migration } from '../migration.ts'

/**
 * Marks the events that are free of charge, and makes the indexes by which the memory reads them and the ways
 * to take part.
 */
export const freeEvents: Migration = { name: '0045-free-events', up }

const WORDS = new Set(
  (
    'free|free entry|free entrance|free admission|free of charge|free event|no charge|' +
    'frei|gratis|kostenlos|kostenfrei|eintritt frei|freier eintritt|kostenloser eintritt|' +
    'gratuit|gratuite|entrée libre|entrée gratuite|accès libre|accès gratuit|' +
    'libre|gratuito|gratuita|entrada libre|entrada gratuita|entrada gratis|acceso libre|acceso gratuito'
  ).split('|'),
)
const NOUGHT = /^(?:\p{Sc}|\p{L}{1,4}\.?)? ?0+(?:[.,]0+)? ?(?:\p{Sc}|\p{L}{1,4}\.?)?$/u

function isFree(cost: string): boolean {
  const texts: unknown = JSON.parse(cost)
  return Array.isArray(texts) && texts.length > 0 && texts.every(isFreeText)
}

function isFreeText(text: unknown): boolean {
  if (typeof text !== 'string' || text.length > 40) return false
  const plain = text.trim().toLowerCase().replace(/[.!]$/, '')
  return WORDS.has(plain) || NOUGHT.test(plain)
}

/** The most distinct costs that one query reads. */
const AT_ONCE = 1000

async function up(db: Db): Promise<void> {
  await sql`alter table events add column is_free smallint not null default 0`.execute(db)
  for (let last: string | undefined = ''; last !== undefined; ) {
    const { rows }: { rows: { cost: string }[] } = await sql<{ cost: string }>`
      select distinct cost from events where cost > ${last} and cost <> '[]' and length(cost) < 1000 order by cost limit ${AT_ONCE}`.execute(
      db,
    )
    const free = rows.flatMap(({ cost }) => (isFree(cost) ? [cost] : []))
    if (free.length > 0)
      await sql`update events set is_free = 1 where cost in (${sql.join(free)})`.execute(db)
    last = rows.length < AT_ONCE ? undefined : rows.at(-1)?.cost
  }
  await sql`create index events_free on events (id, is_free) where is_free = 1`.execute(db)
  await sql`create index events_attendance on events (id, attendance) where attendance <> ''`.execute(db)
}
