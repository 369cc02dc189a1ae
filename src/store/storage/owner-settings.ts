import type { Config } from '../../base/config.ts'
import { messageOf } from '../../base/errors.ts'
import { extentOf, type LookSetting, lookSettings } from '../../base/look-settings.ts'
import type { Db } from './database.ts'
import { type FormerValues, recordChange, type Tx } from './recording.ts'

// Settings that owners change while the service runs. The table has those that were set. What the start of a service names wins over them; where neither
// has a value, the default holds. Every process learns of a change by the record of changes.

export type OwnerSetting = LookSetting
/** Their names among all settings: names and look. Zone, language and addresses are those of the start. */
export const OWNER_SETTINGS = Object.keys(lookSettings) as readonly OwnerSetting[]

/** Values by name; null for the one of the start. */
export type OwnerValues = Partial<Record<OwnerSetting, string | null>>

/** The settings that were set. */
export type OwnerTexts = Partial<Record<OwnerSetting, string>>

/** The record that stands for all of them in the record of changes and in the history. */
export const SETTINGS_RECORD = 1

export function isOwnerSetting(name: string): name is OwnerSetting {
  return OWNER_SETTINGS.some((known) => known === name)
}

/** Why a value cannot be set, as the end of a sentence; undefined when it can. */
export function faultOfSetting(name: OwnerSetting, value: string): string | undefined {
  const { most, isText = false } = extentOf(name)
  const lines = isText ? value.replaceAll('\n', '') : value
  if (value.length > most || !/[^\p{C}\p{Z}]/u.test(value) || /[\p{Cc}\p{Zl}\p{Zp}]/u.test(lines))
    return `takes ${isText ? 'a text' : 'a line'} of 1 to ${most} characters`
  try {
    lookSettings[name].read(value)
    return undefined
  } catch (error) {
    return messageOf(error)
  }
}

/** The settings that were set. */
export async function readOwnerSettings(db: Db): Promise<OwnerTexts> {
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

/** Whether the start of the service names a setting, which wins over what owners have set. */
export const isGiven = ({ given = {} }: Pick<Config, 'given'>, name: OwnerSetting): boolean =>
  Object.hasOwn(given, name)

/** The configuration with what owners have set, except for settings that the start of the service names. */
export function withOwnerSettings(config: Config, set: OwnerTexts): Config {
  const read = Object.entries(set)
    .filter((entry): entry is [OwnerSetting, string] => isOwnerSetting(entry[0]) && !isGiven(config, entry[0]))
    .map(([name, value]) => [name, lookSettings[name].read(value)])
  return { ...config, ...Object.fromEntries(read) }
}
