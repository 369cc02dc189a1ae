// @ts-check
// A checkbox that ticks all suggestions of a page. Without this script, each is ticked on its own.

const all = document.querySelector('[data-all]')
if (all instanceof HTMLInputElement) {
  const label = all.closest('label')
  if (label) label.hidden = false
  all.addEventListener('change', () => {
    for (const one of document.querySelectorAll('input[form="many"][name="id"]'))
      if (one instanceof HTMLInputElement) one.checked = all.checked
  })
}

export {}
