import { utcToMs, wallNow } from '../../../base/text/moments.ts'
import type { Context } from '../../../calendar/declare/context.ts'
import { event } from '../../../calendar/events/event.ts'
import type { EventRow } from '../../../store/storage/schema.ts'
import { pictureOf } from '../../pages/cards.ts'
import { type Html, html, link } from '../../pages/page-html.ts'
import { described, type FormFaults, fieldControl, labelOf, statusName } from '../desk-inputs.ts'
import {
  allTyped,
  deskTranslatorFor,
  isSwitchOn,
  lastTyped,
  sayAtDesk,
  type TypedForm,
} from '../desk-page.ts'
import { focusChoice, libraryChoice } from '../picture-library.ts'
import {
  chip,
  controlStateOf,
  type EventForm,
  type FormText,
  lineControl,
  madeChips,
  switchOf,
} from './event-form-controls.ts'
import { uploadField } from './event-picture.ts'
import { readTimes, typedTimes } from './event-times.ts'

// The cards beside an event's form, and the controls for its publication date.

const LISTED = ['featured', 'sticky', 'hide_from_listings'] as const

export function statusCard(form: EventForm): Html {
  const say = deskTranslatorFor(form.context.site)
  const { typed, may, context, faults } = form
  const status = lastTyped(typed, 'status')
  const options = may.statuses.map(
    (one) =>
      html`<option value="${one}"${one === status && html` selected`}>${statusName(
        context.site,
        one,
      )}</option>`,
  )
  const held = lastTyped(typed, 'event_status') || 'scheduled'
  const states = [
    ['scheduled', 'Takes place'],
    ['postponed', 'Postponed'],
    ['canceled', 'Canceled'],
  ] as const
  const radios = states.map(
    ([value, text]) =>
      html`<label class="check"><input type="radio" name="event_status" value="${value}"${
        held === value && html` checked`
      }> ${say(text)}</label>`,
  )
  const switches = LISTED.map((name) => switchOf(form, name, labelOf(context.site, event.fields[name])))
  const isShownApart = LISTED.some((name) => isSwitchOn(typed, name))
  const fault = faults.status
  return html`<section class="card status-card"><div class="field">\
<label for="status">${say('Status')}</label><select id="status" name="status"${described(
    'status',
    fault,
  )}>${options}</select>${fault && html`<p class="error" id="status-error">${fault}</p>`}</div>${
    may.statuses.includes('future') && !may.propose && publicationFields(form)
  }
<fieldset class="held" id="event_status"><legend class="hidden">${say(
    'Takes place',
  )}</legend>${radios}</fieldset>
<div class="reason">${fieldControl(
    controlStateOf(form),
    'event_status_reason',
    event.fields.event_status_reason,
  )}</div>
${form.known && !may.propose && newDayFields(form)}<details class="inline"${
    isShownApart && html` open`
  }><summary>${say('In lists')}</summary><div class="checks">${switches}</div></details></section>`
}

function newDayFields(form: EventForm): Html {
  const say = deskTranslatorFor(form.context.site)
  const hint = (text: FormText) => html`<p class="hint">${say(text)}</p>`
  const day = lineControl(form, 'later_date', say('New day'), {
    isDay: true,
    attributes: html` maxlength="100"`,
    hint: hint('If it is known: fri, 4 Dec, tomorrow …'),
  })
  const time = lineControl(form, 'later_time', say('New time'), {
    attributes: html` maxlength="100"`,
    hint: hint('Leave it empty to keep the time.'),
  })
  return html`<div class="new-day">${day}${time}${hint(
    'The event is made again on that day. The page of each leads to the other.',
  )}</div>`
}

export function pictureCard(form: EventForm): Html {
  const say = deskTranslatorFor(form.context.site)
  const { image, may, library, context, typed, faults } = form
  const chosen = lastTyped(typed, 'image')
  const picture = image && pictureOf(context, image)
  const fault = faults.image
  const isPictured = may.upload || image !== undefined
  if (!isPictured && library.rows.length === 0) return html``
  const isSilent =
    image !== undefined &&
    lastTyped(typed, 'image_alt').trim() === '' &&
    !isSwitchOn(typed, 'image_decorative')
  return html`<section class="card picture-card" id="image"><h2>${say('Picture')}</h2>\
<div class="picture" id="picture-shown">${
    picture &&
    html`<img src="${link(
      picture.src,
    )}" width="${picture.width}" height="${picture.height}" alt="${picture.alt}">`
  }</div>
