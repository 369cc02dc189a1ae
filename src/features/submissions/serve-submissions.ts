import { readFileSync } from 'node:fs'
import type { Config } from '../../base/config.ts'
import { DAY_MS, formatUtc } from '../../base/text/zones.ts'
import type { ServiceStart, Serving } from '../../feature.ts'
import type { Entrance } from '../../http/entrance.ts'
import type { Exchange } from '../../http/incoming.ts'
import { signInAsStranger } from '../../http/respond.ts'
import { sendText } from '../../http/send.ts'
import { ASSETS_PATH, contentName } from '../pages/look-settings.ts'
import { type Asset, mediaTypeOf } from '../pages/page-assets.ts'
import { isTextPath } from '../pages/pages.ts'
import type { PagesPart } from '../pages/pages-part.ts'
import { pagesOf } from '../pages/serve-pages.ts'
import { pathTo } from '../pages/viewing.ts'
import { confirmPage, LINK_PATH, linkPage } from './confirm-page.ts'
import { addPage, SENT_PATH, sentPage } from './send-suggestion.ts'
import { minePage } from './sender-page.ts'
import { CONFIRM_PATH, MINE_PATH } from './submission-letters.ts'
import { submissionSettings } from './submission-rules.ts'
import { dropOldSenders } from './submission-store.ts'
import { saySubmission } from './submission-texts.ts'
import { type PageTable, type SuggestAssets, type SuggestRoute, suggestAt } from './suggest-route.ts'
import { ADD_PATH } from './suggest-view.ts'
import { tellEditors } from './tell-editors.ts'

/** Paths of forms in other calendar programs, which are redirected to ours. */
const ELSEWHERE: ReadonlyMap<string, string> = new Map([
  ['/add', ADD_PATH],
  ['/add/', ADD_PATH],
  ['/events/add', ADD_PATH],
  ['/events/add/', ADD_PATH],
  ['/events/community', ADD_PATH],
  ['/events/community/', ADD_PATH],
])

/** Ms between two rounds of clean-up. */
const EVERY_MS = 3_600_000
const TELLS_EVERY_MS = 60_000
const FORGOTTEN_AT_ONCE = 200
const DAYS_A_MONTH = 30.44

/** @throws Error with one sentence if addresses are to be confirmed but no e-mail is configured */
export async function serveSubmissions(start: ServiceStart): Promise<Serving> {
  const { config, report } = start
  const settings = submissionSettings(config)
  if (!settings) return {}
  if (settings.mode === 'confirmed' && config.mail === '')
    throw new Error(
      'KALENDS_SUBMISSIONS=confirmed needs e-mail: set KALENDS_MAIL, or take KALENDS_SUBMISSIONS=open.',
    )
  const { publicPages } = await pagesOf(start)
  const assets = readSuggestAssets()
  const table = pageTable(settings.mode === 'confirmed')
  return {
    rows: (ground) => {
      const { service, entrance } = ground
      const all = publicPages(ground)
      if (!all) return []
      const route: SuggestRoute = {
        service,
        entrance,
        all,
        settings,
        assets,
        key: undefined,
        seal: undefined,
        kept: new Map(),
        lately: { at: 0, sent: 0, since: 0 },
      }
      return [
        {
          methods: 'all',
          signIn: signInAsStranger,
          find: ({ url }) => suggestAt(route, table, url.path) ?? elsewhere(route, url.path),
        },
      ]
    },
    works: ({ database, site }) => [
      {
        every: TELLS_EVERY_MS,
        look: () =>
          site.hasMail && site.hasDesk ? tellEditors(database, site, Date.now()).catch(report) : undefined,
      },
      {
        every: EVERY_MS,
        isAtOnce: true,
        look: () => {
          const before = formatUtc(Date.now() - settings.months * DAYS_A_MONTH * DAY_MS)
          return database.write((tx) => dropOldSenders(tx, before, FORGOTTEN_AT_ONCE)).catch(report)
        },
      },
    ],
  }
}

export function suggestLinks(config: Config): PagesPart | undefined {
  if (!submissionSettings(config)) return undefined
  return { links: [{ path: ADD_PATH, text: (site) => saySubmission(site, 'Suggest an event'), sign: '+' }] }
}

function pageTable(isConfirmed: boolean): PageTable {
  const pages = [
    [ADD_PATH, addPage],
    [MINE_PATH, minePage],
    ...(isConfirmed
      ? ([
          [SENT_PATH, sentPage],
          [CONFIRM_PATH, confirmPage],
          [LINK_PATH, linkPage],
          ['/events/community/list/', linkPage],
        ] as const)
      : []),
  ] as const
  return new Map(
    pages.flatMap(([path, page]) => [
      [path, page],
      [path.slice(0, -1), page],
    ]),
  )
}

/** The redirect for a path of another program's form; undefined if the owner has a text page there. */
function elsewhere(route: SuggestRoute, path: string): ((exchange: Exchange) => void) | undefined {
  const to = ELSEWHERE.get(path)
  if (to === undefined || isTextPath(route.all.pages, path)) return undefined
  return (exchange) => leadTo(route.entrance, exchange, to)
}

function leadTo(entrance: Entrance, exchange: Exchange, to: string): void {
  const { query } = exchange.url
  const headers = { Location: `${pathTo(entrance.site, to)}${query === '' ? '' : `?${query}`}` }
  sendText(entrance, exchange, { status: 302, route: 'suggest', headers, text: '' })
}

function readSuggestAssets(): SuggestAssets {
  const read = (name: string, ending: string): Asset => {
    const bytes = readFileSync(new URL(`./assets/${name}${ending}`, import.meta.url))
    return { path: ASSETS_PATH + contentName(name, ending, bytes), mediaType: mediaTypeOf(ending), bytes }
  }
  const style = read('suggest', '.css')
  const script = read('suggest', '.js')
  const proof = read('suggest-proof', '.js')
  return { style, script, proof, all: [style, script, proof] }
}
