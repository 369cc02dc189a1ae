// A field with a list of names to pick from (the ARIA combobox pattern). The typed text stays until a name is
// picked.

/**
 * @typedef {{ names: { id: number, name: string, about: string }[], create?: string }} Found
 * @typedef {{ find: (text: string) => Promise<Found>, pick: (id: string, name: string) => void }} Picking
 */

const PAUSE_MS = 120
let count = 0

/**
 * @param {HTMLInputElement} input
 * @param {Picking} picking `pick` gets an empty id for a name to be created
 */
export function comboboxOn(input, { find, pick }) {
  const list = document.createElement('ul')
  count += 1
  list.id = `names-${count}`
  list.className = 'names'
  list.hidden = true
  list.setAttribute('role', 'listbox')
  list.setAttribute('aria-label', input.labels?.[0]?.textContent ?? '')
  input.after(list)
  const place = input.parentElement
  place?.classList.add('has-names')
  for (const [name, value] of Object.entries({
    role: 'combobox',
    'aria-autocomplete': 'list',
    'aria-expanded': 'false',
    'aria-controls': list.id,
  }))
    input.setAttribute(name, value)
  let active = -1
  let asked = 0

  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let waiting

  const options = () => [...list.children]
  /**
   * Cancels a pending search and ignores responses still to come, so that none replaces the list while the
   * user picks from it.
   */
  const settle = () => {
    clearTimeout(waiting)
    asked += 1
  }
  const close = () => {
    settle()
    list.hidden = true
    active = -1
    input.setAttribute('aria-expanded', 'false')
    input.removeAttribute('aria-activedescendant')
  }
  /** @param {number} at */
  const mark = (at) => {
    const all = options()
    active = all.length === 0 ? -1 : (at + all.length) % all.length
    for (const [i, option] of all.entries()) option.setAttribute('aria-selected', String(i === active))
    const marked = all[active]
    if (!marked) return
    marked.scrollIntoView({ block: 'nearest' })
    input.setAttribute('aria-activedescendant', marked.id)
  }
  /** @param {Element | undefined} option */
  const take = (option) => {
    if (!(option instanceof HTMLElement)) return
    const { id = '', name = '' } = option.dataset
    close()
    pick(id, name)
  }
  /** @param {string} text @param {string} id @param {string} name @param {string} about */
  const optionOf = (text, id, name, about) => {
    const option = document.createElement('li')
    option.id = `${list.id}-${list.children.length}`
    option.dataset.id = id
    option.dataset.name = name
    option.setAttribute('role', 'option')
    option.setAttribute('aria-selected', 'false')
    option.append(text)
    if (about !== '') {
      const small = document.createElement('small')
      small.textContent = about
      option.append(' ', small)
    }
    option.addEventListener('pointerdown', (event) => {
      settle()
      // Prevents the press from taking the focus away from the field.
      event.preventDefault()
    })
    option.addEventListener('click', () => take(option))
    list.append(option)
  }
  /** Returns the option whose name is exactly what is typed. */
  const typedOption = () => {
    const typed = (input.dataset.names === 'tag' ? input.value.split(',').at(-1) : input.value) ?? ''
    const wanted = typed.trim().toLocaleLowerCase()
    return options().find(
      (option) =>
        option instanceof HTMLElement &&
        option.dataset.id !== '' &&
        option.dataset.name?.toLocaleLowerCase() === wanted,
    )
  }
  const look = async () => {
    asked += 1
    const own = asked
    const found = await find(input.value).catch(() => ({ names: [] }))
    if (own !== asked || document.activeElement !== input) return
    list.replaceChildren()
    for (const { id, name, about } of found.names) optionOf(name, String(id), name, about)
    const typed = input.value.split(',').at(-1)?.trim() ?? ''
    if ('create' in found && found.create)
      optionOf(found.create, '', input.dataset.names === 'tag' ? typed : input.value.trim(), '')
    list.hidden = list.children.length === 0
    input.setAttribute('aria-expanded', String(!list.hidden))
    active = -1
  }

  input.addEventListener('input', () => {
    settle()
    // The highlighted name was found for the text before this keystroke.
    active = -1
    input.removeAttribute('aria-activedescendant')
    for (const option of options()) option.setAttribute('aria-selected', 'false')
    waiting = setTimeout(look, PAUSE_MS)
  })
  input.addEventListener('blur', close)
  input.addEventListener('keydown', (event) => {
    if (event.isComposing) return
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault()
      if (list.hidden) look()
      else {
        settle()
        mark(active + (event.key === 'ArrowDown' ? 1 : active < 0 ? 0 : -1))
      }
    } else if (event.key === 'Escape' && !list.hidden) {
      event.preventDefault()
      close()
    } else if (event.key === 'Enter' && !event.ctrlKey && !event.metaKey && !list.hidden) {
      const option = active >= 0 ? options()[active] : typedOption()
      if (!option) return
      event.preventDefault()
      take(option)
    } else if (event.key === 'Tab' && active >= 0) take(options()[active])
  })
}
