import { Problem } from '../../base/problems.ts'
import type { Db } from '../../store/storage/database.ts'
import { type HeldTable, holdRecord } from '../../store/storage/locks.ts'
import { isChangedEarlier, type Tx } from '../../store/storage/recording.ts'
import type { ChangeColumns, VersionedKind } from '../../store/storage/schema.ts'
import { statement } from '../../store/storage/statement.ts'

// The version of a record is the sequence of its latest change. ETags of single records end in it, and `If-Match` asks for it (rule 28.8).

const TABLES: Record<VersionedKind, HeldTable> = {
  event: 'events',
  venue: 'venues',
  organizer: 'organizers',
  image: 'images',
  series: 'series',
  term: 'terms',
}

/** The version of one record. */
export interface Version {
  id: number
  sequence: number
}

/** The versions that a change may find: any, or these. */
export type Wanted = 'any' | readonly Version[]

/** The end of an ETag that names a version. Caches may have made the tag a strong one. */
const VERSION_IN_TAG = /\.v(\d{1,15})\.(\d{1,15})"/g

const selectSequence = statement<{ kind: ChangeColumns['kind']; id: number }>()((db, value) =>
  db.selectFrom('changes').select('sequence').where('kind', '=', value('kind')).where('record', '=', value('id')),
)

/** The version of a record; its sequence is 0 if it has not changed since changes are recorded. */
export async function findVersion(db: Db, kind: ChangeColumns['kind'], id: number): Promise<Version> {
  const [row] = await selectSequence(db, { kind, id })
  return { id, sequence: row?.sequence ?? 0 }
}

/** Names the version of the record that is shown, if any, in the ETag of its answer. */
export function versionedTag(tag: string, version: Version | undefined): string {
  return version === undefined ? tag : `${tag.slice(0, -1)}.v${version.id}.${version.sequence}"`
}

/** The versions that a header `If-Match` names. Tags that are not of a record name none. */
export function wantedVersions(header: string): Wanted {
  if (header.trim() === '*') return 'any'
  return [...header.matchAll(VERSION_IN_TAG)].map(([, id, sequence]) => ({
    id: Number(id),
    sequence: Number(sequence),
  }))
}

/**
 * Lets a change go on only where its record still has a wanted version, and keeps it from changing until the end of the transaction.
 * @throws Problem
 */
export async function requireVersion(tx: Tx, kind: VersionedKind, id: number, wanted: Wanted): Promise<void> {
  if (wanted === 'any') return
  const [, version] = await Promise.all([holdRecord(tx, TABLES[kind], id), findVersion(tx, kind, id)])
  requireWanted(version, wanted)
  if (isChangedEarlier(tx, { kind, record: id })) throw new Problem('rest_precondition_failed')
}

/** Requires that the present version is one of the wanted ones. @throws Problem rest_precondition_failed if it is not */
export function requireWanted({ id, sequence }: Version, wanted: Wanted): void {
  if (wanted !== 'any' && !wanted.some((version) => version.id === id && version.sequence === sequence))
    throw new Problem('rest_precondition_failed')
}
