import type { Site } from '../../base/config.ts'
import { Problem } from '../../base/problems.ts'
import { addDays } from '../../base/text/moments.ts'
import { localeOf } from '../../calendar/locales/date-locales.ts'
import { findVersion } from '../../calendar/records/record-store.ts'
import { holdName } from '../../store/storage/locks.ts'
import { isGiven } from '../../store/storage/stored-settings.ts'
import { written } from '../feeds/date-forms.ts'
import {
  ASSETS_PATH,
  extentOf,
  isLookFile,
  LONGEST_PAGE_TEXT,
  LOOK_FILES,
  type LookFileSetting,
  type LookSetting,
  type lookSettings,
  MOST_LOOK,
  readTexts,
} from '../pages/look-settings.ts'
import {
  faultOfSetting,
  OWNER_SETTINGS,
  type OwnerSetting,
  type OwnerTexts,
  type OwnerValues,
  readOwnerSettings,
  SETTINGS_RECORD,
  setOwnerSettings,
  withOwnerSettings,
} from '../pages/owner-settings.ts'
import { accentContrast } from '../pages/page-assets.ts'
import { capitalized, unitName } from '../pages/page-dates.ts'
import { type Content, type Html, html } from '../pages/page-html.ts'
import { pathTo } from '../pages/viewing.ts'
import {
  type FormFaults,
  faultList,
  guarded,
  type PlainField,
  plainField,
  UNSENT_BY_ENTER,
} from './desk-inputs.ts'
import {
  type DeskAnswer,
  type DeskPage,
  type DeskRequest,
  type DeskView,
  deskPath,
  fieldOf,
  sayAtDesk,
} from './desk-page.ts'
import type { DeskText } from './desk-texts.ts'
import {
  changesIn,
  fileBounds,
  type LookForm,
  type TypedText,
  typedSettings,
  typedTexts,
} from './look-values.ts'
import { checkAdministrator } from './people-room.ts'

// Settings for the look of the public pages: a form beside a preview of the front page in a frame.

async function showLook(request: DeskRequest): Promise<DeskAnswer> {
  checkAdministrator(request)
  const { context, query } = request
  const { site, db } = context
  const view = lookView(request, await storedForm(request), await versionOf(db))
  return query.has('saved')
    ? { ...view, notice: sayAtDesk(site, 'The look is saved; all pages have it.') }
    : view
}

const versionOf = async (db: DeskRequest['context']['db']): Promise<string> =>
  String((await findVersion(db, 'settings', SETTINGS_RECORD)).sequence)

async function storedForm({ context: { site, db }, start }: DeskRequest): Promise<LookForm> {
  const set = await readOwnerSettings(db)
  const config = withOwnerSettings(start, set)
  const given = new Set(OWNER_SETTINGS.filter((name) => isGiven(start, name)))
  const files = Object.entries(set).filter(([name]) => isLookFile(name) && !given.has(name))
  return {
    values: Object.fromEntries(
      OWNER_SETTINGS.flatMap((name) => (isLookFile(name) ? [] : [[name, config[name]]])),
    ),
    texts: given.has('pages_texts') ? [] : readTexts(set.pages_texts ?? ''),
    shown: Object.fromEntries(files.map(([name, file]) => [name, pathTo(site, ASSETS_PATH + file)])),
    given,
    faults: {},
  }
}

