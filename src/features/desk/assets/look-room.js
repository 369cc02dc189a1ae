// Shows a preview of the look beside its form while somebody types.

const lookForm = document.querySelector('form[data-look]')
const tryOut = lookForm?.querySelector('[formtarget]')
let waiting = 0

lookForm?.addEventListener('input', (event) => {
  if (event.target instanceof HTMLInputElement && event.target.type === 'file') return
  clearTimeout(waiting)
  waiting = setTimeout(() => {
    if (!(lookForm instanceof HTMLFormElement) || !(tryOut instanceof HTMLElement)) return
    const frame = document.querySelector(`iframe[name="${tryOut.getAttribute('formtarget')}"]`)
    const next = frame?.cloneNode()
    // The first page in a new frame adds no entry to the history of the browser.
    if (frame && next instanceof HTMLIFrameElement) {
      next.removeAttribute('src')
      frame.replaceWith(next)
    }
    lookForm.requestSubmit(tryOut)
  }, 400)
})

export {}