${may.upload && uploadField(context, image !== undefined)}${
  fault && html`<p class="error" id="image-error">${fault}</p>`
}
${
  isPictured &&
  html`${lineControl(form, 'image_alt', say('What it shows'), {
    attributes: html` dir="auto"`,
    hint: html`<p class="hint">${say('For those who do not see it.')}</p>`,
  })}<div class="checks">${switchOf(
    form,
    'image_decorative',
    labelOf(context.site, event.fields.image_decorative),
  )}</div>`
}${
  isSilent && html`<p class="warning">${say('Nobody who does not see the picture knows what it shows.')}</p>`
}
${
  image &&
  html`<details class="inline"><summary>${say('What stays in view')}</summary>${focusChoice(
    context.site,
    lastTyped(typed, 'image_focus'),
  )}</details>`
}
<details class="inline"${(!isPictured || library.search !== '') && html` open`}><summary>${say(
    'From the library',
  )}</summary>${libraryChoice(context, library, { chosen, none: '', image })}</details></section>`
}

export function categoriesCard(form: EventForm): Html {
  const say = deskTranslatorFor(form.context.site)
  const { categories, typed, may, tags, faults } = form
  const chosen = new Set(allTyped(typed, 'categories'))
  const boxes = categories.options.map(
    ({ value, text, level = 0 }) =>
      html`<label class="check level-${Math.min(
        level,
        4,
      )}"><input type="checkbox" name="categories[]" value="${value}"${
        chosen.has(value) && html` checked`
      }> <span dir="auto">${text}</span></label>`,
  )
  const known = [...tags].map(([id, name]) => chip('tags[]', id, name))
  const made =
    may.makeCategory &&
    lineControl(form, 'new_categories', say('New category'), {
      attributes: html` dir="auto" data-names="category"`,
      hint:
        categories.areMore &&
        html`<p class="hint">${say('There are more categories: type the name of one, and it is found.')}</p>`,
    })
  const hint = may.makeTag
    ? say('Separate them by commas.')
    : say('Separate them by commas; new ones wait for review.')
  return html`<section class="card"><fieldset id="categories"${described(
    'categories',
    faults.categories,
  )}><legend>${say(
    'Categories',
  )}</legend><input type="hidden" name="categories[]" value=""><div class="tree">${boxes}</div>\
<div class="chips">${madeChips(typed, 'new_categories')}</div>${
    faults.categories && html`<p class="error" id="categories-error">${faults.categories}</p>`
  }</fieldset>${made}
<fieldset id="tags"><legend class="hidden">${say('Tags')}</legend><input type="hidden" name="tags[]" \
value=""><div class="chips">${known}${madeChips(typed, 'new_tags')}</div></fieldset>${lineControl(
    form,
    'new_tags',
    say('Tags'),
    { attributes: html` dir="auto" data-names="tag"`, hint: html`<p class="hint">${hint}</p>` },
  )}</section>`
}

export function slugCard(form: EventForm): Html {
  const say = deskTranslatorFor(form.context.site)
  const { authors, typed, known, faults } = form
  const chosen = lastTyped(typed, 'author')
  const author =
    authors.length > 0 &&
    html`<div class="field"><label for="author">${say('Author')}</label>\
<select id="author" name="author"${described('author', faults.author)}>${authors.map(
      ({ id, name }) =>
        html`<option value="${id}"${String(id) === chosen && html` selected`}>${name}</option>`,
    )}</select>${faults.author && html`<p class="error" id="author-error">${faults.author}</p>`}</div>`
  return html`<section class="card">${fieldControl(
    controlStateOf(form),
    'slug',
    event.fields.slug,
  )}<p class="hint">${known?.address || say('Left empty, it is made from the title.')}</p>${author}</section>`
}

/** Returns the controls for publication date and time; empty unless the event waits for these. */
export function publicationControls(site: Context['site'], { status, date }: EventRow): TypedForm {
  if (status !== 'future') return {}
  const { start_date = [], start_time = [] } = typedTimes(site, {
    start_date: date,
    end_date: date,
    all_day: false,
    timezone: site.timezone,
  })
  return { date: start_date, date_time: start_time }
}

function publicationFields(form: EventForm): Html {
  const { site } = form.context
  const say = deskTranslatorFor(form.context.site)
  return html`<div class="later">${lineControl(form, 'date', labelOf(site, event.fields.date), {
    isDay: true,
  })}${lineControl(form, 'date_time', say('Time'), {
    hint: html`<p class="hint">${site.timezone.replaceAll('_', ' ')}</p>`,
  })}</div>`
}

/**
 * Reads the publication date; `date` is missing if unchanged. If an event that waits for its date is set to
 * `publish`, the date is the present time.
 * @param shown the stored event's controls
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
