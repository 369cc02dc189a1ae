// Sends a pasted or dropped table at once, keeps the label of the import button in step with the status, and
// follows the progress of an import. All of it also works without this script.

const intake = document.querySelector('form[data-intake]')
if (intake instanceof HTMLFormElement) takeIn(intake)
const staged = document.querySelector('form[data-staged]')
if (staged instanceof HTMLFormElement) followStatus(staged)
if (document.querySelector('[data-under-way]')) lookAgain()

/** @param {HTMLFormElement} form */
function takeIn(form) {
  const text = form.querySelector('textarea')
  const file = form.querySelector('input[type="file"]')
  const place = form.querySelector('.drop')
  if (!text || !(file instanceof HTMLInputElement) || !place) return
  text.addEventListener('paste', (event) => {
    const pasted = event.clipboardData?.getData('text/plain') ?? ''
    const isTable = text.value === '' && /\n/.test(pasted.trim()) && /[\t;,]/.test(pasted)
    if (!isTable) return
    event.preventDefault()
    text.value = tableIn(event.clipboardData?.getData('text/html') ?? '') || pasted
    form.requestSubmit()
  })
  file.addEventListener('change', () => file.files?.length && form.requestSubmit())
  for (const name of ['dragenter', 'dragover'])
    form.addEventListener(name, (event) => {
      event.preventDefault()
      place.classList.add('over')
    })
  form.addEventListener('dragleave', () => place.classList.remove('over'))
  form.addEventListener('drop', (event) => {
    place.classList.remove('over')
    const { dataTransfer } = event
    if (!dataTransfer?.files.length) return
    event.preventDefault()
    file.files = dataTransfer.files
    form.requestSubmit()
  })
}

/**
 * Returns a table as text: tabs between cells, one row a line, cells with line ends in quotes. Empty unless
 * the markup has exactly one table, without merged cells.
 * @param {string} markup
 */
function tableIn(markup) {
  if (markup === '') return ''
  const tables = new DOMParser().parseFromString(markup, 'text/html').querySelectorAll('table')
  const [table] = tables
  if (tables.length !== 1 || !table || table.querySelector('[colspan]:not([colspan="1"]), [rowspan]'))
    return ''
  const rows = [...table.rows].map((row) =>
    [...row.cells].map(({ textContent }) => quoted(textContent ?? '')),
  )
  return rows.map((cells) => cells.join('\t')).join('\n')
}

/** @param {string} text */
function quoted(text) {
  const plain = text.replace(/[^\S\n]+/g, ' ').trim()
  return /["\n\t]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain
}

/** @param {HTMLFormElement} form */
function followStatus(form) {
  // The address bar then shows the address of the rows, so that a reload does not send the table again.
  history.replaceState(null, '', form.action)
  const status = form.querySelector('#status')
  const button = form.querySelector('button[value="import"]')
  if (!(status instanceof HTMLSelectElement) || !(button instanceof HTMLElement)) return
  status.addEventListener('change', () => {
    button.textContent = button.dataset[status.value] ?? button.textContent
  })
}

function lookAgain() {
  setTimeout(() => location.reload(), 1000)
}
