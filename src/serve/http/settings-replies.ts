import type { Config } from '../../base/config.ts'
import { isLookFile } from '../../base/look-files.ts'
import { readTexts } from '../../base/look-settings.ts'
import { Problem } from '../../base/problems.ts'
import type { Context } from '../../calendar/declare/context.ts'
import { parseFields } from '../../calendar/declare/parse.ts'
import { findVersion, requireWanted, type Version } from '../../calendar/records/versions.ts'
import { holdName } from '../../store/storage/locks.ts'
import {
  isGiven,
  OWNER_SETTINGS,
  type OwnerSetting,
  type OwnerValues,
  readOwnerSettings,
  SETTINGS_RECORD,
  setOwnerSettings,
} from '../../store/storage/owner-settings.ts'
import { okReply, type Reply } from '../formats/format.ts'
import { ASSETS_PATH } from '../pages/page-assets.ts'
import { type MatchedRequest, wantedOf } from './handlers.ts'
import type { SettingsDeed } from './routes.ts'
import { settingsFields } from './settings-routes.ts'
import { managesWebhooks } from './webhook-deeds.ts'

/**
 * Answers a request about what owners set, for administrators.
 * @throws Problem
 */
export async function settingsReply(
  does: SettingsDeed,
  asked: MatchedRequest,
  start: Config,
  context: Context,
): Promise<Reply> {
  if (!managesWebhooks(context.caller)) throw new Problem('rest_forbidden')
  if (does === 'readSettings') {
    const version = await versionOf(context.db)
    return { ...(await shown(context, context.db, start)), version }
  }
  const sent = await parseFields(settingsFields, asked.values(settingsFields), context)
  return context.write(async (tx) => {
    await holdName(tx, 'settings')
    requireWanted(await versionOf(tx), wantedOf(asked))
    await setOwnerSettings(tx, ownerValues(sent))
    return shown(context, tx, start)
  })
}

const versionOf = (db: Context['db']): Promise<Version> => findVersion(db, 'settings', SETTINGS_RECORD)

function ownerValues(sent: Readonly<Record<string, unknown>>): OwnerValues {
  return Object.fromEntries(Object.entries(sent).map(([name, value]) => [name, value === '' ? null : String(value)]))
}

async function shown({ site }: Context, db: Context['db'], start: Config): Promise<Reply> {
  const set = await readOwnerSettings(db)
  const shownValue = (name: OwnerSetting): unknown => {
    const value = isGiven(start, name) ? undefined : set[name]
    if (name === 'pages_texts') return readTexts(value ?? '')
    if (!isLookFile(name)) return value ?? start[name]
    // Where files of the start lie is nobody else's business.
    return value === undefined ? '' : site.url + ASSETS_PATH + value
  }
  const values = OWNER_SETTINGS.map((name) => [name, shownValue(name)])
  return okReply({
    ...Object.fromEntries(values),
    set: OWNER_SETTINGS.filter((name) => name in set),
    given: OWNER_SETTINGS.filter((name) => isGiven(start, name)),
  })
}
