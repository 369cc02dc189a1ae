import type { Context } from '../declare/context.ts'
import type { Checks } from '../declare/resource.ts'
import { readInteger } from '../fields/kinds.ts'
import { userExists } from '../people/users.ts'
import { findKind } from './record-store.ts'
import { isKnownStatus } from './status.ts'

async function isUser(value: unknown, context: Context): Promise<boolean> {
  if ((typeof value !== 'string' && typeof value !== 'number') || value === '') return false
  return userExists(context.db, Math.trunc(Number(value)))
}

/** True for the id of an event, in any status. */
export async function isEvent(value: unknown, context: Context): Promise<boolean> {
  const id = readInteger(value)
  return id !== undefined && (await findKind(context.db, id)) === 'event'
}

/** True for the id of an event or a series, in any status. */
export async function isEventOrSeries(value: unknown, context: Context): Promise<boolean> {
  const id = readInteger(value)
  const kind = id === undefined ? undefined : await findKind(context.db, id)
  return kind === 'event' || kind === 'series'
}

/** The checks of the fields that all records share. */
export const recordChecks = {
  author: { lookUp: isUser, looksUpForAll: true },
  status: { valid: isKnownStatus },
} as const satisfies Readonly<Record<string, Checks>>
