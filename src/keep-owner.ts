import { chownSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/** The user and the group that a file belongs to. */
export interface Owner {
  uid: number
  gid: number
}

/** Returns the owner of what is at a path, or of the nearest folder above it that is there. */
export function ownerAt(path: string): Owner {
  const found = statSync(path, { throwIfNoEntry: false })
  return found || dirname(path) === path ? (found ?? { uid: 0, gid: 0 }) : ownerAt(dirname(path))
}

const isRoot = () => process.getuid?.() === 0

/** Gives a path to an owner. Nobody but root may: what others make is their own. */
export function giveTo(path: string, { uid, gid }: Owner): void {
  if (isRoot() && (uid !== 0 || gid !== 0)) chownSync(path, uid, gid)
}

/** @throws Error with one sentence when a file that is to be replaced belongs to somebody whom this user cannot give the new one to. */
export function requireOwnerKept(path: string): void {
  const own = process.getuid?.()
  const found = statSync(path, { throwIfNoEntry: false })
  if (own === undefined || own === 0 || !found || found.uid === own) return
  throw new Error(`${path} belongs to the user ${found.uid}: run this as that user, or as root.`)
}
