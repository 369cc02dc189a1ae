import type { Site } from '../../base/config.ts'
import { eventFields } from '../../base/fields/event-fields.ts'
import { limits } from '../../base/fields/limits.ts'
import { addMonths, dayOf, wallNow } from '../../base/text/moments.ts'
import type { Context } from '../../calendar/declare/context.ts'
import type { Field } from '../../calendar/declare/resource.ts'
import { recordUrl } from '../../calendar/linked/record-present.ts'
import type { NearEvent } from '../desk/clashes.ts'
import { described, type FormFaults, labelOf } from '../desk/desk-inputs.ts'
import { isSwitchOn, lastTyped, sayAtDesk, type TypedForm } from '../desk/desk-page.ts'
import { written } from '../feeds/date-forms.ts'
import { writtenDay, zoneName } from '../pages/page-dates.ts'
import { type Content, type Html, html } from '../pages/page-html.ts'
import { sayOfPages } from '../pages/page-texts.ts'
import type { Viewing } from '../pages/viewing.ts'
import { saySubmission } from './submission-texts.ts'
import { TRAP } from './suggest-form.ts'

export const ADD_PATH = '/events/community/add/'

export interface SuggestForm {
  viewing: Pick<Viewing, 'context'> & { venues: readonly string[] }
  typed: TypedForm
  faults: FormFaults
  action: string
  notes?: Content
  hasPicture?: boolean
  /** Editors need no trap field, and see the picture next to the form. */
  isAtDesk?: boolean
  sender?: { isAddressNeeded: boolean; months: number; terms: string } | undefined
  /** `worker` is the URL of the script that computes the proof of work. */
  proof?: { bits: number; worker: string } | undefined
  buttons: Content
}

type Name = keyof typeof eventFields

const FACTS = ['captions', 'audio_description', 'relaxed', 'easy_language', 'free_companion'] as const

export function suggestForm(form: SuggestForm): Html {
  const { viewing, typed, faults, action, notes, sender, proof, isAtDesk = false } = form
  const { site } = viewing.context
  const areMoreOpen = [...FACTS, ...MORE].some(
    (name) => lastTyped(typed, name).trim() !== '' || faults[name] !== undefined,
  )
  return html`${notes}<form class="suggest" method="post" action="${action}" enctype="multipart/form-data"\
 data-suggest${proof && html` data-proof="${proof.bits}" data-worker="${proof.worker}"`} novalidate>
${
  !isAtDesk &&
  html`<p class="trap" aria-hidden="true"><label>${saySubmission(site, 'Leave this empty')} \
<input type="text" name="${TRAP}" value="" tabindex="-1" autocomplete="off"></label></p>`
}
<fieldset><legend>${saySubmission(site, 'What, when, where')}</legend>
${line(form, 'title', { isNeeded: true, most: limits.title.characters })}
${times(form)}
${venue(form)}</fieldset>
<fieldset><legend>${saySubmission(site, 'About the event')}</legend>
${area(form, 'description', 8)}
${isAtDesk ? line(form, 'image_alt', { most: 300 }) : pictureField(form)}
${line(form, 'website', { type: 'url', most: limits.url.characters })}
${line(form, 'cost', { most: 200 })}
${control(form, { name: 'organizer_name', label: sayAtDesk(site, 'Organizer'), most: 300 })}
</fieldset>
<details class="more-fields"${areMoreOpen && html` open`}><summary>${sayAtDesk(site, 'Accessibility')}\
</summary>
<div class="facts">${FACTS.map((name) => tick(form, name))}</div>
${line(form, 'sign_language', { most: limits.line.characters })}
${line(form, 'access_note', { most: limits.line.characters })}
</details>
${sender && senderFields(form, sender)}
${form.buttons}
</form>`
}

const MORE = ['sign_language', 'access_note'] as const

const fieldNamed = (name: Name): Field => eventFields[name]

interface Control {
  name: string
  label: string
  type?: string
  hint?: string | undefined
  most?: number
  isNeeded?: boolean
  attributes?: Content
}

function control(
  form: SuggestForm,
  { name, label, type = 'text', hint, most, isNeeded, attributes }: Control,
): Html {
  const { typed, faults, viewing } = form
  const fault = faults[name]
  const { site } = viewing.context
  return html`<div class="field${fault !== undefined && html` wrong`}"><label for="${name}">\
${label}${isNeeded && html` <span class="needed">${saySubmission(site, '(needed)')}</span>`}</label>\
<input type="${type}" id="${name}" name="${name}"\
 value="${lastTyped(typed, name)}"${most !== undefined && html` maxlength="${most}"`}${
   isNeeded &&
   html`\
 required`
 }${attributes}${described(name, fault, hint !== undefined)}>\
${hintOf(name, hint)}${faultOf(name, fault)}</div>`
}

const hintOf = (name: string, hint: string | undefined) =>
  hint !== undefined && html`<p class="hint" id="${name}-hint">${hint}</p>`
