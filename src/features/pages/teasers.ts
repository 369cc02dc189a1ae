import { beginningOf } from '../../base/text/characters.ts'
import { BLOCK, INVISIBLE, plainText, splitMarkup } from '../../base/text/html.ts'
import { EXCERPT_FROM } from '../feeds/card-rows.ts'

const LONGEST = 180

/** Cuts a longer text to `longest` characters and an ellipsis, after a word if that keeps at least half. */
export function shortened(text: string, longest = LONGEST): string {
  return text.length <= longest ? text : endedEarly(beginningOf(text, longest))
}

function endedEarly(text: string): string {
  const blank = text.lastIndexOf(' ')
  const words = blank > text.length / 2 ? text.slice(0, blank) : text
  let end = words.length
  while (end > 0 && ' .,;:–-'.includes(words.charAt(end - 1))) end--
  return `${words.slice(0, end)}…`
}

/** The excerpt, or else the description's beginning, without the record's name in front. */
export function teaserOf(
  { excerpt, description }: Record<'excerpt' | 'description', string>,
  name: string,
): string {
  if (excerpt !== '') return shortened(withoutName(plainText(excerpt), name))
  const isWhole = description.length < EXCERPT_FROM
  const read = isWhole ? description : beginningOf(description, EXCERPT_FROM).replace(/[<&][^<>&;]*$/, '')
  const { text, isCut } = sentencesOf(read)
  const teaser = withoutName(text, name)
  return isWhole || isCut || teaser.length > LONGEST || teaser === '' ? shortened(teaser) : endedEarly(teaser)
}

const HEADING = /^h[1-6]$/
const ENDED = /[.!?…:;,–—。！？؟।]["'”’»)\]]*$/

/** The description up to the first heading after some text; `isCut` is true if there is one. */
function sentencesOf(html: string): { text: string; isCut: boolean } {
  const pieces = splitMarkup(html)
  const hasBlocks = pieces.some(({ name }) => BLOCK.has(name))
  let [text, line, firstHeading] = ['', '', '']
  let isHeading = false
  const endLine = () => {
    const own = plainText(line)
    line = ''
    if (isHeading) firstHeading ||= own
    else if (own !== '') text += `${text === '' ? '' : ENDED.test(text) ? ' ' : '. '}${own}`
  }
  for (const { kind, name, source } of pieces) {
    if (kind === 'verbatim' && (name === 'script' || INVISIBLE.has(name))) continue
    if (kind === 'open' && HEADING.test(name)) {
      endLine()
      if (text !== '') return { text, isCut: true }
      isHeading = true
    } else if (BLOCK.has(name) && kind !== 'verbatim') {
      endLine()
      isHeading &&= !HEADING.test(name)
    } else if (kind === 'text' && !hasBlocks) {
      const [last = '', ...paragraphs] = source.split(/\n[^\S\n]*\n/).reverse()
      for (const paragraph of paragraphs.reverse()) {
        line += paragraph
        endLine()
      }
      line += last
    } else line += source
  }
  endLine()
  return { text: text || firstHeading, isCut: false }
}

/** Removes the name from the beginning, unless it is part of a sentence. */
function withoutName(text: string, name: string): string {
  if (name === '' || text.slice(0, name.length).toLowerCase() !== name.toLowerCase()) return text
  const rest = text.slice(name.length)
  const between = /^(?: ?[.!?:–—-]+ |[ .!?:–—-]*$)/.exec(rest)
  return between ? rest.slice(between[0].length) : text
}
