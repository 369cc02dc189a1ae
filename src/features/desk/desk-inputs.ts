import type { Site } from '../../base/config.ts'
import { STATUS_WORDS, STATUSES } from '../../base/fields/field.ts'
import { asSentBack, type Input } from '../../base/fields/kinds.ts'
import { limits } from '../../base/fields/limits.ts'
import type { Problem } from '../../base/problems.ts'
import { decodedText } from '../../base/text/html.ts'
import type { Context } from '../../calendar/declare/context.ts'
import type { Field, Fields } from '../../calendar/declare/resource.ts'
import { paramTexts } from '../../calendar/locales/problem-answers.ts'
import { knownTo } from '../../calendar/terms/term-filters.ts'
import { findTermsByIds, listTerms } from '../../calendar/terms/term-store.ts'
import { type Content, type Html, html } from '../pages/page-html.ts'
import { sayAtDesk } from './desk-page.ts'
import type { DeskText } from './desk-texts.ts'

export type FormValues = Readonly<Record<string, string>>

/** Sentences about faulty fields, by field name. */
export type FormFaults = Readonly<Record<string, string>>

export interface ControlOption {
  value: string
  text: string
  /** Depth in a tree, 0 at the root; the text is indented accordingly. */
  level?: number
}

export interface FormState {
  site: Site
  values: FormValues
  faults: FormFaults
  choices?: Readonly<Record<string, readonly ControlOption[]>>
}

export function inputOf({ input, kind }: Field): Input | undefined {
  return input === false ? undefined : (input ?? kind.input)
}

export function askedFields(fields: Fields): [name: string, field: Field][] {
  return Object.entries(fields).filter(([, field]) => inputOf(field) !== undefined)
}

export function labelOf(site: Site, { label, about }: Pick<Field, 'label' | 'about'>): string {
  return sayDeclared(site, label ?? about)
}

const sayDeclared = (site: Site, text: string) => sayAtDesk(site, text as Parameters<typeof sayAtDesk>[1])

export function formValuesOf(fields: Fields, columns: Readonly<Record<string, unknown>>): FormValues {
  const texts = askedFields(fields).map(([name, field]) => [
    name,
    writtenValue(inputOf(field), columns[name]),
  ])
  return Object.fromEntries(texts)
}

function writtenValue(input: Input | undefined, column: unknown): string {
  if (input === 'fact') return column === 1 ? 'yes' : column === 0 ? 'no' : ''
  return column === null || column === undefined ? '' : asSentBack(input, String(column))
}

export function fieldControl(state: FormState, name: string, field: Field): Html {
  const { site, faults } = state
  const input = inputOf(field)
  const fault = faults[name]
  const label = labelOf(site, field)
  const hint =
    field.hint !== undefined && html`<p class="hint" id="${name}-hint">${sayDeclared(site, field.hint)}</p>`
  const wrong = html`${hint}${fault && html`<p class="error" id="${name}-error">${fault}</p>`}`
  if (input === 'switch')
    return html`<div class="field"><input type="hidden" name="${name}" value="0"><label class="check">\
<input type="checkbox" id="${name}" name="${name}" value="1"${isOn(state, name) && html` checked`}${described(
      name,
      fault,
    )}> ${label}</label>${wrong}</div>`
  return html`<div class="field"><label for="${name}">${label}</label>${controlFor(
    state,
    name,
    field,
    input,
  )}${wrong}</div>`
}

function isOn({ values }: FormState, name: string): boolean {
  return ['1', 'on', 'true', 'yes'].includes(values[name] ?? '')
}

export function described(name: string, fault: string | undefined, hasHint = false): Content {
  const ids = [hasHint && `${name}-hint`, fault !== undefined && `${name}-error`].filter(Boolean).join(' ')
  return html`${fault !== undefined && html` aria-invalid="true"`}${
    ids !== '' && html` aria-describedby="${ids}"`
  }`
}

/** Returns an attribute whose script warns before unsaved input is lost and if a save gets no response. */
export function guarded(site: Site): Html {
  const text =
    'The calendar cannot be reached just now. What you typed is still here: save again in a moment.'
  return html` data-guard="${sayAtDesk(site, text)}"`
}

