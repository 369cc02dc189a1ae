import { recordChange, type Tx } from '../../src/store/storage/recording.ts'
import type { ChangeColumns } from '../../src/store/storage/schema.ts'

/** Records that a public record has changed, as the function of a store would that changes it. */
export async function touch(tx: Tx, kind: ChangeColumns['kind'], record: number): Promise<void> {
  recordChange(tx, { kind, record, wasPublic: true, isPublic: true })
}
