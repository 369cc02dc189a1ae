// Lists hits below the search in the header while somebody types. Arrow keys move through the list.

/** @typedef {{ href: string, title: string, about: string, kind: string, state: string }} Hit */

/** In ms: the pause after a keystroke before the service is asked. */
const PAUSE = 150

const field = document.getElementById('everything')
const form = field?.closest('form')
if (field instanceof HTMLInputElement && form) listHits(field, form)

/**
 * @param {HTMLInputElement} field
 * @param {HTMLFormElement} form
 */
function listHits(field, form) {
  const list = document.createElement('ul')
  list.id = 'everything-found'
  list.className = 'found'
  list.setAttribute('role', 'listbox')
  list.setAttribute('aria-label', field.labels?.[0]?.textContent ?? '')
  list.hidden = true
  const told = document.createElement('p')
  told.className = 'hidden'
  told.setAttribute('role', 'status')
  form.append(list, told)
  const attributes = {
    role: 'combobox',
    'aria-expanded': 'false',
    'aria-controls': list.id,
    'aria-autocomplete': 'list',
  }
  for (const [name, value] of Object.entries(attributes)) field.setAttribute(name, value)

  let timer = 0
  let asked = ''
  /** @type {AbortController | undefined} */
  let asking

  /**
   * Cancels pending requests, so that a late response does not replace the list while the user picks from it.
   */
  const settle = () => {
    clearTimeout(timer)
    asking?.abort()
    asked = ''
  }

  const close = () => {
    settle()
    list.hidden = true
    field.setAttribute('aria-expanded', 'false')
    field.removeAttribute('aria-activedescendant')
  }

  /** @param {Hit[]} hits */
  const show = (hits) => {
    list.replaceChildren(...hits.map(entryOf))
    field.removeAttribute('aria-activedescendant')
    list.hidden = hits.length === 0
    field.setAttribute('aria-expanded', String(hits.length > 0))
  }

  const ask = async () => {
    const text = field.value.trim()
    if (text === '') return close()
    if (text === asked) return
    asking?.abort()
    asked = text
    asking = new AbortController()
    try {
      const answer = await fetch(`${form.action}/as-typed?${new URLSearchParams({ search: text })}`, {
        signal: asking.signal,
        headers: { accept: 'application/json' },
      })
      if (!answer.ok) return
      const found = await answer.json()
      if (text !== field.value.trim()) return
      show(found.hits)
      told.textContent = found.told
    } catch {
      // Without a response, the field still works as an ordinary search.
    }
  }

  /** @param {number} step */
  const move = (step) => {
    settle()
    const entries = [...list.children]
    const at = entries.findIndex((entry) => entry.getAttribute('aria-selected') === 'true')
    const to = at + step < -1 ? entries.length - 1 : at + step
    for (const [i, entry] of entries.entries()) entry.setAttribute('aria-selected', String(i === to))
    const chosen = entries[to]
    if (chosen) field.setAttribute('aria-activedescendant', chosen.id)
    else field.removeAttribute('aria-activedescendant')
  }

  field.addEventListener('input', () => {
    clearTimeout(timer)
    // The highlighted hit was found for the text before this keystroke.
    field.removeAttribute('aria-activedescendant')
    for (const entry of list.children) entry.setAttribute('aria-selected', 'false')
    timer = setTimeout(ask, PAUSE)
  })
  field.addEventListener('keydown', (event) => {
    if (event.isComposing || list.hidden) return
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault()
      move(event.key === 'ArrowDown' ? 1 : -1)
    } else if (event.key === 'Escape') {
      event.preventDefault()
      close()
    } else if (event.key === 'Enter') {
      const chosen = list.querySelector('[aria-selected="true"]')
      if (!(chosen instanceof HTMLElement) || chosen.dataset.href === undefined) return
      event.preventDefault()
      location.assign(chosen.dataset.href)
    }
  })
  field.addEventListener('blur', close)
  // Prevents the press from taking the focus away from the field, so the list stays open until the click.
  list.addEventListener('pointerdown', (event) => {
    settle()
    event.preventDefault()
  })
  list.addEventListener('click', (event) => {
    const entry = event.target instanceof Element ? event.target.closest('li') : null
    if (entry?.dataset.href) location.assign(entry.dataset.href)
  })
}

/**
 * @param {Hit} hit
 * @param {number} i
 */
function entryOf({ href, title, about, kind, state }, i) {
  const entry = document.createElement('li')
  entry.id = `everything-found-${i}`
  entry.setAttribute('role', 'option')
  entry.setAttribute('aria-selected', 'false')
  entry.dataset.href = href
  const name = document.createElement('span')
  name.dir = 'auto'
  name.textContent = title
  const more = document.createElement('small')
  more.textContent = [kind, about, state].filter(Boolean).join(' · ')
  entry.append(name, more)
  return entry
}
