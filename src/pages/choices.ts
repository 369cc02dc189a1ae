import { type Html, html } from './page-html.ts'

/** One of the values that a field offers. */
export interface Choice {
  value: string
  text: string
}

/** The values that a field offers, with their markup for the case that none is chosen: there may be hundreds, and most forms show them so. */
export interface Choices {
  all: readonly Choice[]
  unchosen: Html
}

export function choicesOf(all: readonly Choice[]): Choices {
  return { all, unchosen: html`${all.map((choice) => option(choice, false))}` }
}

const option = ({ value, text }: Choice, isChosen: boolean): Html =>
  html`<option value="${value}"${isChosen && html` selected`}>${text}</option>`

/** A field that offers values; the first option, `none`, chooses nothing. */
export function select(
  label: string,
  name: string,
  none: string,
  { all, unchosen }: Choices,
  chosen: string | undefined,
): Html {
  const options = chosen === undefined ? unchosen : all.map((choice) => option(choice, choice.value === chosen))
  return html`<label><span>${label}</span><select name="${name}"><option value="">${none}</option>${options}</select></label>`
}
