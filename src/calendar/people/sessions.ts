import { hash, randomBytes } from 'node:crypto'
import { DAY_MS, formatUtc, utcToMs } from '../../base/text/zones.ts'
import type { Database, Db } from '../../store/storage/database.ts'
import type { Tx } from '../../store/storage/recording.ts'
import type { SessionColumns } from '../../store/storage/schema.ts'
import { findUser, isActive, type User } from './users.ts'

// Sessions at the desk: starts and finds them, notes their use, lists them and ends them.

/**
 * A browser that is signed in to the desk. Its user may see all columns: nobody can sign in by the hash,
 * which only names the session.
 */
export type Session = SessionColumns

/** The origin of a session: the name that its browser gives itself, and the network address. */
export interface SessionOrigin {
  client: string
  address: string
}

/** Days without use after which a session ends, and days after which even a used session ends. */
export const IDLE_DAYS = 14
export const LONGEST_DAYS = 90
/**
 * The least milliseconds between two writes of the last use of a session, so that the stored time may lag by
 * as much.
 */
const SEEN_EVERY = 300_000
/** The most sessions of one user; a further session ends the session that is unused for longest. */
const MOST_SESSIONS = 50
/** Bytes of a session id; in a cookie it has 43 characters of base64url. */
const ID_BYTES = 32
const ID = /^[\w-]{43}$/
/** The most characters that are kept of the name of a browser, and of an address. */
const LONGEST_TEXT = 200

const hashOf = (cookieId: string) => hash('sha256', cookieId, 'base64url')

/** Returns the times, as the database keeps them, after which a live session has begun and was last used. */
function liveSince(now: number): { created: string; seen: string } {
  return { created: formatUtc(now - LONGEST_DAYS * DAY_MS), seen: formatUtc(now - IDLE_DAYS * DAY_MS) }
}

/**
 * Signs a user in by a new session.
 * @param now milliseconds since the epoch
 * @returns the id for the cookie, which cannot be read again
 */
export async function startSession(tx: Tx, user: User, now: number, origin: SessionOrigin): Promise<string> {
  const id = randomBytes(ID_BYTES).toString('base64url')
  const utc = formatUtc(now)
  await tx
    .insertInto('sessions')
    .values({
      hash: hashOf(id),
      user: user.id,
      created_utc: utc,
      seen_utc: utc,
      client: origin.client.slice(0, LONGEST_TEXT),
      address: origin.address.slice(0, LONGEST_TEXT),
    })
    .execute()
  const kept = tx
    .selectFrom('sessions')
    .select('hash')
    .where('user', '=', user.id)
    .orderBy('seen_utc', 'desc')
    .orderBy('created_utc', 'desc')
    .limit(MOST_SESSIONS)
  await tx.deleteFrom('sessions').where('user', '=', user.id).where('hash', 'not in', kept).execute()
  return id
}

/**
 * Finds the session with an id, and its user; undefined once the session has ended, and for a user who was
 * deactivated. Nothing is cached, so that a session that ended on another node has ended here as well.
 * @param now milliseconds since the epoch
 */
export async function findSession(
  db: Db,
  cookieId: string,
  now: number,
): Promise<{ user: User; session: Session } | undefined> {
  if (!ID.test(cookieId)) return undefined
  const { created, seen } = liveSince(now)
  const session = await db
    .selectFrom('sessions')
    .selectAll()
    .where('hash', '=', hashOf(cookieId))
    .where('created_utc', '>', created)
    .where('seen_utc', '>', seen)
    .executeTakeFirst()
  const user = session && (await findUser(db, session.user))
  return user && session && isActive(user) ? { user, session } : undefined
}

/** Returns true while a session with this id is stored, even one that is too old to be live. */
export async function sessionExists(db: Db, cookieId: string): Promise<boolean> {
  if (!ID.test(cookieId)) return false
  const row = await db
    .selectFrom('sessions')
    .select('user')
    .where('hash', '=', hashOf(cookieId))
    .executeTakeFirst()
  return row !== undefined
}

/**
 * Stores when a session was used, unless a use within the last five minutes is stored. Nothing caches these
 * times, so no change is recorded. A failed write is ignored, since the next use is stored in its place.
 * @param now milliseconds since the epoch
 */
export async function noteSeen(
  { write }: Pick<Database, 'write'>,
  session: Session,
  now: number,
): Promise<void> {
  if (now - utcToMs(session.seen_utc) < SEEN_EVERY) return
  const seen_utc = formatUtc(now)
  const noting = write((tx) =>
    tx
      .updateTable('sessions')
      .set({ seen_utc })
      .where('hash', '=', session.hash)
      .where('seen_utc', '<', seen_utc)
      .execute(),
  )
  await noting.catch(() => undefined)
}

/** Returns the live sessions of a user, the one used last first. */
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

/** Ends the session with this id, if there is one. */
export async function endSession(tx: Tx, cookieId: string): Promise<void> {
  await tx.deleteFrom('sessions').where('hash', '=', hashOf(cookieId)).execute()
}

/** Ends a session of a user that `listSessions` shows. Returns false when it has ended already. */
export async function revokeSession(tx: Tx, user: User, sessionHash: string): Promise<boolean> {
  const ended = await tx
    .deleteFrom('sessions')
    .where('user', '=', user.id)
    .where('hash', '=', sessionHash)
    .executeTakeFirst()
  return ended.numDeletedRows > 0n
}

/** Ends all sessions of a user but the one with this hash. */
export async function revokeOtherSessions(tx: Tx, user: User, keptHash: string): Promise<void> {
  await tx.deleteFrom('sessions').where('user', '=', user.id).where('hash', '!=', keptHash).execute()
}
