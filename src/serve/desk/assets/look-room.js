// Tries the look out beside its form while it is being typed.

const lookForm = document.querySelector('form[data-look]')
const tryOut = lookForm?.querySelector('[formtarget]')
let waiting = 0

lookForm?.addEventListener('input', (event) => {
  if (event.target instanceof HTMLInputElement && event.target.type === 'file') return
  clearTimeout(waiting)
  waiting = setTimeout(() => {
    if (lookForm instanceof HTMLFormElement && tryOut instanceof HTMLElement) lookForm.requestSubmit(tryOut)
  }, 400)
})

export {}
