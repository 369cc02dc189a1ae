import { type Html, html, NOTHING } from './page-html.ts'

// Fields of forms that offer values: their options, and the marks of a wrong value.

/** One of the values that a field offers. */
export interface Choice {
  value: string
  text: string
}

/** The values that a field offers, and their markup with none chosen, which is made once: there may be hundreds of values, and most forms have none chosen. */
export interface Choices {
  all: readonly Choice[]
  /** Whether there are more, which are named by typing. */
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

/** The attributes that mark a field whose value cannot be used, and the sentence below it. */
export function marked(name: string, wrong: string | undefined): { attributes: Html; sentence: Html } {
  if (wrong === undefined) return { attributes: NOTHING, sentence: NOTHING }
  return {
    attributes: html` aria-invalid="true" aria-describedby="wrong-${name}"`,
    sentence: html`<small class="wrong" id="wrong-${name}">${wrong}</small>`,
  }
}

/** A field that offers values; `wrong` is what is wrong with the chosen one. The first option, `none`, chooses nothing; where there are more values than it offers, it is a field to type in. */
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
  const options = chosen === undefined ? unchosen : all.map((choice) => option(choice, choice.value === chosen))
  return html`<label><span>${label}</span><select name="${name}"${attributes}><option value="">${none}</option>${options}</select>${sentence}</label>`
}
