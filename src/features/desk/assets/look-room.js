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
    // A new frame is used, so that its first page adds no entry to the browser's history.
    if (frame && next instanceof HTMLIFrameElement) {
      next.removeAttribute('src')
      frame.replaceWith(next)
    }
    lookForm.requestSubmit(tryOut)
  }, 400)
})

export {}
