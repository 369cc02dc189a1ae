// Writes HTML from templates that escape their values, and the fields of forms that offer values.

/** Markup known to be safe, made by `html` or passed in by `trusted`. */
export interface Html {
  readonly markup: string
}

/**
 * The values of a template: text is escaped, markup stays, lists are joined, and false and undefined are left
 * out.
 */
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

/** Escapes a text so that it can stand between tags and in a quoted attribute. */
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

/**
 * Makes markup from a template. Every value is escaped unless it is markup, so attributes in templates are
 * always quoted.
 */
export function html(parts: TemplateStringsArray, ...contents: readonly Content[]): Html {
  let markup = parts[0] ?? ''
  for (let i = 0; i < contents.length; i++) markup += written(contents[i]) + (parts[i + 1] ?? '')
  return { markup }
}

/**
 * Returns a text as markup without escaping it, since it was made safe elsewhere. There are three kinds:
 * descriptions, which `text/long-texts.ts` cleans for pages; texts of the look, which `text/markdown.ts`
 * makes; and linked data, which has no character left that could end its element.
 */
export function trusted(markup: string): Html {
  return { markup }
}

export const NOTHING: Html = { markup: '' }

const SCHEMES = /^(?:https?:|mailto:|tel:|webcals?:|geo:|\/(?!\/)|#|\?)/i

/**
 * Returns an address for `href` or `src`; `#` in place of an address whose scheme may run code in the
 * browser.
 */
export function link(address: string): string {
  return SCHEMES.test(address) ? address : '#'
}

// Fields of forms that offer values: their options, and the marks of a wrong value.

/** One of the values that a field offers. */
export interface Choice {
  value: string
  text: string
}

/**
 * The values that a field offers, and their markup with none chosen, made once: there may be hundreds of
 * values, and most forms have none chosen.
 */
export interface Choices {
  all: readonly Choice[]
  /** Whether there are more values, which the reader names by typing. */
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

/**
 * Returns the attributes that mark a field whose value cannot be used, and the sentence below the field; both
 * are empty where `wrong` is undefined.
 */
export function marked(name: string, wrong: string | undefined): { attributes: Html; sentence: Html } {
  if (wrong === undefined) return { attributes: NOTHING, sentence: NOTHING }
  return {
    attributes: html` aria-invalid="true" aria-describedby="wrong-${name}"`,
    sentence: html`<small class="wrong" id="wrong-${name}">${wrong}</small>`,
  }
}

/**
 * Writes a menu of values, or a text field if there are more values. `none` is the first option and chooses
 * nothing; `wrong` is the text of a fault.
 */
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
    return html`<label><span>${label}</span><input name="${name}" list="${name}-offered" value="${chosen}" placeholder="${none}" maxlength="200" autocomplete="off"${attributes}><datalist id="${name}-offered">${unchosen}</datalist>${sentence}</label>`
  const options =
    chosen === undefined ? unchosen : all.map((choice) => option(choice, choice.value === chosen))
  return html`<label><span>${label}</span><select name="${name}"${attributes}><option value="">${none}</option>${options}</select>${sentence}</label>`
}
