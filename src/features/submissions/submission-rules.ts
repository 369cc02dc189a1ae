import { hash } from 'node:crypto'
import type { Config, Site } from '../../base/config.ts'
import { clientOf } from '../../base/text/urls.ts'
import type { Look } from '../pages/look.ts'
import { pathTo } from '../pages/viewing.ts'
import type { SendingLimits } from './submission-store.ts'

export interface SubmissionSettings {
  mode: 'confirmed' | 'open'
  limits: SendingLimits
  /** Above this many suggestions an hour, a proof of work is required; 0: never. */
  proofAbove: number
  /** After this many months, names and addresses of senders are deleted. */
  months: number
  /** URL or path of the terms; empty for none. */
  terms: string
}

/** Divisor of the limits if addresses are not confirmed. */
const OPEN_SHARE = 4

/** Reads the settings; undefined if nobody may suggest events. */
export function submissionSettings(config: Config): SubmissionSettings | undefined {
  const { submissions: mode } = config
  if (mode === 'off' || config.pages === 'off') return undefined
  const share = (most: number) => (mode === 'open' ? Math.ceil(most / OPEN_SHARE) : most)
  return {
    mode,
    limits: {
      address: share(config.submissions_address),
      block: share(config.submissions_network),
      all: share(config.submissions_hour),
    },
    proofAbove: config.submissions_proof,
    months: config.submissions_months,
    terms: config.submissions_terms,
  }
}

export const termsAddress = (site: Site, terms: string) =>
  terms.startsWith('/') ? pathTo(site, terms) : terms

/** The version of the terms that a sender agrees to. For a page of this site it has a hash of the text. */
export function termsVersion(terms: string, { texts }: Pick<Look, 'texts'>): string {
  if (terms === '') return ''
  const page = texts.get(terms.endsWith('/') ? terms : `${terms}/`)
  return page ? `${terms} ${hash('sha256', page.body.markup, 'base64url').slice(0, 12)}` : terms
}

/** Network of an address: the first three bytes of IPv4, the first 48 bits of IPv6. */
export function networkOf(address: string): string {
  const client = clientOf(address)
  const separator = client.includes(':') ? ':' : '.'
  return client.split(separator).slice(0, 3).join(separator)
}
