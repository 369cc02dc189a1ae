import { type Config, nameAndClock, siteSettings } from '../../base/config.ts'
import type { Setting } from '../../base/setting-kinds.ts'
import type { Db } from './database.ts'

// Settings that owners change while the service runs. Flags and environment variables win over this table,
// the table over defaults. Other processes learn of a new value from the table `changes`.

export type StoredSettings = Readonly<Record<string, string>>

export async function readStoredSettings(db: Db): Promise<StoredSettings> {
  const rows = await db.selectFrom('owner_settings').selectAll().execute()
  return Object.fromEntries(rows.map(({ name, value }) => [name, value]))
}

export const isGiven = ({ given = {} }: Pick<Config, 'given'>, name: string): boolean =>
  Object.hasOwn(given, name)

/** Applies valid values of `known` settings that neither a flag nor the environment gives. */
export function withStored(
  config: Config,
  set: StoredSettings,
  known: Readonly<Record<string, Setting<unknown>>> = { ...siteSettings, ...nameAndClock },
): Config {
  const read = Object.entries(known).flatMap(([name, setting]) => {
    const value = isGiven(config, name) ? undefined : set[name]
    if (value === undefined) return []
    try {
      return [[name, setting.read(value)]]
    } catch {
      return []
    }
  })
  return { ...config, ...Object.fromEntries(read) }
}
