import { hash, randomBytes } from 'node:crypto'
import { formatUtc, utcToMs } from '../../../base/text/zones.ts'
import { liveSince, type Session } from '../../../calendar/people/sessions.ts'
import { findUser, isActive, type User } from '../../../calendar/people/users.ts'
import type { Database, Db } from '../../../store/storage/database.ts'
import type { Tx } from '../../../store/storage/recording.ts'

export interface SessionOrigin {
  client: string
  address: string
}

/** In ms: the shortest time between two updates of a session's last use. */
const SEEN_EVERY = 300_000

/** Per user; a further session ends the one that was unused for longest. */
const MOST_SESSIONS = 50

const ID_BYTES = 32

const ID = /^[\w-]{43}$/

const LONGEST_TEXT = 200

const hashOf = (cookieId: string) => hash('sha256', cookieId, 'base64url')

/**
 * Starts a session and returns its id for the cookie; only a hash of the id is stored.
 * @param now in ms
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
 * Finds the valid session with this id, and its user. Nothing is cached, so a session ended on another node
 * is invalid here, too.
 * @param now in ms
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

/** True if the session is stored, even if it is too old to be valid. */
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
 * Stores a session's last use, at most once in five minutes. No change is recorded, and a failure is ignored.
 * @param now in ms
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

export async function endSession(tx: Tx, cookieId: string): Promise<void> {
  await tx.deleteFrom('sessions').where('hash', '=', hashOf(cookieId)).execute()
}

export async function revokeSession(tx: Tx, user: User, sessionHash: string): Promise<boolean> {
  const ended = await tx
    .deleteFrom('sessions')
    .where('user', '=', user.id)
    .where('hash', '=', sessionHash)
    .executeTakeFirst()
  return ended.numDeletedRows > 0n
}

export async function revokeOtherSessions(tx: Tx, user: User, keptHash: string): Promise<void> {
  await tx.deleteFrom('sessions').where('user', '=', user.id).where('hash', '!=', keptHash).execute()
}
