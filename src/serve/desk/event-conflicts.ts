import { plainText } from '../../base/text/html.ts'
import type { Context } from '../../calendar/declare/context.ts'
import { event } from '../../calendar/events/event.ts'
import { type Html, html } from '../pages/page-html.ts'
import { valueInWords } from './changed-values.ts'
import { type FormFaults, labelOf } from './desk-inputs.ts'
import { sayAtDesk } from './desk-page.ts'
import { TIME_CONTROLS } from './event-times.ts'
import type { TypedForm } from './typed-form.ts'

/** The values that two people have written into the same fields of an event. */
export interface BothSides {
  conflicts: readonly { member: string; sent: unknown; now: unknown }[]
  /** The fields that the other one alone has changed. */
  taken: readonly string[]
  version: number
}

/** Both values of each field, beside each other, and the notes at the fields. */
export async function conflictNotes(
  context: Context,
  { conflicts, taken }: BothSides,
): Promise<{ notes: Html; faults: FormFaults }> {
  const { site } = context
  const rows = await Promise.all(
    conflicts.map(async ({ member, sent, now }) => {
      const [mine, theirs] = [await valueInWords(context, member, sent), await valueInWords(context, member, now)]
      return { member, mine: plainText(mine), theirs: plainText(theirs) }
    }),
  )
  const lines = rows.map(
    ({ member, mine, theirs }) =>
      html`<tr><th scope="row">${labelAt(context, member)}</th><td dir="auto">${mine}</td><td dir="auto">${theirs}</td></tr>`,
  )
  const others =
    taken.length > 0 &&
    html`<p>${sayAtDesk(site, 'Meanwhile somebody else has changed: {names}. That stays.', { names: taken.map((name) => labelAt(context, name)).join(', ') })}</p>`
  const notes = html`<div class="both-sides"><table><thead><tr><th scope="col"><span class="hidden">${sayAtDesk(site, 'Field')}</span></th><th scope="col">${sayAtDesk(site, 'What you typed')}</th><th scope="col">${sayAtDesk(site, 'What stands there now')}</th></tr></thead><tbody>${lines}</tbody></table>${others}</div>`
  const told = rows.map(({ member, theirs }): [string, string] => [
    CONTROLS[member]?.[0] ?? member,
    sayAtDesk(site, 'Somebody else has written: {value}', { value: theirs }),
  ])
  return { notes, faults: Object.fromEntries(told) }
}

function labelAt({ site }: Context, member: string): string {
  const field = Object.hasOwn(event.fields, member) ? event.fields[member as keyof typeof event.fields] : undefined
  return field ? labelOf(site, field) : member
}

/** The controls of each field that has several, or one of another name. */
const CONTROLS: Readonly<Record<string, readonly string[]>> = {
  start_date: TIME_CONTROLS,
  end_date: ['end_time', ...TIME_CONTROLS],
  timezone: ['timezone', ...TIME_CONTROLS],
  all_day: ['all_day', ...TIME_CONTROLS],
  venue: ['venue_name', 'venue'],
  organizer: ['organizer_name', 'organizer'],
  tags: ['new_tags', 'tags'],
  categories: ['categories', 'new_categories'],
}

/** Puts the present values into the controls of fields that only somebody else has changed, so that saving again keeps them. */
export function takenOver(typed: TypedForm, now: TypedForm, taken: readonly string[]): TypedForm {
  const names = taken.flatMap((member) => CONTROLS[member] ?? [member])
  const present = names.flatMap((name) => (now[name] ? [[name, now[name]] as const] : []))
  const without = Object.entries(typed).filter(([name]) => !names.includes(name))
  return { ...Object.fromEntries(without), ...Object.fromEntries(present) }
}
