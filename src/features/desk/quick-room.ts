import { randomUUID } from 'node:crypto'
import type { Site } from '../../base/config.ts'
import { isFault, type Start } from '../../base/recurrence/recurrence.ts'
import { recurrenceInWords } from '../../base/recurrence/recurrence-in-words.ts'
import { readRecurrence } from '../../base/recurrence/recurrence-text.ts'
import { decodedText } from '../../base/text/html.ts'
import { addDays } from '../../base/text/moments.ts'
import type { Context } from '../../calendar/declare/context.ts'
import { localeOf } from '../../calendar/locales/date-locales.ts'
import { can } from '../../calendar/people/caller.ts'
import { type Content, type Html, html } from '../pages/page-html.ts'
import {
  type DeskAnswer,
  type DeskPage,
  type DeskRequest,
  deskPath,
  deskTranslatorFor,
  fieldOf,
  sayAtDesk,
  type TypedForm,
} from './desk-page.ts'
import type { DeskText } from './desk-texts.ts'
import { mayUseForm } from './event-form/event-form.ts'
import { typedRepeats } from './event-form/event-repeats.ts'
import { NOTHING_SAID, readTimes, timesInWords, typedDay } from './event-form/event-times.ts'
import type { PickedName } from './picked-names.ts'
import { findQuickLinks, type QuickLine, type QuickLinks, readQuickLine } from './spoken/quick-line.ts'

// Reads an event from one line of natural language and shows it as a form; only sending the form saves it.

const LONGEST_LINE = 300

export function quickLineForm(site: Site, value = ''): Html {
  const say = deskTranslatorFor(site)
  return html`<form class="quick" method="post" action="${deskPath(site, '/quick')}"><label for="line">${say(
    'An event in one line',
  )}</label><div class="pair"><input type="text" id="line" name="line" value="${value}" \
maxlength="${LONGEST_LINE}" placeholder="${say(
    'Choir Tue 19:00–21:00 @ St Brigid’s #music',
  )}" autocomplete="off" aria-describedby="line-hint" accesskey="q">\
<button type="submit" class="button">${say('Show event')}</button></div><p class="hint" id="line-hint">${say(
    'You see what was understood before anything is saved.',
  )}</p></form>`
}

async function readLine(request: DeskRequest): Promise<DeskAnswer> {
  const { context, query } = request
  const { site, now } = context
  mayUseForm(context)
  const text = (fieldOf(request, 'line') || (query.get('line') ?? '')).trim()
  const line = readQuickLine(text, { language: localeOf(site), timezone: site.timezone, now })
  const title = sayAtDesk(site, 'Add quickly')
  const under = sayAtDesk(site, 'One line in plain words')
  if (text === '') return { title, under, room: 'events', body: quickLineForm(site) }
  if (!line) {
    const fault = sayAtDesk(site, 'A line has up to {count} characters.', { count: String(LONGEST_LINE) })
    const body = html`<div class="summary" role="alert" tabindex="-1" id="faults"><p>${fault}</p>\
</div>${quickLineForm(site, text)}`
    return { status: 422, title, under, room: 'events', body }
  }
  const links = await findQuickLinks(line, context)
  return {
    title,
    under,
    room: 'events',
    body: html`${quickLineForm(site, text)}${understood(context, line, links)}`,
  }
}

function controlsOf({ site }: Context, line: QuickLine, { title }: QuickLinks): TypedForm {
  const { start_date, start_time, end_date, end_time, all_day } = line
  const isNight =
    start_date !== undefined && end_date === addDays(start_date, 1) && (end_time ?? '') < (start_time ?? '')
  const isSeveral = end_date !== undefined && end_date !== start_date && !isNight
  return {
    title: [title],
    start_date: [start_date === undefined ? '' : typedDay(site, start_date)],
    start_time: [start_time ?? ''],
    end_date: [isSeveral ? typedDay(site, end_date) : ''],
    end_time: [end_time ?? ''],
    several_days: [isSeveral ? '1' : '0'],
    all_day: [all_day ? '1' : '0'],
  }
}

