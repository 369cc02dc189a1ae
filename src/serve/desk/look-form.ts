import type { Site } from '../../base/config.ts'
import { isLookFile, LOOK_FILES, type LookFileSetting } from '../../base/look-files.ts'
import { extentOf, LONGEST_PAGE_TEXT, type LookSetting, type lookSettings } from '../../base/look-settings.ts'
import { addDays } from '../../base/text/moments.ts'
import type { MessageText } from '../../calendar/locales/messages.ts'
import { accentContrast } from '../pages/page-assets.ts'
import { capitalized, localeOf, unitName, written } from '../pages/page-dates.ts'
import { type Content, type Html, html } from '../pages/page-html.ts'
import { type PlainField, plainField } from './desk-inputs.ts'
import { sayAtDesk } from './desk-page.ts'
import { fileBounds, type LookForm, type TypedText } from './look-values.ts'

// The form of the look.

/** How the form asks for a setting. */
interface Asked {
  name: Exclude<LookSetting, 'pages_texts'>
  label: MessageText
  hint?: MessageText
  /** The words of its choices. */
  words?: Readonly<Record<string, MessageText>>
}

const ADDRESS_HINT = 'Such as https://example.org/imprint, /imprint/ or mailto:us@example.org.'

/** The parts of the form in their order. */
const PARTS: readonly { heading: MessageText; asked: readonly Asked[] }[] = [
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
        label: 'Head of the pages',
        words: { line: 'A line', band: 'A band in the colour', masthead: 'The name large, in the middle' },
      },
      {
        name: 'pages_corner',
        label: 'Corners',
        words: { round: 'Round', slight: 'Slightly round', square: 'Square' },
      },
      {
        name: 'pages_density',
        label: 'Room around things',
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
      { name: 'pages_logo_name', label: 'Name beside the logo', words: { beside: 'Shown', hidden: 'Hidden' } },
      { name: 'pages_icon', label: 'Icon in browser tabs' },
      { name: 'pages_picture', label: 'Picture for links on other sites' },
      { name: 'pages_font', label: 'Own font (WOFF2)' },
    ],
  },
  {
    heading: 'Other links',
    asked: [
      { name: 'pages_links', label: 'Links in the head', hint: 'One a line: words first, address last.' },
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

/** All controls of the look. */
export function lookControls(site: Site, form: LookForm): Html {
  const parts = PARTS.map(
    ({ heading, asked }) =>
      html`<section><h2>${sayAtDesk(site, heading)}</h2>${asked.map((one) => control(site, form, one))}${heading === 'Texts' && textControls(site, form)}</section>`,
  )
  return html`${parts}`
}

function control(site: Site, form: LookForm, asked: Asked): Content {
  const { name, label, hint } = asked
  const { values, faults } = form
  const value = values[name] ?? ''
  if (form.given.has(name))
    return html`<div class="field"><p>${sayAtDesk(site, label)}: <b dir="auto">${value}</b></p><p class="hint">${sayAtDesk(site, 'Whoever runs the service has set this at its start.')}</p></div>`
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
  return html`${plainField(field, faults)}${isColour && contrastNotes(site, value, values.pages_scheme ?? 'auto')}`
}

/** The choices of a setting with their words. */
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

function fileControl(site: Site, { shown, faults }: LookForm, name: LookFileSetting, label: MessageText): Html {
  const fault = faults[name]
  const there = shown[name]
  return html`<div class="field"><label for="${name}">${sayAtDesk(site, label)}</label>${
    there &&
    html`<p class="kept">${name !== 'pages_font' && html`<img src="${there}" alt="">`}<label class="check"><input type="checkbox" name="remove_${name}" value="1"> ${sayAtDesk(site, 'Remove the file')}</label></p>`
  }<input type="file" id="${name}" name="${name}" accept="${LOOK_FILES[name].endings.join(',')}" aria-describedby="${name}-hint${fault && ` ${name}-error`}"${fault && html` aria-invalid="true"`}><p class="hint" id="${name}-hint">${fileBounds(site, name)}</p>${fault && html`<p class="error" id="${name}-error">${fault}</p>`}</div>`
}

/** The pages of text, each folded away, and an empty one. */
function textControls(site: Site, { texts, faults, given }: LookForm): Content {
  if (given.has('pages_texts')) return false
  const fault = faults.pages_texts
  const one = ({ slug, text }: TypedText, at: number) =>
    html`<details class="card"${fault && html` open`}><summary>${slug === '' && text === '' ? sayAtDesk(site, 'Add a page of text') : html`${sayAtDesk(site, 'A page of text')}: /${slug}/`}</summary>${plainField(
      { name: `slug_${at}`, label: sayAtDesk(site, 'Address of the page, such as about'), value: slug },
      {},
    )}${plainField({ name: `text_${at}`, label: sayAtDesk(site, 'Its text, with a title such as # About us'), type: 'lines', value: text, attributes: html` maxlength="${LONGEST_PAGE_TEXT}"` }, {})}</details>`
  return html`<div id="pages_texts">${[...texts, { slug: '', text: '' }].map(one)}${fault && html`<p class="error">${fault}</p>`}</div>`
}

/**
 * A note on a colour in which text could not be read: pages show the text in another. Where pages are both light and dark, the note is about the light ones, since
 * no colour can be read on both.
 */
export function contrastNotes(site: Site, colour: string, scheme: string): Content {
  const format = new Intl.NumberFormat(localeOf(site), { maximumFractionDigits: 1 })
  const { light, dark } = accentContrast(colour)
  const note = (text: MessageText, { ratio, shown }: typeof light) =>
    ratio < 4.5 && html`<p class="warning">${sayAtDesk(site, text, { ratio: format.format(ratio), colour: shown })}</p>`
  return html`<div role="status">${
    scheme === 'dark'
      ? note(
          'On dark pages, text in this colour would have a contrast of {ratio} and needs 4.5. It is shown in {colour}.',
          dark,
        )
      : note(
          'On light pages, text in this colour would have a contrast of {ratio} and needs 4.5. It is shown in {colour}.',
          light,
        )
  }</div>`
}

/** The settings that change the style sheet. The address of the style sheet of a preview has their values. */
export const STYLE_SETTINGS = [
  'pages_accent',
  'pages_scheme',
  'pages_header',
  'pages_corner',
  'pages_density',
  'pages_typeface',
] as const satisfies readonly (keyof typeof lookSettings)[]
