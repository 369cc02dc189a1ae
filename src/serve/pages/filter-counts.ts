import { accessFacts } from '../../base/fields/access-facts.ts'
import { countMatching } from '../../calendar/events/find-events.ts'
import { factInWords } from './access-shown.ts'
import { type Choices, choicesOf } from './choices.ts'
import { writtenNumber } from './page-dates.ts'
import { type EventFilters, from } from './page-finding.ts'
import { type Html, html } from './page-html.ts'
import { say, type Viewing } from './viewing.ts'

// How many events each choice of the filter form leaves.

/** Lets the form count what is left of the coming events with each category and fact; undefined where that takes too long. */
export function countsOf({ context, today }: Viewing, filters: EventFilters, isPast: boolean) {
  const coming = isPast ? undefined : from(filters, today)
  return coming && countMatching(context, { ...coming, strict_dates: true, page: 1, per_page: 1 })
}

type CountsOf = ReturnType<typeof countsOf>

/** The categories that a form offers, with the number of events. */
export function countedCategories({ context: { site }, terms }: Viewing, counts: CountsOf): Choices {
  const { categories } = terms.choices
  const shown = [...terms.byId.values()].filter(({ taxonomy }) => taxonomy === 'category')
  const found = categories.isCut ? undefined : counts?.terms(shown.map(({ id }) => id))
  if (!found) return categories
  const bySlug = new Map(shown.map(({ id, slug }) => [slug, found.get(id) ?? 0]))
  const counted = categories.all.map(({ value, text }) => {
    const count = bySlug.get(value) ?? 0
    return { value, text: count === 0 ? text : `${text} (${writtenNumber(site, count)})` }
  })
  return choicesOf(counted)
}

/** The facts of access that events have, to be ticked: an event must have all of them. */
export function accessFields({ context }: Viewing, counts: CountsOf, sent: string | undefined): Html | false {
  const { site } = context
  const chosen = new Set(sent?.split(',').map((fact) => fact.trim()))
  const found = counts?.access()
  const offered = accessFacts.filter((fact) => chosen.has(fact) || (found?.get(fact) ?? 0) > 0)
  if (offered.length === 0) return false
  const fields = offered.map((fact) => {
    const count = found?.get(fact)
    return html`<label><input type="checkbox" name="access" value="${fact}"${chosen.has(fact) && html` checked`}>${factInWords(context, fact)}${count !== undefined && html` <small>${writtenNumber(site, count)}</small>`}</label>`
  })
  return html`<fieldset class="ticks"><legend>${say(site, 'Accessibility')}</legend>${fields}</fieldset>`
}