function understood(context: Context, line: QuickLine, links: QuickLinks): Html {
  const { site, caller } = context
  const say = deskTranslatorFor(site)
  const controls = controlsOf(context, line, links)
  const times = readTimes(context, controls)
  const isRead = Object.keys(times.faults).length === 0
  const said = isRead ? timesInWords(context, times) : NOTHING_SAID
  const field = (name: string, label: DeskText, more: Content = '') =>
    html`<div class="field"><label for="${name}">${say(label)}</label><input type="text" id="${name}" \
name="${name}" value="${controls[name]?.[0]}" autocomplete="off"${
      times.faults[name] && html` aria-invalid="true"`
    }${more}></div>`
  const isAllDay = line.all_day
  const isSeveral = controls.several_days?.[0] === '1'
  const hidden = (name: string, values: readonly string[] = []) =>
    values.map((value) => html`<input type="hidden" name="${name}" value="${value}">`)
  return html`<form class="understood card" method="post" action="${deskPath(
    site,
    '/events/new',
  )}" aria-labelledby="understood"><h2 id="understood">${say('What was understood')}</h2>
${field('title', 'Title', html` dir="auto" aria-required="true" autofocus`)}
<div class="row">${field('start_date', 'Date')}${
    !isAllDay && html`${field('start_time', 'Starts')}${field('end_time', 'Ends')}`
  }${isSeveral && field('end_date', 'Until')}</div>
<p class="hint" role="status">${
    isRead
      ? said.text
      : say(
          line.start_date === undefined ? 'No day was found in the line.' : 'No time was found in the line.',
        )
  }${said.warnings.map((warning) => html` <b class="warn">${warning}</b>`)}</p>
${
  isAllDay &&
  html`<label class="check"><input type="checkbox" name="all_day" value="1"
checked> ${say('All day')}</label>`
}
${repeats(context, line, times)}
${venueOf(context, links)}
${labelsOf(context, links)}
${hidden(
  'several_days',
  controls.several_days,
)}<input type="hidden" name="timezone" value="${site.timezone}"><input type="hidden" name="key" \
value="${randomUUID()}">
<p class="ways start">${
    can(caller, 'publish')
      ? html`<button type="submit" class="button main" name="status" value="publish">${say('Publish')}\
</button><button type="submit" class="button" name="status" value="draft">${say('Save as a draft')}</button>`
      : html`<button type="submit" class="button main" name="status" value="pending">${say(
          'Send for review',
        )}</button><button type="submit" class="button" name="status" value="draft">${say(
          'Save as a draft',
        )}</button>`
  }<button type="submit" class="button quiet" formmethod="get" formnovalidate>${say(
    'Open in the form',
  )}</button></p></form>`
}

function repeats(
  context: Context,
  { recurrence }: QuickLine,
  { start, zone, isAllDay }: ReturnType<typeof readTimes>,
): Content {
  if (!recurrence || start === undefined) return ''
  const { site } = context
  const from: Start = { local: start, zone, allDay: isAllDay }
  const rule = readRecurrence(recurrence, from)
  if (!rule || isFault(rule)) return ''
  const words = recurrenceInWords(rule, from, site.language, context.say)
  const controls = Object.entries(typedRepeats(context, rule, from)).flatMap(([name, texts]) =>
    texts.map((text) =>
      name === 'repeats'
        ? html`<label class="check"><input type="checkbox" name="repeats" value="${text}" checked> \
${words}</label>`
        : html`<input type="hidden" name="${texts.length > 1 ? `${name}[]` : name}" value="${text}">`,
    ),
  )
  return html`<div class="field"><span class="label">${sayAtDesk(site, 'Repeats')}</span>${controls}</div>`
}

function venueOf({ site }: Context, { venue, newVenue }: QuickLinks): Content {
  const name = venue ? decodedText(venue.name) : newVenue
  if (name === undefined) return ''
  const hint = venue
    ? [sayAtDesk(site, 'Found in the directory'), decodedText(venue.about)].filter(Boolean).join(' · ')
    : sayAtDesk(site, 'Will be created')
  return html`<div class="field"><label for="venue_name">${sayAtDesk(
    site,
    'Venue',
  )}</label><input type="text" id="venue_name" name="venue_name" value="${name}" dir="auto" \
autocomplete="off" aria-describedby="venue-hint"><p class="hint" id="venue-hint">${hint}</p></div>`
}

function labelsOf({ site }: Context, { categories, tags, newTags }: QuickLinks): Content {
  if (categories.length + tags.length + newTags.length === 0) return ''
  const box = (name: string, value: string, text: string, more: Content = '') =>
    html`<label class="check"><input type="checkbox" name="${name}" value="${value}" checked> <span \
dir="auto">${text}</span>${more}</label>`
  const known = (name: string) => (one: PickedName) => box(`${name}[]`, String(one.id), decodedText(one.name))
  return html`<fieldset class="field"><legend>${sayAtDesk(site, 'Categories')} · ${sayAtDesk(
    site,
    'Tags',
  )}</legend>${categories.map(known('categories'))}${tags.map(known('tags'))}${newTags.map((name) =>
    box('new_tags[]', name, name, html` <small class="hint">${sayAtDesk(site, 'Will be created')}</small>`),
  )}</fieldset>`
}

export const quickPages: readonly DeskPage[] = [{ at: '/quick', get: readLine, post: readLine }]