/** First button of long or irrevocable forms: Enter activates it, and as it is disabled, nothing is sent. */
export const UNSENT_BY_ENTER = html`<button type="submit" disabled hidden></button>`

const LINES: Readonly<Partial<Record<Input, { type: string; inputmode?: string }>>> = {
  line: { type: 'text' },
  slug: { type: 'text' },
  email: { type: 'email' },
  tel: { type: 'tel' },
  url: { type: 'url', inputmode: 'url' },
  number: { type: 'text', inputmode: 'decimal' },
  zone: { type: 'text' },
}

function controlFor(state: FormState, name: string, field: Field, input: Input | undefined): Html {
  const { site, values, faults, choices } = state
  const value = values[name] ?? ''
  const attributes = html` id="${name}" name="${name}"${
    field.required && html` aria-required="true"`
  }${mostOf(field)}${described(name, faults[name], field.hint !== undefined)}`
  if (input === 'text')
    return html`<textarea${attributes} rows="6"${
      isEdited(name, value) && html` data-words="${editorWords(site)}"`
    }>\n${value}</textarea>`
  const offered = choices?.[name] ?? choicesOf(site, name, field, input)
  if (offered) return selectOf(attributes, offered, value)
  const { type, inputmode } = LINES[input ?? 'line'] ?? { type: 'text' }
  return html`<input type="${type}"${
    inputmode && html` inputmode="${inputmode}"`
  }${attributes} value="${value}" autocomplete="off">`
}

const EDITOR_WORDS = [
  'Text',
  'Bold',
  'Italic',
  'Heading',
  'List',
  'Numbered list',
  'Quotation',
  'Link',
  'Address of the link',
  'The editor would lose parts of this text, so it stays as HTML.',
] as const

/** The editor's texts as a JSON object from English to translations. */
export function editorWords(site: Context['site']): string {
  return JSON.stringify(Object.fromEntries(EDITOR_WORDS.map((text) => [text, sayAtDesk(site, text)])))
}

