import { environmentName, flagName } from '../../base/config.ts'
import type { Setting } from '../../base/setting-kinds.ts'
import { withoutPassword } from '../../store/storage/database-address.ts'
import { isGiven } from '../../store/storage/stored-settings.ts'
import { isLookFile } from '../pages/look-settings.ts'
import {
  isOwnerSetting,
  type OwnerTexts,
  type OwnerValues,
  readOwnerSettings,
  setOwnerSettings,
  withOwnerSettings,
} from '../pages/owner-settings.ts'
import { writtenNumber } from '../pages/page-dates.ts'
import { type Content, type Html, html } from '../pages/page-html.ts'
import { type FormFaults, faultList, guarded, plainField, UNSENT_BY_ENTER } from './desk-inputs.ts'
import {
  type DeskAnswer,
  type DeskPage,
  type DeskRequest,
  deskPath,
  fieldOf,
  sayAtDesk,
} from './desk-page.ts'
import type { DeskText } from './desk-texts.ts'
import { settingFaults } from './look-values.ts'
import { checkAdministrator } from './people-room.ts'
import { FEATURE_LABELS, SETTING_LABELS } from './setting-labels.ts'
import { CHOICE_LABELS, currencyOptions, languageOptions, placeOfZone, zoneOptions } from './site-choices.ts'
import { countInZone, mayChangeZone } from './zone-change.ts'
import { askAboutEvents, keepsIn, setZone, takeBackZone, zoneNotice } from './zone-room.ts'

const CHANGED = {
  name: 'site_name',
  language: 'language',
  currency: 'currency',
  timezone: 'timezone',
  clock: 'pages_clock',
} as const

type ChangedField = keyof typeof CHANGED

async function showSettings(request: DeskRequest): Promise<DeskAnswer> {
  checkAdministrator(request)
  return settingsView(request, {})
}

async function settingsView(request: DeskRequest, faults: FormFaults): Promise<DeskAnswer> {
  const { context, query, start } = request
  const { site, db } = context
  const say = (text: DeskText) => sayAtDesk(site, text)
  const set = await readOwnerSettings(db)
  const notice = (await zoneNotice(request)) ?? (query.has('saved') && html`${say('Saved')}`)
  return {
    ...(Object.keys(faults).length > 0 && { status: 422 }),
    ...(notice && { notice }),
    title: say('Settings'),
    room: 'settings',
    body: html`${faultList(
      site,
      faults,
      {},
      CHOICE_LABELS,
    )}<div class="settings"><form class="story" method="post" action="${deskPath(
      site,
      '/settings',
    )}" novalidate${guarded(site)}>${UNSENT_BY_ENTER}
${changedFields(request, withOwnerSettings(start, set), faults)}
<div class="savebar"><button type="submit" class="button main">${say('Save')}</button></div></form>
<section><h2>${say('All settings')}</h2><p class="hint">${say(
      'What was set when the service was started, by a flag or in its environment, wins over what is set \
here.',
    )}</p>${allSettings(request, set)}</section></div>`,
  }
}

function changedFields(request: DeskRequest, config: DeskRequest['start'], faults: FormFaults): Html {
  const { site, now } = request.context
  const say = (text: DeskText) => sayAtDesk(site, text)
  const value = (field: ChangedField) =>
    field in request.form ? fieldOf(request, field) : String(config[CHANGED[field]])
  const field = (name: ChangedField, label: DeskText, more: Partial<Parameters<typeof plainField>[0]>) =>
    isGiven(request.start, CHANGED[name])
      ? html`<div class="field"><p>${say(label)}: <b dir="auto">${value(name)}</b></p><p class="hint">${say(
          'This was set when the service was started.',
        )}</p></div>`
      : plainField({ name, label: say(label), value: value(name), ...more }, faults)
  const zone = value('timezone')
  const clocks = [
    { value: 'auto', text: say('As the language does') },
    { value: '12', text: say('12 hours') },
    { value: '24', text: say('24 hours') },
  ]
  return html`${field('name', 'Name of the calendar', { attributes: html` maxlength="200"` })}
<div class="row">${field('language', 'Language', { options: languageOptions() })}${field(
    'currency',
    'Currency',
    { options: currencyOptions(site, value('currency')) },
  )}${field('clock', 'Clock', { options: clocks })}</div>
${field('timezone', 'Your events are at the time of', {
  options: zoneOptions(site, now, zone),
  hint: sayAtDesk(site, 'An event at 19:30 appears at 19:30 in {place} in every phone.', {
    place: placeOfZone(zone),
  }),
})}`
}

