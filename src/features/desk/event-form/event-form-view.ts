import { WEEKDAYS } from '../../../base/recurrence/recurrence.ts'
import { plainText } from '../../../base/text/html.ts'
import { addDays, dayOf, wallNow } from '../../../base/text/moments.ts'
import type { Context } from '../../../calendar/declare/context.ts'
import { event } from '../../../calendar/events/event.ts'
import { written } from '../../feeds/date-forms.ts'
import { capitalized, writtenDate } from '../../pages/page-dates.ts'
import { type Content, type Html, html } from '../../pages/page-html.ts'
import type { Clashes, NearEvent } from '../clashes.ts'
import {
  described,
  editorWords,
  fieldControl,
  guarded,
  inputOf,
  isEdited,
  labelOf,
  mostOf,
  statusName,
  UNSENT_BY_ENTER,
} from '../desk-inputs.ts'
import { allTyped, type DeskView, deskPath, deskTranslatorFor, lastTyped, sayAtDesk } from '../desk-page.ts'
import { eventLink } from '../record-links.ts'
import { categoriesCard, pictureCard, slugCard, statusCard } from './event-form-aside.ts'
import {
  chip,
  controlLabel,
  controlStateOf,
  type EventForm,
  type FormText,
  lineControl,
  madeChips,
  switchOf,
} from './event-form-controls.ts'
import { plainFields } from './event-form-values.ts'
import type { ShownDates } from './event-repeats.ts'

const PLACED = new Set([
  'title',
  'excerpt',
  'description',
  'slug',
  'status',
  'cost',
  'website',
  'show_map',
  'show_map_link',
  'hide_from_listings',
  'sticky',
  'featured',
  'event_status',
  'event_status_reason',
  'image_alt',
  'image_decorative',
])
const OF_ACCESS = new Set(['sign_language', 'access_note', 'access_contact'])
const OF_MEETINGS = new Set(['attendance', 'online_url', 'online_label', 'online_shown'])

function groupOf(
  name: string,
  field: (typeof plainFields)[number][1],
): 'placed' | 'access' | 'online' | 'more' {
  if (PLACED.has(name)) return 'placed'
  if (OF_ACCESS.has(name) || inputOf(field) === 'fact') return 'access'
  return OF_MEETINGS.has(name) ? 'online' : 'more'
}

const SHOWN = [
  'shown_image_alt',
  'shown_image_focus',
  'shown_image_decorative',
  'shown_venue',
  'shown_repeats',
]

export function eventFormView(form: EventForm): DeskView {
  const { context, typed, faults, known } = form
  const { site } = context
  const say = deskTranslatorFor(form.context.site)
  const title = plainText(lastTyped(typed, 'title'))
  const action = deskPath(site, known ? `/events/${known.id}` : '/events/new')
  return {
    ...(form.isConflict ? { status: 412 } : Object.keys(faults).length > 0 && { status: 422 }),
    title: known ? title || say('(no title)') : say('New event'),
    room: 'events',
    under: html`<a href="${deskPath(site, '/events')}">← ${say('Events')}</a>`,
    ...(form.notice !== undefined && { notice: form.notice }),
    actions: actionsOf(form),
    body: html`${faultLines(form)}${form.notes}<form class="edit event-form${
      known ? ' known' : ''
    }" method="post" action="${action}" enctype="multipart/form-data" novalidate${guarded(site)} \
data-event="${known ? String(known.id) : ''}" data-desk="${deskPath(site, '')}">
${UNSENT_BY_ENTER}${SHOWN.flatMap((name) =>
  typed[name] ? [html`<input type="hidden" name="${name}" value="${lastTyped(typed, name)}">`] : [],
)}
<div class="story">
${titleField(form)}
${seriesQuestion(form)}
${whenPart(form)}
${wherePart(form)}
${whatPart(form)}
${pricePart(form)}
${whoPart(form)}
${foldedParts(form)}
</div>
<aside class="aside">
${statusCard(form)}
${pictureCard(form)}
${categoriesCard(form)}
${slugCard(form)}
</aside>
${saveBar(form)}
</form>`,
  }
}

