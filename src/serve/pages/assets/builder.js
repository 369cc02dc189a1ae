// @ts-check
// Writes the markup that shows events on another page as the form is filled in, and shows what comes of it.

const form = /** @type {HTMLFormElement} */ (document.querySelector('form.build'))
const preview = /** @type {HTMLElement} */ (document.querySelector('.preview'))
const said = /** @type {HTMLElement} */ (document.getElementById('status'))
/** The markup of the element, and that of a frame where there is one. */
const [snippet, frame] = document.querySelectorAll('.snippet code')

const ESCAPES = /** @type {Record<string, string>} */ ({
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
})
const escaped = (/** @type {string} */ text) => text.replace(/[&<>"']/g, (sign) => ESCAPES[sign] ?? sign)

/** The attributes that the form asks for, in the order of its fields. */
function attributes() {
  /** @type {Map<string, string>} */
  const asked = new Map()
  for (const [field, value] of new FormData(form)) {
    // The parameter lang is the language of this page.
    const name = field === 'language' ? 'lang' : field
    if (field === 'lang' || typeof value !== 'string' || value.trim() === '') continue
    const before = asked.get(name)
    asked.set(name, before === undefined ? value.trim() : `${before} ${value.trim()}`)
  }
  return asked
}

function show() {
  const asked = attributes()
  const written = [...asked].map(([name, value]) => ` ${name}="${escaped(value)}"`)
  if (snippet)
    snippet.textContent = `${snippet.textContent}`.replace(
      /<kalends-events[^>]*>/,
      () => `<kalends-events${written.join('')}>`,
    )
  if (frame) frame.textContent = frameOf(`${frame.textContent}`, asked)
  const element = document.createElement('kalends-events')
  for (const [name, value] of asked) element.setAttribute(name, value)
  if (!asked.has('level')) element.setAttribute('level', '3')
  preview.querySelector('div')?.replaceChildren(element)
}

/** The markup of a frame with another address. @param {string} markup @param {Map<string, string>} asked */
function frameOf(markup, asked) {
  const query = new URLSearchParams([...asked].filter(([name]) => name !== 'show' && name !== 'level')).toString()
  return markup.replace(/src="([^"?]*)[^"]*"/, (_, path) => `src="${path}${query && `?${escaped(query)}`}"`)
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
for (const copy of document.querySelectorAll('.snippet button')) {
  if (!(copy instanceof HTMLButtonElement)) continue
  const code = copy.parentElement?.querySelector('code')
  copy.hidden = navigator.clipboard === undefined
  copy.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(code?.textContent ?? '')
      said.textContent = `${copy.dataset.copied}`
      copy.textContent = `${copy.dataset.copied}`
    } catch {
      // Without leave to write into the clipboard the markup is selected, to be copied by hand.
      if (code) getSelection()?.selectAllChildren(code)
    }
  })
}
preview.hidden = false
show()
