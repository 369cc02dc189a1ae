import type { Config } from '../../base/config.ts'
import type { ServiceStart, Serving } from '../../feature.ts'
import { byHeader, signInAsStranger } from '../../http/respond.ts'
import { type Answering, type AnswerRow, READS, type RowGround } from '../../http/router.ts'
import { filesOfLook, type Look, lookOf, readStart } from './look.ts'
import { isTaken, readTexts } from './look-settings.ts'
import { ownerTexts, readOwnerFiles, withOwnerSettings } from './owner-settings.ts'
import { readPagesParts } from './pages-part.ts'
import { feedAt, makePublicFeeds } from './public-feeds.ts'
import { assetAt, makePublicPages, type PublicPages, pageAt } from './public-pages.ts'

interface PagesService extends Required<Pick<Serving, 'follow'>> {
  look: Look
  /** Undefined if the service runs without pages. */
  publicPages: (ground: RowGround) => PublicPages | undefined
}

const made = new WeakMap<ServiceStart, Promise<PagesService>>()

export function pagesOf(start: ServiceStart): Promise<PagesService> {
  const known = made.get(start) ?? makePagesService(start)
  made.set(start, known)
  return known
}

async function makePagesService(start: ServiceStart): Promise<PagesService> {
  const { config, tell } = start
  const { texts, files: startFiles } = readStart(config)
  const started = { ...config, pages_texts: texts }
  const { links, subscribes } = await readPagesParts(start)
  const look = await lookOf(started, startFiles)
  let isBegun = false
  let pages: PublicPages | undefined
  return {
    look,
    follow: async (set, read) => {
      const present = withOwnerSettings(started, ownerTexts(set))
      const files = await readOwnerFiles(read)
      Object.assign(look, await lookOf(present, filesOfLook(startFiles, files)))
      if (!isBegun) tellHidden(present, tell)
      isBegun = true
    },
    publicPages: ({ service, entrance, answerCache, cacheBudget }) => {
      if (config.pages === 'off') return undefined
      pages ??= makePublicPages(service, entrance, answerCache, cacheBudget, { look, links, subscribes })
      return pages
    },
  }
}

function tellHidden({ pages_texts }: Config, tell: ServiceStart['tell']): void {
  const hidden = readTexts(pages_texts)
    .filter(isTaken)
    .map(({ slug }) => `/${slug}/`)
  if (hidden.length > 0)
    tell(`Pages of text at ${hidden.join(', ')} are hidden, since the calendar uses their addresses.`)
}

export async function servePages(start: ServiceStart): Promise<Serving> {
  const { follow, publicPages } = await pagesOf(start)
  return { follow, rows: (ground) => rowsOf(ground, publicPages(ground)) }
}

function rowsOf({ service, entrance, cacheBudget, answerRest }: RowGround, pages: PublicPages | undefined) {
  const findPage: AnswerRow['find'] = (exchange) => pages && pageAt(pages, exchange, answerRest)
  const answerPage: Answering = (exchange, signIn) => (findPage(exchange) ?? answerRest)(exchange, signIn)
  const feeds = makePublicFeeds({ service, entrance, pages, answerList: answerRest, answerPage }, cacheBudget)
  const last = { methods: READS, isLast: true } as const
  return [
    { ...last, signIn: signInAsStranger, find: ({ url }) => pages && assetAt(pages, url.path) },
    { ...last, signIn: byHeader(service), find: (exchange) => feedAt(feeds, exchange) },
    { ...last, signIn: signInAsStranger, find: findPage },
  ] satisfies AnswerRow[]
}
