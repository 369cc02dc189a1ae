import { Marked, type Tokens } from 'marked'
import { cachedText, emptyCache, processBudget } from '../../base/cache.ts'
import { escapeHtml, safeText } from '../../base/text/html.ts'

/** Form of headings. `below`: from `h2` on; `bold`: as bold lines. */
type HeadingForm = 'below' | 'bold'

/** HTML is escaped. A picture, which another host would serve, becomes its alternative text. */
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

/** Cached, since every change of a setting and every preview renders all texts again. */
const read = emptyCache<string, string>(processBudget)

/** A text with more `*`, `_` and `~` is not parsed: the time for emphasis is quadratic in their number. */
const MOST_MARKS = 1500

/** Markdown as sanitised HTML. A text nested too deeply or with too many marks is shown as typed. */
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
