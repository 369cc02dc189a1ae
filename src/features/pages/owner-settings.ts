import { type Config, siteSettings } from '../../base/config.ts'
import { messageOf } from '../../base/errors.ts'
import type { Db } from '../../store/storage/database.ts'
import { holdName } from '../../store/storage/locks.ts'
import { type FormerValues, recordChange, type Tx } from '../../store/storage/recording.ts'
import { readStoredSettings, type StoredSettings, withStored } from '../../store/storage/stored-settings.ts'
import {
  bytesOfData,
  contentName,
  endingOf,
  extentOf,
  faultOfFile,
  faultOfTexts,
  isLookFile,
  LOOK_FILES,
  type LookFileSetting,
  type LookSetting,
  lookSettings,
  readTexts,
} from './look-settings.ts'

export type OwnerSetting = LookSetting
export const OWNER_SETTINGS = Object.keys(lookSettings) as readonly OwnerSetting[]

export type SiteSetting = keyof typeof siteSettings
export const SITE_SETTINGS = Object.keys(siteSettings) as readonly SiteSetting[]

type AnySetting = OwnerSetting | SiteSetting

/** Values by name of the setting; null removes the stored value. */
export type OwnerValues = Partial<Record<AnySetting, string | null>>

export type OwnerTexts = Partial<Record<AnySetting, string>>

/** The id of all settings together, in `changes` and in the history. */
export const SETTINGS_RECORD = 1

export function isOwnerSetting(name: string): name is OwnerSetting {
  return OWNER_SETTINGS.some((known) => known === name)
}

export function isSiteSetting(name: string): name is SiteSetting {
  return SITE_SETTINGS.some((known) => known === name)
}

const isKnown = (name: string): name is AnySetting => isOwnerSetting(name) || isSiteSetting(name)

/** Returns what is wrong with a value, to follow the setting's name in a sentence; undefined if valid. */
export function faultOfSetting(name: AnySetting, value: string): string | undefined {
  if (isSiteSetting(name)) return faultOf(() => siteSettings[name].read(value))
  if (isLookFile(name)) {
    const bytes = bytesOfData(value)
    return bytes || isKeptFile(name, fileName(value))
      ? bytes && faultOfFile(name, bytes)
      : 'takes a data: address in base64'
  }
  const { most, isText = false } = extentOf(name)
  if (name === 'pages_texts' && value.length <= most) return faultOfTexts(value)
  const lines = isText ? value.replaceAll('\n', '') : value
  if (value.length > most || !/[^\p{C}\p{Z}]/u.test(value) || /[\p{Cc}\p{Zl}\p{Zp}]/u.test(lines))
    return `takes ${isText ? 'a text' : 'a line'} of 1 to ${most} characters`
  return faultOf(() => lookSettings[name].read(value))
}

function faultOf(read: () => unknown): string | undefined {
  try {
    read()
    return undefined
  } catch (error) {
    return messageOf(error)
  }
}

const fileName = (value: string) => value.slice(value.lastIndexOf('/') + 1)

/** True if `value` has the form of a stored file's name: a stem, a hash of the content and an extension. */
function isKeptFile(name: LookFileSetting, value: string): boolean {
  const { stem, endings } = LOOK_FILES[name]
  const ending = endings.find((one) => value.endsWith(one)) ?? ' '
  return value.startsWith(`${stem}-`) && /^[\w-]{10}$/.test(value.slice(stem.length + 1, -ending.length))
}

function isKept(name: AnySetting, value: string): boolean {
  if (isLookFile(name)) return isKeptFile(name, value)
  return (
    (name === 'pages_texts' ? faultOf(() => readTexts(value)) : faultOfSetting(name, value)) === undefined
  )
}

/** Leaves out unknown and invalid settings; a file setting has the file's name as value. */
export function ownerTexts(stored: StoredSettings): OwnerTexts {
  return Object.fromEntries(
    Object.entries(stored).filter(([name, value]) => isKnown(name) && isKept(name, value)),
  )
}

export const readOwnerSettings = async (db: Db): Promise<OwnerTexts> =>
  ownerTexts(await readStoredSettings(db))

/**
 * Writes the values that differ, under the advisory lock `settings`. A caller that compares versions must
 * take this lock before.
 */
export async function setOwnerSettings(tx: Tx, values: OwnerValues): Promise<void> {
  await holdName(tx, 'settings')
  const had = await readOwnerSettings(tx)
  const former: Record<string, unknown> = {}
  for (const [name, sent] of Object.entries(values)) {
    if (!isKnown(name)) continue
    const value = isLookFile(name) && sent !== null ? await keepLookFile(tx, name, sent) : sent
    if (value === undefined || (had[name] ?? null) === value) continue
    former[name] = had[name] ?? null
    if (value === null) await tx.deleteFrom('owner_settings').where('name', '=', name).execute()
    else
      await tx
        .insertInto('owner_settings')
        .values({ name, value })
        .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
        .execute()
  }
  if (Object.keys(former).length === 0) return
  await dropFiles(tx)
  recordSettings(tx, former)
}

/** Stores the file of a `data:` URL and returns its name; undefined for other texts, such as a file's URL. */
async function keepLookFile(tx: Tx, setting: LookFileSetting, sent: string): Promise<string | undefined> {
  const bytes = bytesOfData(sent)
  if (!bytes) return undefined
  const name = contentName(LOOK_FILES[setting].stem, endingOf(setting, bytes) ?? '', bytes)
  const content = bytes.toString('base64')
  await tx
    .insertInto('look_files')
    .values({ name, content })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute()
  return name
}

async function dropFiles(tx: Tx): Promise<void> {
  const named = tx.selectFrom('owner_settings').select('value').where('name', 'in', Object.keys(LOOK_FILES))
  await tx.deleteFrom('look_files').where('name', 'not in', named).execute()
}

export async function readOwnerFiles(db: Db): Promise<Partial<Record<LookFileSetting, Buffer>>> {
  const rows = await db
    .selectFrom('owner_settings')
    .innerJoin('look_files', 'look_files.name', 'owner_settings.value')
    .select(['owner_settings.name', 'look_files.content'])
    .where('owner_settings.name', 'in', Object.keys(LOOK_FILES))
    .execute()
  return Object.fromEntries(rows.map(({ name, content }) => [name, Buffer.from(content, 'base64')]))
}

function recordSettings(tx: Tx, former: FormerValues): void {
  const change = {
    kind: 'settings',
    record: SETTINGS_RECORD,
    wasPublic: false,
    isPublic: false,
    former,
  } as const
  recordChange(tx, change, { action: 'update', name: Object.keys(former).join(', ') })
}

const applied = Object.fromEntries(
  Object.entries({ ...siteSettings, ...lookSettings }).filter(([name]) => !isLookFile(name)),
)

export const withOwnerSettings = (config: Config, set: OwnerTexts): Config => withStored(config, set, applied)
