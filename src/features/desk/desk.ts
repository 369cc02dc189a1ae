import type { Site } from '../../base/config.ts'
import { Problem } from '../../base/problems.ts'
import { problemAnswer } from '../../calendar/locales/problem-answers.ts'
import { html } from '../pages/page-html.ts'
import { accountPages } from './account-room.ts'
import { bulkPages } from './bulk-room.ts'
import {
  type DeskAnswer,
  type DeskPage,
  type DeskRequest,
  type DeskView,
  deskPath,
  sayAtDesk,
} from './desk-page.ts'
import { duplicatePages } from './duplicates-room.ts'
import { eventFormPages } from './event-form/event-form.ts'
import { eventHelpPages, eventPreviewPages } from './event-form/event-form-help.ts'
import { eventListPages } from './event-list.ts'
import { firstStepPages } from './first-steps.ts'
import { historyPages } from './history-room.ts'
import { lookPages } from './look-room.ts'
import { monthPages } from './month-room.ts'
import { peoplePages } from './people-room.ts'
import { pictureLibraryPages } from './picture-library.ts'
import { picturePages } from './pictures-room.ts'
import { quickPages } from './quick-room.ts'
import { recordPages, recordRemovalPages } from './record-room.ts'
import { inboxPages } from './review/inbox-room.ts'
import { searchPages } from './search-room.ts'
import { settingsPages } from './settings-room.ts'
import { consentPages } from './sign-in/consent-room.ts'
import { signOutPages } from './sign-in/sign-in-room.ts'
import { todayPages } from './today-room.ts'

export const DESK_PAGES: readonly DeskPage[] = [
  ...accountPages,
  ...bulkPages,
  ...consentPages,
  ...duplicatePages,
  ...eventFormPages,
  ...eventHelpPages,
  ...eventListPages,
  ...eventPreviewPages,
  ...firstStepPages,
  ...historyPages,
  ...inboxPages,
  ...lookPages,
  ...monthPages,
  ...peoplePages,
  ...pictureLibraryPages,
  ...picturePages,
  ...quickPages,
  ...recordPages,
  ...recordRemovalPages,
  ...searchPages,
  ...settingsPages,
  ...signOutPages,
  ...todayPages,
]

export type DeskTable = readonly { page: DeskPage; parts: readonly string[] }[]

export function deskTable(pages: readonly DeskPage[]): DeskTable {
  return pages.map((page) => ({ page, parts: partsOf(page.at) }))
}

function partsOf(path: string): string[] {
  return path.split('/').filter((part) => part !== '')
}

/** Returns the page at a path. A literal path segment takes precedence over a variable. */
function pageAtDesk(
  table: DeskTable,
  path: string,
): { page: DeskPage; variables: Record<string, string> } | undefined {
  const parts = partsOf(path)
  const matching = table.filter(
    (known) =>
      known.parts.length === parts.length &&
      known.parts.every((part, i) => part.startsWith(':') || part === parts[i]),
  )
  const [found] = matching.sort((a, b) => variableCount(a.parts) - variableCount(b.parts))
  if (!found) return undefined
  const named = found.parts.flatMap((part, i) =>
    part.startsWith(':') ? [[part.slice(1), parts[i] ?? '']] : [],
  )
  return { page: found.page, variables: Object.fromEntries(named) }
}

function variableCount(parts: readonly string[]): number {
  return parts.filter((part) => part.startsWith(':')).length
}

/** Returns what a page's forms may send, or undefined if the limits of the settings apply. */
export function takenAtDesk(table: DeskTable, path: string): DeskPage['takes'] {
  return pageAtDesk(table, path)?.page.takes
}

/** Returns the answer of the page at the request's path; a Problem that it throws is shown as a page. */
export async function answerAtDesk(
  table: DeskTable,
  request: Omit<DeskRequest, 'variables'>,
): Promise<DeskAnswer> {
  const found = pageAtDesk(table, request.path)
  const answer = request.method === 'GET' ? found?.page.get : found?.page.post
  if (!found || !answer) return lostPage(request)
  try {
    return await answer({ ...request, variables: found.variables })
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    if (error.code === 'rest_no_route') return lostPage(request)
    return problemAtDesk(request.context.site, error)
  }
}

function lostPage({ context: { site } }: Pick<DeskRequest, 'context'>): DeskView {
  return {
    status: 404,
    title: sayAtDesk(site, 'There is no such page at the desk.'),
    body: html`<p><a class="button" href="${deskPath(site, '/')}">${sayAtDesk(
      site,
      'Today',
    )}</a> <a class="button" href="${deskPath(site, '/events')}">${sayAtDesk(site, 'Events')}</a></p>`,
  }
}

/** Returns a page about a problem that no form shows. */
export function problemAtDesk(site: Site, problem: Problem): DeskView {
  const { status, body } = problemAnswer(problem, site.language, true)
  const params = Object.values(body.data.params ?? {}).filter((text) => typeof text === 'string')
  return {
    status,
    title: body.message,
    body: html`${
      params.length > 0 && html`<ul class="plain">${params.map((text) => html`<li>${text}</li>`)}</ul>`
    }<p class="ways start"><a class="button" href="${deskPath(site, '/')}">${sayAtDesk(
      site,
      'Today',
    )}</a></p>`,
  }
}
