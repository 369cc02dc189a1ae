// The form of an event: shows the typed times in words, moves the end with the start, suggests names, and
// stores the typed text until it is saved.

import { comboboxOn } from './combobox.js'

/** @type {HTMLFormElement | null} */
const form = document.querySelector('form.event-form')
const desk = form?.dataset.desk ?? ''
const event = form?.dataset.event ?? ''

/**
 * The service's response to the typed fields.
 * @typedef {{ text: string, warnings: string[], again: string, faults: Record<string, string>, start: string,
 * end: string,   typed: Record<string, string>, dates: string, clashes: string, doubles: string }} Said
 */

/** The controls of times, and the names of all fields that the service puts into words. */
const TIMES = ['start_date', 'start_time', 'end_date', 'end_time']
const SAID = new RegExp(
  '^(title|all_day|several_days|timezone|venue|venue_name|repeats|repeat_\\w+|left_out|more_dates' +
    '|(start|end)_(date|time|again))(\\[\\])?$',
)

/** @param {string} id @returns {HTMLInputElement | undefined} */
function inputAt(id) {
  const found = document.getElementById(id)
  return found instanceof HTMLInputElement ? found : undefined
}

/** @param {(name: string) => boolean} isWanted */
function fieldsOf(isWanted) {
  const fields = new URLSearchParams()
  if (form)
    for (const [name, value] of new FormData(form))
      if (typeof value === 'string' && isWanted(name)) fields.append(name, value)
  fields.set('id', event)
  return fields
}

/** @param {string} path @param {URLSearchParams} body @param {RequestInit} [more] */
async function send(path, body, more) {
  const answer = await fetch(desk + path, { method: 'POST', body, ...more })
  return answer.ok ? answer.json() : undefined
}

/** The start and end of the event before the typed change. @type {Pick<Said, 'start' | 'end'> | undefined} */
let latest
/** @type {AbortController | undefined} */
let asking
/** True if the start has changed, and no response has moved the end since. */
let hasMoved = false

/**
 * Asks the service for the typed fields in words. `isMoved`: the start has changed, so the end moves along.
 * `isLeft`: a control of times was left. `isMoving`: a start is being typed, and the end follows when the
 * control is left.
 * @param {{ isMoved?: boolean, isLeft?: boolean, isMoving?: boolean }} [how]
 */
async function ask({ isMoved = false, isLeft = false, isMoving = false } = {}) {
  asking?.abort()
  asking = new AbortController()
  const fields = fieldsOf((name) => SAID.test(name))
  hasMoved ||= isMoved
  if (hasMoved && latest?.start) fields.set('moved_from', `${latest.start}|${latest.end}`)
  const before = TIMES.map((name) => inputAt(name)?.value)
  try {
    /** @type {Said | undefined} */
    const said = await send('/events/words', fields, { signal: asking.signal })
    if (!said) return
    const isSame = TIMES.every((name, at) => inputAt(name)?.value === before[at])
    if (
      (isLeft || (hasMoved && !isMoving)) &&
      isSame &&
      said.start !== '' &&
      Object.keys(said.faults).length === 0
    )
      writeTimes(said.typed)
    show(said)
    if (said.start === '' || said.end === '' || isMoving) return
    latest = said
    hasMoved = false
  } catch {
    // Without a response, the form shows faults only when it is saved.
  }
}

/**
 * Writes the times that the service has understood into their controls.
 * @param {Record<string, string>} typed
 */
function writeTimes(typed) {
  for (const name of TIMES) {
    const input = inputAt(name)
    const text = typed[name]
    const isFree = input !== document.activeElement || name === 'end_time' || input?.value === ''
    if (input && text !== undefined && input.type === 'text' && isFree && input.value !== text) {
      input.value = text
      if (input === document.activeElement) input.select()
    }
    if (input && text && input.type === 'time') input.value = text
  }
}

/** @param {Said} said */
function show({ text, warnings, again, faults, dates, clashes, doubles }) {
  const words = document.getElementById('when-words')
  if (words && words.textContent !== text) words.textContent = text
  for (const old of document.querySelectorAll('#when-words ~ .warning')) old.remove()
  for (const warning of warnings.toReversed()) {
    const line = document.createElement('p')
    line.className = 'warning'
    line.textContent = warning
    words?.after(line)
  }
  for (const name of TIMES) showFault(name, faults[name])
  put('next-dates', dates)
  put('again', again)
  put('clashes', clashes)
  put('doubles', doubles)
}

