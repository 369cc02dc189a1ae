import { hash } from 'node:crypto'
import type { Config, Site } from '../../base/config.ts'
import { clientOf } from '../../base/text/urls.ts'
import type { Look } from '../pages/look.ts'
import { pathTo } from '../pages/viewing.ts'
import type { SendingLimits } from './submission-store.ts'

export interface SubmissionSettings {
  mode: 'confirmed' | 'open'
  limits: SendingLimits
  /** Submissions in an hour; 0 for never. */
  proofAbove: number
  /** For how many months names and addresses of senders are kept. */
  months: number
  /** An address or a path, or empty. */
  terms: string
}

/** If addresses are unconfirmed, limits are a quarter. */
const OPEN_SHARE = 4

/** Undefined if nobody may suggest events. */
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

/** A page of this site with another text is another version. */
export function termsVersion(terms: string, { texts }: Pick<Look, 'texts'>): string {
  if (terms === '') return ''
  const page = texts.get(terms.endsWith('/') ? terms : `${terms}/`)
  return page ? `${terms} ${hash('sha256', page.body.markup, 'base64url').slice(0, 12)}` : terms
}

/** IPv4 by its first three bytes, IPv6 by its first 48 bits. */
export function networkOf(address: string): string {
  const client = clientOf(address)
  const separator = client.includes(':') ? ':' : '.'
  return client.split(separator).slice(0, 3).join(separator)
}
