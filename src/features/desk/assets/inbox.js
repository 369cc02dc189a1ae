// Keyboard shortcuts of the inbox. They act on the card with the focus, and can be turned off.

export {}

const KEPT = 'kalends-inbox-keys'
const keys = document.querySelector('details.keys')
if (keys instanceof HTMLDetailsElement) useKeys(keys)

/** @param {HTMLDetailsElement} help */
function useKeys(help) {
  help.hidden = false
  const box = help.querySelector('input')
  if (!box) return
  box.checked = localStorage.getItem(KEPT) !== 'off'
  box.addEventListener('change', () => localStorage.setItem(KEPT, box.checked ? 'on' : 'off'))
  document.addEventListener('keydown', (event) => {
    const { target, key } = event
    const isWriting = target instanceof HTMLElement && target.closest('input, textarea, select')
    if (!box.checked || isWriting || event.ctrlKey || event.metaKey || event.altKey) return
    // A held key acts once, except when it moves the focus.
    if (event.repeat && key !== 'j' && key !== 'k') return
    if (act(key)) event.preventDefault()
  })
}

/**
 * Performs the action of a key; returns false if there is none.
 * @param {string} key
 */
function act(key) {
  const cards = [...document.querySelectorAll('.inbox > li.card[id]')]
  const at = cards.findIndex((card) => card.contains(document.activeElement))
  const card = cards[key === 'j' ? at + 1 : key === 'k' ? Math.max(at - 1, 0) : at]
  const link = card?.querySelector('a.title')
  if (!(link instanceof HTMLAnchorElement)) return false
  if (key === 'j' || key === 'k') link.focus()
  else if (key === 'e') link.click()
  else if (key === 'a') submit(card?.querySelector('form[action$="/publish"]'))
  else if (key === 'r') sendBack(card?.querySelector('details.back'))
  else return false
  return true
}

/** @param {Element | null | undefined} form */
function submit(form) {
  if (form instanceof HTMLFormElement) form.requestSubmit()
}

/**
 * Opens the form with a note that sends a record back to its author.
 * @param {Element | null | undefined} details
 */
function sendBack(details) {
  if (!(details instanceof HTMLDetailsElement)) return
  details.open = true
  details.querySelector('textarea')?.focus()
}
