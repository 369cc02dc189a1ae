import type { Config, Site } from '../../base/config.ts'
import type { Context } from '../../calendar/declare/context.ts'
import type { EventRow } from '../../store/storage/schema.ts'
import { eventView } from './event-view.ts'
import { layOut } from './layout.ts'
import { lookOf } from './look.ts'
import { rootOf } from './page-addresses.ts'
import { lookAssets, previewStyle, styleText } from './page-assets.ts'
import { type Pages, viewingOf } from './page-ground.ts'
import { type Html, html } from './page-html.ts'
import { answerFound, firstSpan } from './pages.ts'

/** The event's page below a banner. The event need not be public. */
export async function previewPage(
  pages: Pages,
  context: Context,
  event: EventRow,
  banner: Html,
): Promise<string> {
  const viewing = await viewingOf(pages, context)
  const view = await eventView(viewing, event)
  return layOut(viewing, { ...view, isIndexed: false, body: html`${banner}${view.body}` })
}

interface Preview {
  stylePath: string
  banner: Html
}

/** The front page in another look. Links and buttons do nothing: they would lead to the present look. */
export async function previewFront(
  pages: Pages,
  context: Context,
  config: Config,
  { stylePath, banner }: Preview,
): Promise<string> {
  const look = await lookOf(config, pages.look.files)
  const assets = {
    ...pages.assets,
    files: lookAssets(look),
    style: { ...pages.assets.style, path: stylePath },
  }
  const site = { ...context.site, name: config.site_name, clock: config.pages_clock }
  const asked = { is: 'events', span: firstSpan(look), scope: undefined } as const
  const query = new URLSearchParams()
  const { body } = await answerFound(
    { ...pages, look, assets },
    { ...context, site },
    asked,
    '/',
    query,
    undefined,
  )
  return body
    .replace('<body>', () => `<body>${banner.markup}`)
    .replace('<a class="skip"', '<a inert class="skip"')
    .replace('<header class="top">', '<header inert class="top">')
    .replace('<main id="main"', '<main inert id="main"')
    .replace('<footer class="foot">', '<footer inert class="foot">')
}

export async function previewStyleSheet({ look }: Pages, site: Site, config: Config): Promise<string> {
  const font = lookAssets(look).pages_font
  return previewStyle() + styleText(await lookOf(config, look.files), font && rootOf(site) + font.path)
}
