// @ts-check
// Writes the markup that shows events on another page as the form is filled in, and shows what comes of it.

const form = /** @type {HTMLFormElement} */ (document.querySelector('form.build'))
const code = /** @type {HTMLElement} */ (document.querySelector('.snippet code'))
const copy = /** @type {HTMLButtonElement} */ (document.querySelector('.snippet button'))
const preview = /** @type {HTMLElement} */ (document.querySelector('.preview'))
const said = /** @type {HTMLElement} */ (document.getElementById('status'))

const ESCAPES = /** @type {Record<string, string>} */ ({
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
})

/** The attributes that the form asks for. @returns {[string, string][]} */
const attributes = () =>
  [...new FormData(form)].flatMap(([name, value]) =>
    typeof value === 'string' && value.trim() !== '' ? [[name, value.trim()]] : [],
  )

function show() {
  const asked = attributes()
  const written = asked.map(
    ([name, value]) => ` ${name}="${value.replace(/[&<>"']/g, (sign) => ESCAPES[sign] ?? sign)}"`,
  )
  code.textContent = (code.textContent ?? '').replace(
    /<kalends-events[^>]*>/,
    () => `<kalends-events${written.join('')}>`,
  )
  const element = document.createElement('kalends-events')
  for (const [name, value] of asked) element.setAttribute(name, value)
  element.setAttribute('level', '3')
  preview.querySelector('div')?.replaceChildren(element)
}

/** @type {ReturnType<typeof setTimeout> | undefined} */
let waiting
form.addEventListener('input', () => {
  clearTimeout(waiting)
  waiting = setTimeout(show, 250)
})
form.addEventListener('submit', (event) => {
  event.preventDefault()
  show()
})
copy.addEventListener('click', async () => {
  try {
    await navigator.clipboard.writeText(code.textContent ?? '')
    said.textContent = `${copy.dataset.copied}`
    copy.textContent = `${copy.dataset.copied}`
  } catch {
    // Without leave to write into the clipboard the markup is selected, to be copied by hand.
    getSelection()?.selectAllChildren(code)
  }
})
copy.hidden = navigator.clipboard === undefined
preview.hidden = false
show()