const MARKUP = /<[a-z/!]|&[a-z\d#]+;/i

/** True if the field gets a rich-text editor, since HTML is hard to read. */
export const isEdited = (name: string, text: string): boolean => name === 'description' || MARKUP.test(text)

/** Returns the attribute for the maximum length; a script shows a count, but does not cut the text. */
export function mostOf({ within, kind }: Field): Content {
  const bounds = within ?? kind.within ?? limits.line
  return 'characters' in bounds && html` data-most="${String(bounds.characters)}"`
}

function selectOf(attributes: Html, choices: readonly ControlOption[], value: string): Html {
  // A value no longer offered stays a choice if the record has it, so that saving does not change it.
  const known = choices.some((choice) => choice.value === value)
    ? choices
    : [...choices, { value, text: value }]
  const options = known.map(
    (choice) =>
      html`<option value="${choice.value}"${choice.value === value && html` selected`}>${'\u2003'.repeat(
        choice.level ?? 0,
      )}${choice.text}</option>`,
  )
  return html`<select${attributes}>${options}</select>`
}

export function statusName(site: Site, status: string): string {
  const known = STATUSES.find((one) => one === status)
  return known ? sayAtDesk(site, STATUS_WORDS[known]) : status
}

const OFFERED = ['publish', 'draft', 'pending', 'private'] as const

function choicesOf(
  site: Site,
  name: string,
  field: Field,
  input: Input | undefined,
): readonly ControlOption[] | undefined {
  if (input === 'fact')
    return [
      { value: '', text: sayAtDesk(site, 'Unknown') },
      { value: 'yes', text: sayAtDesk(site, 'Yes') },
      { value: 'no', text: sayAtDesk(site, 'No') },
    ]
  if (input !== 'choice') return undefined
  if (field.words)
    return Object.entries(field.words).map(([value, text]) => ({ value, text: sayDeclared(site, text) }))
  if (name === 'status')
    return OFFERED.map((value) => ({ value, text: sayAtDesk(site, STATUS_WORDS[value]) }))
  return field.kind.wire.enum?.map((value) => ({ value, text: value }))
}

/** Returns the list of all faults for the top of a form; a script moves the focus to it. */
export function faultList(
  site: Site,
  faults: FormFaults,
  fields: Fields = {},
  labels: Readonly<Partial<Record<string, DeskText>>> = {},
): Html {
  const lines = Object.entries(faults).map(([name, text]) => {
    const [field, own] = [fields[name], labels[name]]
    const label = field ? labelOf(site, field) : own && sayAtDesk(site, own)
    return html`<li><a href="#${name}">${label && `${label}: `}${text}</a></li>`
  })
  if (lines.length === 0) return html``
  return html`<div class="summary" role="alert" tabindex="-1" id="faults"><p>${sayAtDesk(
    site,
    'Please look at these fields:',
  )}</p><ul>${lines}</ul></div>`
}

export interface PlainField {
  name: string
  label: string
  /** The input's type, or `lines` for a text area. */
  type?: string
  value?: string
  hint?: string
  options?: readonly ControlOption[] | undefined
  attributes?: Html
}

export function plainField(
  { name, label, type = 'text', value = '', hint, options, attributes }: PlainField,
  faults: FormFaults,
): Html {
  const fault = faults[name]
  const all = html` id="${name}" name="${name}"${described(name, fault, hint !== undefined)}${attributes}`
  // Browsers drop a line break right after `<textarea>`, so one is added.
  const typedIn = () =>
    type === 'lines'
      ? html`<textarea${all} rows="4">\n${value}</textarea>`
      : html`<input type="${type}"${all} value="${value}">`
  const control = options ? selectOf(all, options, value) : typedIn()
  return html`<div class="field"><label for="${name}">${label}</label>${control}${
    hint !== undefined && html`<p class="hint" id="${name}-hint">${hint}</p>`
  }${fault !== undefined && html`<p class="error" id="${name}-error">${fault}</p>`}</div>`
}

/** Returns the faults by field, or undefined if the problem is not about the form's fields. */
export function faultsOf(
  site: Site,
  { details: { missing, params } }: Problem,
  fields: Fields,
): FormFaults | undefined {
  if (missing) return Object.fromEntries(missing.map((name) => [name, sayAtDesk(site, 'Is needed.')]))
  if (!params || !Object.keys(params).some((name) => Object.hasOwn(fields, name))) return undefined
  const nameOf = (name: string) => (fields[name] ? labelOf(site, fields[name]) : name)
  const told = Object.entries(paramTexts(params, site.language, nameOf)).map(([name, text]) => {
    const [field, fault] = [fields[name], params[name]]
    if (field === undefined || inputOf(field) !== 'url') return [name, text]
    const example = sayAtDesk(site, 'Write it as https://example.org, for example.')
    const hasExample = fault?.why === 'told' && fault.values.example !== undefined
    return [name, hasExample ? example : `${text} ${example}`]
  })
  return Object.fromEntries(told)
}

const MOST_CATEGORIES = 500
const DEEPEST = 50

export interface CategoryOptions {
  options: ControlOption[]
  areMore: boolean
}

/** Up to `MOST_CATEGORIES` that the caller may see, plus chosen ones; not `without` or its descendants. */
export async function categoryOptions(
  context: Context,
  chosen: readonly string[],
  without?: number,
): Promise<CategoryOptions> {
  const order = { by: 'name', isDescending: false, included: [] } as const
  const list = { conditions: [knownTo(context.caller, 'category')], order, isSearch: false }
  const { rows: first, total } = await listTerms(context, 'category', list, {
    page: 1,
    perPage: MOST_CATEGORIES,
  })
  const known = new Set(first.map(({ id }) => id))
  const others = chosen.map(Number).filter((id) => Number.isSafeInteger(id) && !known.has(id))
  const rows = [...first, ...(others.length === 0 ? [] : await findTermsByIds(context.db, others))]
  const ids = new Set(rows.map(({ id }) => id))
  const byParent = Map.groupBy(rows, ({ parent }) => (ids.has(parent) ? parent : 0))
  const below = (parent: number, level: number): ControlOption[] =>
    (byParent.get(parent) ?? [])
      .filter(({ id }) => id !== without)
      .flatMap(({ id, name }) => [
        { value: String(id), text: decodedText(name), level },
        ...(level < DEEPEST ? below(id, level + 1) : []),
      ])
  return { options: below(0, 0), areMore: total > first.length }
}
