import { plainText } from '../../base/text/html.ts'
import { utcToMs } from '../../base/text/moments.ts'
import type { Context } from '../../calendar/declare/context.ts'
import type { Fields } from '../../calendar/declare/resource.ts'
import { findTermsByIds } from '../../calendar/terms/term-store.ts'
import { written } from '../pages/page-dates.ts'
import { type Content, type Html, html } from '../pages/page-html.ts'
import { labelOf, statusName } from './desk-inputs.ts'
import { sayAtDesk } from './desk-page.ts'
import { linkedNames } from './event-form-values.ts'

// The changed values of a record, in words.

/** A field with two values: those before and after a change, or those of two people. `end` stands behind a text that is cut. */
export interface ChangedValue {
  member: string
  values: readonly [unknown, unknown]
  end?: string
}

/** A table of changed fields, with the headings of its two columns of values, and the buttons for each former value. */
export async function changesTable(
  context: Context,
  fields: Fields,
  [one, other]: readonly [Content, Content],
  changes: readonly ChangedValue[],
  deedOf?: (member: string, label: string) => Content,
): Promise<Html> {
  const rows = await Promise.all(
    changes.map(async ({ member, values: [former, now], end }) => {
      const [before, after] = [await valueInWords(context, member, former), await valueInWords(context, member, now)]
      const field = fields[member]
      const label = field ? labelOf(context.site, field) : member
      return html`<tr><th scope="row">${label}</th><td class="former" dir="auto">${before}${end}${deedOf?.(member, label)}</td><td dir="auto">${after}${end}</td></tr>`
    }),
  )
  return html`<table class="changes"><thead><tr><th scope="col">${sayAtDesk(context.site, 'Field')}</th><th scope="col">${one}</th><th scope="col">${other}</th></tr></thead><tbody>${rows}</tbody></table>`
}

/** A value of a field as people read it: records by their names, moments as dates. */
export async function valueInWords(context: Context, member: string, value: unknown): Promise<string> {
  const { site } = context
  if (value === null || value === undefined || value === '') return '–'
  if (typeof value === 'boolean') return value ? '✓' : '–'
  if (member === 'status') return statusName(site, String(value))
  if (typeof value === 'string' && MOMENT.test(value) && !Number.isNaN(utcToMs(value)))
    return `${written(site, 'dayMonthYear', value)}, ${written(site, 'time', value)}`
  const entries = Array.isArray(value) ? value : [value]
  const nameOf = await namesAt(context, member, entries)
  return entries.map(nameOf).join(', ') || '–'
}

const MOMENT = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/

/** Looks up the names of the records that a field links to. The result writes an entry: an id as the name of its record, a record that is still to be made as its own name. */
async function namesAt(
  context: Context,
  member: string,
  entries: readonly unknown[],
): Promise<(entry: unknown) => string> {
  const ids = entries.map(String).filter((entry) => /^\d+$/.test(entry))
  const isTerms = member === 'categories' || member === 'tags'
  const isLink = member === 'venue' || member === 'organizer'
  const { venues, organizers } = await linkedNames(context, isLink ? { [member]: ids } : {})
  const terms = isTerms ? await findTermsByIds(context.db, ids.map(Number)) : []
  return (entry) => {
    if (entry !== null && typeof entry === 'object') return plainText(String(Object.values(entry)[0] ?? ''))
    const id = Number(entry)
    const name = venues.get(id)?.venue ?? organizers.get(id)?.organizer ?? terms.find((term) => term.id === id)?.name
    return name === undefined ? String(entry) : plainText(name)
  }
}