function faultLines(form: EventForm): Content {
  const say = deskTranslatorFor(form.context.site)
  const entries = Object.entries(form.faults)
  if (entries.length === 0) return ''
  const lines = entries.map(
    ([name, text]) => html`<li><a href="#${name}">${controlLabel(form.context.site, name)}: ${text}</a></li>`,
  )
  const head = form.isConflict
    ? say('Somebody else has changed this meanwhile. What you typed is still here; save again to keep it.')
    : say('Please look at these fields:')
  return html`<div class="summary" role="alert" tabindex="-1" id="faults"><p>${head}</p><ul>${lines}</ul>\
</div>`
}

function part(id: string, title: string, body: Content): Html {
  return html`<section class="part" aria-labelledby="${id}-part"><h2 id="${id}-part">${title}</h2>\
<div class="fields">${body}</div></section>`
}

function titleField(form: EventForm): Html {
  const say = deskTranslatorFor(form.context.site)
  const { title } = event.fields
  const fault = form.faults.title
  return html`<div class="field title-field"><label for="title" class="${
    form.known ? 'hidden' : ''
  }">${say('Title')}</label><input type="text" class="title-input" id="title" name="title" value="${lastTyped(
    form.typed,
    'title',
  )}" autocomplete="off" dir="auto" aria-required="true"${mostOf(title)}${described('title', fault)}${
    !form.known && Object.keys(form.faults).length === 0 && html` autofocus`
  }>${
    fault && html`<p class="error" id="title-error">${fault}</p>`
  }<div id="doubles" role="status">${nearLines(
    form.context,
    form.near.doubles,
    'Perhaps the same event:',
  )}</div></div>`
}

function seriesQuestion(form: EventForm): Content {
  const { known, typed, faults, ruleInWords } = form
  if (!known?.series) return ''
  const say = deskTranslatorFor(form.context.site)
  const chosen = lastTyped(typed, 'recurrence_scope') || 'this'
  const scopes = [
    ['this', 'This one'],
    ['following', 'This and the following'],
    ['all', 'All dates'],
  ] as const
  const fault = faults.recurrence_scope
  return html`<fieldset class="scope card" id="recurrence_scope"><legend>${say('One date of a series')}${
    ruleInWords && html` <span class="hint">${ruleInWords}</span>`
  }</legend><p class="hint" id="scope-about">${say(
    'What you change is for',
  )}</p><div class="chips" role="radiogroup" aria-labelledby="scope-about">${scopes.map(
    ([value, text]) =>
      html`<label class="chip"><input type="radio" name="recurrence_scope" value="${value}"${
        chosen === value && html` checked`
      }> ${say(text)}</label>`,
  )}</div>${fault && html`<p class="error">${fault}</p>`}</fieldset>`
}

function whenPart(form: EventForm): Html {
  const say = deskTranslatorFor(form.context.site)
  const { typed, times, faults } = form
  const zone = lastTyped(typed, 'timezone')
  const day = html` placeholder="${say('fri, 4 Dec, tomorrow …')}" spellcheck="false"`
  const clock = html` placeholder="19:30" data-clock spellcheck="false"`
  const required = html` aria-required="true"`
  return part(
    'when',
    say('When'),
    html`<div class="row times">${lineControl(form, 'start_date', say('Date'), {
      isDay: true,
      attributes: html`${day}${required}`,
    })}${lineControl(form, 'start_time', say('Starts'), {
      className: 'clock',
      attributes: html`${clock}${required}`,
    })}${lineControl(form, 'end_time', say('Ends'), { className: 'clock', attributes: clock })}${lineControl(
      form,
      'end_date',
      say('Last day'),
      { isDay: true, className: 'last-day', attributes: day },
    )}</div>
<p class="hint echo" id="when-words" role="status">${times.text}</p>${times.warnings.map(
      (text) => html`<p class="warning">${text}</p>`,
    )}
<div class="checks" id="again">${againTicks(form)}</div>
<div class="checks">${switchOf(form, 'all_day', say('All day'))}${switchOf(
      form,
      'several_days',
      say('More than one day'),
    )}<details class="inline"${faults.timezone !== undefined && html` open`}><summary>${say(
      'Time zone',
    )}${zone && html`: <span>${zone.replaceAll('_', ' ')}</span>`}</summary>${lineControl(
      form,
      'timezone',
      say('Time zone'),
      { attributes: html` list="zones"` },
    )}<datalist id="zones"></datalist></details></div>
<div id="clashes" role="status">${nearLines(
      form.context,
      form.near.clashes,
      'At the same time at this venue:',
    )}</div>
${repeatFields(form)}`,
  )
}

