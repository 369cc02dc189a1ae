// The time zone of a new calendar: preselects that of the browser, and shows its place in the sentence below.

const zoneField = document.querySelector('.zone-field')
const zoneChoice = zoneField?.querySelector('select')

function showPlace() {
  const place = zoneField?.querySelector('[data-place]')
  if (place && zoneChoice) place.textContent = (zoneChoice.value.split('/').at(-1) ?? '').replaceAll('_', ' ')
}

const note = zoneField instanceof HTMLElement ? zoneField.dataset.zone : undefined
if (note && zoneChoice) {
  const own = new Intl.DateTimeFormat().resolvedOptions().timeZone
  const option = [...zoneChoice.options].find(({ value }) => value === own)
  if (option) {
    option.text += ` (${note})`
    zoneChoice.value = own
    showPlace()
  }
}
zoneChoice?.addEventListener('change', showPlace)

export {}
