// The script of every page of the desk. All pages work without it.

import './event-list.js'
import './guarded-forms.js'
import './month.js'
import './search-as-typed.js'

if (document.querySelector('.event-form')) import('./event-form.js')
if (document.querySelector('input[data-library]')) import('./picture-library.js')
if (document.querySelector('textarea[data-words]')) import('./rich-text.js')
if (document.querySelector('.pick-map')) import('./position-map.js')
if (document.querySelector('form[data-look]')) import('./look-room.js')
if (document.querySelector('.zone-field')) import('./site-zone.js')
if (document.querySelector('details.keys')) import('./inbox.js')

const summary = document.getElementById('faults')
if (summary) summary.focus()

/** The slash key moves the focus to the search, except while somebody types. */
document.addEventListener('keydown', (event) => {
  const { target } = event
  const isWriting =
    target instanceof HTMLElement && target.closest('input, textarea, select, [contenteditable]')
  if (event.key !== '/' || isWriting || event.ctrlKey || event.metaKey || event.altKey) return
  const search = document.getElementById('everything')
  if (!search) return
  event.preventDefault()
  search.focus()
})

/** Copies the text of a field to the clipboard, and confirms it in place of the button's label. */
for (const button of document.querySelectorAll('button[data-copy]')) {
  if (!(button instanceof HTMLButtonElement) || !navigator.clipboard) continue
  button.hidden = false
  button.addEventListener('click', async () => {
    const field = document.getElementById(button.dataset.copy ?? '')
    if (!(field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement)) return
    await navigator.clipboard.writeText(field.value).then(
      () => {
        button.textContent = button.dataset.copied ?? ''
      },
      () => field.select(),
    )
  })
}

/** Shows a password while it is typed. Sent hidden, so that browsers do not offer it in other fields. */
for (const button of document.querySelectorAll('button[data-unveils]')) {
  const field = button instanceof HTMLButtonElement && document.getElementById(button.dataset.unveils ?? '')
  if (!(field instanceof HTMLInputElement)) continue
  const show = (/** @type {boolean} */ isShown) => {
    field.type = isShown ? 'text' : 'password'
    button.ariaPressed = String(isShown)
  }
  button.removeAttribute('hidden')
  button.addEventListener('click', () => show(field.type === 'password'))
  field.form?.addEventListener('submit', () => show(false))
}
