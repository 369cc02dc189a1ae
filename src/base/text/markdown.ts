import { Marked, type Tokens } from 'marked'
import { cachedText, emptyCache, processBudget } from '../cache.ts'
import { escapeHtml, safeText } from './html.ts'

// Makes HTML of the Markdown that owners write.

/** Headings of a text begin at the second level, below the heading of the page (`below`), or are written as lines in bold. */
type HeadingForm = 'below' | 'bold'

/** HTML in a text is shown as it was typed. Pictures would come from other hosts, so their words are shown instead. */
const READERS: Readonly<Record<HeadingForm, Marked>> = { below: readerWith('below'), bold: readerWith('bold') }

function readerWith(headings: HeadingForm): Marked {
  return new Marked({
    renderer: {
      html: ({ text }: Tokens.HTML | Tokens.Tag) => escapeHtml(text),
      image: ({ text }: Tokens.Image) => escapeHtml(text),
      heading({ depth, tokens }: Tokens.Heading) {
        const inside = this.parser.parseInline(tokens)
        const level = Math.max(depth, 2)
        return headings === 'bold' ? `<p><strong>${inside}</strong></p>\n` : `<h${level}>${inside}</h${level}>\n`
      },
      checkbox: () => '',
    },
  })
}

/** Texts that were read before: each change of a setting and each preview makes the whole look ready anew. */
const read = emptyCache<string, string>(processBudget)

/** The most marks of emphasis: the time to pair them grows with the square of their number. */
const MOST_MARKS = 1500

/** Markdown as sanitised HTML. A text that nests too deep or has too many marks is shown as it was typed. */
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
