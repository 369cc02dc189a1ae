import type { Context } from '../../../calendar/declare/context.ts'
import { event } from '../../../calendar/events/event.ts'
import type { ImageRow, OrganizerRow, SeriesRow, VenueRow } from '../../../store/storage/schema.ts'
import { type Content, type Html, html } from '../../pages/page-html.ts'
import type { Clashes } from '../clashes.ts'
import { type CategoryOptions, described, type FormFaults, type FormState, labelOf } from '../desk-inputs.ts'
import { isSwitchOn, lastTyped, sayAtDesk, type TypedForm } from '../desk-page.ts'
import type { DeskText } from '../desk-texts.ts'
import type { Library } from '../picture-library.ts'
import type { ShownDates } from './event-repeats.ts'
import type { TimesInWords } from './event-times.ts'

export interface EventForm {
  context: Context
  typed: TypedForm
  faults: FormFaults
  /** The stored event; missing for a new one. */
  known?: { id: number; version: number; status: string; address: string; series: SeriesRow | undefined }
  /** Random key of the form: if the form is sent twice, its event and picture are created only once. */
  key: string
  /** Random id for this form's unsaved text; tells apart several open forms of one record. */
  formName: string
  may: {
    statuses: readonly string[]
    trash: boolean
    author: boolean
    upload: boolean
    makeCategory: boolean
    makeTag: boolean
    /** True if saving makes a proposal, since the caller may not change the event. */
    propose: boolean
  }
  venues: ReadonlyMap<number, VenueRow>
  organizers: ReadonlyMap<number, OrganizerRow>
  categories: CategoryOptions
  tags: ReadonlyMap<string, string>
  authors: readonly { id: number; name: string }[]
  image: ImageRow | undefined
  library: Library
  times: TimesInWords
  dates: ShownDates | undefined
  ruleInWords: string
  near: Clashes
  /** Messages above the form, about a conflict, a waiting proposal or an unsaved text. */
  notes: Content
  isConflict?: true
  notice?: Content
}

export type FormText = DeskText

export function controlStateOf(
  { context, typed, faults }: EventForm,
  choices: FormState['choices'] = {},
): FormState {
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
  another_cost: 'Add a price',
  image_alt: 'What it shows',
  new_tags: 'Tags',
  new_categories: 'New category',
  several_days: 'More than one day',
  repeat_days: 'On these days',
  repeat_place: 'On which day',
  left_out: 'Left out',
  recurrence_scope: 'Changes are for',
  later_date: 'New day',
  later_time: 'New time',
}

/** Returns the label of a control, or its name if the control is unknown. */
export function controlLabel(site: Context['site'], name: string): string {
  const field = Object.hasOwn(event.fields, name)
    ? event.fields[name as keyof typeof event.fields]
    : undefined
  const own = CONTROL_LABELS[name]
  return own ? sayAtDesk(site, own) : field ? labelOf(site, field) : name
}

export function lineControl(
  form: EventForm,
  name: string,
  label: string,
  more: { className?: string; attributes?: Content; hint?: Content; isDay?: true } = {},
): Html {
  const fault = form.faults[name]
  const input = html`<input type="text" id="${name}" name="${name}" value="${lastTyped(
    form.typed,
    name,
  )}" autocomplete="off"${more.attributes}${more.isDay && html` data-day`}${described(name, fault)}>`
  return html`<div class="field${
    more.className ? ` ${more.className}` : ''
  }"><label for="${name}">${label}</label>${
    more.isDay ? html`<span class="with-picker">${input}</span>` : input
  }${more.hint}${fault && html`<p class="error" id="${name}-error">${fault}</p>`}</div>`
}

export function switchOf(form: Pick<EventForm, 'typed'>, name: string, label: string): Html {
  return html`<input type="hidden" name="${name}" value="0"><label class="check"><input type="checkbox" \
id="${name}" name="${name}" value="1"${isSwitchOn(form.typed, name) && html` checked`}> ${label}</label>`
}

/** Returns ticked checkboxes for picked new names, except the last, which is still in the text control. */
export function madeChips(typed: TypedForm, control: string): Html[] {
  const picked = (typed[control] ?? []).slice(0, -1).filter((name) => name.trim() !== '')
  return picked.map((name) => chip(`${control}[]`, name, name))
}

/** Returns a ticked checkbox for a picked value; unticking it removes the value. */
export function chip(name: string, value: string, text: string): Html {
  return html`<label class="chip"><input type="checkbox" name="${name}" value="${value}" checked> <span \
dir="auto">${text}</span></label>`
}