export function againTicks({ typed, times }: Pick<EventForm, 'typed' | 'times'>): Html {
  return html`${Array.from(times.again, ([name, label]) => switchOf({ typed }, name, label))}`
}

export function clashLines(
  context: Context,
  { clashes, doubles }: Clashes,
): { clashes: string; doubles: string } {
  return {
    clashes: nearLines(context, clashes, 'At the same time at this venue:').markup,
    doubles: nearLines(context, doubles, 'Perhaps the same event:').markup,
  }
}

function nearLines(context: Context, near: readonly NearEvent[], text: FormText): Html {
  const { site, now } = context
  const today = dayOf(wallNow(site.timezone, now))
  const links = near.map((event) => {
    const { title, status, start_date, all_day } = event
    const time = all_day ? '' : ` ${written(site, 'time', start_date)}`
    const state = status === 'publish' ? '' : ` (${statusName(site, status)})`
    return html`${eventLink(context, event, title || sayAtDesk(site, '(no title)'))}, ${writtenDate(
      site,
      dayOf(start_date),
      today,
    )}${time}${state}`
  })
  if (links.length === 0) return html``
  return html`<p class="warning">${sayAtDesk(site, text)} ${links.map(
    (link, at) => html`${at > 0 && '; '}${link}`,
  )}</p>`
}

const RULES: readonly (readonly [value: string, text: FormText])[] = [
  ['', 'Does not repeat'],
  ['daily', 'Every day'],
  ['weekly', 'Every week'],
  ['monthly', 'Every month'],
  ['yearly', 'Every year'],
  ['dates', 'On dates that I name'],
]

function repeatFields(form: EventForm): Html {
  const { typed, faults, ruleInWords } = form
  const say = deskTranslatorFor(form.context.site)
  const repeats = lastTyped(typed, 'repeats')
  const rules = repeats === 'as_is' ? [['as_is', ruleInWords] as const] : []
  const options = [...RULES.map(([value, text]) => [value, say(text)] as const), ...rules].map(
    ([value, text]) => html`<option value="${value}"${value === repeats && html` selected`}>${text}</option>`,
  )
  const fault = faults.repeats
  const unit = (rule: string, text: FormText) => html`<span class="for-${rule}">${say(text)}</span>`
  const every = html`<div class="field for-rule every"><label for="repeat_every">${say('Every')}</label>\
<span class="with-unit"><input type="text" id="repeat_every" name="repeat_every" inputmode="numeric" value="${
    lastTyped(typed, 'repeat_every') || '1'
  }"${described('repeat_every', faults.repeat_every)}>${unit('daily', 'days')}${unit(
    'weekly',
    'weeks',
  )}${unit('monthly', 'months')}${unit('yearly', 'years')}</span>${
    faults.repeat_every && html`<p class="error" id="repeat_every-error">${faults.repeat_every}</p>`
  }</div>`
  return html`<div class="repeats" id="repeat-fields"><div class="row"><div class="field">\
<label for="repeats">${say('Repeats')}</label><select id="repeats" name="repeats"${described(
    'repeats',
    fault,
  )}>${options}</select>${
    fault && html`<p class="error" id="repeats-error">${fault}</p>`
  }</div>${every}${lineControl(form, 'repeat_until', say('Until'), {
    isDay: true,
    className: 'for-rule',
  })}${lineControl(form, 'repeat_count', say('or number of dates'), {
    className: 'for-rule',
    attributes: html` inputmode="numeric"`,
  })}</div>
${weekdayBoxes(form)}${monthPlaces(form)}
${lineControl(form, 'more_dates', say('Further dates'), {
  className: 'for-any',
  attributes: html` placeholder="${say('4 Dec, 18 Dec, 8 Jan')}"`,
})}
<div class="for-any dates-shown" id="next-dates">${nextDatesList(form)}</div>
<button type="submit" class="button for-any show-dates" name="show" value="dates" formnovalidate>${say(
    'Show the dates',
  )}</button></div>`
}

