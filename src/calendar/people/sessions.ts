import { DAY_MS, formatUtc } from '../../base/text/zones.ts'
import type { Db } from '../../store/storage/database.ts'
import type { SessionColumns } from '../../store/storage/schema.ts'
import type { User } from './users.ts'

/** Its user may see all columns: the hash identifies the session, but gives no access to it. */
export type Session = SessionColumns

/** A session ends after `IDLE_DAYS` without use, and after `LONGEST_DAYS` in any case. */
export const IDLE_DAYS = 14
export const LONGEST_DAYS = 90
export function liveSince(now: number): { created: string; seen: string } {
  return { created: formatUtc(now - LONGEST_DAYS * DAY_MS), seen: formatUtc(now - IDLE_DAYS * DAY_MS) }
}

export async function listSessions(db: Db, user: User, now: number): Promise<Session[]> {
  const { created, seen } = liveSince(now)
  return db
    .selectFrom('sessions')
    .selectAll()
    .where('user', '=', user.id)
    .where('created_utc', '>', created)
    .where('seen_utc', '>', seen)
    .orderBy('seen_utc', 'desc')
    .orderBy('created_utc', 'desc')
    .execute()
}
