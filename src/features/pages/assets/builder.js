// @ts-check
// Writes the markup for other sites while the form is filled in, and shows a preview.

const form = /** @type {HTMLFormElement} */ (document.querySelector('form.build'))
const preview = /** @type {HTMLElement} */ (document.querySelector('.preview'))
const said = /** @type {HTMLElement} */ (document.getElementById('status'))
/** The markup of the element, and of the frame if the page has one. */
const [snippet, frame] = document.querySelectorAll('.snippet code')

const ESCAPES = /** @type {Record<string, string>} */ ({
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
})
const escaped = (/** @type {string} */ text) => text.replace(/[&<>"']/g, (sign) => ESCAPES[sign] ?? sign)

/** Returns the attributes that the form asks for, in the order of its fields. */
function attributes() {
  /** @type {Map<string, string>} */
  const asked = new Map()
  for (const [field, value] of new FormData(form)) {
    // The field `lang` is the language of this page, so `language` gives the attribute `lang`.
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

/**
 * Returns the markup of the frame with the chosen address.
 * @param {string} markup
 * @param {Map<string, string>} asked
 */
function frameOf(markup, asked) {
  const query = new URLSearchParams(
    [...asked].filter(([name]) => name !== 'show' && name !== 'level'),
  ).toString()
  return markup.replace(
    /src="([^"?]*)(?:\?[^"]*)?"/,
    (_, path) => `src="${path}${query && `?${escaped(query)}`}"`,
  )
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
      // If the clipboard is not allowed, the markup is selected, so the reader can copy it.
      if (code) getSelection()?.selectAllChildren(code)
    }
  })
}
preview.hidden = false
show()
