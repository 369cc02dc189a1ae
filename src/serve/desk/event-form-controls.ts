import type { Context } from '../../calendar/declare/context.ts'
import type { Clashes } from '../../calendar/events/clashes.ts'
import { event } from '../../calendar/events/event.ts'
import type { MessageText } from '../../calendar/locales/messages.ts'
import type { ImageRow, OrganizerRow, SeriesRow, VenueRow } from '../../store/storage/schema.ts'
import { type Content, type Html, html } from '../pages/page-html.ts'
import { type ControlOption, described, type FormFaults, type FormState, labelOf } from './desk-inputs.ts'
import { isSwitchOn, lastTyped, sayAtDesk, type TypedForm } from './desk-page.ts'
import type { ShownDate } from './event-repeats.ts'
import type { TimesInWords } from './event-times.ts'

// Controls and types that the files of the form of an event share.

/** The form of an event, and all that it shows beside what is typed. */
export interface EventForm {
  context: Context
  typed: TypedForm
  faults: FormFaults
  /** The event that it changes. */
  known?: { id: number; version: number; status: string; address: string; series: SeriesRow | undefined }
  /** The hidden key of a new event. */
  key: string
  /** The name of the form of a new event, under which its text is kept until it is saved. */
  formName: string
  may: {
    statuses: readonly string[]
    trash: boolean
    author: boolean
    upload: boolean
    makeCategory: boolean
    makeTag: boolean
    /** The caller may only propose changes: a save waits as a proposal. */
    propose: boolean
  }
  venues: ReadonlyMap<number, VenueRow>
  organizers: ReadonlyMap<number, OrganizerRow>
  /** The categories that are offered, and whether there are more. */
  categories: { options: readonly ControlOption[]; areMore: boolean }
  tags: ReadonlyMap<string, string>
  authors: readonly { id: number; name: string }[]
  image: ImageRow | undefined
  library: readonly ImageRow[]
  times: TimesInWords
  dates: { dates: readonly ShownDate[]; isMore: boolean } | undefined
  ruleInWords: string
  near: Clashes
  /** Notes above the form: conflicts, clashes, an offer of what was not saved. */
  notes: Content
  isConflict?: true
  notice?: Content
}

/** The texts of the form. */
export type FormText = MessageText

export function controlStateOf({ context, typed, faults }: EventForm, choices: FormState['choices'] = {}): FormState {
  const values = Object.fromEntries(Object.keys(typed).map((name) => [name, lastTyped(typed, name)]))
  return { site: context.site, values, faults, choices }
}

const CONTROL_LABELS: Readonly<Record<string, FormText>> = {
  start_date: 'Date',
  start_time: 'Starts',
  date_time: 'Time',
  end_time: 'Ends',
  end_date: 'Last day',
  venue_name: 'Venue',
  organizer_name: 'Organizers',
  repeats: 'Repeats',
  repeat_until: 'Until',
  repeat_count: 'Number of dates',
  repeat_every: 'Every',
  more_dates: 'Further dates',
  another_cost: 'Another price',
  image_alt: 'What it shows',
  new_tags: 'Tags',
  new_categories: 'New category',
  several_days: 'More than one day',
  repeat_days: 'On these days',
  repeat_place: 'On which day',
  left_out: 'Left out',
  recurrence_scope: 'Changes are for',
}

/** The name of a control. */
export function controlLabel(site: Context['site'], name: string): string {
  const field = Object.hasOwn(event.fields, name) ? event.fields[name as keyof typeof event.fields] : undefined
  const own = CONTROL_LABELS[name]
  return own ? sayAtDesk(site, own) : field ? labelOf(site, field) : name
}

/** A control of one line with its label and its fault. */
export function lineControl(
  form: EventForm,
  name: string,
  label: string,
  more: { className?: string; attributes?: Content; hint?: Content; isDay?: true } = {},
): Html {
  const fault = form.faults[name]
  const input = html`<input type="text" id="${name}" name="${name}" value="${lastTyped(form.typed, name)}" autocomplete="off"${more.attributes}${more.isDay && html` data-day`}${described(name, fault)}>`
  return html`<div class="field${more.className ? ` ${more.className}` : ''}"><label for="${name}">${label}</label>${more.isDay ? html`<span class="with-picker">${input}</span>` : input}${more.hint}${fault && html`<p class="error" id="${name}-error">${fault}</p>`}</div>`
}

export function switchOf(form: Pick<EventForm, 'typed'>, name: string, label: string): Html {
  return html`<input type="hidden" name="${name}" value="0"><label class="check"><input type="checkbox" id="${name}" name="${name}" value="1"${isSwitchOn(form.typed, name) && html` checked`}> ${label}</label>`
}

/** The names of records to be made that were picked before the one in the control, which the script shows in the same way. */
export function madeChips(typed: TypedForm, control: string): Html[] {
  const picked = (typed[control] ?? []).slice(0, -1).filter((name) => name.trim() !== '')
  return picked.map((name) => chip(`${control}[]`, name, name))
}

/** Something chosen, to be pressed to leave it out. */
export function chip(name: string, value: string, text: string): Html {
  return html`<label class="chip"><input type="checkbox" name="${name}" value="${value}" checked> <span dir="auto">${text}</span></label>`
}
