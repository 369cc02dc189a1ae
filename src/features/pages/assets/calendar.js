// @ts-check
// Opens and closes menus, moves the focus by arrow keys, and copies addresses. Other scripts are loaded when
// needed; pages also work without any.

const main = /** @type {HTMLElement} */ (document.getElementById('main'))
const announced = /** @type {HTMLElement} */ (document.getElementById('status'))

/** The address of the page as it was loaded, before another list was shown in its place. */
const start = location.href

/** Loads the script that shows other filters or pages of a list without leaving the page. */
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

/** Shows the list that the form asks for. @param {HTMLFormElement} form @param {string} [focus] */
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

// Groups of links with one Tab stop each; arrow keys move within a group.
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
// Stores the address of the view, so that the page of an event can lead back to it with its filters. Browsers
// may forbid storage.
addEventListener('pagehide', () => {
  try {
    if (main.querySelector('.views')) sessionStorage.place = location.href
  } catch {}
})
// Opening a menu, or showing another list in place, changes which links are in the groups.
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