/**
 * Shows markup from the service in the element `id`, unless the focus is inside.
 * @param {string} id
 * @param {string} markup
 */
function put(id, markup) {
  const place = document.getElementById(id)
  if (!place || place.dataset.markup === markup || place.contains(document.activeElement)) return
  place.dataset.markup = markup
  place.innerHTML = markup
}

/**
 * Shows a fault at a control that is not empty, once the focus has left it.
 * @param {string} name
 * @param {string | undefined} text
 */
function showFault(name, text) {
  const input = inputAt(name)
  if (!input || input === document.activeElement) return
  document.getElementById(`${name}-error`)?.remove()
  const isWrong = text !== undefined && input.value.trim() !== ''
  input.toggleAttribute('aria-invalid', isWrong)
  if (!isWrong) return input.removeAttribute('aria-describedby')
  input.setAttribute('aria-invalid', 'true')
  input.setAttribute('aria-describedby', `${name}-error`)
  const line = document.createElement('p')
  line.className = 'error'
  line.id = `${name}-error`
  line.textContent = text
  ;(input.closest('.with-picker') ?? input).after(line)
}

/**
 * Gives touch screens the time picker of the device, and each date field a button that opens the browser's
 * calendar.
 */
function preparePickers() {
  const isTouch = matchMedia('(pointer: coarse)').matches
  for (const input of form?.querySelectorAll('[data-clock]') ?? [])
    if (input instanceof HTMLInputElement && isTouch) input.type = 'time'
  for (const input of form?.querySelectorAll('[data-day]') ?? [])
    if (input instanceof HTMLInputElement) addPicker(input)
}

/** @param {HTMLInputElement} input */
function addPicker(input) {
  const picker = document.createElement('input')
  if (!('showPicker' in picker)) return
  picker.type = 'date'
  picker.className = 'picker'
  picker.tabIndex = -1
  picker.setAttribute('aria-hidden', 'true')
  picker.addEventListener('change', () => {
    if (picker.value === '') return
    input.value = picker.value
    input.dispatchEvent(new Event('input', { bubbles: true }))
    input.dispatchEvent(new Event('change', { bubbles: true }))
  })
  input.after(picker)
}

const chips = /** @type {const} */ ({ organizer: 'organizer[]', tag: 'tags[]' })
const made = /** @type {const} */ ({ organizer: 'organizer_name[]', tag: 'new_tags[]' })

/** @param {string} name @param {string} value @param {string} text @param {Element | null} into */
function addChip(name, value, text, into) {
  const chip = document.createElement('label')
  chip.className = 'chip'
  const box = document.createElement('input')
  Object.assign(box, { type: 'checkbox', name, value, checked: true })
  const label = document.createElement('span')
  label.dir = 'auto'
  label.textContent = text
  chip.append(box, ' ', label)
  into?.append(chip)
}

/** @param {HTMLInputElement} input */
function pickNames(input) {
  const kind = input.dataset.names
  comboboxOn(input, {
    find: async (text) => {
      const part = kind === 'tag' ? (text.split(',').at(-1) ?? '') : text
      const answer = await fetch(
        `${desk}/names?${new URLSearchParams({ kind: kind ?? '', starts: part.trim() })}`,
      )
      return answer.ok ? answer.json() : { names: [] }
    },
    pick: (id, name) => {
      // A picked name changes the form as typing does, so the text is stored.
      queueMicrotask(() => form?.dispatchEvent(new Event('input')))
      if (kind === 'venue') {
        input.value = name
        const hidden = inputAt('venue')
        if (hidden) hidden.value = id
        input.dispatchEvent(new Event('change', { bubbles: true }))
        return
      }
      if (kind === 'category') return chooseCategory(input, id, name)
      if (kind !== 'organizer' && kind !== 'tag') return
      const place = document.querySelector(kind === 'tag' ? '#tags .chips' : '#organizer')
      addChip(id === '' ? made[kind] : chips[kind], id === '' ? name : id, name, place)
      input.value = kind === 'tag' ? input.value.split(',').slice(0, -1).join(',') : ''
    },
  })
}