function weekdayBoxes(form: EventForm): Html {
  const { site } = form.context
  const chosen = new Set(allTyped(form.typed, 'repeat_days'))
  const monday = '2026-11-23'
  const boxes = WEEKDAYS.map((name, at) => {
    const value = name.toLowerCase()
    return html`<label class="chip"><input type="checkbox" name="repeat_days[]" value="${value}"${
      chosen.has(value) && html` checked`
    }> ${written(site, 'weekdayShort', addDays(monday, at))}</label>`
  })
  return html`<fieldset class="for-weekly"><legend class="hidden">${deskTranslatorFor(form.context.site)(
    'On these days',
  )}</legend><div class="chips days">${boxes}</div></fieldset>`
}

function monthPlaces(form: EventForm): Html {
  const say = deskTranslatorFor(form.context.site)
  const chosen = lastTyped(form.typed, 'repeat_place') || 'day'
  const places = [
    ['day', 'on the same day of the month'],
    ['weekday', 'on the same weekday, as the second Tuesday'],
    ['last', 'on the last such weekday'],
    ['last_day', 'on the last day of the month'],
  ] as const
  return html`<fieldset class="for-monthly"><legend class="hidden">${say(
    'On which day',
  )}</legend>${places.map(
    ([value, text]) =>
      html`<label class="check"><input type="radio" name="repeat_place" value="${value}"${
        value === chosen && html` checked`
      }> ${say(text)}</label>`,
  )}</fieldset>`
}

export function nextDatesList(form: Pick<EventForm, 'context' | 'dates' | 'typed' | 'ruleInWords'>): Html {
  const { context, dates, typed } = form
  const { site } = context
  const shown = new Set(dates?.dates.map(({ day }) => day))
  // Left-out dates that have no checkbox here are kept in hidden controls.
  const hidden = allTyped(typed, 'left_out').filter((day) => !shown.has(day))
  const boxes = dates?.dates.map(
    ({ day, isLeftOut }) =>
      html`<li><label class="date"><input type="checkbox" name="left_out[]" value="${day}"${
        isLeftOut && html` checked`
      }> <span>${written(site, 'weekdayShort', day)} ${written(
        site,
        'dayMonthShort',
        day,
      )}</span></label></li>`,
  )
  return html`<input type="hidden" name="left_out[]" value="">${hidden.map(
    (day) => html`<input type="hidden" name="left_out[]" value="${day}">`,
  )}${
    boxes &&
    html`<p class="hint">${form.ruleInWords && `${capitalized(site, form.ruleInWords)}. `}${sayAtDesk(
      site,
      'Click a date to skip or restore it.',
    )}</p><ul class="dates">${boxes}${dates?.isMore && html`<li class="hint">…</li>`}</ul>`
  }${
    dates?.doOverlap &&
    html`<p class="warning">${sayAtDesk(
      site,
      'An event of this length is not over when the next date begins.',
    )}</p>`
  }${dates?.shifted && shiftedEnd(context, dates.shifted)}`
}

function shiftedEnd({ site }: Context, { start, end }: NonNullable<ShownDates['shifted']>): Html {
  const edges = { date: written(site, 'fullYear', dayOf(start)), time: written(site, 'time', end) }
  return html`<p class="warning">${sayAtDesk(
    site,
    'Since the clocks change, the date on {date} ends at {time}: all dates last equally long.',
    edges,
  )}</p>`
}

