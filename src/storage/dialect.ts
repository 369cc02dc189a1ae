import { PostgresAdapter } from 'kysely'
import type { Db } from './database.ts'

/** True when queries of this connection go to PostgreSQL. Asked only inside `storage/`. */
export function isPostgres(db: Db): boolean {
  return db.getExecutor().adapter instanceof PostgresAdapter
}
