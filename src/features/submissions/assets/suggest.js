// @ts-check
// The form of a suggested event: focus on faults, the size of a picture, a token that stays fresh, and the
// proof of work where it is asked for. Without this script the form works as well.

const form = document.querySelector('form[data-suggest]')
const faults = document.getElementById('faults')
if (faults) faults.focus()
if (form instanceof HTMLFormElement) begin(form)

/** Age in ms at which a form gets a new token. */
const OLD = 20 * 3_600_000

function begin(/** @type {HTMLFormElement} */ form) {
  const bits = Number(form.dataset.proof ?? 0)
  if (bits > 0) prove(form, bits)
  const picture = form.querySelector('input[type="file"]')
  if (picture instanceof HTMLInputElement)
    picture.addEventListener('change', () => {
      const size = picture.files?.[0]?.size ?? 0
      picture.setCustomValidity(size > Number(picture.dataset.most) ? `${picture.dataset.large}` : '')
      picture.reportValidity()
    })
  keepFresh(form)
  form.addEventListener('submit', (event) => {
    if (!(picture instanceof HTMLInputElement) || picture.validity.valid) return
    event.preventDefault()
    picture.reportValidity()
  })
}

/** Replaces the token before it expires, which is after a day, when somebody goes on typing. */
function keepFresh(/** @type {HTMLFormElement} */ form) {
  let since = Date.now()
  form.addEventListener('input', async () => {
    if (Date.now() - since < OLD) return
    since = Date.now()
    const page = await fetch(form.action.split('?', 1)[0] ?? '').then((reply) => reply.text())
    const other = new DOMParser().parseFromString(page, 'text/html').querySelector('form[data-suggest]')
    if (!(other instanceof HTMLFormElement)) return
    const next = new URL(form.action)
    next.searchParams.set('form', new URL(other.action).searchParams.get('form') ?? '')
    form.action = next.href
  })
}

/** Finds the proof of work in a worker: a number whose hash with the token begins with `bits` zero bits. */
function prove(/** @type {HTMLFormElement} */ form, /** @type {number} */ bits) {
  const token = new URL(form.action).searchParams.get('form')
  const control = form.elements.namedItem('proof')
  if (!token || !(control instanceof HTMLInputElement)) return
  const worker = new Worker(`${form.dataset.worker}`, { type: 'module' })
  /** @type {HTMLElement | null | undefined} */
  let waiting
  worker.addEventListener('message', ({ data }) => {
    control.value = String(data)
    worker.terminate()
    if (waiting !== undefined) form.requestSubmit(waiting)
  })
  worker.addEventListener('error', () => {
    control.value = '-'
    if (waiting !== undefined) form.requestSubmit(waiting)
  })
  form.addEventListener('submit', (event) => {
    if (control.value !== '') return
    event.preventDefault()
    waiting = event.submitter
  })
  worker.postMessage({ token, bits })
}
