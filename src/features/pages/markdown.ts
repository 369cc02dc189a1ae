import { Marked, type Tokens } from 'marked'
import { cachedText, emptyCache, processBudget } from '../../base/cache.ts'
import { escapeHtml, safeText } from '../../base/text/html.ts'

/** `below` writes headings from the second level on; `bold` writes them as bold lines. */
type HeadingForm = 'below' | 'bold'

/**
 * HTML is shown as typed. The text of a picture stands in its place, since it would come from another host.
 */
const READERS: Readonly<Record<HeadingForm, Marked>> = {
  below: readerWith('below'),
  bold: readerWith('bold'),
}

function readerWith(headings: HeadingForm): Marked {
  return new Marked({
    renderer: {
      html: ({ text }: Tokens.HTML | Tokens.Tag) => escapeHtml(text),
      image: ({ text }: Tokens.Image) => escapeHtml(text),
      heading({ depth, tokens }: Tokens.Heading) {
        const inside = this.parser.parseInline(tokens)
        const level = Math.max(depth, 2)
        return headings === 'bold'
          ? `<p><strong>${inside}</strong></p>\n`
          : `<h${level}>${inside}</h${level}>\n`
      },
      checkbox: () => '',
    },
  })
}

/** Cached, since each change of a setting and each preview reads all texts again. */
const read = emptyCache<string, string>(processBudget)

/** Pairing marks of emphasis takes time that grows with the square of their number. */
const MOST_MARKS = 1500

/** The HTML is sanitised. A text that nests too deep or has too many marks is shown as typed. */
export function markdownHtml(text: string, headings: HeadingForm): string {
  return cachedText(read, `${headings} ${text}`, () => sanitised(text, headings))
}

function sanitised(text: string, headings: HeadingForm): string {
  if ((text.match(/[*_~]/g)?.length ?? 0) > MOST_MARKS) return asTyped(text)
  try {
    return safeText(READERS[headings].parse(text, { async: false }))
  } catch {
    return asTyped(text)
  }
}

const asTyped = (text: string) => `<p>${escapeHtml(text)}</p>`
