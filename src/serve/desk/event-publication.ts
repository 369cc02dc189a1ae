import { utcToMs, wallNow } from '../../base/text/moments.ts'
import type { Context } from '../../calendar/declare/context.ts'
import { event } from '../../calendar/events/event.ts'
import type { EventRow } from '../../store/storage/schema.ts'
import { type Html, html } from '../pages/page-html.ts'
import { type FormFaults, labelOf } from './desk-inputs.ts'
import { sayAtDesk, sayer } from './desk-page.ts'
import { type EventForm, lineControl } from './event-form-controls.ts'
import { readTimes, typedTimes } from './event-times.ts'
import { lastTyped, type TypedForm } from './typed-form.ts'

// The publication date in the form of an event, which asks for it once the status is `future`.

/** The controls that show when a scheduled event is published. */
export function typedPublication(site: Context['site'], { status, date }: EventRow): TypedForm {
  if (status !== 'future') return {}
  const { start_date = [], start_time = [] } = typedTimes(site, {
    start_date: date,
    end_date: date,
    all_day: false,
    timezone: site.timezone,
  })
  return { date: start_date, date_time: start_time }
}

export function publicationFields(form: EventForm): Html {
  const { site } = form.context
  const say = sayer(form.context.site)
  return html`<div class="later">${lineControl(form, 'date', labelOf(site, event.fields.date), { isDay: true })}${lineControl(form, 'date_time', say('Time'), { hint: html`<p class="hint">${site.timezone.replaceAll('_', ' ')}</p>` })}</div>`
}

/**
 * Reads the publication date of a form, as REST takes it: undefined where it stays the same. A scheduled event that is set to `publish` gets the present time.
 * @param shown the controls of the stored event
 */
export function readPublication(
  context: Context,
  typed: TypedForm,
  shown: TypedForm = {},
): { date?: string; faults: FormFaults } {
  const { site, now } = context
  const controls = { ...shown, ...typed }
  const [status, before] = [lastTyped(controls, 'status'), lastTyped(shown, 'status')]
  const present = wallNow(site.timezone, now)
  if (status === 'publish' && before === 'future') return { date: present, faults: {} }
  const isSame = ['date', 'date_time'].every((name) => lastTyped(controls, name) === lastTyped(shown, name))
  if (status !== 'future' || (before === 'future' && isSame)) return { faults: {} }
  const { date = [], date_time = [] } = controls
  const { start, startUtc, faults } = readTimes(context, { start_date: date, start_time: date_time })
  const own = {
    ...(faults.start_date !== undefined && { date: faults.start_date }),
    ...(faults.start_time !== undefined && { date_time: faults.start_time }),
  }
  if (start === undefined || Object.keys(own).length > 0) return { faults: own }
  const isPast = startUtc === undefined ? start <= present : utcToMs(startUtc) <= now
  return isPast ? { faults: { date: sayAtDesk(site, 'That is in the past.') } } : { date: start, faults: {} }
}
