import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import type { CalendarGround } from '../../src/calendar/ground.ts'
import { registerImportCommands } from '../../src/features/imports/import-command.ts'
import type { Database } from '../../src/store/storage/database.ts'
import { listTables } from '../../src/store/storage/tables.ts'
import { openGround } from '../support/command-ground.ts'
import { type CommandResult, runCommand } from '../support/commands.ts'
import { startService, type TestService } from '../support/service.ts'

export interface Calendar {
  service: TestService
  kalends: (...words: string[]) => Promise<CommandResult>
  ground: () => Promise<CalendarGround>
  file: (name: string, content: string | Uint8Array) => Promise<string>
  rows: () => Promise<string>
  close: () => Promise<void>
}

export async function startCalendar(settings: Parameters<typeof startService>[0] = {}): Promise<Calendar> {
  const service = await startService(settings)
  const folder = await mkdtemp(join(tmpdir(), 'kalends-import-'))
  const open = () => openGround(service)
  return {
    service,
    ground: open,
    kalends: (...words) => runCommand((program) => registerImportCommands(program, open), words),
    file: async (name, content) => {
      const path = join(folder, name)
      await writeFile(path, content)
      return path
    },
    rows: () => rowsOf(service.app.database),
    close: async () => {
      await service.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

const PASSED_OVER = ['imports', 'import_sources', 'credentials']

export async function rowsOf({ read }: Database): Promise<string> {
  const tables = (await listTables(read)).filter(({ name }) => !PASSED_OVER.includes(name))
  const rows: unknown[] = []
  for (const { name, key } of tables) {
    const order = sql.join(key.map((column) => sql.ref(column)))
    const found = await sql`select * from ${sql.table(name)} order by ${order}`.execute(read)
    rows.push([name, found.rows])
  }
  return JSON.stringify(rows)
}
