import type { Generated } from 'kysely'
import type {} from '../../store/storage/schema.ts'

export interface PushItemColumns {
  target: number
  kind: string
  record: number
  /** Id at the target; 0 until the record exists there. */
  remote: number
  /** Fingerprints as JSON: `sent` of the values last sent, `seen` of those shown by the target afterwards. */
  sent: string
  seen: string
}

declare module '../../store/storage/schema.ts' {
  interface Tables {
    push_targets: { id: Generated<number>; address: string }
    push_items: PushItemColumns
  }
}
