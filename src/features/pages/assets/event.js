// @ts-check
// Copies the address of an event, shares it by the menu of the device, and shows its times in the zone of the
// visitor. The page works without this script.

for (const button of /** @type {NodeListOf<HTMLButtonElement>} */ (
  document.querySelectorAll('[data-copy]')
)) {
  if (!navigator.clipboard) break
  button.hidden = false
  const text = button.textContent
  button.onclick = async () => {
    try {
      await navigator.clipboard.writeText(`${button.dataset.copy}`)
      button.textContent = `${button.dataset.copied}`
      const status = document.getElementById('status')
      if (status) status.textContent = button.textContent
    } catch {
      prompt(`${text}`, button.dataset.copy)
    }
    setTimeout(() => (button.textContent = text), 2500)
  }
}

for (const anchor of /** @type {NodeListOf<HTMLAnchorElement>} */ (document.querySelectorAll('[data-share]')))
  anchor.onclick = (event) => {
    if (!('share' in navigator) || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
    event.preventDefault()
    navigator.share({ title: anchor.dataset.share ?? '', url: location.href }).catch(() => undefined)
  }

/** Returns the wall time in the zone of the visitor, such as `2026-11-24 19:00`. @param {Date} date */
const wallOf = (date) => date.toLocaleString('sv', { dateStyle: 'short', timeStyle: 'short' })

/** @param {string} one @param {string} other */
const isSameDay = (one, other) => one.slice(0, 10) === other.slice(0, 10)

for (const line of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll('[data-wall]'))) {
  const { wall = '', starts = '', ends = '', locale, text = '' } = line.dataset
  const [start, end] = [new Date(starts), new Date(ends)]
  const here = wallOf(start)
  if (here === wall) continue
  /** @type {Intl.DateTimeFormatOptions} */
  const day =
    isSameDay(here, wall) && isSameDay(here, wallOf(end))
      ? {}
      : { weekday: 'short', day: 'numeric', month: 'short' }
  const format = new Intl.DateTimeFormat(locale, { ...day, hour: 'numeric', minute: '2-digit' })
  line.textContent = text.replace('{time}', () => format.formatRange(start, end))
  line.hidden = false
}
