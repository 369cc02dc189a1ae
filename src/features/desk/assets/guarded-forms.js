// Guards forms against loss of input: leaving a changed form warns, and a form is sent only if the service
// responds, since an error page would discard its text.

/** In ms: the longest wait for a response. */
const PATIENCE_MS = 10_000

/**
 * Returns true if the service itself responds, not a proxy with an error. It requests this file, which costs
 * the service little.
 */
async function isReachable() {
  try {
    const signal = AbortSignal.timeout(PATIENCE_MS)
    const { status } = await fetch(import.meta.url, { method: 'HEAD', cache: 'no-store', signal })
    return status < 500
  } catch {
    return false
  }
}

/**
 * Removes a chosen file that is too large and says so, since the service would refuse the whole form.
 * @param {Event} change
 */
function refuseLarge({ target: file }) {
  if (!(file instanceof HTMLInputElement) || file.dataset.most === undefined) return
  const isLarge = (file.files?.[0]?.size ?? 0) > Number(file.dataset.most)
  const line = file.parentElement?.querySelector('.error') ?? document.createElement('p')
  line.className = 'error'
  line.setAttribute('role', 'alert')
  line.textContent = isLarge ? (file.dataset.tooLarge ?? '') : ''
  file.after(line)
  if (isLarge) file.value = ''
}

const LINES = ['text', 'email', 'url', 'tel', 'number', 'date', 'time', 'password']

/**
 * Enter in a single-line field moves to the next control, since it would send an unfinished form.
 * @param {KeyboardEvent} event
 */
function moveOn(event) {
  const { target } = event
  const isPlain = event.key === 'Enter' && !event.ctrlKey && !event.metaKey && !event.isComposing
  if (!isPlain || event.defaultPrevented || !(target instanceof HTMLInputElement)) return
  if (!LINES.includes(target.type) || !target.form) return
  event.preventDefault()
  const controls = [...target.form.querySelectorAll('input, select, textarea, button, [contenteditable]')]
  const next = controls
    .slice(controls.indexOf(target) + 1)
    .find(
      (control) =>
        control instanceof HTMLElement &&
        control.tabIndex >= 0 &&
        !control.matches(':disabled') &&
        control.checkVisibility(),
    )
  if (next instanceof HTMLElement) next.focus()
}

/** @param {HTMLFormElement} form */
function guard(form) {
  const text = () =>
    new URLSearchParams(
      [...new FormData(form)].flatMap(([name, value]) =>
        name === 'picture_search' ? [] : [[name, typeof value === 'string' ? value : value.name]],
      ),
    ).toString()
  const before = text()
  const warning = document.createElement('p')
  warning.className = 'warning'
  warning.setAttribute('role', 'alert')
  form.querySelector('.savebar')?.prepend(warning)
  let isSending = false
  let isAsking = false
  let isAnswered = false
  /** @param {HTMLElement | null} submitter */
  const send = async (submitter) => {
    isAsking = true
    warning.textContent = ''
    isAnswered = await isReachable()
    isAsking = false
    if (isAnswered) return form.requestSubmit(submitter)
    warning.textContent = form.dataset.guard ?? ''
    isSending = false
    form.dispatchEvent(new Event('unsent'))
  }
  form.addEventListener('submit', (submit) => {
    const { submitter } = submit
    // A preview opens in another tab, and the form stays.
    isSending = !submitter?.hasAttribute('formtarget')
    if (!isSending || submit.defaultPrevented) return
    if (!isAnswered) submit.preventDefault()
    if (!isAnswered && !isAsking) send(submitter)
    isAnswered = false
  })
  form.addEventListener('change', refuseLarge, true)
  form.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || event.repeat) return
    const buttons = [...form.querySelectorAll('.savebar .main')]
    const shown = buttons.find((button) => button.checkVisibility())
    if (shown instanceof HTMLElement) shown.click()
  })
  form.addEventListener('keydown', moveOn)
  // The user is still typing, so the request was stopped or has failed.
  form.addEventListener('input', () => {
    isSending = false
  })
  addEventListener('beforeunload', (event) => {
    if (!isSending && text() !== before) event.preventDefault()
  })
}

for (const form of document.querySelectorAll('form[data-guard]'))
  if (form instanceof HTMLFormElement) guard(form)
