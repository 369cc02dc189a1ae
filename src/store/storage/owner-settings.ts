import { type Config, settings } from '../../base/config.ts'
import { messageOf } from '../../base/errors.ts'
import type { Db } from './database.ts'
import { type FormerValues, recordChange, type Tx } from './recording.ts'

// Settings that owners change while the service runs. The table has those that were set; where it has none, the value that the service was started with
// holds. Every process learns of a change by the record of changes.

/** Their names among all settings: names and look. Zone, language and addresses are those of the start. */
export const OWNER_SETTINGS = ['site_name', 'pages_accent', 'week_start'] as const
export type OwnerSetting = (typeof OWNER_SETTINGS)[number]

/** Values by name; null for the one of the start. */
export type OwnerValues = Partial<Record<OwnerSetting, string | null>>

/** The record that stands for all of them in the record of changes and in the history. */
export const SETTINGS_RECORD = 1

export function isOwnerSetting(name: string): name is OwnerSetting {
  return OWNER_SETTINGS.some((known) => known === name)
}

/** The most characters of a value. */
const LONGEST = 200

/** Why a value cannot be set, as the end of a sentence; undefined when it can. */
export function faultOfSetting(name: OwnerSetting, value: string): string | undefined {
  if (value.length > LONGEST || !/[^\p{C}\p{Z}]/u.test(value) || /[\p{Cc}\p{Zl}\p{Zp}]/u.test(value))
    return `takes a line of 1 to ${LONGEST} characters`
  try {
    settings[name].read(value)
    return undefined
  } catch (error) {
    return messageOf(error)
  }
}

/** The settings that were set. */
export async function readOwnerSettings(db: Db): Promise<Partial<Record<OwnerSetting, string>>> {
  const rows = await db.selectFrom('owner_settings').selectAll().execute()
  const known = rows.filter(({ name, value }) => isOwnerSetting(name) && faultOfSetting(name, value) === undefined)
  return Object.fromEntries(known.map(({ name, value }) => [name, value]))
}

/** Sets the values that differ. Writers hold the name `settings`. */
export async function setOwnerSettings(tx: Tx, values: OwnerValues): Promise<void> {
  const had = await readOwnerSettings(tx)
  const former: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(values)) {
    if (!isOwnerSetting(name) || (had[name] ?? null) === value) continue
    former[name] = had[name] ?? null
    if (value === null) await tx.deleteFrom('owner_settings').where('name', '=', name).execute()
    else
      await tx
        .insertInto('owner_settings')
        .values({ name, value })
        .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
        .execute()
  }
  if (Object.keys(former).length > 0) recordSettings(tx, former)
}

function recordSettings(tx: Tx, former: FormerValues): void {
  const change = { kind: 'settings', record: SETTINGS_RECORD, wasPublic: false, isPublic: false, former } as const
  recordChange(tx, change, { action: 'update', name: Object.keys(former).join(', ') })
}

/** The configuration with what owners have set. */
export function withOwnerSettings(config: Config, set: Partial<Record<OwnerSetting, string>>): Config {
  const read = Object.entries(set).map(([name, value]) => [name, settings[name as OwnerSetting].read(value)])
  return { ...config, ...Object.fromEntries(read) }
}
