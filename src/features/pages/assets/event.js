// @ts-check
// Leads back to the view that an event was opened from, shares it by the menu of the device, and shows its
// times in the zone of the visitor. The page works without this script.

const back = /** @type {HTMLAnchorElement | null} */ (document.querySelector('[data-back]'))
try {
  const { place } = sessionStorage
  // Without filters, the link already leads to that view.
  if (back && place && !/\/(events\/)?$/.test(place)) {
    back.href = place
    back.lastChild?.replaceWith(` ${back.dataset.back}`)
  }
} catch {
  // The browser forbids storage for this site.
}

for (const anchor of /** @type {NodeListOf<HTMLAnchorElement>} */ (document.querySelectorAll('[data-share]')))
  anchor.onclick = (event) => {
    if (!('share' in navigator) || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
    event.preventDefault()
    navigator.share({ title: anchor.dataset.share ?? '', url: location.href }).catch(() => undefined)
  }

/** Returns the local time of the visitor, such as `2026-11-24 19:00`. @param {Date} date */
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
