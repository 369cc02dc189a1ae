import type { TermRow } from '../storage/schema.ts'
import type { WantedText } from '../text/text-work.ts'

/** The long texts of a record, and whether their author may write unfiltered HTML. */
interface LongTexts {
  description: string
  excerpt: string
  trusted: number
}

/** The texts that a record is shown with: in lists, or `single` with its linked data. */
export function textsOfRecord({ description, excerpt, trusted }: LongTexts, extent: 'listed' | 'single'): WantedText[] {
  const isTrusted = trusted === 1
  const texts: WantedText[] = []
  for (const raw of [description, excerpt]) {
    if (raw === '') continue
    texts.push({ work: isTrusted ? 'trustedHtml' : 'html', raw })
    if (extent === 'single') texts.push({ work: isTrusted ? 'trustedPlain' : 'plain', raw })
  }
  return texts
}

/** The texts of a record about to be written, for answers and for searches. */
export function textsToWrite(texts: LongTexts): WantedText[] {
  const folded = [texts.description, texts.excerpt].map((raw): WantedText => ({ work: 'folded', raw }))
  return [...textsOfRecord(texts, 'single'), ...folded]
}

export function textsOfTerm({ description }: Pick<TermRow, 'description'>): WantedText[] {
  return description === '' ? [] : [{ work: 'safe', raw: description }]
}
