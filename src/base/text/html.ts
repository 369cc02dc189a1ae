import sanitizeHtml from 'sanitize-html'

/**
 * `source` is the part as written; `name`, in lower case, the element of a tag or around verbatim text, else
 * ''.
 */
export interface MarkupPiece {
  kind: 'text' | 'open' | 'close' | 'verbatim' | 'comment'
  name: string
  source: string
}

// Written so that hostile text takes only linear time.
const MARKUP =
  /<!--[\s\S]*?(?:-->|$)|<[!?][^<>]*>|<(\/?)([a-z][^\s/>"'<]*)(?=[\s/>])(?:[^<>"']|"[^"]*"|'[^']*')*>/gi

const VERBATIM = new Set(['iframe', 'script', 'style', 'textarea', 'xmp'])

/** Elements whose content is neither shown nor run. */
export const INVISIBLE = new Set(['iframe', 'style'])

const VOID = new Set('area base br col embed hr img input link meta param source track wbr'.split(' '))

export const BLOCK = new Set(
  (
    'address article aside blockquote caption center col colgroup dd details dialog dir div dl dt fieldset ' +
    'figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr legend li link main menu meta nav ' +
    'noscript ol option p pre script search section style summary table tbody td template ' +
    'tfoot th thead title tr ul'
  ).split(' '),
)

const BARE_AMPERSAND = /&(?!(?:[a-z][a-z0-9]{1,31}|#\d{1,7}|#x[0-9a-f]{1,6});)/gi

const ODD_BLANKS = /[^\S ]\s*| \s+/g

export const withSingleBlanks = (text: string) => text.replace(ODD_BLANKS, ' ')

function escapeMarkup(text: string): string {
  return text.replace(BARE_AMPERSAND, '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

/**
 * One attribute with its whole value, so that no part of the value is taken for another attribute. A match
 * never begins within whitespace, which would take quadratic time.
 */
export const ATTRIBUTE = /(?<!\s)\s+([^\s=>"'/]+)(?:\s*=\s*("[^"]*"|'[^']*'|[^\s"'>]+))?/g

export const unquoted = (value: string) => (/^["']/.test(value) ? value.slice(1, -1) : value)

/**
 * Splits HTML into tags, comments and text, which joined give the same HTML. A `<` that begins neither a
 * complete tag nor a comment is text.
 */
export function splitMarkup(html: string): MarkupPiece[] {
  const pieces: MarkupPiece[] = []
  let from = 0
  const addText = (to: number) => {
    if (to > from) pieces.push({ kind: 'text', name: '', source: html.slice(from, to) })
  }
  MARKUP.lastIndex = 0
  for (let found = MARKUP.exec(html); found; found = MARKUP.exec(html)) {
    const [source, slash, written] = found
    addText(found.index)
    from = MARKUP.lastIndex
    const name = written?.toLowerCase() ?? ''
    pieces.push({ kind: written === undefined ? 'comment' : slash ? 'close' : 'open', name, source })
    if (slash || !VERBATIM.has(name)) continue
    const end = endOfVerbatim(html, name, from)
    if (end > from) pieces.push({ kind: 'verbatim', name, source: html.slice(from, end) })
    from = end
    MARKUP.lastIndex = end
  }
  addText(html.length)
  return pieces
}

function endOfVerbatim(html: string, name: string, from: number): number {
  const close = new RegExp(`</${name}(?=[\\s/>])`, 'gi')
  close.lastIndex = from
  return close.exec(html)?.index ?? html.length
}

const INLINE = (
  'abbr acronym b bdi bdo big br cite code del dfn em i ins kbd mark q rb rp rt rtc ruby s samp small span ' +
  'strike strong sub sup tt u var wbr'
).split(' ')
const EMBEDDING = ['audio', 'iframe', 'img', 'picture', 'source', 'track', 'video']
const STRUCTURE = ['center', 'details', 'summary']

const EMBEDDABLE: readonly (readonly [string, string])[] = [
  ['www.youtube.com', '/embed/'],
  ['www.youtube-nocookie.com', '/embed/'],
  ['player.vimeo.com', '/video/'],
  ['www.dailymotion.com', '/embed/'],
  ['www.openstreetmap.org', '/export/embed'],
  ['umap.openstreetmap.fr', '/'],
  ['www.google.com', '/maps/'],
  ['maps.google.com', '/'],
  ['open.spotify.com', '/embed/'],
  ['w.soundcloud.com', '/player/'],
]

const REL = new Set(['external', 'nofollow', 'noopener', 'noreferrer', 'sponsored', 'tag', 'ugc'])

const COLOUR = /^(?:#[0-9a-f]{3,8}|[a-z]{3,20}|(?:rgb|hsl)a?\([\d\s.,%/]{1,40}\))$/i
const LENGTH = /^-?\d{1,4}(?:\.\d{1,3})?(?:px|em|rem|%|pt|ch|vw)?$/
const WORD = /^[a-z-]{1,20}$/

const TEXT_TAGS = new Set([...sanitizeHtml.defaults.allowedTags, ...INLINE, ...EMBEDDING, ...STRUCTURE])
const TITLE_TAGS = new Set(INLINE)

const IN_TEXT: sanitizeHtml.IOptions = {
  allowedTags: [...TEXT_TAGS],
  allowedAttributes: {
    '*': ['dir', 'lang', 'style', 'title', 'aria-label', 'aria-hidden'],
    a: ['href', 'hreflang', 'rel', 'target'],
    audio: ['controls', 'loop', 'preload', 'src'],
    blockquote: ['cite'],
    col: ['span'],
    colgroup: ['span'],
    data: ['value'],
    del: ['cite', 'datetime'],
    details: ['open'],
    iframe: [
      'allowfullscreen',
      'frameborder',
      'height',
      'loading',
      'referrerpolicy',
      'scrolling',
      'src',
      'width',
    ],
    img: ['alt', 'height', 'loading', 'sizes', 'src', 'srcset', 'width'],
    ins: ['cite', 'datetime'],
    li: ['value'],
    ol: ['reversed', 'start', 'type'],
    q: ['cite'],
    source: ['media', 'sizes', 'src', 'srcset', 'type'],
    td: ['align', 'colspan', 'headers', 'rowspan'],
    th: ['align', 'colspan', 'headers', 'rowspan', 'scope'],
    time: ['datetime'],
    track: ['default', 'kind', 'label', 'src', 'srclang'],
    video: ['controls', 'height', 'loop', 'muted', 'poster', 'preload', 'src', 'width'],
  },
  allowedClasses: { '*': ['align*', 'has-*', 'is-*', 'language-*', 'size-*', 'wp-*'] },
  allowedStyles: {
    '*': {
      'background-color': [COLOUR],
      color: [COLOUR],
      'font-size': [LENGTH, WORD],
      'font-style': [WORD],
      'font-weight': [/^(?:[1-9]00|[a-z]{1,10})$/],
      height: [LENGTH],
      'list-style-type': [WORD],
      'max-width': [LENGTH],
      'text-align': [WORD],
      'text-decoration': [WORD],
      'vertical-align': [LENGTH, WORD],
      width: [LENGTH],
    },
  },
  allowedSchemes: ['geo', 'http', 'https', 'mailto', 'sms', 'tel', 'webcal', 'webcals'],
  selfClosing: [...sanitizeHtml.defaults.selfClosing, 'col', 'source', 'track', 'wbr'],
  nestingLimit: 60,
  transformTags: { a: settleLink },
  exclusiveFilter: isEmptyEmbed,
}

const IN_TITLE: sanitizeHtml.IOptions = {
  allowedTags: INLINE,
  allowedAttributes: { '*': ['dir', 'lang'] },
  selfClosing: ['br', 'wbr'],
  nestingLimit: 20,
}

/**
 * Returns well-formed HTML without scripts, event handlers and forms. Of styles, only those stay that affect
 * nothing outside their element; of frames, only those of `EMBEDDABLE`. The text in removed elements stays,
 * except in style sheets and frames.
 */
export function safeText(html: string): string {
  return sanitizeHtml(withTags(html, TEXT_TAGS), IN_TEXT)
}

function safeTitle(html: string): string {
  return sanitizeHtml(withTags(html, TITLE_TAGS), IN_TITLE)
}

/**
 * Maximum elements open at once: the sanitiser walks all of them at each tag, and drops tags nested a few
 * dozen levels deep anyway (`nestingLimit`).
 */
const MOST_OPEN = 250

const ENDED_BY: Readonly<Record<string, readonly string[]>> = {
  li: ['li'],
  p: ['p'],
  dt: ['dt', 'dd'],
  dd: ['dt', 'dd'],
  td: ['td', 'th'],
  th: ['td', 'th'],
  tr: ['td', 'th', 'tr'],
}

/**
 * Drops all tags except `tags` before the sanitiser runs, which would let dropped tags change how the others
 * nest.
 */
function withTags(html: string, tags: ReadonlySet<string>): string {
  const open: string[] = []
  const kept = (piece: MarkupPiece) => {
    if (piece.kind === 'text') return escapeMarkup(piece.source)
    if (piece.kind === 'verbatim') return INVISIBLE.has(piece.name) ? '' : escapeMarkup(piece.source)
    return tags.has(piece.name) && isWithin(open, piece) ? piece.source : ''
  }
  return splitMarkup(html).map(kept).join('')
}

function isWithin(open: string[], { kind, name }: MarkupPiece): boolean {
  if (kind === 'close') {
    const at = open.lastIndexOf(name)
    if (at !== -1) open.length = at
    return true
  }
  if (VOID.has(name)) return true
  for (let top = open.at(-1); top !== undefined && ENDED_BY[name]?.includes(top); top = open.at(-1))
    open.pop()
  return open.length < MOST_OPEN && open.push(name) > 0
}

const COMMON: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&#039;': "'",
}
const COMMON_ENTITY = /&(?:amp|lt|gt|quot|#0?39);/g
const RARE_ENTITY = /&(?!(?:amp|lt|gt|quot|#0?39);)/

export function decodeEntities(text: string): string {
  if (!text.includes('&')) return text
  if (!RARE_ENTITY.test(text)) return text.replace(COMMON_ENTITY, (entity) => COMMON[entity] ?? entity)
  const escaped = sanitizeHtml(text.replaceAll('<', '&lt;'), { allowedTags: [] })
  return escaped.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')
}

/** Keeps known words of `rel`; adds `noopener` for a new tab, whose page could else navigate this one. */
function settleLink(tagName: string, attribs: sanitizeHtml.Attributes): sanitizeHtml.Tag {
  const { target, rel, ...rest } = attribs
  const words = new Set(
    (rel ?? '')
      .toLowerCase()
      .split(/\s+/)
      .filter((word) => REL.has(word)),
  )
  if (target === '_blank') words.add('noopener')
  return {
    tagName,
    attribs: {
      ...rest,
      ...(target === '_blank' ? { target } : {}),
      ...(words.size > 0 ? { rel: [...words].join(' ') } : {}),
    },
  }
}

function isEmptyEmbed(frame: sanitizeHtml.IFrame): boolean {
  if (frame.tag === 'img') return !frame.attribs.src && !frame.attribs.srcset
  return frame.tag === 'iframe' && !isEmbeddable(frame.attribs.src ?? '')
}

function isEmbeddable(src: string): boolean {
  const url = URL.parse(src, 'https://none.invalid/')
  if (!url || !/^https?:$/.test(url.protocol)) return false
  return EMBEDDABLE.some(([host, path]) => url.host === host && url.pathname.startsWith(path))
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it finds.
const CONTROLS = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/g

/**
 * Trims a title (rule 10.2), and writes a bare `&` and `&amp;` as `&#038;`, and `<` and `>` outside of tags
 * as entities. Inline elements stay; with `trusted`, all elements do.
 */
export function renderTitle(raw: string, trusted: boolean): string {
  return render(raw, trusted, safeTitle).replaceAll('&amp;', '&#038;')
}

/**
 * Wraps the paragraphs of a description in `<p>` (rules 10.3 and 10.4), and sanitises the HTML unless
 * `trusted`. Idempotent.
 */
export function renderText(raw: string, trusted: boolean): string {
  return setParagraphs(render(raw, trusted, safeText))
}

export function stripUnsafe(raw: string): string {
  return render(raw, false, safeText)
}

/** Drops tags from the name of a term (rule 10.5), and writes a bare `&`, `<` and `>` as entities. */
export function renderTermName(raw: string): string {
  return escapeMarkup(stripTags(raw.replace(CONTROLS, ''))).trim()
}

export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#039;')
}

/**
 * Returns the text of HTML on one line, with entities decoded and without the content of scripts. Escape it
 * before it goes into a page.
 */
export function plainText(html: string): string {
  return collapse(decodeEntities(withoutTags(html, (name) => name === 'script' || INVISIBLE.has(name))))
}

const ENTITY = /&(?=(?:[a-z][a-z0-9]{1,31}|#\d{1,7}|#x[0-9a-f]{1,6});)/gi

/**
 * Escapes text for the linked data of a page, so that it cannot end the script element. An `&` that would
 * begin an entity is escaped too.
 */
export function linkedText(text: string): string {
  return text.replace(ENTITY, '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

/** Returns the text of HTML with entities decoded and whitespace as written; the content of scripts stays. */
export function decodedText(html: string): string {
  return decodeEntities(stripTags(html))
}

/** Drops tags and joins lines; no `<` in the result can begin a tag. */
export function singleLine(text: string): string {
  return collapse(stripTags(text.replace(CONTROLS, ' '))).replace(/<(?=[a-z/!?])/gi, '< ')
}

function stripTags(html: string): string {
  return withoutTags(html, (name) => INVISIBLE.has(name))
}

function render(raw: string, trusted: boolean, sanitise: (html: string) => string): string {
  const text = raw.replace(CONTROLS, '')
  if (!/[<>&]/.test(text)) return text.trim()
  return (trusted ? escapeStray(text) : sanitise(text)).trim()
}

function escapeStray(html: string): string {
  const kept = (piece: MarkupPiece) =>
    piece.kind === 'text' ? escapeMarkup(piece.source) : piece.kind === 'comment' ? '' : piece.source
  return splitMarkup(html).map(kept).join('')
}

function withoutTags(html: string, isHidden: (name: string) => boolean): string {
  if (!html.includes('<')) return html
  const kept = (piece: MarkupPiece) => {
    if (piece.kind === 'text') return piece.source
    if (piece.kind === 'verbatim') return isHidden(piece.name) ? '' : piece.source
    return separates(piece.name) ? ' ' : ''
  }
  return splitMarkup(html).map(kept).join('')
}

function separates(name: string): boolean {
  return (BLOCK.has(name) || VOID.has(name)) && name !== 'wbr' && name !== 'script'
}

function collapse(text: string): string {
  return withSingleBlanks(text).trim()
}

const NO_MATCH = -1

/**
 * Wraps paragraphs in `<p>` (rule 10.3): blank lines separate them, other newlines become `<br />`. Block
 * elements stay outside; one newline separates the parts. Idempotent.
 */
function setParagraphs(html: string): string {
  const text = html.includes('\r') ? html.replace(/\r\n?/g, '\n') : html
  return text.includes('<') ? setMarkup(text) : setPlain(text)
}

function setPlain(text: string): string {
  const paragraphs: string[] = []
  for (const paragraph of text.split(BLANK_LINE)) {
    const trimmed = paragraph.trim()
    if (trimmed !== '') paragraphs.push(`<p>${joinLines(trimmed, BREAK)}</p>`)
  }
  return paragraphs.join('\n')
}

const BLANK_LINE = /\n\s*\n/
const BREAK = '<br />\n'

function setMarkup(html: string): string {
  const pieces = splitMarkup(html)
  const closings = matchTags(pieces)
  const parts: string[] = []
  let line: MarkupPiece[] = []
  const endLine = () => {
    const content = setLine(line)
    if (content !== '') parts.push(`<p>${content}</p>`)
    line = []
  }
  for (let at = 0; at < pieces.length; at++) {
    const end = Math.max(at, closings[at] ?? NO_MATCH)
    const element = pieces.slice(at, end + 1)
    const first = pieces[at]
    if (first?.kind === 'text' && end === at) addText(first.source)
    else if (element.some(isBlock)) addBlock(element)
    else for (const piece of element) line.push(piece)
    at = end
  }
  endLine()
  return parts.join('\n')

  function addText(text: string): void {
    const [head = '', ...rest] = text.split(BLANK_LINE)
    line.push(asText(head))
    for (const paragraph of rest) {
      endLine()
      line.push(asText(paragraph))
    }
  }

  function addBlock(element: readonly MarkupPiece[]): void {
    endLine()
    const source = element
      .map((piece) => piece.source)
      .join('')
      .trim()
    const [only] = element
    const loose = element.length === 1 && only?.name === 'p'
    if (!loose && !/^<p>[ \t\n]*<\/p>$/.test(source)) parts.push(source)
  }
}

const asText = (source: string): MarkupPiece => ({ kind: 'text', name: '', source })

const isBlock = (piece: MarkupPiece) =>
  (piece.kind === 'open' || piece.kind === 'close') && BLOCK.has(piece.name)

function matchTags(pieces: readonly MarkupPiece[]): number[] {
  const closings: number[] = pieces.map(() => NO_MATCH)
  const open: number[] = []
  const counts = new Map<string, number>()
  pieces.forEach(({ kind, name }, at) => {
    const count = counts.get(name) ?? 0
    if (kind === 'open' && !VOID.has(name)) {
      open.push(at)
      counts.set(name, count + 1)
    }
    if (kind !== 'close' || count === 0) return
    for (let last = open.pop(); last !== undefined; last = open.pop()) {
      const opened = pieces[last]?.name ?? ''
      counts.set(opened, (counts.get(opened) ?? 1) - 1)
      if (opened !== name) continue
      closings[last] = at
      return
    }
  })
  return closings
}

function setLine(line: readonly MarkupPiece[]): string {
  const from = line.findIndex((piece) => piece.source.trim() !== '')
  const to = line.findLastIndex((piece) => piece.source.trim() !== '')
  return line
    .slice(from, to + 1)
    .map((piece, at, trimmed) =>
      piece.kind === 'text' ? breakLines(piece.source, at, trimmed) : piece.source,
    )
    .join('')
}

function breakLines(text: string, at: number, line: readonly MarkupPiece[]): string {
  const begun = at === 0 ? text.trimStart() : text
  const trimmed = at === line.length - 1 ? begun.trimEnd() : begun
  return joinLines(trimmed, line[at - 1]?.name === 'br' ? '\n' : BREAK)
}

function joinLines(text: string, first: string): string {
  if (!text.includes('\n')) return text
  const lines = text.split('\n')
  const last = lines.length - 1
  let joined = ''
  for (const [at, line] of lines.entries()) {
    const begun = at === 0 ? line : withoutLeadingBlanks(line)
    const content = at === last ? begun : withoutTrailingBlanks(begun)
    const end = at === last ? '' : at === 0 && content === '' ? first : BREAK
    joined += content + end
  }
  return joined
}

const isBlank = (text: string, at: number) => text[at] === ' ' || text[at] === '\t'

function withoutLeadingBlanks(line: string): string {
  let start = 0
  while (isBlank(line, start)) start++
  return line.slice(start)
}

function withoutTrailingBlanks(line: string): string {
  let end = line.length
  while (isBlank(line, end - 1)) end--
  return line.slice(0, end)
}
