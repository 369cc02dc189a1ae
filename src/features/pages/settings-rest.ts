import type { Config } from '../../base/config.ts'
import { type Kind, settledText } from '../../base/fields/kinds.ts'
import { arrayOf, record, type Schema, string } from '../../base/fields/member.ts'
import type { Context } from '../../calendar/declare/context.ts'
import { parseFields } from '../../calendar/declare/parse.ts'
import { defineFields, type Fields } from '../../calendar/declare/resource.ts'
import { findVersion, requireWanted, type Version } from '../../calendar/records/record-store.ts'
import { type Answer, okAnswer } from '../../http/format.ts'
import { wantedOf } from '../../http/handlers.ts'
import { ownRoute, type Route } from '../../http/routes.ts'
import { holdName } from '../../store/storage/locks.ts'
import { isGiven } from '../../store/storage/stored-settings.ts'
import { ASSETS_PATH, extentOf, isLookFile, lookSettings, MOST_LOOK, readTexts } from './look-settings.ts'
import {
  faultOfSetting,
  OWNER_SETTINGS,
  type OwnerSetting,
  type OwnerValues,
  readOwnerSettings,
  SETTINGS_RECORD,
  setOwnerSettings,
} from './owner-settings.ts'
import { settingsTexts } from './settings-texts.ts'

const ABOUT: Readonly<Record<OwnerSetting, keyof typeof settingsTexts>> = {
  site_name: 'The name of the calendar; empty for that of the start',
  pages_sentence: 'A sentence below the name of the calendar',
  pages_accent: 'The colour of the pages, such as #0b6e5f; empty for that of the start',
  pages_scheme: 'Whether pages are light or dark: auto, light or dark',
  pages_header: 'The head of the pages: line, band or masthead',
  pages_corner: 'The corners of the pages: round, slight or square',
  pages_density: 'How much room the pages leave: normal, spacious or compact',
  pages_typeface: 'The letters of the pages: sans, humanist, geometric, serif, slab or mono',
  pages_font: 'A font of the letters as WOFF2: a data: address in base64',
  pages_logo: 'The logo before the name: a data: address in base64',
  pages_logo_dark: 'The logo on dark pages: a data: address in base64',
  pages_logo_name: 'Whether the name stands beside the logo: beside or hidden',
  pages_icon: 'The picture in the tabs of browsers: a data: address in base64',
  pages_picture: 'The picture that other sites show with links: a data: address in base64',
  pages_links: 'Links in the head of the pages: one a line, words first and address last',
  pages_imprint: 'The address of the imprint',
  pages_privacy: 'The address of the privacy notice',
  pages_accessibility: 'The address of the accessibility statement',
  pages_contact: 'Where visitors reach the owner: an address of the web or a mailto: address',
  pages_intro: 'A text above the list at the address of the site, in Markdown',
  pages_texts: 'Pages of text in Markdown: a list of records with slug and text, which begins with its title',
  pages_first_view: 'The view at the address of the site: list, month or week',
  pages_clock: 'Whether times have 12 or 24 hours: auto, 12 or 24',
  pages_presses: 'Categories that stand above lists as chips: slugs with commas between them',
  week_start:
    'The first day of the week on pages: auto, monday, saturday or sunday; empty for that of the start',
}

/** The text pages: a list, or its JSON text as stored in the setting. */
const texts: Kind<string> = {
  wire: {
    type: 'array',
    items: { type: 'object', properties: { slug: { type: 'string' }, text: { type: 'string' } } },
  },
  read: (value) => (Array.isArray(value) || typeof value === 'string' ? writtenSetting(value) : undefined),
}

function writtenSetting(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? '' : JSON.stringify(value)
  return String(value)
}

/** Fields validated like settings at the start; an empty text restores the value of the start. */
const settingsFields: Fields = defineFields(
  Object.fromEntries(
    OWNER_SETTINGS.map((name) => [
      name,
      {
        kind: name === 'pages_texts' ? texts : settledText,
        about: ABOUT[name],
        within: { characters: extentOf(name).most },
        valid: (value: unknown) =>
          writtenSetting(value) === '' || faultOfSetting(name, writtenSetting(value)) === undefined,
      },
    ]),
  ),
)

/** `set`: settings that owners set; `given`: those of flags or environment variables, which win. */
const settingsAnswer: Schema = record({
  ...Object.fromEntries(
    OWNER_SETTINGS.map((name) => [name, { ...string, default: lookSettings[name].default }]),
  ),
  pages_texts: arrayOf(record({ slug: string, text: string })),
  set: arrayOf(string),
  given: arrayOf(string),
})

const outcome = 'The settings in effect, and the names of those that were set'

const group = {
  name: 'settings',
  about: 'Settings: the names and the look of the calendar',
  texts: settingsTexts,
} as const

export const settingsRoute: Route = ownRoute('/settings', group, [
  {
    methods: ['GET'],
    audience: 'administrators',
    queue: 'reads',
    verb: 'readSettings',
    summary: 'Read what owners set while the service runs',
    outcome,
    answers: settingsAnswer,
    answer: async (_asked, { start }, context) => {
      const version = await versionOf(context.db)
      return { ...(await shown(context, context.db, start)), version }
    },
  },
  {
    methods: ['POST', 'PUT', 'PATCH'],
    body: settingsFields,
    audience: 'administrators',
    queue: 'writes',
    mostBytes: MOST_LOOK,
    takesVersion: true,
    verb: 'updateSettings',
    summary: 'Change what owners set while the service runs',
    outcome,
    answers: settingsAnswer,
    answer: async (request, { start }, context) => {
      const sent = await parseFields(settingsFields, request.values(settingsFields), context)
      return context.write(async (tx) => {
        await holdName(tx, 'settings')
        requireWanted(await versionOf(tx), wantedOf(request))
        await setOwnerSettings(tx, ownerValues(sent))
        return shown(context, tx, start)
      })
    },
  },
])

const versionOf = (db: Context['db']): Promise<Version> => findVersion(db, 'settings', SETTINGS_RECORD)

function ownerValues(sent: Readonly<Record<string, unknown>>): OwnerValues {
  return Object.fromEntries(
    Object.entries(sent).map(([name, value]) => [name, value === '' ? null : String(value)]),
  )
}

async function shown({ site }: Context, db: Context['db'], start: Config): Promise<Answer> {
  const set = await readOwnerSettings(db)
  const shownValue = (name: OwnerSetting): unknown => {
    const value = isGiven(start, name) ? undefined : set[name]
    if (name === 'pages_texts') return readTexts(value ?? '')
    if (!isLookFile(name)) return value ?? start[name]
    // The path of a file named at the start is not revealed.
    return value === undefined ? '' : site.url + ASSETS_PATH + value
  }
  const values = OWNER_SETTINGS.map((name) => [name, shownValue(name)])
  return okAnswer({
    ...Object.fromEntries(values),
    set: OWNER_SETTINGS.filter((name) => name in set),
    given: OWNER_SETTINGS.filter((name) => isGiven(start, name)),
  })
}