function wherePart(form: EventForm): Html {
  const say = deskTranslatorFor(form.context.site)
  const { typed, venues, faults } = form
  const [first, ...others] = allTyped(typed, 'venue')
  const venue = venues.get(Number(first))
  const name = typed.venue_name ? lastTyped(typed, 'venue_name') : plainText(venue?.venue ?? '')
  const fault = faults.venue_name
  const address = venue && [venue.address, venue.city].map(plainText).filter(Boolean).join(', ')
  const boxes = others.map(
    (id) =>
      html`<label class="check"><input type="checkbox" name="venue[]" value="${id}" checked> <span \
dir="auto">${plainText(venues.get(Number(id))?.venue ?? id)}</span></label>`,
  )
  const switches = (['show_map', 'show_map_link'] as const).map((one) =>
    switchOf(form, one, labelOf(form.context.site, event.fields[one])),
  )
  return part(
    'where',
    say('Where'),
    html`<div class="field"><label for="venue_name" class="hidden">${say('Venue')}</label>\
<input type="hidden" name="venue[]" id="venue" value="${first ?? ''}"><input type="text" id="venue_name" \
name="venue_name" value="${name}" autocomplete="off" dir="auto" data-names="venue" ${described(
      'venue_name',
      fault,
      true,
    )} placeholder="${say('Venue')}"><p class="hint" id="venue_name-hint">${
      address || say('Type a name; a new venue is created from what you type.')
    }</p>${fault && html`<p class="error" id="venue_name-error">${fault}</p>`}</div>${boxes}
<details class="inline"><summary>${say('Map')}</summary><div class="checks">${switches}</div></details>`,
  )
}

function whatPart(form: EventForm): Html {
  const say = deskTranslatorFor(form.context.site)
  return part(
    'what',
    say('What'),
    html`${textArea(form, 'excerpt', 2)}<div class="rich" id="rich">${textArea(
      form,
      'description',
      8,
    )}</div>`,
  )
}

function textArea(
  { context: { site }, typed, faults }: EventForm,
  name: 'excerpt' | 'description',
  rows: number,
): Html {
  const field = event.fields[name]
  const fault = faults[name]
  // Browsers drop a line break right after `<textarea>`, so one is added.
  return html`<div class="field"><label for="${name}">${labelOf(
    site,
    field,
  )}</label><textarea id="${name}" name="${name}" rows="${rows}" dir="auto"${
    isEdited(name, lastTyped(typed, name)) && html` data-words="${editorWords(site)}"`
  }${mostOf(field)}${described(name, fault)}>\n${lastTyped(typed, name)}</textarea>${
    fault && html`<p class="error" id="${name}-error">${fault}</p>`
  }</div>`
}

function pricePart(form: EventForm): Html {
  const say = deskTranslatorFor(form.context.site)
  const costs = form.typed.cost ?? ['']
  const fault = form.faults.cost
  const inputs = costs.map(
    (cost, at) =>
      html`<input type="text"${at === 0 ? html` id="cost"` : html` aria-label="${say('Cost')}"`} name="${
        costs.length > 1 ? 'cost[]' : 'cost'
      }" value="${cost}" autocomplete="off"${at === 0 && described('cost', fault)}>`,
  )
  return part(
    'price',
    say('Price'),
    html`<div class="row"><div class="field"><label for="cost">${say('Cost')}</label>${inputs}${
      fault && html`<p class="error" id="cost-error">${fault}</p>`
    }${anotherCost(form)}</div>${fieldControl(controlStateOf(form), 'website', event.fields.website)}</div>`,
  )
}

function anotherCost(form: EventForm): Content {
  const say = deskTranslatorFor(form.context.site)
  if (lastTyped(form.typed, 'cost') === '') return ''
  const [typed, fault] = [lastTyped(form.typed, 'another_cost'), form.faults.another_cost]
  return html`<details class="inline"${(typed !== '' || fault !== undefined) && html` open`}><summary>${say(
    'Add a price',
  )}</summary>${lineControl(form, 'another_cost', say('Add a price'))}</details>`
}

function whoPart(form: EventForm): Html {
  const say = deskTranslatorFor(form.context.site)
  const { typed, organizers, faults } = form
  const boxes = allTyped(typed, 'organizer').map((id) =>
    chip('organizer[]', id, plainText(organizers.get(Number(id))?.organizer ?? id)),
  )
  const fault = faults.organizer_name
  return part(
    'who',
    say('Who'),
    html`<input type="hidden" name="organizer[]" value="">\
<div class="chips" id="organizer">${boxes}${madeChips(
      typed,
      'organizer_name',
    )}</div><div class="field"><label for="organizer_name" class="hidden">${say(
      'Organizers',
    )}</label><input type="text" id="organizer_name" name="organizer_name[]" value="${lastTyped(
      typed,
      'organizer_name',
    )}" autocomplete="off" dir="auto" data-names="organizer" placeholder="${say(
      'Add an organizer',
    )}"${described(
      'organizer_name',
      fault,
    )}>${fault && html`<p class="error" id="organizer_name-error">${fault}</p>`}</div>`,
  )
}

