import { LANGUAGES, type Language, type Site } from '../../base/config.ts'
import { VERSION } from '../../http/bare-root.ts'
import { LEGAL_PAGES, type LegalPage, type Look } from './look.ts'
import { rootOf } from './page-addresses.ts'
import type { Assets } from './page-assets.ts'
import { unitName, zoneName } from './page-dates.ts'
import { type Content, type Html, html, trusted } from './page-html.ts'
import { LANGUAGE_NAMES, languageField, withLanguage } from './page-languages.ts'
import type { PageText } from './page-texts.ts'
import { shortened } from './teasers.ts'
import { pathTo, say, type View, type Viewing } from './viewing.ts'

const LONGEST_DESCRIPTION = 200
export const LONGEST_TITLE = 110

export function layOut({ context: { site }, assets, look, links, address }: Viewing, view: View): string {
  const title = view.title === '' ? site.name : `${shortened(view.title, LONGEST_TITLE)} · ${site.name}`
  const asset = (path: string) => pathTo(site, path)
  const { pages_picture: picture } = assets.files
  // The style sheet `others` has the classes of focal points.
  const isPlain = view.isPlain && !/[ "]fx\d/.test(view.body.markup)
  const styles = [...(view.styles ?? []), ...(isPlain ? [] : [assets.others]), assets.style]
  const before = html`<html lang="${site.language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<meta name="color-scheme" content="${look.scheme === 'auto' ? 'light dark' : look.scheme}">
${pageHead(site, { ...view, image: view.image ?? (picture && site.url + picture.path) }, title)}
<link rel="icon" href="${asset(assets.icon.path)}">
<link rel="apple-touch-icon" href="${asset('/apple-touch-icon.png')}">
${styles.map(({ path }) => html`<link rel="stylesheet" href="${asset(path)}">\n`)}${[
  assets.script,
  ...(view.scripts ?? []),
].map(
  ({ path }) => html`<script type="module" src="${asset(path)}"></script>\n`,
)}${view.linkedData && html`<script type="application/ld+json">${linkedData(view.linkedData)}</script>`}
</head>
<body>
${skipLink(site, view)}
<header class="top"><div class="wrap">
<a class="brand" href="${pathTo(site, '/')}">${brand(site, look, assets.files)}<span>${
    hidesName(look) ? html`<b class="hidden">${site.name}</b>` : site.name
  }${look.sentence && html`<small>${look.sentence}</small>`}</span></a>
${ownLinks(site, look)}<nav aria-label="${say(site, 'Main navigation')}">${navigation(
    site,
    view,
  )}</nav>${languageSwitch(site, address)}
${links.map(
  ({ path, text, sign }) =>
    html`<a class="button feature${sign !== undefined && html` signed`}" href="${pathTo(site, path)}">${
      sign !== undefined && html`<i aria-hidden="true">${sign}</i>`
    }<span>${text(site)}</span></a>
`,
)}<span class="paper">${site.url.replace(/^https?:\/\//, '')}</span></div></header>
<main id="main" class="wrap"${isOfEvents(view) && html` data-place="${asset(assets.place.path)}"`}>`
  const after = html`</main>
<footer class="foot"><div class="wrap">
<span>${site.name}</span>
${legalLinks(site, look)}${textLinks(site, look)}<a href="${pathTo(
    site,
    '/venues/',
  )}">${say(site, 'Venues')}</a>
<a href="${pathTo(site, '/organizers/')}">${say(site, 'Organizers')}</a>
${links.map(({ path, text }) => html`<a href="${pathTo(site, path)}">${text(site)}</a>\n`)}<a href="${pathTo(
    site,
    '/embed/',
  )}">${say(site, 'Add to your website')}</a>
<a href="${`${site.base}/`}">${say(site, 'API for developers')}</a>
<span class="end">${say(site, 'All times are in {zone}', { zone: zoneName(site, site.timezone) })}</span>
</div></footer>
<div id="status" role="status" class="hidden"></div>
</body>
</html>
`
  return `<!doctype html>\n${joined(before)}\n${view.body.markup}\n${joined(after)}`
}

/** Leaves out the blanks between tags, where layout ignores them. */
const joined = ({ markup }: Html) => markup.replaceAll(/>\n+</g, '><')

const isOfEvents = ({ current }: View) =>
  current !== undefined && current !== 'venue' && current !== 'organizer'

function skipLink(site: Site, view: View): Html {
  return isOfEvents(view)
    ? html`<a class="skip" href="#events">${say(site, 'Skip to events')}</a>`
    : html`<a class="skip" href="#main">${say(site, 'Skip to content')}</a>`
}

/** Address of an owner's link; a path is below the root of the site. */
const ownAddress = (site: Site, address: string) =>
  address.startsWith('/') ? pathTo(site, address) : address

function ownLinks(site: Site, { links }: Look): Content {
  if (links.length === 0) return false
  const items = links.map(({ text, address }) => html`<a href="${ownAddress(site, address)}">${text}</a>`)
  return html`<nav class="own-links" aria-label="${say(site, 'Other links')}">${items}</nav>\n`
}

const LEGAL_TEXTS = {
  imprint: 'Imprint',
  privacy: 'Privacy',
  accessibility: 'Accessibility',
  contact: 'Contact',
} as const satisfies Record<LegalPage, PageText>

function legalLinks(site: Site, { legal }: Look): Content {
  return LEGAL_PAGES.map(
    (page) =>
      legal[page] !== '' &&
      html`<a href="${ownAddress(site, legal[page])}">${say(site, LEGAL_TEXTS[page])}</a>\n`,
  )
}

function textLinks(site: Site, { texts, links, legal }: Look): Content {
  const linked = new Set([...links.map(({ address }) => address), ...Object.values(legal)])
  return [...texts].map(
    ([path, { title }]) => !linked.has(path) && html`<a href="${pathTo(site, path)}">${title}</a>\n`,
  )
}

/** True if the name beside the logo is hidden except from screen readers. */
const hidesName = ({ showsName, files }: Look) => !showsName && files.pages_logo !== undefined

function brand(
  site: Site,
  { scheme }: Look,
  { pages_logo: logo, pages_logo_dark: dark }: Assets['files'],
): Html {
  if (!logo) return html`<i class="mark" aria-hidden="true"></i>`
  const one = scheme === 'dark' && dark ? dark : logo
  const image = html`<img class="logo" src="${pathTo(site, one.path)}" alt="">`
  return dark && scheme === 'auto'
    ? html`<picture><source media="(prefers-color-scheme: dark)" srcset="${pathTo(
        site,
        dark.path,
      )}">${image}</picture>`
    : image
}

function navigation(site: Site, { current }: View): Html {
  const item = (part: View['current'], path: string, text: string) =>
    html`<a href="${pathTo(site, path)}"${current === part && html` aria-current="true"`}>${text}</a>`
  return html`${item('list', '/events/', say(site, 'What’s on'))}${item(
    'month',
    '/events/month/',
    unitName(site, 'month'),
  )}${item('week', '/events/week/', unitName(site, 'weekOfYear'))}${item(
    'venue',
    '/venues/',
    say(site, 'Venues'),
  )}`
}

function languageSwitch(site: Site, address: string | undefined): Html | false {
  // A path that begins with two slashes would lead to another site.
  if (address === undefined || /^\/[/\\]/.test(address) || site.languages.length === 1) return false
  const root = rootOf(site)
  const links = LANGUAGES.filter((language) => site.languages.includes(language)).map(
    (language) =>
      html`<a href="${
        root + withLanguage(address, language)
      }" lang="${language}" hreflang="${language}" title="${LANGUAGE_NAMES[language]}"${
        language === site.language && html` aria-current="true"`
      }>${language.toUpperCase()}</a>`,
  )
  return html`<nav class="languages" aria-label="${say(site, 'Language')}">${links}</nav>`
}

/** The first language has no query parameter: search engines get it, as they send no `Accept-Language`. */
const addressIn = ({ languages }: Site, language: Language, path: string) =>
  withLanguage(path, language === languages[0] ? undefined : language)

/** `hreflang` links; `x-default` stands for any other language. */
function alternates({ languages, ...site }: Site, path: string | undefined): Content {
  if (path === undefined || languages.length === 1) return false
  const link = (code: string, address: string) =>
    html`<link rel="alternate" hreflang="${code}" href="${site.url + address}">\n`
  return [
    ...languages.map((code) => link(code, addressIn({ ...site, languages }, code, path))),
    link('x-default', path),
  ]
}

function pageHead(site: Site, view: View, title: string): Html {
  const description = shortened(view.description, LONGEST_DESCRIPTION)
  const canonical =
    view.original ?? (view.canonical && site.url + addressIn(site, site.language, view.canonical))
  const api = `${site.restUrl}/`
  const inLanguages = view.isIndexed && !view.original && alternates(site, view.canonical)
  const property = (name: string, content: string | undefined): Content =>
    content && html`<meta property="${name}" content="${content}">\n`
  return html`<meta name="description" content="${description || title}">
${!view.isIndexed && html`<meta name="robots" content="noindex, follow">\n`}${
  canonical !== undefined && html`<link rel="canonical" href="${canonical}">\n`
}${view.previous && html`<link rel="prev" href="${view.previous}">\n`}${
  view.next && html`<link rel="next" href="${view.next}">\n`
}${inLanguages}<link rel="https://api.w.org/" href="${api}">
${(view.feeds ?? []).map(
  ({ mediaType, title, path }) =>
    html`<link rel="alternate" type="${mediaType}" title="${title}" href="${site.url + path}">\n`,
)}<link rel="alternate" type="application/json" href="${`${site.base}/`}">
<meta name="tec-api-version" content="${VERSION}">
<meta name="tec-api-origin" content="${site.url}">
${property('og:title', view.title || site.name)}${property('og:description', description)}${property(
  'og:type',
  view.type ?? 'website',
)}${property('og:url', canonical)}${property('og:site_name', site.name)}${property(
  'og:image',
  view.image,
)}<meta name="twitter:card" content="${view.image ? 'summary_large_image' : 'summary'}">`
}

/** JSON-LD, escaped so that nothing in it can end the script element. */
function linkedData(data: object): Html {
  return trusted(
    JSON.stringify(data)
      .replaceAll('<', '\\u003c')
      .replaceAll('>', '\\u003e')
      .replaceAll('&', '\\u0026')
      .replaceAll('\u2028', '\\u2028')
      .replaceAll('\u2029', '\\u2029'),
  )
}

const SENTENCES = {
  400: 'This address isn’t quite right.',
  404: 'We can’t find that page.',
  410: 'This is no longer listed.',
  414: 'This address is too long.',
  500: 'Something went wrong here; it has been noted.',
  503: 'The calendar isn’t available right now. Please try again soon.',
} as const satisfies Record<number, PageText>

export type ProblemStatus = keyof typeof SENTENCES

/** @param names the wrong parameters of a feed URL, which has no form to show them in */
export function problemView(
  { context: { site }, assets }: Pick<Viewing, 'context' | 'assets'>,
  status: ProblemStatus,
  names: readonly string[] = [],
): View {
  const sentence = say(site, SENTENCES[status])
  return {
    status,
    title: sentence,
    description: sentence,
    canonical: undefined,
    isIndexed: false,
    current: undefined,
    styles: [assets.texts],
    body: html`<section class="problem"><p class="eyebrow">${status}</p><h1>${sentence}</h1>${
      names.length > 0 && html`<p>${names.map((name) => html`<code>${name}</code> `)}</p>`
    }
<form class="filter" role="search" method="get" action="${pathTo(site, '/events/')}">${languageField(
      site,
    )}<div class="words"><input type="search" name="search" maxlength="500" placeholder="${say(
      site,
      'Search events',
    )}" aria-label="${say(site, 'Search events')}"><button type="submit" class="button main">${say(
      site,
      'Search',
    )}</button></div></form>
<p class="ways"><a class="button" href="${pathTo(site, '/events/')}">${say(
      site,
      'What’s on',
    )}</a> <a class="button" href="${pathTo(site, '/events/month/')}">${unitName(
      site,
      'month',
    )}</a></p></section>`,
  }
}
