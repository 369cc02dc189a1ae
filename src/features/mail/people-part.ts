import type { Feature } from '../../feature.ts'
import type { Db } from '../../store/storage/database.ts'
import type { Tx } from '../../store/storage/recording.ts'

export interface KeptOfAddress {
  /** Rows stored about an e-mail address, without secrets. */
  export: (db: Db, address: string) => Promise<readonly object[]>
  /** Deletes all rows about the address and returns their number. */
  forget: (tx: Tx, address: string) => Promise<number>
}

declare module '../../feature.ts' {
  interface Feature {
    keeps?: () => Promise<KeptOfAddress>
  }
}

/** What features store about an e-mail address, by feature name. */
export async function exportAddress(
  features: readonly Feature[],
  db: Db,
  address: string,
): Promise<Record<string, readonly object[]>> {
  const all: Record<string, readonly object[]> = {}
  for (const { name, keeps } of features) {
    const rows = (await (await keeps?.())?.export(db, address)) ?? []
    if (rows.length > 0) all[name] = rows
  }
  return all
}

/** Deletes what features store about the address, and returns the number of rows. */
export async function forgetAddress(features: readonly Feature[], tx: Tx, address: string): Promise<number> {
  let count = 0
  for (const { keeps } of features) count += (await (await keeps?.())?.forget(tx, address)) ?? 0
  return count
}
