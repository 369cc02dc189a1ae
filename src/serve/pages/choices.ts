import { type Html, html } from './page-html.ts'

/** One of the values that a field offers. */
export interface Choice {
  value: string
  text: string
}

/** The values that a field offers, with their markup for the case that none is chosen: there may be hundreds, and most forms show them so. */
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

/** A field that offers values. The first option, `none`, chooses nothing; where there are more values than it offers, it is a field to type in. */
export function select(
  label: string,
  name: string,
  none: string,
  { all, isCut, unchosen }: Choices,
  chosen: string | undefined,
): Html {
  if (isCut)
    return html`<label><span>${label}</span><input name="${name}" list="${name}-offered" value="${chosen}" placeholder="${none}" maxlength="200" autocomplete="off"><datalist id="${name}-offered">${unchosen}</datalist></label>`
  const options = chosen === undefined ? unchosen : all.map((choice) => option(choice, choice.value === chosen))
  return html`<label><span>${label}</span><select name="${name}"><option value="">${none}</option>${options}</select></label>`
}