function foldedParts(form: EventForm): Html {
  const say = deskTranslatorFor(form.context.site)
  const state = controlStateOf(form)
  const groups = [
    ['access', 'Accessibility'],
    ['online', 'Taking part online'],
    ['more', 'More'],
  ] as const
  return html`${groups.map(([group, title]) => {
    const fields = plainFields.filter(([name, field]) => groupOf(name, field) === group)
    if (fields.length === 0) return ''
    const isOpen = fields.some(
      ([name]) => form.faults[name] !== undefined || !isBlank(lastTyped(form.typed, name)),
    )
    return html`<details class="part folded"${
      isOpen && html` open`
    }><summary><h2>${say(title)}</h2></summary><div class="fields ${
      group === 'access' ? 'facts' : ''
    }">${fields.map(([name, field]) => fieldControl(state, name, field))}</div></details>`
  })}`
}

const isBlank = (value: string) => value === '' || value === '0' || value === 'always'

type Goal = readonly [status: string, text: FormText]

function goalsOf({ known, may }: EventForm): Goal[] {
  if (may.propose) return may.statuses.map((status) => [status, 'Propose change'])
  const isPublic = known !== undefined && ['publish', 'private', 'future'].includes(known.status)
  return may.statuses.map((status): Goal => {
    if (status === 'draft') return [status, isPublic ? 'Revert to draft' : 'Save draft']
    if (status === 'pending') return [status, known?.status === 'pending' ? 'Update' : 'Send for review']
    if (status === known?.status) return [status, 'Update']
    if (status === 'private') return [status, 'Save as private']
    if (status === 'future') return [status, 'Publish later']
    return [status, status === 'publish' ? 'Publish' : 'Save']
  })
}

function saveBar(form: EventForm): Html {
  const say = deskTranslatorFor(form.context.site)
  const { known, key, formName, may, context, typed } = form
  const { site } = context
  const status = lastTyped(typed, 'status')
  const goals = goalsOf(form)
  const main = goals.map(
    ([goal, text]) =>
      html`<button type="submit" class="button main to-${goal}${goal === status ? ' first' : ''}"${
        goal === status && html` accesskey="s"`
      }>${say(text)}</button>`,
  )
  const beside = goals
    .filter(([goal]) => goal !== status && nextSteps(form).includes(goal))
    .map(
      ([goal, text]) =>
        html`<button type="submit" class="button beside-${goal}" name="status" value="${goal}">${say(text)}\
</button>`,
    )
  const preview = deskPath(site, `/events/preview${known ? `?id=${known.id}` : ''}`)
  const trash =
    known &&
    may.trash &&
    known.status !== 'trash' &&
    html`<button type="submit" class="button quiet bad end" formaction="${deskPath(
      site,
      `/events/${known.id}/trash`,
    )}" formnovalidate>${say('Trash')}</button>`
  return html`<div class="savebar"><input type="hidden" name="key" value="${key}">\
<input type="hidden" name="form" value="${formName}">${
    known && html`<input type="hidden" name="version" value="${known.version}">`
  }${main}${beside}<button type="submit" class="button" formaction="${preview}" formtarget="kalends-preview" \
formnovalidate>${say('Preview')}</button>${trash}</div>`
}

function actionsOf({ known, may, context: { site } }: EventForm): Content {
  if (!known) return undefined
  const action = (path: string, text: FormText) =>
    html`<a class="button quiet" href="${path}">${sayAtDesk(site, text)}</a>`
  const own = deskPath(site, `/events/${known.id}`)
  return html`${known.status === 'publish' && action(known.address, 'View')}${
    !may.propose && html`${action(`${own}/duplicate`, 'Duplicate')}${action(`${own}/history`, 'History')}`
  }`
}

function nextSteps({ known, may }: EventForm): readonly string[] {
  if (known && !['draft', 'pending'].includes(known.status)) return []
  const onward = may.statuses.includes('publish') ? 'publish' : 'pending'
  return known ? [onward] : [onward, 'draft']
}
