import sanitizeHtml from 'sanitize-html'
import { escapeMarkup, INVISIBLE, type MarkupPiece, splitMarkup, VOID } from './markup.ts'

// Sanitises the HTML of users who may not write any HTML they like.

const INLINE = (
  'abbr acronym b bdi bdo big br cite code del dfn em i ins kbd mark q rb rp rt rtc ruby s samp small span ' +
  'strike strong sub sup tt u var wbr'
).split(' ')
const EMBEDDING = ['audio', 'iframe', 'img', 'picture', 'source', 'track', 'video']
const STRUCTURE = ['center', 'details', 'summary']

/** The pages that may be embedded: host and the beginning of the path. */
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
    iframe: ['allowfullscreen', 'frameborder', 'height', 'loading', 'referrerpolicy', 'scrolling', 'src', 'width'],
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
 * Sanitised HTML for a page: no scripts, handlers, forms or styles that reach beyond their element; embeds of known sites only. The content of
 * removed elements stays, style sheets excepted. The result is well-formed.
 */
export function safeText(html: string): string {
  return sanitizeHtml(withTags(html, TEXT_TAGS), IN_TEXT)
}

/** Sanitised HTML for a title: words with inline markup. */
export function safeTitle(html: string): string {
  return sanitizeHtml(withTags(html, TITLE_TAGS), IN_TITLE)
}

/** The most elements open at once. The parser walks all of them at each tag; more than a few dozen levels are dropped anyway. */
const MOST_OPEN = 250

/** Tags that end an open element without its closing tag, which many pages leave out. */
const ENDED_BY: Readonly<Record<string, readonly string[]>> = {
  li: ['li'],
  p: ['p'],
  dt: ['dt', 'dd'],
  dd: ['dt', 'dd'],
  td: ['td', 'th'],
  th: ['td', 'th'],
  tr: ['td', 'th', 'tr'],
}

// Tags that are dropped anyway are removed first, since they would decide how the others nest; so is the text in scripts.
function withTags(html: string, tags: ReadonlySet<string>): string {
  const open: string[] = []
  const kept = (piece: MarkupPiece) => {
    if (piece.kind === 'text') return escapeMarkup(piece.source)
    if (piece.kind === 'verbatim') return INVISIBLE.has(piece.name) ? '' : escapeMarkup(piece.source)
    return tags.has(piece.name) && isWithin(open, piece) ? piece.source : ''
  }
  return splitMarkup(html).map(kept).join('')
}

/** Follows which elements are open; false for a tag that would open one too many. */
function isWithin(open: string[], { kind, name }: MarkupPiece): boolean {
  if (kind === 'close') {
    const at = open.lastIndexOf(name)
    if (at !== -1) open.length = at
    return true
  }
  if (VOID.has(name)) return true
  for (let top = open.at(-1); top !== undefined && ENDED_BY[name]?.includes(top); top = open.at(-1)) open.pop()
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
/** Text that may be another entity, which only a parser knows. */
const RARE_ENTITY = /&(?!(?:amp|lt|gt|quot|#0?39);)/

/** The text of HTML without tags: its entities decoded. */
export function decodeEntities(text: string): string {
  if (!text.includes('&')) return text
  if (!RARE_ENTITY.test(text)) return text.replace(COMMON_ENTITY, (entity) => COMMON[entity] ?? entity)
  const escaped = sanitizeHtml(text.replaceAll('<', '&lt;'), { allowedTags: [] })
  return escaped.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')
}

// A page opened in another tab must not reach back into this one.
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
