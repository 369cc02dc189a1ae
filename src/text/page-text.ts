import sanitizeHtml from 'sanitize-html'

const TAGS = (
  'a abbr b bdi bdo blockquote br caption cite code col colgroup dd del details dfn dl dt em figcaption figure h3 h4 h5 h6 hr i img ins kbd li ' +
  'mark ol p picture pre q rp rt ruby s samp small source span strong sub summary sup table tbody td tfoot th thead time tr u ul var wbr'
).split(' ')

/** Headings of a text begin below those of the page. */
const HEADINGS = { h1: 'h3', h2: 'h3', h3: 'h4', h4: 'h5', h5: 'h6' }

const FOR_PAGES: sanitizeHtml.IOptions = {
  allowedTags: TAGS,
  allowedAttributes: {
    '*': ['dir', 'lang', 'title'],
    a: ['href', 'hreflang', 'rel', 'target'],
    blockquote: ['cite'],
    col: ['span'],
    colgroup: ['span'],
    del: ['cite', 'datetime'],
    details: ['open'],
    img: ['alt', 'decoding', 'height', 'loading', 'sizes', 'src', 'srcset', 'width'],
    ins: ['cite', 'datetime'],
    li: ['value'],
    ol: ['reversed', 'start'],
    q: ['cite'],
    source: ['media', 'sizes', 'srcset', 'type'],
    td: ['colspan', 'rowspan'],
    th: ['colspan', 'rowspan', 'scope'],
    time: ['datetime'],
  },
  allowedSchemes: ['geo', 'http', 'https', 'mailto', 'sms', 'tel', 'webcal', 'webcals'],
  allowedSchemesByTag: { img: ['http', 'https', 'data'] },
  allowProtocolRelative: true,
  nestingLimit: 60,
  transformTags: {
    ...HEADINGS,
    a: settleLink,
    img: settleImage,
    audio: asLink,
    iframe: asLink,
    video: asLink,
  },
  exclusiveFilter: ({ tag, attribs }) => (tag === 'img' && !attribs.src) || (tag === 'source' && !attribs.srcset),
}

/**
 * Rendered HTML as pages of this service show it, whoever wrote it: without styles, names, classes and handlers, headings below those of the
 * page, and links in place of what would be fetched from elsewhere when the page opens.
 */
export function pageText(rendered: string): string {
  return sanitizeHtml(rendered, FOR_PAGES)
}

function settleLink(_tag: string, { target, rel, ...attribs }: sanitizeHtml.Attributes): sanitizeHtml.Tag {
  if (target !== '_blank') return { tagName: 'a', attribs: { ...attribs, ...(rel ? { rel } : {}) } }
  const words = new Set([...(rel ?? '').split(/\s+/).filter(Boolean), 'noopener'])
  return { tagName: 'a', attribs: { ...attribs, target, rel: [...words].join(' ') } }
}

function settleImage(tagName: string, attribs: sanitizeHtml.Attributes): sanitizeHtml.Tag {
  return { tagName, attribs: { alt: '', ...attribs, loading: 'lazy', decoding: 'async' } }
}

/** What would load a page, sound or film of another site is a link to it. */
function asLink(_tag: string, { src = '' }: sanitizeHtml.Attributes): sanitizeHtml.Tag {
  const host = URL.parse(src, 'https://none.invalid/')?.host ?? ''
  if (host === '' || host === 'none.invalid') return { tagName: 'span', attribs: {} }
  return { tagName: 'a', attribs: { href: src, rel: 'noopener' }, text: host }
}
