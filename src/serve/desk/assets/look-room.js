// Tries the look out beside its form while it is being typed.

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
    // The first page of a new frame is no step of the way back.
    if (frame && next instanceof HTMLIFrameElement) {
      next.removeAttribute('src')
      frame.replaceWith(next)
    }
    lookForm.requestSubmit(tryOut)
  }, 400)
})

export {}
