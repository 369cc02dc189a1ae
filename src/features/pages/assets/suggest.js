// @ts-check
// Lists suggestions below a search field while the reader types: a combobox for keyboard and pointer. The
// form itself works as before.

/** @typedef {{ name: string, about: string, url: string }} Suggestion */

/** Pause in ms after the last key before suggestions are requested. */
const PAUSE = 120

/** Adds suggestions to a field, once. */
export function suggestTo(/** @type {HTMLInputElement} */ field) {
  if (field.getAttribute('role') === 'combobox') return
  const list = document.createElement('ul')
  list.id = 'suggestions'
  list.className = 'suggestions'
  list.setAttribute('role', 'listbox')
  list.setAttribute('aria-label', field.getAttribute('aria-label') ?? '')
  list.hidden = true
  for (const [name, value] of Object.entries({
    role: 'combobox',
    autocomplete: 'off',
    'aria-autocomplete': 'list',
    'aria-controls': list.id,
    'aria-expanded': 'false',
  }))
    field.setAttribute(name, value)
  field.after(list)
  let asked = new AbortController()
  let timer = 0

  const options = () => /** @type {HTMLElement[]} */ ([...list.children])
  const chosen = () => options().find((one) => one.getAttribute('aria-selected') === 'true')
  const choose = (/** @type {HTMLElement | undefined} */ option) => {
    for (const one of options()) one.setAttribute('aria-selected', `${one === option}`)
    field.setAttribute('aria-activedescendant', option?.id ?? '')
    option?.scrollIntoView({ block: 'nearest' })
  }
  const open = (/** @type {Suggestion[]} */ found) => {
    list.replaceChildren(...found.map(optionOf))
    list.hidden = found.length === 0
    field.setAttribute('aria-expanded', `${found.length > 0}`)
    choose(undefined)
  }
  /**
   * Cancels open requests, so that a late answer does not replace the list while the reader picks from it.
   */
  const settle = () => {
    clearTimeout(timer)
    asked.abort()
  }
  const close = () => {
    settle()
    open([])
  }
  /** Closes the list before it opens a page, so that the list is closed when the reader comes back. */
  const goTo = (/** @type {HTMLElement} */ { dataset: { url = '' } }) => {
    close()
    location.assign(url)
  }
  const ask = async () => {
    asked = new AbortController()
    const address = new URL(field.dataset.from ?? '', location.href)
    address.searchParams.set('search', field.value)
    try {
      const response = await fetch(address, { signal: asked.signal })
      if (response.ok) open((await response.json()).suggestions)
    } catch {
      // A failed request is ignored: the next letter sends another one.
    }
  }

  field.addEventListener('input', () => {
    settle()
    // The marked suggestion belongs to the text before this letter.
    choose(undefined)
    if (field.value.trim().length < 2) close()
    else timer = setTimeout(ask, PAUSE)
  })
  field.addEventListener('keydown', (event) => {
    if (event.isComposing) return
    if (event.key.startsWith('Arrow') && !list.hidden) settle()
    const all = options()
    const option = chosen()
    const at = option ? all.indexOf(option) : -1
    if (event.key === 'Escape' && !list.hidden) close()
    else if (event.key === 'ArrowDown' && all.length > 0) choose(all[at + 1])
    else if (event.key === 'ArrowUp' && all.length > 0) choose(at < 0 ? all.at(-1) : all[at - 1])
    else if (event.key === 'Enter' && option) goTo(option)
    else return event.key === 'Enter' ? close() : undefined
    event.preventDefault()
  })
  field.addEventListener('blur', close)
  // Pressing a suggestion leaves the focus in the search field.
  list.addEventListener('pointerdown', (event) => {
    settle()
    event.preventDefault()
  })
  list.addEventListener('click', ({ target }) => {
    const option = target instanceof Element ? target.closest('li') : null
    if (option?.dataset.url) goTo(option)
  })
}

function optionOf(/** @type {Suggestion} */ { name, about, url }, /** @type {number} */ at) {
  const option = document.createElement('li')
  option.id = `suggestion-${at}`
  option.setAttribute('role', 'option')
  option.dataset.url = url
  const [title, more] = [document.createElement('bdi'), document.createElement('small')]
  title.textContent = name
  more.textContent = about
  option.append(title, ' ', more)
  return option
}