const faultOf = (name: string, fault: string | undefined) =>
  fault !== undefined && html`<p class="error" id="${name}-error">${fault}</p>`

function line(form: SuggestForm, name: Name, more: Omit<Control, 'name' | 'label'> = {}): Html {
  const { site } = form.viewing.context
  const field = fieldNamed(name)
  const hint = field.hint === undefined ? undefined : sayAtDesk(site, field.hint as 'Title')
  return control(form, { name, label: labelOf(site, field), hint, ...more })
}

function area(form: SuggestForm, name: string, rows: number, label?: string, hint?: string): Html {
  const { site } = form.viewing.context
  const fault = form.faults[name]
  const said = label ?? labelOf(site, fieldNamed(name as Name))
  return html`<div class="field${fault !== undefined && html` wrong`}"><label for="${name}">${said}</label>\
<textarea id="${name}" name="${name}" rows="${rows}"${described(name, fault, hint !== undefined)}>\
\n${lastTyped(form.typed, name)}</textarea>${hintOf(name, hint)}${faultOf(name, fault)}</div>`
}

/** A checkbox. Unchecked means unknown, not no. */
function tick(form: SuggestForm, name: Name): Html {
  const { site } = form.viewing.context
  const isOn = lastTyped(form.typed, name) === 'yes'
  return html`<label class="tick"><input type="checkbox" name="${name}" value="yes"${
    isOn &&
    html`\
 checked`
  }> ${labelOf(site, fieldNamed(name))}</label>`
}

function pictureField(form: SuggestForm): Html {
  const { viewing, hasPicture, faults } = form
  const { site } = viewing.context
  const label = labelOf(site, eventFields.image)
  const fault = faults.image
  const kept =
    hasPicture &&
    html`<p class="kept">${saySubmission(site, 'Your picture is kept.')} <label class="tick">\
<input type="checkbox" name="without_picture" value="1"> ${saySubmission(site, 'Leave it out')}</label></p>`
  return html`<div class="field${fault !== undefined && html` wrong`}"><label for="image">${label}</label>\
${kept}<input type="file" id="image" name="image"\
 accept="image/jpeg,image/png,image/webp,image/gif,image/avif" data-most="${MOST_PICTURE}"\
 data-large="${saySubmission(site, 'A picture has 10 MB at the most.')}"${described('image', fault, true)}>\
${hintOf(
  'image',
  saySubmission(
    site,
    'JPEG, PNG, WebP, GIF or AVIF up to 10 MB. Only editors see it before it is published.',
  ),
)}${faultOf('image', fault)}</div>
${line(form, 'image_alt', { most: 300 })}`
}

/** Maximum bytes of a picture. */
export const MOST_PICTURE = 10_000_000

function times(form: SuggestForm): Html {
  const { typed, faults, viewing } = form
  const { site, now } = viewing.context
  const [isWholeDay, repeats] = [isSwitchOn(typed, 'all_day'), lastTyped(typed, 'repeats')]
  const last = addMonths(dayOf(wallNow(site.timezone, now)), 60)
  const date = (name: string, label: string, isNeeded = false) =>
    control(form, { name, label, type: 'date', isNeeded, attributes: html` min="2000-01-01" max="${last}"` })
  const time = (name: string, label: string) => control(form, { name, label, type: 'time' })
  const option = (value: string, text: string) =>
    html`<option value="${value}"${repeats === value && html` selected`}>${text}</option>`
  return html`<div class="row">${date('start_date', saySubmission(site, 'Day'), true)}\
${time('start_time', sayOfPages(site, 'From'))}${time('end_time', sayAtDesk(site, 'Until'))}</div>
<label class="tick"><input type="checkbox" name="all_day" value="1"${isWholeDay && html` checked`}>\
 ${labelOf(site, eventFields.all_day)}</label>
<div class="row">${date('end_date', saySubmission(site, 'Last day, if it lasts several'))}
<div class="field"><label for="repeats">${labelOf(site, eventFields.recurrence)}</label>\
<select id="repeats" name="repeats">${option('', sayAtDesk(site, 'Does not repeat'))}\
${option('weekly', sayAtDesk(site, 'Every week'))}\
${option('monthly', saySubmission(site, 'Every month on that weekday'))}</select>\
${faultOf('repeats', faults.repeats)}</div>
${date('repeat_until', saySubmission(site, 'Repeats until'))}</div>
<p class="hint">${saySubmission(
    site,
    'Times are in {zone}. Say anything else about dates in the note below.',
    { zone: zoneName(site, site.timezone) },
  )}</p>`
}

function venue(form: SuggestForm): Html {
  const { viewing } = form
  const { site } = viewing.context
  const { venues } = viewing
  return html`${control(form, {
    name: 'venue_name',
    label: sayAtDesk(site, 'Venue'),
    hint: saySubmission(site, 'Choose a known venue, or type its name and address.'),
    most: 300,
    attributes: html` list="venues" autocomplete="off"`,
  })}<datalist id="venues">${venues.map((name) => html`<option value="${name}"></option>`)}</datalist>`
}

