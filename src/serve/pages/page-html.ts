/** Markup known to be safe, made by `html` or passed in by `trusted`. */
export interface Html {
  readonly markup: string
}

/** The values of a template: text is escaped, markup stays, lists are joined, and false and undefined are left out. */
export type Content = Html | string | number | null | undefined | false | readonly Content[]

const SPECIAL = /[&<>"']/
const EACH_SPECIAL = /[&<>"']/g
const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Text that can stand between tags and in a quoted attribute. */
const escaped = (text: string) =>
  SPECIAL.test(text) ? text.replace(EACH_SPECIAL, (sign) => ENTITIES[sign] ?? sign) : text

function written(content: Content): string {
  if (typeof content === 'string') return escaped(content)
  if (typeof content === 'number') return String(content)
  if (content === null || content === undefined || content === false) return ''
  if ('markup' in content) return content.markup
  let markup = ''
  for (const part of content) markup += written(part)
  return markup
}

/** A piece of a page. Every value is escaped unless it is markup; attributes are always quoted. */
export function html(parts: TemplateStringsArray, ...contents: readonly Content[]): Html {
  let markup = parts[0] ?? ''
  for (let i = 0; i < contents.length; i++) markup += written(contents[i]) + (parts[i + 1] ?? '')
  return { markup }
}

/**
 * Markup made safe elsewhere. There are three callers: descriptions, which `text/text-work.ts` cleans for pages, texts of the look, which
 * `text/markdown.ts` does, and linked data, which has no character left that could end its element.
 */
export function trusted(markup: string): Html {
  return { markup }
}

export const NOTHING: Html = { markup: '' }

const SCHEMES = /^(?:https?:|mailto:|tel:|webcals?:|geo:|\/(?!\/)|#|\?)/i

/** An address for `href` or `src`; `#` replaces an address whose scheme would run code in the browser. */
export function link(address: string): string {
  return SCHEMES.test(address) ? address : '#'
}
