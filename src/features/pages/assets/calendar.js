// @ts-check
// Changes filters and pages of a list in place. Pages work without this script.

const main = /** @type {HTMLElement} */ (document.getElementById('main'))
const announced = /** @type {HTMLElement} */ (document.getElementById('status'))

/** Returns true when a page of events with this address can replace the content of this page. */
function isAlike(/** @type {URL} */ address) {
  return (
    address.origin === location.origin &&
    /\/(events\/.*)?$/.test(address.pathname) &&
    !address.pathname.endsWith('/map/') &&
    main.querySelector('.views') !== null
  )
}

/** @type {AbortController | undefined} */
let loading
/** The address of the shown page without its fragment: a link to a fragment loads nothing. */
let shown = location.href.replace(/#.*/, '')

/**
 * Shows the content of another page of events in place of this one.
 * @param {URL} address
 * @param {{ isNew: boolean, focus: string | undefined }} how
 */
async function show(address, { isNew, focus }) {
  loading?.abort()
  const own = new AbortController()
  loading = own
  main.setAttribute('aria-busy', 'true')
  try {
    const response = await fetch(address, { signal: own.signal, headers: { accept: 'text/html' } })
    const page = new DOMParser().parseFromString(await response.text(), 'text/html')
    const content = page.getElementById('main')
    if (!response.ok || !content) throw new Error(`${response.status}`)
    await loadOwn(page)
    if (own.signal.aborted) return
    if (isNew) {
      // The back button returns to the same place on the page.
      history.replaceState({ top: scrollY }, '')
      history.pushState({}, '', response.url)
    }
    shown = location.href.replace(/#.*/, '')
    const typed = typedIn(content)
    document.title = page.title
    const isOpen = focus !== undefined && main.querySelector('.more')?.hasAttribute('open')
    main.replaceChildren(...content.childNodes)
    const lists = document.querySelectorAll('.top nav')
    for (const [at, list] of page.querySelectorAll('.top nav').entries()) lists[at]?.replaceWith(list)
    if (isOpen) main.querySelector('.more')?.setAttribute('open', '')
    prepare()
    settle(typed ?? focus)
  } catch (error) {
    if (!(error instanceof DOMException && error.name === 'AbortError')) location.assign(address)
  } finally {
    if (loading === own) main.removeAttribute('aria-busy')
  }
}

/** Loads the style sheets and scripts of a page that this page lacks. */
function loadOwn(/** @type {Document} */ page) {
  for (const script of page.scripts) if (script.type === 'module') import(script.src)
  const sheets = [...page.querySelectorAll('link[rel=stylesheet]')].filter(
    (sheet) => !document.querySelector(`link[href="${sheet.getAttribute('href')}"]`),
  )
  const loads = sheets.map(
    (sheet) =>
      new Promise((settle) => {
        sheet.addEventListener('load', settle)
        sheet.addEventListener('error', settle)
        document.querySelector('link[rel=stylesheet]')?.before(sheet)
      }),
  )
  return Promise.all(loads)
}

/** Copies text that is being typed into the new content. Returns the name of its field. */
function typedIn(/** @type {HTMLElement} */ content) {
  const field = document.activeElement
  if (!(field instanceof HTMLInputElement) || !main.contains(field) || field.name === '') return
  const next = content.querySelector(`input[name="${CSS.escape(field.name)}"]`)
  if (!(next instanceof HTMLInputElement) || next.value.trim() === field.value.trim()) return
  next.value = field.value
  return field.name
}

/** Puts the focus back on its field, or on the heading, and announces the number of events. */
function settle(/** @type {string | undefined} */ focus) {
  const field = focus ? main.querySelector(`[name="${CSS.escape(focus)}"]`) : null
  const heading = main.querySelector('h1')
  if (field instanceof HTMLElement) field.focus()
  else {
    heading?.focus({ preventScroll: true })
    scrollTo({ top: history.state?.top ?? 0 })
  }
  const count =
    main.querySelector('.count')?.firstChild?.textContent || main.querySelector('.nothing h2')?.textContent
  announced.textContent = `${heading?.textContent ?? ''}: ${count ?? ''}`
}

/**
 * Shows what a form asks for, without empty fields.
 * @param {HTMLFormElement} form @param {string} [focus]
 */
function ask(form, focus) {
  const address = new URL(form.action)
  address.search = ''
  for (const [name, value] of new FormData(form))
    if (typeof value === 'string' && value.trim() !== '') address.searchParams.append(name, value)
  if (!address.searchParams.has('near')) address.searchParams.delete('geoloc_radius')
  if (isAlike(address)) show(address, { isNew: true, focus })
  else location.assign(address)
}

document.addEventListener('submit', (event) => {
  const form = event.target
  if (!(form instanceof HTMLFormElement) || !form.matches('.filter')) return
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
  if (anchor.dataset.near !== undefined) {
    event.preventDefault()
    const before = loading
    const { near = '', lost = '' } = anchor.dataset
    import(near).then(async ({ nearHere }) => {
      const address = await nearHere()
      // The reader may have opened another page meanwhile.
      if (loading !== before) return
      if (address) return show(address, { isNew: true, focus: undefined })
      location.assign(anchor.href)
      announced.textContent = lost
    })
    return
  }
  const address = new URL(anchor.href)
  if (!anchor.closest('.pills, .active, .mini, .steps, .pager, .views') || !isAlike(address)) return
  if (anchor.getAttribute('href')?.startsWith('#')) return
  event.preventDefault()
  show(address, { isNew: true, focus: undefined })
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
// What a menu shows belongs to a group, too.
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

addEventListener('popstate', () => {
  const address = new URL(location.href)
  if (address.href.replace(/#.*/, '') === shown) loading?.abort()
  else if (isAlike(address)) show(address, { isNew: false, focus: undefined })
  else location.reload()
})
