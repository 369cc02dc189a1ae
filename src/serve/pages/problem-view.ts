import type { MessageText } from '../../calendar/locales/messages.ts'
import { unitName } from './page-dates.ts'
import { html } from './page-html.ts'
import { languageField } from './page-languages.ts'
import { pathTo, say, type View, type Viewing } from './viewing.ts'

// The page that explains a failure.

const SENTENCES = {
  400: 'This address isn’t quite right.',
  404: 'We can’t find that page.',
  410: 'This is no longer listed.',
  414: 'This address is too long.',
  500: 'Something went wrong here; it has been noted.',
  503: 'The calendar isn’t available right now. Please try again soon.',
} as const satisfies Record<number, MessageText>

/** The status of a page that explains a failure. */
export type ProblemStatus = keyof typeof SENTENCES

/** A page that explains a failure and offers links. `names` are the wrong parameters of a feed, which no form has. */
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
    body: html`<section class="problem"><p class="eyebrow">${status}</p><h1>${sentence}</h1>${names.length > 0 && html`<p>${names.map((name) => html`<code>${name}</code> `)}</p>`}
<form class="filter" role="search" method="get" action="${pathTo(site, '/events/')}">${languageField(site)}<div class="words"><input type="search" name="search" maxlength="500" placeholder="${say(site, 'Search events')}" aria-label="${say(site, 'Search events')}"><button type="submit" class="button main">${say(site, 'Search')}</button></div></form>
<p class="ways"><a class="button" href="${pathTo(site, '/events/')}">${say(site, 'What’s on')}</a> <a class="button" href="${pathTo(site, '/events/month/')}">${unitName(site, 'month')}</a></p></section>`,
  }
}
