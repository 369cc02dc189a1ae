import { formatUtc, utcToWall } from '../../base/text/zones.ts'
import { written } from '../pages/page-dates.ts'
import { html } from '../pages/page-html.ts'
import { type DeskPage, type DeskRequest, type DeskView, deskPath, sayAtDesk } from './desk-page.ts'

/** What needs somebody today. */
function showToday({ context: { site, now } }: DeskRequest): DeskView {
  const today = utcToWall(formatUtc(now), site.timezone).slice(0, 10)
  return {
    title: sayAtDesk(site, 'Today'),
    room: 'today',
    under: written(site, 'fullYear', today),
    body: html`<p><a class="button" href="${deskPath(site, '/events')}">${sayAtDesk(site, 'Events')}</a></p>`,
  }
}

export const todayPages: readonly DeskPage[] = [{ at: '/', get: showToday }]
