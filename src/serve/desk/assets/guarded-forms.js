// Forms in which somebody writes: leaving them warns, and they are sent only where the service answers, since nothing of them is left on the page of an error.

/** How long an answer is waited for. */
const PATIENCE_MS = 10_000

/** Whether the service answers, and not a proxy in its place. It is asked for this file, which costs it little. */
async function isReachable() {
  try {
    const signal = AbortSignal.timeout(PATIENCE_MS)
    const { status } = await fetch(import.meta.url, { method: 'HEAD', cache: 'no-store', signal })
    return status < 500
  } catch {
    return false
  }
}

/** Lets go of a chosen file that the service would not read, nor the form around it, and says so. @param {Event} change */
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

/** @param {HTMLFormElement} form */
function guard(form) {
  const text = () =>
    new URLSearchParams(
      [...new FormData(form)].map(([name, value]) => [name, typeof value === 'string' ? value : value.name]),
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
    // A preview opens beside the form, which stays.
    isSending = !submitter?.hasAttribute('formtarget')
    if (!isSending || submit.defaultPrevented) return
    if (!isAnswered) submit.preventDefault()
    if (!isAnswered && !isAsking) send(submitter)
    isAnswered = false
  })
  form.addEventListener('change', refuseLarge, true)
  // Whoever goes on writing has stopped it, or it came to nothing.
  form.addEventListener('input', () => {
    isSending = false
  })
  addEventListener('beforeunload', (event) => {
    if (!isSending && text() !== before) event.preventDefault()
  })
}

for (const form of document.querySelectorAll('form[data-guard]')) if (form instanceof HTMLFormElement) guard(form)
