// Moves events of the month by dragging, and the focus through its days with arrow keys. Without this script,
// the menus of the events move them.

const plan = document.querySelector('table[data-plan]')
if (plan instanceof HTMLTableElement) {
  walkByKeys(plan)
  dragEvents(plan)
}
document.getElementById('chosen')?.focus()

/**
 * Makes the days one tab stop. Arrow keys, Home and End move between days.
 * @param {HTMLTableElement} table
 */
function walkByKeys(table) {
  const days = [...table.querySelectorAll('a.add')].filter((day) => day instanceof HTMLAnchorElement)
  const first = days.find((day) => day.closest('.today')) ?? days[0]
  for (const day of days) day.tabIndex = day === first ? 0 : -1
  const steps = new Map([
    ['ArrowLeft', -1],
    ['ArrowRight', 1],
    ['ArrowUp', -7],
    ['ArrowDown', 7],
  ])
  table.addEventListener('keydown', (event) => {
    const at = days.findIndex((day) => day.isSameNode(document.activeElement))
    if (at === -1 || event.ctrlKey || event.metaKey || event.altKey) return
    const step =
      (steps.get(event.key) ?? 0) * (Math.abs(steps.get(event.key) ?? 0) === 1 && isRightToLeft() ? -1 : 1)
    const to = event.key === 'Home' ? at - (at % 7) : event.key === 'End' ? at - (at % 7) + 6 : at + step
    const next = days[to]
    if (to === at || !next) return
    event.preventDefault()
    for (const day of days) day.tabIndex = day === next ? 0 : -1
    next.focus()
  })
}

function isRightToLeft() {
  return getComputedStyle(document.body).direction === 'rtl'
}

/**
 * Moves an event that a mouse or pen drags to another day. Touch scrolls instead.
 * @param {HTMLTableElement} table
 */
function dragEvents(table) {
  /**
   * @type {{ entry: HTMLElement, from: HTMLElement | undefined, x: number, y: number, isMoving: boolean,
   * over: HTMLElement | undefined } | undefined}
   */
  let drag
  const end = () => {
    drag?.entry.classList.remove('dragged')
    drag?.over?.classList.remove('over')
    drag = undefined
  }
  table.addEventListener('pointerdown', (event) => {
    const entry = event.target instanceof Element ? event.target.closest('[data-id]') : undefined
    if (event.pointerType === 'touch' || event.button !== 0 || !(entry instanceof HTMLElement)) return
    drag = { entry, from: dayAt(event), x: event.clientX, y: event.clientY, isMoving: false, over: undefined }
  })
  // Keeps the browser from dragging the link, and from following it after a drag.
  table.addEventListener('dragstart', (event) => event.preventDefault())
  let hasDragged = false
  table.addEventListener('click', (event) => hasDragged && event.preventDefault(), true)
  addEventListener('pointermove', (event) => {
    if (!drag) return
    // If the press opens a context menu, no `pointerup` follows.
    if (event.buttons === 0) return end()
    if (!drag.isMoving && Math.hypot(event.clientX - drag.x, event.clientY - drag.y) < 6) return
    drag.isMoving = true
    drag.entry.classList.add('dragged')
    const over = dayAt(event)
    if (over === drag.over) return
    drag.over?.classList.remove('over')
    drag.over = over
    over?.classList.add('over')
  })
  addEventListener('pointerup', () => {
    const day = drag?.isMoving ? drag.over?.dataset.day : undefined
    const from = drag?.from?.dataset.day
    const { id, start } = drag?.entry.dataset ?? {}
    if (drag) hasDragged = drag.isMoving
    setTimeout(() => {
      hasDragged = false
    })
    end()
    if (day && from && id && start && day !== from)
      send(id, dayLater(start, Date.parse(day) - Date.parse(from)))
  })
  addEventListener('pointercancel', end)
  addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || !drag) return
    hasDragged = drag.isMoving
    end()
  })
}

/**
 * Returns the day at a point, even if the bar of another day covers it.
 * @param {PointerEvent} event
 */
function dayAt({ clientX, clientY }) {
  const under = document
    .elementsFromPoint(clientX, clientY)
    .find((element) => element.matches('td[data-day]'))
  return under instanceof HTMLElement ? under : undefined
}

/** @param {string} day @param {number} ms */
const dayLater = (day, ms) => new Date(Date.parse(day) + ms).toISOString().slice(0, 10)

/**
 * Sends the form that moves an event.
 * @param {string} id
 * @param {string} day
 */
function send(id, day) {
  const form = document.getElementById('move')
  if (!(form instanceof HTMLFormElement)) return
  const set = (/** @type {string} */ name, /** @type {string} */ value) => {
    const input = form.elements.namedItem(name)
    if (input instanceof HTMLInputElement) input.value = value
  }
  set('id', id)
  set('day', day)
  form.requestSubmit()
}