/**
 * Turns a typed organizer or tag into a chip when Enter is pressed.
 * @param {HTMLInputElement} input
 */
function addByEnter(input) {
  input.addEventListener('keydown', (event) => {
    const name = input.value.trim()
    const kind = input.dataset.names
    const isPlain = event.key === 'Enter' && !event.ctrlKey && !event.metaKey && !event.isComposing
    if (!isPlain || event.defaultPrevented || name === '' || (kind !== 'organizer' && kind !== 'tag')) return
    addChip(made[kind], name, name, document.querySelector(kind === 'tag' ? '#tags .chips' : '#organizer'))
    input.value = ''
    input.dispatchEvent(new Event('input', { bubbles: true }))
  })
}

/**
 * Ticks the box of an existing category; the name of a new one stays in the field.
 * @param {HTMLInputElement} input
 * @param {string} id
 * @param {string} name
 */
function chooseCategory(input, id, name) {
  input.value = id === '' ? name : ''
  if (id === '') return
  const box = form?.querySelector(`input[name="categories[]"][value="${id}"]`)
  if (box instanceof HTMLInputElement) box.checked = true
  else addChip('categories[]', id, name, document.querySelector('#categories .tree'))
}

/** Shows a chosen picture before it is sent. */
function showPicture() {
  const place = document.getElementById('picture-shown')
  const file = inputAt('picture-file')
  /** @param {string} src */
  const display = (src) => {
    const image = document.createElement('img')
    image.src = src
    image.alt = ''
    place?.replaceChildren(...(src === '' ? [] : [image]))
  }
  // The alternative text of the former picture is not used for the next one.
  /** @param {string} text */
  const say = (text) => {
    const alt = inputAt('image_alt')
    if (alt) alt.value = text
    const decorates = inputAt('image_decorative')
    if (decorates) decorates.checked = false
  }
  file?.addEventListener('change', () => {
    const chosen = file.files?.[0]
    if (!chosen?.type.startsWith('image/')) return
    say('')
    const reader = new FileReader()
    reader.addEventListener('load', () => file.files?.[0] === chosen && display(String(reader.result)))
    reader.readAsDataURL(chosen)
  })
  form?.querySelector('.library')?.addEventListener('change', ({ target }) => {
    if (!(target instanceof HTMLInputElement)) return
    const image = target.parentElement?.querySelector('img')
    display(image?.src ?? '')
    if (file) file.value = ''
    say(target.dataset.alt ?? '')
  })
}

function isTouched() {
  return [...(form?.elements ?? [])].some((control) =>
    control instanceof HTMLInputElement || control instanceof HTMLTextAreaElement
      ? control.value !== control.defaultValue
      : false,
  )
}

const KEEP_MS = 5000
/** In ms: after a failed attempt to store the text, it is repeated. */
const AGAIN_MS = 20_000

/** Bytes of a request with `keepalive` at most: browsers refuse more than 64 KiB in all. */
const MOST_KEPT_ALIVE = 64_000

/**
 * Sends the typed text to be stored until it is saved. A short request continues after its page is closed.
 * @param {URLSearchParams} fields
 * @param {AbortSignal} signal
 */
function sendTyped(fields, signal) {
  const keepalive = fields.toString().length < MOST_KEPT_ALIVE
  return send('/events/unsaved', fields, { keepalive, signal }).catch(() => undefined)
}

