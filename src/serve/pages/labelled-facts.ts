import type { FieldData } from '../../base/fields/field.ts'
import { plainText } from '../../base/text/html.ts'
import type { Context } from '../../calendar/declare/context.ts'
import { writtenNumber } from './page-dates.ts'
import { type Html, html, link } from './page-html.ts'
import { say } from './viewing.ts'

// The fields that a page has no place of its own for: it lists each of them that has a value, by its label.

/** Writes a line for each field that has a value. @param shown the values by the names of the fields, as answers show them */
export function labelledFacts(
  context: Context,
  fields: Readonly<Record<string, FieldData>>,
  shown: Readonly<Record<string, unknown>> = {},
): Html[] {
  return Object.entries(shown).flatMap(([name, value]) => {
    const field = fields[name]
    if (!field || value === '' || value === null || value === false) return []
    const label = context.say(field.label ?? field.about)
    return [html`<div><dt>${label}</dt><dd>${valueInWords(context, field, value)}</dd></div>`]
  })
}

function valueInWords({ site, say: translate }: Context, { kind, input, words }: FieldData, value: unknown): Html {
  if (value === true) return html`${say(site, 'Yes')}`
  if (typeof value === 'number') return html`${writtenNumber(site, value)}`
  const text = plainText(String(value))
  const word = words?.[text]
  if (word !== undefined) return html`${translate(word)}`
  return (input ?? kind.input) === 'url'
    ? html`<a href="${link(String(value))}" rel="noopener"><bdi>${text}</bdi></a>`
    : html`<bdi>${text}</bdi>`
}
