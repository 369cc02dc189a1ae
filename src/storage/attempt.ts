import { sql } from 'kysely'
import { type RecordedChange, recordChange, type Tx } from './recording.ts'
import { statement } from './statement.ts'

const begin = statement<Record<never, never>>()(() => sql`savepoint attempt`)
const release = statement<Record<never, never>>()(() => sql`release savepoint attempt`)
const undo = statement<Record<never, never>>()(() => sql`rollback to savepoint attempt`)

/** Does a part of a transaction that may fail alone: then nothing of it stays, and the transaction goes on. Parts do not lie in each other. */
export async function attempt<T>(tx: Tx, work: () => Promise<T>): Promise<T> {
  const { recording } = tx
  const before = recording.changes
  recording.changes = new Map()
  await begin(tx, {})
  try {
    const made = await work()
    await release(tx, {})
    const own = recording.changes
    recording.changes = before
    for (const { act, ...change } of own.values()) recordChange(tx, change satisfies RecordedChange, act)
    return made
  } catch (error) {
    recording.changes = before
    await undo(tx, {})
    await release(tx, {})
    throw error
  }
}