function lookView(request: DeskRequest, form: LookForm, version: string): DeskView {
  const { site } = request.context
  const say = (text: DeskText) => sayAtDesk(site, text)
  const preview = deskPath(site, '/look/preview')
  return {
    ...(Object.keys(form.faults).length > 0 && { status: 422 }),
    title: say('Look'),
    room: 'look',
    framesOwn: true,
    body: html`<div class="look">${faultList(
      site,
      form.faults,
    )}<form class="edit" method="post" action="${deskPath(
      site,
      '/look',
    )}" enctype="multipart/form-data" novalidate${guarded(site)} data-look>${UNSENT_BY_ENTER}
<input type="hidden" name="version" value="${version}"><div class="story">${lookControls(site, form)}</div>
<div class="savebar"><button type="submit" class="button main">${say('Save the look')}</button>${
      request.showLook &&
      html`<button type="submit" class="button" formaction="${preview}" \
formenctype="application/x-www-form-urlencoded" formtarget="look-preview">${say('Preview it')}</button>`
    }</div></form>
${
  request.showLook &&
  html`<iframe class="tried" name="look-preview" title="${say(
    'The front page as it would look',
  )}" src="${preview}"></iframe>`
}
<details class="card plain"><summary>${say(
      'Back to the plain look',
    )}</summary><form method="post" action="${deskPath(site, '/look/reset')}"><p>${say(
      'This resets everything that was set here, files and texts included.',
    )}</p><button type="submit" class="button">${say('Undo')}</button></form></details></div>`,
  }
}

async function saveLook(request: DeskRequest): Promise<DeskAnswer> {
  checkAdministrator(request)
  const { context } = request
  const stored = await storedForm(request)
  const { values, faults } = await changesIn(request, stored.given)
  const again = async (wrong: FormFaults) => {
    const typed = { values: { ...stored.values, ...typedSettings(request) }, texts: typedTexts(request) }
    return lookView(request, { ...stored, ...typed, faults: wrong }, await versionOf(context.db))
  }
  if (Object.keys(faults).length > 0) return again(faults)
  const isSaved = await writeLook(request, values, fieldOf(request, 'version'))
  if (isSaved) return { seeOther: `${deskPath(context.site, '/look')}?saved` }
  return again({
    site_name: sayAtDesk(
      context.site,
      'Somebody has changed the look meanwhile. What you typed is here; look at it, and save again.',
    ),
  })
}

/** Saves settings; false if they were changed since `version`, which is not checked if empty. */
function writeLook({ context }: DeskRequest, values: OwnerValues, version: string): Promise<boolean> {
  return context.write(async (tx) => {
    await holdName(tx, 'settings')
    if (version !== '' && version !== (await versionOf(tx))) return false
    await setOwnerSettings(tx, values)
    return true
  })
}

async function resetLook(request: DeskRequest): Promise<DeskAnswer> {
  checkAdministrator(request)
  const { given } = await storedForm(request)
  const names = OWNER_SETTINGS.filter((name) => !given.has(name))
  await writeLook(request, Object.fromEntries(names.map((name) => [name, null])), '')
  return { seeOther: `${deskPath(request.context.site, '/look')}?saved` }
}

async function tried(request: DeskRequest, typed: OwnerTexts): Promise<OwnerTexts> {
  const set = await readOwnerSettings(request.context.db)
  for (const [name, value] of Object.entries(typed) as [OwnerSetting, string][])
    if (value === '') delete set[name]
    else if (faultOfSetting(name, value) === undefined) set[name] = value
  return set
}

async function previewLook(request: DeskRequest): Promise<DeskAnswer> {
  checkAdministrator(request)
  const { context, showLook: show, start, method } = request
  if (!show) throw new Problem('rest_no_route')
  const set = await tried(request, method === 'POST' ? typedSettings(request) : {})
  const config = withOwnerSettings(start, set)
  const query = new URLSearchParams(Object.fromEntries(STYLE_SETTINGS.map((name) => [name, config[name]])))
  const banner = html`<div class="contrast">${contrastNotes(
    context.site,
    config.pages_accent,
    config.pages_scheme,
  )}</div>`
  const document = await show.page(set, `/desk/look/style?${query}`, banner)
  return { document, isFramed: true }
}

async function previewStyle(request: DeskRequest): Promise<DeskAnswer> {
  checkAdministrator(request)
  const { query, showLook: show } = request
  if (!show) throw new Problem('rest_no_route')
  const typed = STYLE_SETTINGS.map((name) => [name, query.get(name) ?? ''])
  return { style: await show.style(await tried(request, Object.fromEntries(typed))) }
}

const takes = { most: MOST_LOOK, mostFiles: 0 }

export const lookPages: readonly DeskPage[] = [
  { at: '/look', get: showLook, post: saveLook, takes },
  { at: '/look/reset', post: resetLook, takes },
  { at: '/look/preview', get: previewLook, post: previewLook, takes },
  { at: '/look/style', get: previewStyle },
]

interface Asked {
  name: Exclude<LookSetting, 'pages_texts'>
  label: DeskText
  hint?: DeskText
  words?: Readonly<Record<string, DeskText>>
}

const ADDRESS_HINT = 'Such as https://example.org/imprint, /imprint/ or mailto:us@example.org.'

const PARTS: readonly { heading: DeskText; asked: readonly Asked[] }[] = [
  {
    heading: 'Name',
    asked: [
      { name: 'site_name', label: 'Name of the calendar' },
      { name: 'pages_sentence', label: 'A sentence below it' },
    ],
  },
  {
    heading: 'Colours and letters',
    asked: [
      { name: 'pages_accent', label: 'Colour' },
      {
        name: 'pages_scheme',
        label: 'Light or dark',
        words: { auto: 'As the device', light: 'Light', dark: 'Dark' },
      },
      {
        name: 'pages_header',
        label: 'Page header',
        words: { line: 'A line', band: 'A band in the colour', masthead: 'The name large, in the middle' },
      },
      {
        name: 'pages_corner',
        label: 'Corners',
        words: { round: 'Round', slight: 'Slightly round', square: 'Square' },
      },
      {
        name: 'pages_density',
        label: 'Spacing',
        words: { normal: 'As usual', spacious: 'Spacious', compact: 'Compact' },
      },
      {
        name: 'pages_typeface',
        label: 'Letters',
        words: {
          sans: 'Plain',
          humanist: 'Friendly',
          geometric: 'Geometric',
          serif: 'Like a book',
          slab: 'Strong',
          mono: 'Like a typewriter',
        },
      },
    ],
  },
  {
    heading: 'Pictures and font',
    asked: [
      { name: 'pages_logo', label: 'Logo of the calendar' },
      { name: 'pages_logo_dark', label: 'Logo on dark pages' },
      {
        name: 'pages_logo_name',
        label: 'Name beside the logo',
        words: { beside: 'Shown', hidden: 'Hidden' },
      },
      { name: 'pages_icon', label: 'Icon in browser tabs' },
      { name: 'pages_picture', label: 'Picture for links on other sites' },
      { name: 'pages_font', label: 'Own font (WOFF2)' },
    ],
  },
  {
    heading: 'Other links',
    asked: [
      { name: 'pages_links', label: 'Links in the header', hint: 'One a line: words first, address last.' },
      { name: 'pages_imprint', label: 'Imprint', hint: ADDRESS_HINT },
      { name: 'pages_privacy', label: 'Privacy' },
      { name: 'pages_accessibility', label: 'Accessibility' },
      { name: 'pages_contact', label: 'Contact' },
    ],
  },
  {
    heading: 'Views of the pages',
    asked: [
      { name: 'pages_first_view', label: 'First view' },
      { name: 'week_start', label: 'First day of the week' },
      {
        name: 'pages_clock',
        label: 'Clock',
        words: { auto: 'As the language does', 12: '12 hours', 24: '24 hours' },
      },
      {
        name: 'pages_presses',
        label: 'Categories above lists',
        hint: 'Their slugs with commas between them, six at the most.',
      },
    ],
  },
  {
    heading: 'Texts',
    asked: [
      {
        name: 'pages_intro',
        label: 'Introduction on the front page',
        hint: 'Markdown: **strong**, *emphasis*, [words](https://example.org/), lists with dashes.',
      },
    ],
  },
]

function lookControls(site: Site, form: LookForm): Html {
  const parts = PARTS.map(
    ({ heading, asked }) =>
      html`<section><h2>${sayAtDesk(site, heading)}</h2>${asked.map((one) => control(site, form, one))}${
        heading === 'Texts' && textControls(site, form)
      }</section>`,
  )
  return html`${parts}`
}

function control(site: Site, form: LookForm, asked: Asked): Content {
  const { name, label, hint } = asked
  const { values, faults } = form
  const value = values[name] ?? ''
  if (form.given.has(name))
    return html`<div class="field"><p>${sayAtDesk(
      site,
      label,
    )}: <b dir="auto">${value}</b></p><p class="hint">${sayAtDesk(
      site,
      'This was set when the service was started.',
    )}</p></div>`
  if (isLookFile(name)) return fileControl(site, form, name, label)
  const { most, isText } = extentOf(name)
  const isColour = name === 'pages_accent'
  const options = lookChoices(site, asked)?.map(([key, text]) => ({ value: key, text }))
  const field: PlainField = {
    name,
    label: sayAtDesk(site, label),
    value,
    type: isText ? 'lines' : isColour ? 'color' : 'text',
    options,
    ...(hint && { hint: sayAtDesk(site, hint) }),
    ...(!isColour && !options && { attributes: html` maxlength="${most}"` }),
  }
  return html`${plainField(field, faults)}${
    isColour && contrastNotes(site, value, values.pages_scheme ?? 'auto')
  }`
}

function lookChoices(site: Site, { name, words }: Asked): [string, string][] | undefined {
  if (words) return Object.entries(words).map(([key, text]) => [key, sayAtDesk(site, text)])
  if (name === 'pages_first_view')
    return [
      ['list', sayAtDesk(site, 'List')],
      ['month', unitName(site, 'month')],
      ['week', unitName(site, 'weekOfYear')],
    ]
  if (name !== 'week_start') return undefined
  const sunday = '2026-11-22'
  const dayNames = [1, 6, 0].map((at) => capitalized(site, written(site, 'weekday', addDays(sunday, at))))
  return [
    ['auto', sayAtDesk(site, 'As the language does')],
    ...['monday', 'saturday', 'sunday'].map((key, at): [string, string] => [key, dayNames[at] ?? key]),
  ]
}

function fileControl(site: Site, { shown, faults }: LookForm, name: LookFileSetting, label: DeskText): Html {
  const fault = faults[name]
  const there = shown[name]
  return html`<div class="field"><label for="${name}">${sayAtDesk(site, label)}</label>${
    there &&
    html`<p class="kept">${
      name !== 'pages_font' && html`<img src="${there}" alt="">`
    }<label class="check"><input type="checkbox" name="remove_${name}" value="1"> ${sayAtDesk(
      site,
      'Remove the file',
    )}</label></p>`
  }<input type="file" id="${name}" name="${name}" accept="${LOOK_FILES[name].endings.join(
    ',',
  )}" aria-describedby="${name}-hint${fault && ` ${name}-error`}"${
    fault && html` aria-invalid="true"`
  }><p class="hint" id="${name}-hint">${fileBounds(site, name)}</p>${
    fault && html`<p class="error" id="${name}-error">${fault}</p>`
  }</div>`
}

function textControls(site: Site, { texts, faults, given }: LookForm): Content {
  if (given.has('pages_texts')) return false
  const fault = faults.pages_texts
  const one = ({ slug, text }: TypedText, at: number) =>
    html`<details class="card"${fault && html` open`}><summary>${
      slug === '' && text === ''
        ? sayAtDesk(site, 'Add a page of text')
        : html`${sayAtDesk(site, 'A page of text')}: /${slug}/`
    }</summary>${plainField(
      { name: `slug_${at}`, label: sayAtDesk(site, 'Address of the page, such as about'), value: slug },
      {},
    )}${plainField(
      {
        name: `text_${at}`,
        label: sayAtDesk(site, 'Its text, with a title such as # About us'),
        type: 'lines',
        value: text,
        attributes: html` maxlength="${LONGEST_PAGE_TEXT}"`,
      },
      {},
    )}</details>`
  return html`<div id="pages_texts">${[...texts, { slug: '', text: '' }].map(one)}${
    fault && html`<p class="error">${fault}</p>`
  }</div>`
}

/** Warns if the colour has too little contrast; with both schemes, only the light one is checked. */
function contrastNotes(site: Site, colour: string, scheme: string): Content {
  const format = new Intl.NumberFormat(localeOf(site), { maximumFractionDigits: 1 })
  const { light, dark } = accentContrast(colour)
  const note = (text: DeskText, { ratio, shown }: typeof light) =>
    ratio < 4.5 &&
    html`<p class="warning">${sayAtDesk(site, text, { ratio: format.format(ratio), colour: shown })}</p>`
  return html`<div role="status">${
    scheme === 'dark'
      ? note(
          'On dark pages, text in this colour would have a contrast of {ratio} and needs 4.5. It is shown in \
{colour}.',
          dark,
        )
      : note(
          'On light pages, text in this colour would have a contrast of {ratio} and needs 4.5. It is shown \
in {colour}.',
          light,
        )
  }</div>`
}

/** Settings that a preview's style sheet takes from its query string. */
const STYLE_SETTINGS = [
  'pages_accent',
  'pages_scheme',
  'pages_header',
  'pages_corner',
  'pages_density',
  'pages_typeface',
] as const satisfies readonly (keyof typeof lookSettings)[]
