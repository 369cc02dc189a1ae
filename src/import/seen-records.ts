import { addId, hasId, type IdSet, makeIdSet } from '../storage/id-set.ts'

/** Records that a run has met: a bit for each id, since a source may have millions. */
export interface SeenRecords {
  ids: IdSet
}

export const noneSeen = (): SeenRecords => ({ ids: makeIdSet(0) })

export function noteSeen(seen: SeenRecords, record: number): void {
  if (record >= seen.ids.length * 32) {
    const wider = makeIdSet(record * 2)
    wider.set(seen.ids)
    seen.ids = wider
  }
  addId(seen.ids, record)
}

export const isSeen = ({ ids }: SeenRecords, record: number): boolean => hasId(ids, record)
