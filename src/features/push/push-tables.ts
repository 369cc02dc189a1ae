import type { Generated } from 'kysely'
import type {} from '../../store/storage/schema.ts'

export interface PushItemColumns {
  target: number
  kind: string
  record: number
  /** 0 while it is being made. */
  remote: number
  /** JSON fingerprints: last sent, and then shown. */
  sent: string
  seen: string
}

declare module '../../store/storage/schema.ts' {
  interface Tables {
    push_targets: { id: Generated<number>; address: string }
    push_items: PushItemColumns
  }
}
