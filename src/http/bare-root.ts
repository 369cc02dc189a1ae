import type { Site } from '../base/config.ts'
import { escapeHtml } from '../base/text/html.ts'
import { translate } from '../calendar/locales/translate.ts'

/** The API version that clients compare (rule 29.8). */
export const VERSION = 'v1'

interface BareRoot {
  headers: Record<string, string>
  html: string
}

/**
 * Makes the front page (rule 29.8): generic clients follow its link, clients of the namespace its headers.
 */
export function bareRoot(site: Site): BareRoot {
  const name = escapeHtml(site.name)
  const about = escapeHtml(
    translate(site.language, 'Events, venues, organizers, categories and tags of this calendar.'),
  )
  const description = escapeHtml(translate(site.language, 'The description of this interface'))
  const namespace = escapeHtml(`${site.base}/`)
  const html = `<!doctype html>
<html lang="${site.language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${name}</title>
<meta name="description" content="${about}">
<link rel="https://api.w.org/" href="${escapeHtml(`${site.restUrl}/`)}">
<link rel="alternate" type="application/json" href="${namespace}">
<meta name="tec-api-version" content="${VERSION}">
<meta name="tec-api-origin" content="${escapeHtml(site.url)}">
</head>
<body>
<h1>${name}</h1>
<p>${about}</p>
<p><a href="${namespace}">${namespace}</a></p>
<p><a href="${namespace}doc">${description}</a></p>
</body>
</html>
`
  return { headers: sitePageHeaders(site), html }
}

function sitePageHeaders(site: Site): Record<string, string> {
  return {
    ...discoveryHeaders(site),
    'Access-Control-Allow-Origin': '*',
    'Content-Type': 'text/html; charset=UTF-8',
    'X-Content-Type-Options': 'nosniff',
    'Content-Security-Policy': "default-src 'none'",
    'Cache-Control': 'public, max-age=0, must-revalidate',
  }
}

/** Returns headers that point clients to the REST root and the namespace (rule 29.8). */
export function discoveryHeaders(site: Site): Record<string, string> {
  return {
    Link: `<${site.restUrl}/>; rel="https://api.w.org/"`,
    'X-TEC-API-VERSION': VERSION,
    'X-TEC-API-ROOT': `${site.base}/`,
    'X-TEC-API-ORIGIN': site.url,
    'Access-Control-Expose-Headers': 'Link, X-TEC-API-VERSION, X-TEC-API-ROOT, X-TEC-API-ORIGIN',
  }
}
