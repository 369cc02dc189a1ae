// @ts-check
// Menus, keys and copied addresses; what else pages do is loaded when needed. They work without scripts.

const main = /** @type {HTMLElement} */ (document.getElementById('main'))
const announced = /** @type {HTMLElement} */ (document.getElementById('status'))

/** The address before anything was shown in place. */
const start = location.href

/** What changes filters and pages of a list in place. */
const inPlace = () => import(`${main.dataset.place}`)

/** Returns true when a page of events with this address can replace the content of this page. */
function isAlike(/** @type {URL} */ address) {
  return (
    address.origin === location.origin &&
    /\/(events\/.*)?$/.test(address.pathname) &&
    !address.pathname.endsWith('/map/') &&
    main.querySelector('.views') !== null
  )
}

/** Shows what the form asks for now. @param {HTMLFormElement} form @param {string} [focus] */
function ask(form, focus) {
  const [address, sent] = [new URL(form.action), new FormData(form)]
  inPlace().then(
    (own) => own.ask(address, sent, isAlike(address), focus),
    () => form.submit(),
  )
}

document.addEventListener('submit', (event) => {
  const form = event.target
  if (!main.dataset.place || !(form instanceof HTMLFormElement) || !form.matches('.filter')) return
  event.preventDefault()
  ask(form)
})

document.addEventListener('change', ({ target }) => {
  if (target instanceof HTMLSelectElement && target.form?.matches('.filter')) ask(target.form, target.name)
})

document.addEventListener('focusin', async ({ target }) => {
  if (!(target instanceof HTMLInputElement) || !target.dataset.suggest) return
  const { suggestTo } = await import(target.dataset.suggest)
  suggestTo(target)
})

document.addEventListener('click', (event) => {
  const anchor = event.target instanceof Element ? event.target.closest('a') : null
  if (!anchor || event.defaultPrevented || event.button !== 0) return
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
  const address = new URL(anchor.href)
  const isNear = anchor.dataset.lost !== undefined
  if (!isNear) {
    if (!anchor.closest('.pills, .active, .mini, .steps, .pager, .views') || !isAlike(address)) return
    if (anchor.getAttribute('href')?.startsWith('#')) return
  }
  event.preventDefault()
  inPlace().then(
    (own) => (isNear ? own.showNear(anchor) : own.show(address, true)),
    () => location.assign(address),
  )
})

// Each of these is one stop of the Tab key; arrow keys move within it.
const STOPS = '.top nav, .presses, .views, .mini nav'

const partsOf = (/** @type {Element} */ group) =>
  /** @type {HTMLElement[]} */ ([...group.querySelectorAll('a, summary')]).filter((part) =>
    part.checkVisibility(),
  )

function prepare() {
  for (const group of document.querySelectorAll(STOPS)) {
    const parts = partsOf(group)
    const focused = parts.find((part) => part === document.activeElement)
    const stop = focused ?? parts.find((part) => part.ariaCurrent) ?? parts[0]
    for (const part of parts) part.tabIndex = part === stop ? 0 : -1
  }
}

prepare()
// From an event back to the view with its filters. Browsers may keep nothing for a site.
addEventListener('pagehide', () => {
  try {
    if (main.querySelector('.views')) sessionStorage.place = location.href
  } catch {}
})
// What a menu shows belongs to a group, too, and so does what is shown in place.
document.addEventListener('toggle', prepare, true)

document.addEventListener('keydown', (event) => {
  const { target, key } = event
  const [, way] = /^Arrow(?:(Right|Down)|Left|Up)$/.exec(key) ?? ['', key]
  const group = way !== key && target instanceof HTMLElement && target.closest(STOPS)
  if (!group || event.altKey || event.ctrlKey || event.metaKey) return
  event.preventDefault()
  const parts = partsOf(group)
  parts[parts.indexOf(target) + (way ? 1 : -1)]?.focus()
  prepare()
})

// Copies the address of a feed or an event.
document.addEventListener('click', async ({ target }) => {
  const button = target instanceof HTMLElement && target.closest('[data-copy]')
  if (!(button instanceof HTMLElement)) return
  const text = button.textContent
  try {
    await navigator.clipboard.writeText(`${button.dataset.copy}`)
    button.textContent = announced.textContent = `${button.dataset.copied}`
    setTimeout(() => (button.textContent = text), 2500)
  } catch {
    prompt(`${text}`, button.dataset.copy)
  }
})

// A click elsewhere or Escape closes a menu.
document.addEventListener('click', (event) => {
  for (const menu of document.querySelectorAll('.menu[open]'))
    if (event.target instanceof Node && !menu.contains(event.target)) menu.removeAttribute('open')
})
document.addEventListener('keydown', (event) => {
  const menu = event.key === 'Escape' ? document.querySelector('.menu[open]') : null
  if (!menu) return
  menu.removeAttribute('open')
  menu.querySelector('summary')?.focus()
})

addEventListener('popstate', async () => {
  if (main.dataset.place) (await inPlace()).goBack(start, isAlike(new URL(location.href)))
})
