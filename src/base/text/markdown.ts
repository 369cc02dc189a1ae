import { Marked, type Tokens } from 'marked'
import { cachedText, emptyCache, processBudget } from '../cache.ts'
import { escapeHtml, safeText } from './html.ts'

// Makes HTML from the Markdown that owners of the calendar write.

/**
 * How the headings of a text are written: from the second level on, below the heading of the page (`below`),
 * or as lines in bold type.
 */
type HeadingForm = 'below' | 'bold'

/**
 * The readers of Markdown. They show HTML in a text as it was typed, and the words of a picture in its place,
 * which would come from another host.
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

/**
 * The HTML of texts that were read before: each change of a setting and each preview reads all texts of the
 * look again.
 */
const read = emptyCache<string, string>(processBudget)

/** The most marks of emphasis in a text: the time to pair them grows with the square of their number. */
const MOST_MARKS = 1500

/**
 * Returns Markdown as sanitised HTML. A text that nests too deep or has too many marks of emphasis is shown
 * as it was typed.
 */
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
