import { recordChange, type Tx } from '../../src/store/storage/recording.ts'
import type { ChangeColumns } from '../../src/store/storage/schema.ts'

/** Records a change of a public record, as the store function that changes it would. */
export async function touch(tx: Tx, kind: ChangeColumns['kind'], record: number): Promise<void> {
  recordChange(tx, { kind, record, wasPublic: true, isPublic: true })
}
