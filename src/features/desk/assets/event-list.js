// Selects rows of a list. The bar of bulk actions appears once a row is ticked, and shows how many are.

for (const form of document.querySelectorAll('form[data-many]'))
  if (form instanceof HTMLFormElement) chooseIn(form)

for (const input of document.querySelectorAll('.tools [data-names], .confirm [data-names]'))
  if (input instanceof HTMLInputElement)
    if (document.activeElement === input) offerNames(input)
    else input.addEventListener('focus', () => offerNames(input), { once: true })

/**
 * Suggests names. In a list of names, the last one is completed.
 * @param {HTMLInputElement} input
 */
async function offerNames(input) {
  const { comboboxOn } = await import('./combobox.js')
  const desk = input.form?.dataset.desk ?? ''
  const before = () => (desk === '' ? [] : input.value.split(',').slice(0, -1))
  const last = () => input.value.split(',').at(-1) ?? ''
  // The browser's own suggestions, for use without scripts, would cover these.
  input.removeAttribute('list')
  comboboxOn(input, {
    find: async (text) => {
      const starts = (desk === '' ? text : last()).trim()
      const query = new URLSearchParams({ kind: input.dataset.names ?? '', starts })
      const names = desk === '' ? new URL('names', input.form?.action) : `${desk}/names`
      const answer = await fetch(`${names}?${query}`)
      return { names: answer.ok ? (await answer.json()).names : [] }
    },
    pick: (_id, name) => {
      input.value = [...before().map((one) => one.trim()), name].join(', ')
    },
  })
}

/** @param {HTMLFormElement} form */
function chooseIn(form) {
  const bar = form.querySelector('.bulk')
  const said = bar?.querySelector('p')
  const corner = form.querySelector('thead th')
  if (!(bar instanceof HTMLElement) || !said || !corner) return
  const boxes = [...form.querySelectorAll('input[name="ids[]"]')].filter(
    (box) => box instanceof HTMLInputElement,
  )
  const all = form.querySelector('input[name="all"]')
  said.setAttribute('role', 'status')

  const whole = document.createElement('input')
  whole.type = 'checkbox'
  whole.setAttribute('aria-label', bar.dataset.page ?? '')
  const label = document.createElement('label')
  label.className = 'box'
  label.append(whole)
  corner.replaceChildren(label)

  const none = document.createElement('button')
  none.type = 'button'
  none.className = 'button quiet'
  none.textContent = bar.dataset.none ?? ''
  bar.querySelector('.actions')?.before(none)

  /** @type {Record<string, string>} */
  const forms = JSON.parse(bar.dataset.chosen ?? '{}')
  const rules = new Intl.PluralRules(document.documentElement.lang)
  const tell = () => {
    const ticked = boxes.filter((box) => box.checked)
    // A series is one row, but all its dates are counted.
    const count = ticked.reduce((sum, { dataset }) => sum + Number(dataset.dates ?? 1), 0)
    const isAll = all instanceof HTMLInputElement && all.checked
    bar.hidden = count === 0 && !isAll
    said.textContent = isAll
      ? ''
      : `${forms[rules.select(count)] ?? forms.other}`.replace('{count}', String(count))
    whole.checked = count > 0 && ticked.length === boxes.length
    whole.indeterminate = count > 0 && ticked.length < boxes.length
    for (const box of boxes) box.closest('tr')?.classList.toggle('chosen', box.checked || isAll)
  }

  /** @param {boolean} isChosen */
  const choose = (isChosen) => {
    for (const box of boxes) box.checked = isChosen
    if (all instanceof HTMLInputElement && !isChosen) all.checked = false
    tell()
  }

  let last = -1
  form.addEventListener('click', (event) => {
    const at = event.target instanceof HTMLInputElement ? boxes.indexOf(event.target) : -1
    const box = boxes[at]
    if (!box) return
    const [from, to] = [Math.min(at, last), Math.max(at, last)]
    if (event.shiftKey && last >= 0)
      for (const between of boxes.slice(from, to + 1)) between.checked = box.checked
    last = at
    tell()
  })
  form.addEventListener('change', tell)
  whole.addEventListener('change', () => choose(whole.checked))
  none.addEventListener('click', () => {
    choose(false)
    whole.focus()
  })
  // Browsers restore ticked boxes when the user comes back to the page.
  addEventListener('pageshow', tell)
  tell()
}

/**
 * An opened menu closes the others, Escape closes the menu with the focus, and a click closes all menus that
 * it is not in.
 */
document.addEventListener('toggle', closeOthers, true)
document.addEventListener('keydown', (event) => {
  if (event.key !== 'Escape' || event.defaultPrevented || !(event.target instanceof Element)) return
  const menu = event.target.closest('details.menu[open], details.filters[open]')
  if (!(menu instanceof HTMLDetailsElement)) return
  menu.open = false
  menu.querySelector('summary')?.focus()
})
document.addEventListener('click', (event) => {
  for (const menu of document.querySelectorAll('details.menu[open], details.filters[open]'))
    if (menu instanceof HTMLDetailsElement && event.target instanceof Node && !menu.contains(event.target))
      menu.open = false
})

/** @param {Event} event */
function closeOthers(event) {
  const opened = event.target
  if (!(opened instanceof HTMLDetailsElement) || !opened.open || !opened.matches('.menu')) return
  for (const menu of document.querySelectorAll('details.menu[open]'))
    if (menu instanceof HTMLDetailsElement && menu !== opened) menu.open = false
}
