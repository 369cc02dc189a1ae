// Templates that escape the values inserted into HTML.

export interface Html {
  readonly markup: string
}

/** What templates insert: text is escaped, `Html` is not; false, null and undefined are left out. */
export type Content = Html | string | number | null | undefined | false | readonly Content[]

const SPECIAL = /[&<>"']/
const EACH_SPECIAL = /[&<>"']/g
const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

const escaped = (text: string) =>
  SPECIAL.test(text) ? text.replace(EACH_SPECIAL, (sign) => ENTITIES[sign] ?? sign) : text

function written(content: Content): string {
  if (typeof content === 'string') return escaped(content)
  if (typeof content === 'number') return String(content)
  if (content === null || content === undefined || content === false) return ''
  if ('markup' in content) return content.markup
  let markup = ''
  for (const part of content) markup += written(part)
  return markup
}

/** Joins a template, escaping inserted text. Attribute values must be quoted. */
export function html(parts: TemplateStringsArray, ...contents: readonly Content[]): Html {
  let markup = parts[0] ?? ''
  for (let i = 0; i < contents.length; i++) markup += written(contents[i]) + (parts[i + 1] ?? '')
  return { markup }
}

/** Marks text as safe HTML: descriptions, texts of the look, JSON-LD. */
export function trusted(markup: string): Html {
  return { markup }
}

export const NOTHING: Html = { markup: '' }

const SCHEMES = /^(?:https?:|mailto:|tel:|webcals?:|geo:|\/(?!\/)|#|\?)/i

/** Returns the URL, or `#` unless its scheme is known to be harmless: some schemes run code. */
export function link(address: string): string {
  return SCHEMES.test(address) ? address : '#'
}

export interface Choice {
  value: string
  text: string
}

/** Choices, of which there may be hundreds: `unchosen`, their markup with none chosen, is made only once. */
export interface Choices {
  all: readonly Choice[]
  isCut: boolean
  unchosen: Html
}

export function choicesOf(all: readonly Choice[], isCut = false): Choices {
  const unchosen = isCut
    ? html`${all.map(({ value, text }) => html`<option value="${value}">${text.trim()}</option>`)}`
    : html`${all.map((choice) => option(choice, false))}`
  return { all, isCut, unchosen }
}

const option = ({ value, text }: Choice, isChosen: boolean): Html =>
  html`<option value="${value}"${isChosen && html` selected`}>${text}</option>`

export function marked(name: string, wrong: string | undefined): { attributes: Html; sentence: Html } {
  if (wrong === undefined) return { attributes: NOTHING, sentence: NOTHING }
  return {
    attributes: html` aria-invalid="true" aria-describedby="wrong-${name}"`,
    sentence: html`<small class="wrong" id="wrong-${name}">${wrong}</small>`,
  }
}

/** A list, or a text field with suggestions if `isCut`. `none` is the text that chooses nothing. */
export function select(
  label: string,
  name: string,
  none: string,
  { all, isCut, unchosen }: Choices,
  chosen: string | undefined,
  wrong?: string | undefined,
): Html {
  const { attributes, sentence } = marked(name, wrong)
  if (isCut)
    return html`<label><span>${label}</span><input name="${name}" list="${name}-offered" value="${chosen}" \
placeholder="${none}" maxlength="200" autocomplete="off"${attributes}>\
<datalist id="${name}-offered">${unchosen}</datalist>${sentence}</label>`
  const options =
    chosen === undefined ? unchosen : all.map((choice) => option(choice, choice.value === chosen))
  return html`<label><span>${label}</span><select name="${name}"${attributes}>\
<option value="">${none}</option>${options}</select>${sentence}</label>`
}
