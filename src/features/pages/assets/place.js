// @ts-check
// Shows other filters or pages of a list without leaving the page. Loaded at the first such change.

const main = /** @type {HTMLElement} */ (document.getElementById('main'))
const announced = /** @type {HTMLElement} */ (document.getElementById('status'))

/** @type {AbortController | undefined} */
let loading
/** The address of what is shown in place. @type {string | undefined} */
let shown

/** Returns an address without its fragment: following a link to a fragment loads nothing. */
const bare = (/** @type {string} */ address) => address.replace(/#.*/, '')

/**
 * Shows the content of another page of events in place of this one.
 * @param {URL} address @param {boolean} isNew @param {string} [focus]
 */
export async function show(address, isNew, focus) {
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
    shown = bare(location.href)
    const typed = typedIn(content)
    document.title = page.title
    const isOpen = focus !== undefined && main.querySelector('.more')?.hasAttribute('open')
    main.replaceChildren(...content.childNodes)
    const lists = document.querySelectorAll('.top nav')
    for (const [at, list] of page.querySelectorAll('.top nav').entries()) lists[at]?.replaceWith(list)
    if (isOpen) main.querySelector('.more')?.setAttribute('open', '')
    // Makes `calendar.js` turn the new groups of links into Tab stops.
    main.dispatchEvent(new Event('toggle'))
    settle(typed ?? focus)
  } catch (error) {
    if (!(error instanceof DOMException && error.name === 'AbortError')) location.assign(address)
  } finally {
    if (loading === own) main.removeAttribute('aria-busy')
  }
}

/** Loads the style sheets and scripts of another page that this page does not have. */
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
 * @param {URL} address @param {FormData} sent @param {boolean} isAlike @param {string} [focus]
 */
export function ask(address, sent, isAlike, focus) {
  address.search = ''
  for (const [name, value] of sent)
    if (typeof value === 'string' && value.trim() !== '') address.searchParams.append(name, value)
  if (!address.searchParams.has('near')) address.searchParams.delete('geoloc_radius')
  if (isAlike) show(address, true, focus)
  else location.assign(address)
}

/** Shows events near the reader; if the position is unknown, the page on which places are chosen. */
export async function showNear(/** @type {HTMLAnchorElement} */ anchor) {
  const before = loading
  const here = await position()
  // The reader may have opened another page meanwhile.
  if (loading !== before) return
  if (!here) {
    location.assign(anchor.href)
    announced.textContent = anchor.dataset.lost ?? ''
    return
  }
  const address = new URL(location.href)
  address.hash = ''
  for (const name of ['near', 'geoloc_radius', 'page']) address.searchParams.delete(name)
  address.searchParams.set('geoloc_lat', here.latitude.toFixed(DIGITS))
  address.searchParams.set('geoloc_lng', here.longitude.toFixed(DIGITS))
  await show(address, true)
}

/** Decimals of coordinates: positions are rounded to about a kilometre, for privacy. */
const DIGITS = 2

/** @returns {Promise<GeolocationCoordinates | undefined>} */
const position = () =>
  new Promise((settle) => {
    if (!('geolocation' in navigator)) return settle(undefined)
    const options = { maximumAge: 600_000, timeout: 10_000 }
    navigator.geolocation.getCurrentPosition(
      ({ coords }) => settle(coords),
      () => settle(undefined),
      options,
    )
  })

/** Shows the address that the reader has gone back to. @param {string} start @param {boolean} isAlike */
export function goBack(start, isAlike) {
  if (bare(location.href) === (shown ?? bare(start))) loading?.abort()
  else if (isAlike) show(new URL(location.href), false)
  else location.reload()
}
