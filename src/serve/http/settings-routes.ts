import { settings } from '../../base/config.ts'
import { arrayOf, record, type Schema, string } from '../../base/fields/answer-schema.ts'
import { settledText } from '../../base/fields/kinds.ts'
import { defineFields, type Fields } from '../../calendar/declare/resource.ts'
import type { MessageText } from '../../calendar/locales/messages.ts'
import { faultOfSetting, OWNER_SETTINGS, type OwnerSetting } from '../../store/storage/owner-settings.ts'
import { bodyProperties, type Say } from './openapi-schemas.ts'
import type { Route } from './routes.ts'

const ABOUT: Readonly<Record<OwnerSetting, MessageText>> = {
  site_name: 'The name of the calendar; empty for that of the start',
  pages_accent: 'The colour of the pages, such as #0b6e5f; empty for that of the start',
  week_start: 'The first day of the week on pages: auto, monday, saturday or sunday; empty for that of the start',
}

/** What owners set, each validated as the setting of the start. An empty text goes back to that. */
export const settingsFields: Fields = defineFields(
  Object.fromEntries(
    OWNER_SETTINGS.map((name) => [
      name,
      {
        kind: settledText,
        about: ABOUT[name],
        valid: (value: unknown) => value === '' || faultOfSetting(name, String(value)) === undefined,
      },
    ]),
  ),
)

/** The route of the settings, for administrators. */
export const settingsRoute: Route = {
  path: '/settings',
  template: '/settings',
  endpoints: [
    { methods: ['GET'], action: { do: 'readSettings' }, args: {} },
    { methods: ['POST', 'PUT', 'PATCH'], action: { do: 'updateSettings' }, args: settingsFields },
  ],
}

/** The answer: the values in effect, and the names of those that were set. */
export const settingsAnswer: Schema = record({
  ...Object.fromEntries(OWNER_SETTINGS.map((name) => [name, { ...string, default: settings[name].default }])),
  set: arrayOf(string),
})

/** The body of a change. */
export function settingsBody(say: Say): Schema {
  return record(bodyProperties({ fields: settingsFields }, [], [], say), [])
}
