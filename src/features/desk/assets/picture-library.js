// Searches the pictures that a form offers while somebody types.

export {}

const PAUSE_MS = 200

for (const search of document.querySelectorAll('input[data-library]'))
  if (search instanceof HTMLInputElement) searchIn(search)

/** @param {HTMLInputElement} search */
function searchIn(search) {
  const form = search.form
  const library = search.parentElement?.parentElement?.querySelector('.library')
  if (!form || !(library instanceof HTMLElement)) return
  search.parentElement?.querySelector('button')?.remove()
  let asked = 0
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let waiting
  const look = async () => {
    clearTimeout(waiting)
    asked += 1
    const own = asked
    const chosen = library.querySelector('input:checked')
    const query = new URLSearchParams({
      search: search.value.trim(),
      chosen: chosen instanceof HTMLInputElement ? chosen.value : '',
      none: library.dataset.none ?? '',
    })
    const answer = await fetch(`${search.dataset.library}?${query}`).catch(() => undefined)
    if (own !== asked || !answer?.ok) return
    library.innerHTML = (await answer.json()).markup
  }
  search.addEventListener('input', (event) => {
    event.stopPropagation()
    clearTimeout(waiting)
    waiting = setTimeout(look, PAUSE_MS)
  })
  search.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || event.ctrlKey || event.metaKey) return
    event.preventDefault()
    look()
  })
  const file = form.querySelector('input[type=file]')
  library.addEventListener('change', () => {
    if (file instanceof HTMLInputElement) file.value = ''
  })
}
