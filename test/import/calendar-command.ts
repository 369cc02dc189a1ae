import { equal } from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import type { CalendarGround } from '../../src/calendar/ground.ts'
import { registerImportCommands } from '../../src/features/imports/import-command.ts'
import { listTables } from '../../src/features/transfer/tables.ts'
import type { Database } from '../../src/store/storage/database.ts'
import { openGround } from '../support/command-ground.ts'
import { type CommandResult, runCommand } from '../support/commands.ts'
import { featureTables } from '../support/feature-tables.ts'
import { startService, type TestService } from '../support/service.ts'

export interface Calendar {
  service: TestService
  kalends: (...words: string[]) => Promise<CommandResult>
  /** Runs a command that must end with this exit code. Returns what it printed. */
  run: (exitCode: number, ...words: string[]) => Promise<string>
  /** Imports a file of this name and content. */
  imports: (name: string, content: string | Uint8Array, ...words: string[]) => Promise<CommandResult>
  ground: () => Promise<CalendarGround>
  file: (name: string, content: string | Uint8Array) => Promise<string>
  rows: () => Promise<string>
  close: () => Promise<void>
  [Symbol.asyncDispose]: () => Promise<void>
}

export async function startCalendar(settings: Parameters<typeof startService>[0] = {}): Promise<Calendar> {
  const service = await startService(settings)
  const folder = await mkdtemp(join(tmpdir(), 'kalends-import-'))
  const open = () => openGround(service)
  const kalends: Calendar['kalends'] = (...words) =>
    runCommand((program) => registerImportCommands(program, open), words)
  const file: Calendar['file'] = async (name, content) => {
    const path = join(folder, name)
    await writeFile(path, content)
    return path
  }
  const close = async () => {
    await service.close()
    await rm(folder, { recursive: true, force: true })
  }
  return {
    service,
    ground: open,
    kalends,
    run: async (exitCode, ...words) => {
      const { out, err, code } = await kalends(...words)
      equal(code, exitCode, out + err)
      return out
    },
    imports: async (name, content, ...words) => kalends('import', ...words, await file(name, content)),
    file,
    rows: () => rowsOf(service.app.database),
    close,
    [Symbol.asyncDispose]: close,
  }
}

const PASSED_OVER = ['imports', 'import_sources', 'credentials']

export async function rowsOf({ read }: Database): Promise<string> {
  const tables = (await listTables(read, await featureTables())).filter(
    ({ name }) => !PASSED_OVER.includes(name),
  )
  const rows: unknown[] = []
  for (const { name, key } of tables) {
    const order = sql.join(key.map((column) => sql.ref(column)))
    const found = await sql`select * from ${sql.table(name)} order by ${order}`.execute(read)
    rows.push([name, found.rows])
  }
  return JSON.stringify(rows)
}