async function saveSettings(request: DeskRequest): Promise<DeskAnswer> {
  checkAdministrator(request)
  const { context, form, start } = request
  const { site, db } = context
  const sent = Object.entries(CHANGED).flatMap(([field, name]) =>
    field in form && !isGiven(start, name) ? [[name, fieldOf(request, field).trim()]] : [],
  )
  const values: OwnerValues = Object.fromEntries(
    sent.map(([name, value]) => [name, value === '' && name !== 'timezone' ? null : value]),
  )
  const faults = {
    ...namedFaults(settingFaults(site, values)),
    // The choice “Another time zone” has an empty value; sent without a zone, it is refused.
    ...(values.timezone === '' && { timezone: sayAtDesk(site, 'This is none of the choices.') }),
  }
  if (Object.keys(faults).length > 0) return settingsView(request, faults)
  const zone = values.timezone
  if (typeof zone === 'string' && zone !== site.timezone) {
    const { events, series } = await countInZone(db, site.timezone)
    const keeps = keepsIn(request)
    if (events + series > 0)
      return keeps
        ? ((await setZone(request, zone, keeps, values)) ?? busyView(request))
        : askAboutEvents(request, zone, events, series)
  }
  const isSet = await context.write(async (tx) => {
    if (typeof zone === 'string' && !(await mayChangeZone(tx, site.timezone, zone))) return false
    await setOwnerSettings(tx, values)
    return true
  })
  if (!isSet) return busyView(request)
  return { seeOther: `${deskPath(site, '/settings')}?saved` }
}

const busyView = (request: DeskRequest) =>
  settingsView(request, { timezone: sayAtDesk(request.context.site, ZONE_BUSY) })

const ZONE_BUSY = 'The zone is being changed just now. Try again once that is done.'

function namedFaults(faults: FormFaults): FormFaults {
  const fields = Object.entries(CHANGED)
  return Object.fromEntries(
    Object.entries(faults).map(([name, text]) => [fields.find(([, one]) => one === name)?.[0] ?? name, text]),
  )
}

function allSettings(request: DeskRequest, set: OwnerTexts): Content {
  const { site } = request.context
  const config = withOwnerSettings(request.start, set)
  return request.settingGroups.map(({ heading, settings }) => {
    const rows = Object.entries(settings).map(([name, setting]) =>
      settingRow(request, config, set, name, setting),
    )
    return html`<details class="group"${heading === 'The calendar' && html` open`}><summary>${sayAtDesk(
      site,
      heading as DeskText,
    )}</summary><dl class="all-settings">${rows}</dl></details>`
  })
}

function settingRow(
  request: DeskRequest,
  config: DeskRequest['start'],
  set: OwnerTexts,
  name: string,
  { about }: Setting<unknown>,
): Html {
  const { site } = request.context
  const values: Readonly<Record<string, unknown>> = config
  const stored = isOwnerSetting(name) && isLookFile(name) ? set[name] : undefined
  const value = stored ?? written(request, name, values[name])
  const labels: Readonly<Record<string, DeskText>> = { ...SETTING_LABELS, ...FEATURE_LABELS }
  const label = labels[name]
  const shown =
    value === ''
      ? html`<span class="hint">${sayAtDesk(site, 'none')}</span>`
      : html`<b dir="auto">${value}</b>`
  return html`<div><dt>${
    label === undefined ? about : sayAtDesk(site, label)
  }</dt><dd>${shown}<small>${sourceOf(request, set, name)}</small></dd></div>`
}

const LONGEST_VALUE = 200

/** Shows a setting's value without passwords; a long one is cut. */
function written({ context: { site } }: DeskRequest, name: string, value: unknown): string {
  if (typeof value === 'number') {
    const unit = name.endsWith('_bytes') ? ' B' : name.endsWith('_ms') ? ' ms' : ''
    return name === 'port' ? String(value) : `${writtenNumber(site, value)}${unit}`
  }
  const whole = Array.isArray(value) ? value.join(', ') : String(value)
  const text = whole.includes('://') ? withoutPassword(whole) : whole
  return text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE)}…` : text
}

function sourceOf({ context: { site }, start }: DeskRequest, set: OwnerTexts, name: string): Content {
  const source = start.given?.[name]
  if (source === 'flag') return sayAtDesk(site, 'by the flag {name}', { name: flagName(name) })
  if (source === 'environment')
    return sayAtDesk(site, 'by {name} in the environment', { name: environmentName(name) })
  if (Object.hasOwn(set, name))
    return isOwnerSetting(name) && name !== 'site_name' && name !== 'pages_clock'
      ? html`<a href="${deskPath(site, '/look')}">${sayAtDesk(site, 'set at the desk')}</a>`
      : sayAtDesk(site, 'set at the desk')
  return sayAtDesk(site, 'by default')
}

export const settingsPages: readonly DeskPage[] = [
  { at: '/settings', get: showSettings, post: saveSettings },
  { at: '/settings/zone/undo', post: takeBackZone },
]