function senderFields(
  form: SuggestForm,
  { isAddressNeeded, months, terms }: NonNullable<SuggestForm['sender']>,
): Html {
  const { site } = form.viewing.context
  const fault = form.faults.terms
  return html`<fieldset><legend>${saySubmission(site, 'About you')}</legend>
<p class="hint">${saySubmission(
    site,
    'Only the editors see your name and address; nothing of it is published.',
  )}</p>
${control(form, {
  name: 'sender_name',
  label: sayAtDesk(site, 'Your name'),
  isNeeded: true,
  most: 200,
  attributes: html` autocomplete="name"`,
})}
${control(form, {
  name: 'address',
  label: saySubmission(site, 'Your e-mail address'),
  type: 'email',
  isNeeded: isAddressNeeded,
  hint: isAddressNeeded
    ? saySubmission(site, 'You get a message with a link; your suggestion is read once you confirm it there.')
    : saySubmission(site, 'For questions of the editors. No message is sent to it automatically.'),
  most: limits.email.characters,
  attributes: html` autocomplete="email" inputmode="email"`,
})}
${area(form, 'note', 3, saySubmission(site, 'For the editors'))}
${
  terms !== '' &&
  html`<div class="field${fault !== undefined && html` wrong`}"><label class="tick">\
<input type="checkbox" id="terms" name="terms" value="1"${
    isSwitchOn(form.typed, 'terms') &&
    html`\
 checked`
  }${described('terms', fault)}> ${saySubmission(site, 'I agree to the terms.')}</label> \
<a href="${terms}" target="_blank">${saySubmission(site, 'Read the terms')}</a>${faultOf('terms', fault)}\
</div>`
}
<details class="privacy"><summary>${saySubmission(site, 'What is kept of you, and how long')}</summary>
<p>${privacyWords(site, isAddressNeeded, months)}</p></details></fieldset>`
}

function privacyWords(site: Site, isConfirmed: boolean, months: number): string {
  return [
    saySubmission(site, 'The editors of this calendar see your name, your address and your note.'),
    isConfirmed && saySubmission(site, 'What you do not confirm is deleted after 48 hours.'),
    saySubmission(site, 'Your network address is kept for a day, against abuse.'),
    saySubmission(
      site,
      'Name, address and note are deleted {months} months after the last decision, or at once by your link.',
      { months: String(months) },
    ),
  ]
    .filter((text) => text !== false)
    .join(' ')
}

/** Faults with links to their controls. A script moves the focus here. */
export function faultSummary({ site }: Context, faults: FormFaults): Content {
  const entries = Object.entries(faults)
  if (entries.length === 0) return false
  return html`<div class="summary" role="alert" tabindex="-1" id="faults"><p>\
${sayAtDesk(site, 'Please look at these fields:')}</p><ul>${entries.map(
    ([name, text]) => html`<li>\
<a href="#${name}">${labelAt(site, name)}: ${text}</a></li>`,
  )}</ul></div>`
}

export function labelAt(site: Site, name: string): string {
  const own: Readonly<Record<string, string>> = {
    start_time: sayOfPages(site, 'From'),
    end_time: sayAtDesk(site, 'Until'),
    start_date: saySubmission(site, 'Day'),
    end_date: saySubmission(site, 'Last day, if it lasts several'),
    repeat_until: saySubmission(site, 'Repeats until'),
    venue_name: sayAtDesk(site, 'Venue'),
    organizer_name: sayAtDesk(site, 'Organizer'),
    sender_name: sayAtDesk(site, 'Your name'),
    address: saySubmission(site, 'Your e-mail address'),
    note: saySubmission(site, 'For the editors'),
    terms: saySubmission(site, 'Terms'),
  }
  const field = Object.hasOwn(eventFields, name) ? labelOf(site, fieldNamed(name as Name)) : name
  return own[name] ?? field
}

export function doublesNote({ site, now }: Context, doubles: readonly NearEvent[]): Content {
  if (doubles.length === 0) return false
  const today = dayOf(wallNow(site.timezone, now))
  const lines = doubles.map((event) => {
    const url = recordUrl(site, 'event', event)
    const time = event.all_day ? '' : `, ${written(site, 'time', event.start_date)}`
    return html`<li><a href="${url}">${event.title}</a> <span>\
${writtenDay(site, dayOf(event.start_date), today)}${time}</span></li>`
  })
  return html`<div class="summary doubles" role="alert" tabindex="-1" id="faults"><h2>\
${saySubmission(site, 'Is it this one?')}</h2><p>\
${saySubmission(site, 'This may be in the calendar already. If it is, you need not send anything.')}</p>\
<ul>${lines}</ul></div>`
}