/** Stores the typed text at the service, some seconds after the last change. */
function keepTyped() {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let waiting
  let isSending = false
  /**
   * Counters of changes: all so far, those that the service has stored, and those sent because the page may
   * close.
   */
  let [typed, kept, left] = [0, 0, 0]
  let ending = new AbortController()
  const state = document.createElement('span')
  state.className = 'hint kept'
  const bar = form?.querySelector('.savebar')
  bar?.insertBefore(state, bar.querySelector('.end'))
  /** @param {boolean} isLast true if the page may close before the next attempt */
  const keep = async (isLast) => {
    if (isSending || kept === typed || (isLast && left === typed)) return
    const sent = typed
    const fields = fieldsOf(() => true)
    if (isLast) fields.set('is_last', '1')
    if (isLast) left = sent
    const answer = await sendTyped(fields, ending.signal)
    if (answer?.state === 'kept') kept = Math.max(kept, sent)
    else if (isLast) left = 0
    if (isSending) return
    const isOver = kept === typed || answer?.state === 'too large'
    state.textContent = isOver ? (answer?.text ?? '') : ''
    if (isLast || sent !== typed || isOver) return
    waitToKeep(answer ? KEEP_MS : AGAIN_MS)
  }
  const waitToKeep = (pause = KEEP_MS) => {
    clearTimeout(waiting)
    waiting = setTimeout(keep, pause, false)
  }
  const later = () => {
    // The user is still typing, so the save was stopped or has failed.
    if (isSending) ending = new AbortController()
    isSending = false
    typed += 1
    waitToKeep()
  }
  for (const name of ['input', 'unsent']) form?.addEventListener(name, later)
  // Somebody may have typed before this script was loaded.
  if (isTouched()) later()
  form?.addEventListener('submit', ({ submitter }) => {
    isSending = !submitter?.hasAttribute('formtarget')
    if (!isSending) return
    clearTimeout(waiting)
    // A text that arrives after the save would be offered as unsaved.
    ending.abort()
  })
  addEventListener('pagehide', () => keep(true))
  // Phones close pages in the background without `pagehide`.
  document.addEventListener('visibilitychange', () => document.visibilityState === 'hidden' && keep(true))
}

function listZones() {
  inputAt('timezone')?.addEventListener(
    'focus',
    () => {
      const zones = Intl.supportedValuesOf('timeZone').map((zone) => new Option(zone))
      document.getElementById('zones')?.replaceChildren(...zones)
    },
    { once: true },
  )
}

/** @param {Event} change */
function isOfTimes({ target }) {
  return target instanceof HTMLInputElement && TIMES.includes(target.name)
}

/**
 * A change of the recurrence concerns several dates. If only one date is chosen, leaving out dates then
 * selects all dates, and another rule selects this and the following ones.
 */
function moveScope() {
  const scope = document.getElementById('recurrence_scope')
  const rule = document.getElementById('repeat-fields')
  if (!scope || !rule) return
  const said = document.createElement('p')
  said.className = 'hint'
  said.setAttribute('role', 'status')
  rule.append(said)
  rule.addEventListener('change', ({ target }) => {
    const one = scope.querySelector('[value=this]')
    if (!(one instanceof HTMLInputElement && one.checked && target instanceof Element)) return
    const isDate = /^(left_out|more_dates)/.test(target.getAttribute('name') ?? '')
    const other = scope.querySelector(`[value=${isDate ? 'all' : 'following'}]`)
    if (!(other instanceof HTMLInputElement)) return
    other.checked = true
    const about = document.getElementById('scope-about')?.textContent
    said.textContent = `${about}: ${other.labels?.[0]?.textContent?.trim()}`
  })
}

function begin() {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let typing
  form?.addEventListener('input', ({ target }) => {
    const name = target instanceof HTMLElement ? (target.getAttribute('name') ?? '') : ''
    if (!SAID.test(name)) return
    // A typed end no longer moves with the start.
    if (/^(end_|all_day|several)/.test(name)) hasMoved = false
    clearTimeout(typing)
    typing = setTimeout(ask, 300, { isMoving: name.startsWith('start_') })
  })
  form?.addEventListener('change', (change) => {
    const { target } = change
    if (!(target instanceof HTMLElement) || !SAID.test(target.getAttribute('name') ?? '')) return
    clearTimeout(typing)
    const isMoved = isOfTimes(change) && /^start_/.test(target.getAttribute('name') ?? '')
    ask({ isMoved, isLeft: isOfTimes(change) })
  })
  preparePickers()
  moveScope()
  for (const input of form?.querySelectorAll('[data-names]') ?? [])
    if (input instanceof HTMLInputElement) {
      pickNames(input)
      addByEnter(input)
    }
  showPicture()
  keepTyped()
  listZones()
  form?.classList.add('alive')
  if (inputAt('start_date')?.value) ask()
}

begin()
