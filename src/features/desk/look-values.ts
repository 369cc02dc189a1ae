import type { Site } from '../../base/config.ts'
import { dataOf } from '../pages/look.ts'
import {
  extentOf,
  faultOfFile,
  isLookFile,
  LOOK_FILES,
  type LookFileSetting,
  type LookSetting,
  lookSettings,
  MOST_TEXTS,
} from '../pages/look-settings.ts'
import {
  faultOfSetting,
  isSiteSetting,
  OWNER_SETTINGS,
  type OwnerValues,
  SITE_SETTINGS,
  type SiteSetting,
} from '../pages/owner-settings.ts'
import type { FormFaults } from './desk-inputs.ts'
import { type DeskRequest, fieldOf, sayAtDesk } from './desk-page.ts'
import type { DeskText } from './desk-texts.ts'

export interface TypedText {
  slug: string
  text: string
}

export interface LookForm {
  values: Readonly<Partial<Record<LookSetting, string>>>
  texts: readonly TypedText[]
  /** Paths of stored files, by setting. */
  shown: Readonly<Partial<Record<LookSetting, string>>>
  /** Settings fixed when the service starts; the form cannot change them. */
  given: ReadonlySet<string>
  faults: FormFaults
}

/** The typed texts except empty ones. One more than the limit is read, so that too many can be refused. */
export function typedTexts(request: DeskRequest): TypedText[] {
  return Array.from({ length: MOST_TEXTS + 1 }, (_, at) => ({
    slug: fieldOf(request, `slug_${at}`).trim(),
    text: linesOf(fieldOf(request, `text_${at}`)),
  })).filter(({ slug, text }) => slug !== '' || text.trim() !== '')
}

const linesOf = (text: string) => text.replaceAll('\r\n', '\n').trimEnd()

export function typedSettings(request: DeskRequest): Partial<Record<LookSetting, string>> {
  const names = OWNER_SETTINGS.filter((name) => !isLookFile(name) && name in request.form)
  const typed = names.map((name) => [name, linesOf(fieldOf(request, name)).trim()])
  return Object.fromEntries(typed)
}

/**
 * Returns the sent settings, with null for a default, and their faults.
 * @param given settings that the form cannot change
 */
export async function changesIn(
  request: DeskRequest,
  given: ReadonlySet<string>,
): Promise<{ values: OwnerValues; faults: FormFaults }> {
  const { site } = request.context
  const values: OwnerValues = {}
  for (const [name, value] of Object.entries(typedSettings(request)) as [LookSetting, string][])
    if (!given.has(name)) values[name] = value === '' || value === lookSettings[name].default ? null : value
  if ('slug_0' in request.form && !given.has('pages_texts')) {
    const texts = typedTexts(request)
    values.pages_texts = texts.length === 0 ? null : JSON.stringify(texts)
  }
  const faults: Record<string, string> = { ...settingFaults(site, values) }
  for (const name of Object.keys(LOOK_FILES).filter((one) => isLookFile(one))) {
    if (given.has(name)) continue
    const sent = await sentFile(request, name)
    if (sent === 'wrong') faults[name] = fileBounds(site, name)
    else if (sent !== undefined) values[name] = sent
    else if (fieldOf(request, `remove_${name}`) === '1') values[name] = null
  }
  return { values, faults }
}

/** Returns a sent file as data, `'wrong'` if too large or of another type, undefined without one. */
async function sentFile(
  { files }: DeskRequest,
  name: LookFileSetting,
): Promise<string | 'wrong' | undefined> {
  const file = files.find(({ field, size }) => field === name && size > 0)
  if (!file) return undefined
  if (file.size > LOOK_FILES[name].most) return 'wrong'
  const bytes = await file.read()
  return faultOfFile(name, bytes) === undefined ? dataOf(bytes) : 'wrong'
}

export function fileBounds(site: Site, name: LookFileSetting): string {
  const { endings, most } = LOOK_FILES[name]
  const kinds = endings.map((ending) => ending.slice(1)).join(', ')
  return sayAtDesk(site, 'At most {most} kB: {kinds}.', { most: String(most / 1000), kinds })
}

const FAULTS: Readonly<Partial<Record<LookSetting, DeskText>>> = {
  pages_texts:
    'Each has an address of small letters, digits and dashes that nothing else has, and begins with a title \
such as # About us.',
  pages_accent: 'A colour is such as #0b6e5f.',
  pages_links: 'Six links at the most, one a line: words first, address last.',
  pages_presses: 'Their slugs with commas between them, six at the most.',
  pages_imprint: 'This is no address.',
  pages_privacy: 'This is no address.',
  pages_accessibility: 'This is no address.',
  pages_contact: 'This is no address.',
}

export function settingFaults(site: Site, values: OwnerValues): FormFaults {
  const wrong = [...OWNER_SETTINGS, ...SITE_SETTINGS].flatMap((name) => {
    const value = values[name] ?? ''
    return value !== '' && faultOfSetting(name, value) !== undefined
      ? [[name, inWords(site, name, value)]]
      : []
  })
  return Object.fromEntries(wrong)
}

function inWords(site: Site, name: LookSetting | SiteSetting, value: string): string {
  if (isSiteSetting(name)) return sayAtDesk(site, 'This is none of the choices.')
  const { most } = extentOf(name)
  const fault = FAULTS[name]
  return fault === undefined || value.length > most
    ? sayAtDesk(site, 'At most {most} characters, none of them invisible.', { most: String(most) })
    : sayAtDesk(site, fault)
}
