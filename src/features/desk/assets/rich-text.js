// A small editor in place of a text area with markup. It writes the text back only after a change, and then
// only the changed blocks; all others keep every byte.

export {}

for (const area of document.querySelectorAll('textarea[data-words]'))
  if (area instanceof HTMLTextAreaElement) editRichly(area)

/** @param {HTMLTextAreaElement} area */
async function editRichly(area) {
  const { default: Squire } = await import('./squire.js')
  const words = /** @type {Record<string, string>} */ (JSON.parse(area.dataset.words ?? '{}'))
  const editor = document.createElement('div')
  editor.className = 'text'
  editor.dir = 'auto'
  editor.setAttribute('role', 'textbox')
  editor.setAttribute('aria-multiline', 'true')
  editor.setAttribute('aria-label', area.labels?.[0]?.textContent ?? '')
  const bar = document.createElement('div')
  bar.className = 'keys'
  bar.setAttribute('role', 'toolbar')
  bar.setAttribute('aria-label', words.Text ?? '')
  const frame = document.createElement('div')
  frame.className = 'rich-frame'
  frame.append(bar, editor)
  area.before(frame)

  /** @type {string | undefined} */
  let parts
  let isStored = false
  const islands = /** @type {string[]} */ ([])
  const squire = new Squire(editor, {
    blockTag: 'P',
    /** @param {string} html */
    sanitizeToDOMFragment: (html) => {
      const body = parsed(html)
      if (!isStored) return allowedIn(body, false)
      setIslands(body, islands)
      parts = partsOf(body)
      return inParagraphs(allowedIn(body, true))
    },
  })
  /** @type {Kept | undefined} */
  let kept
  /** Shows the text; returns false if the editor would change it. */
  const show = () => {
    isStored = true
    squire.setHTML(area.value)
    isStored = false
    kept = keptOf(area.value, blocksOf(squire.getHTML()), islands)
    return partsOf(editor) === parts
  }
  if (!show()) {
    squire.destroy()
    frame.remove()
    return
  }
  squire.addEventListener('input', () => {
    const blocks = blocksOf(squire.getHTML())
    const stored = blocks.map((block) => asStored(block, islands))
    area.value = (kept ? withKept(kept, blocks, stored) : stored).join('')
    area.dispatchEvent(new Event('input', { bubbles: true }))
  })
  /**
   * @type {readonly (readonly [name: string, face: string, tag: string, press: () => unknown, undo?: () =>
   * unknown])[]}
   */
  const keys = [
    ['Bold', 'B', 'B', () => squire.bold(), () => squire.removeBold()],
    ['Italic', 'I', 'I', () => squire.italic(), () => squire.removeItalic()],
    ['Heading', 'H', 'H3', () => makeBlocks(squire, 'h3'), () => makeBlocks(squire, 'p')],
    ['List', '•', 'UL', () => squire.makeUnorderedList(), () => squire.removeList()],
    ['Numbered list', '1.', 'OL', () => squire.makeOrderedList(), () => squire.removeList()],
    ['Quotation', '“', 'BLOCKQUOTE', () => squire.increaseQuoteLevel(), () => squire.decreaseQuoteLevel()],
    ['Link', words.Link ?? 'Link', 'A', () => makeLink(squire, words), () => squire.removeLink()],
  ]
  const buttons = keys.map(([name, face, tag, press, undo]) => {
    const button = document.createElement('button')
    button.type = 'button'
    // The style sheet shows this sign, so that it is not part of the button's accessible name.
    button.dataset.face = face
    button.setAttribute('aria-label', words[name] ?? name)
    button.title = words[name] ?? name
    button.setAttribute('aria-pressed', 'false')
    // Prevents the press from taking the selection away from the editor.
    button.addEventListener('pointerdown', (event) => event.preventDefault())
    button.addEventListener('click', () => {
      if (undo && squire.hasFormat(tag)) undo()
      else press()
      editor.focus()
    })
    bar.append(button)
    return { button, tag }
  })
  const tell = () => {
    for (const { button, tag } of buttons) button.setAttribute('aria-pressed', String(squire.hasFormat(tag)))
  }
  squire.addEventListener('pathChange', tell)
  squire.addEventListener('select', tell)
  moveByArrows(bar)
  const toggle = document.createElement('button')
  toggle.type = 'button'
  toggle.className = 'as-html'
  toggle.textContent = 'HTML'
  toggle.setAttribute('aria-pressed', 'false')
  toggle.addEventListener('click', () => {
    const isText = area.hasAttribute('hidden')
    const isWhole = isText || show()
    told.textContent = isWhole ? '' : (words[REFUSED] ?? '')
    if (!isWhole) return
    area.hidden = !isText
    area.tabIndex = isText ? 0 : -1
    editor.hidden = isText
    toggle.setAttribute('aria-pressed', String(isText))
    for (const { button } of buttons) button.disabled = isText
    ;(isText ? area : editor).focus()
  })
  bar.append(toggle)
  const told = document.createElement('p')
  told.className = 'hint'
  told.setAttribute('role', 'status')
  frame.append(told)
  // While the editor was loading, the user may have typed or left the text.
  const isWriting = area === document.activeElement
  keepCaret(squire, area)
  area.classList.add('behind')
  area.hidden = true
  area.tabIndex = -1
  for (const name of ['aria-describedby', 'aria-invalid']) {
    const value = area.getAttribute(name)
    if (value !== null) editor.setAttribute(name, value)
  }
  if (isWriting) editor.focus()
  let isFirst = !isWriting
  editor.addEventListener('focus', () => {
    isFirst = false
  })
  // Labels and lists of faults move the focus to the text area, so it is passed on to the editor.
  area.addEventListener('focus', () => {
    if (!area.hidden) return
    if (isFirst) squire.moveCursorToEnd()
    editor.focus()
  })
}

const REFUSED = 'The editor would lose parts of this text, so it stays as HTML.'

/**
 * Returns the text of the editor with its attributes and islands as they were, without the blocks around
 * rules and pictures, and with ordinary spaces between words, where browsers write non-breaking ones beside
 * tags.
 * @param {string} html
 * @param {readonly string[]} islands
 */
function asStored(html, islands) {
  return html
    .replaceAll(
      /<(div|span)\b[^<>]*\bdata-island="(\d{1,4})"[^<>]*>[^<]*<\/\1>/g,
      (_whole, _tag, at) => islands[at] ?? '',
    )
    .replaceAll(/\sdata-kept-(?=[^<>]*>)/g, ' ')
    .replaceAll(/<div>(<(?:hr|img)\b[^<>]*>)<br><\/div>/g, '$1')
    .replaceAll(/(?<=[^\s;>])&nbsp;(?=<\w)|(?<=<\/(?:a|b|i|em|strong)>)&nbsp;(?=[^\s&<])/gi, ' ')
}

/**
 * Replaces each part that the editor does not support, such as a video, by a placeholder that cannot be
 * edited.
 * @param {Element} body
 * @param {string[]} islands
 */
function setIslands(body, islands) {
  for (const element of body.querySelectorAll(ISLANDS)) {
    if (element.parentElement?.closest(ISLANDS)) continue
    const island = document.createElement(element.parentElement?.closest('p, li, td, th') ? 'span' : 'div')
    island.className = 'island'
    island.contentEditable = 'false'
    island.dataset.island = String(islands.length)
    island.textContent = element.localName
    islands.push(element.outerHTML)
    element.replaceWith(island)
  }
}

const ISLANDS =
  'iframe, video, audio, object, embed, form, svg, math, canvas, map, picture, input, button, select, ' +
  'textarea, dialog, details, noscript'

// Keeping the source of blocks that nobody has changed.

/**
 * A stored text in pieces, and the blocks of the editor that show it: those of a piece are at `from` until
 * before `to`.
 * @typedef {{ pieces: { source: string, from: number, to: number }[], blocks: string[] }} Kept
 */

/** @param {string} html */
function blocksOf(html) {
  const body = new DOMParser().parseFromString(html, 'text/html').body
  return [...body.childNodes].map((node) =>
    node instanceof Element ? node.outerHTML : (node.textContent ?? ''),
  )
}

/**
 * Cuts the source into pieces with their blocks. Returns undefined if the pieces, shown one by one, do not
 * give the same blocks.
 * @param {string} source
 * @param {string[]} blocks
 * @param {readonly string[]} known
 * @returns {Kept | undefined}
 */
function keptOf(source, blocks, known) {
  if (source.length > MOST_KEPT) return undefined
  const islands = /** @type {string[]} */ ([])
  let at = 0
  const pieces = piecesOf(source).map((piece) => {
    const body = parsed(piece)
    setIslands(body, islands)
    const from = at
    at += inParagraphs(allowedIn(body, true)).childNodes.length
    return { source: piece, from, to: at }
  })
  const isWhole =
    at === blocks.length && islands.every((island, index) => island === known.at(index - islands.length))
  const areAlike = pieces.every(({ source: piece, from, to }) => {
    const text = blocks
      .slice(from, to)
      .map((block) => parsed(block).textContent)
      .join('')
    return (
      bare(text) === bare(parsed(piece).textContent ?? '') ||
      /<(?:iframe|video|audio|object|svg|form|select|details)\b/i.test(piece)
    )
  })
  return isWhole && areAlike ? { pieces, blocks } : undefined
}

/** In characters. In a longer text, all blocks are written anew. */
const MOST_KEPT = 200_000
const bare = (/** @type {string} */ text) => text.replaceAll(/[\s\u200b]/g, '')

/**
 * Cuts a text between its outermost blocks, comments and paragraphs. The joined pieces are the text again.
 * @param {string} source
 */
function piecesOf(source) {
  const cuts = new Set([0, source.length])
  let depth = 0
  let last = 0
  const cutText = (/** @type {number} */ end) => {
    if (depth === 0)
      for (const { 0: gap, index } of source.slice(last, end).matchAll(/\n\s*\n/g)) {
        cuts.add(last + index)
        cuts.add(last + index + gap.length)
      }
  }
  for (const { 0: sign, index } of source.matchAll(MARKUP)) {
    cutText(index)
    last = index + sign.length
    const name = /^<\/?([a-z][a-z\d]*)/i.exec(sign)?.[1]?.toLowerCase()
    if (sign.startsWith('<!--') && depth === 0) {
      cuts.add(index)
      cuts.add(last)
    }
    if (name === undefined || VOID.has(name)) {
      if (name === 'hr' && depth === 0) {
        cuts.add(index)
        cuts.add(last)
      }
      continue
    }
    const isBlock = BLOCK_NAMES.has(name)
    if (sign.startsWith('</')) {
      depth = Math.max(0, depth - 1)
      if (depth === 0 && isBlock) cuts.add(last)
    } else {
      if (depth === 0 && isBlock) cuts.add(index)
      depth += 1
    }
  }
  cutText(source.length)
  const places = [...cuts].sort((a, b) => a - b)
  return places.slice(1).map((place, at) => source.slice(places[at], place))
}

/**
 * Returns the text to store: for a piece whose blocks are all present and unchanged its source, for the rest
 * the present blocks.
 * @param {Kept} kept
 * @param {readonly string[]} now the present blocks
 * @param {readonly string[]} stored the same blocks, in the form in which they are stored
 */
function withKept({ pieces, blocks }, now, stored) {
  const places = matched(blocks, now)
  const out = []
  let next = 0
  for (const [index, { source, from, to }] of pieces.entries()) {
    const at = places[from] ?? -1
    const isThere = (/** @type {typeof pieces[number]} */ piece) => {
      const first = places[piece.from] ?? -1
      return (
        piece.to > piece.from &&
        first >= next &&
        blocks.slice(piece.from, piece.to).every((_, i) => places[piece.from + i] === first + i)
      )
    }
    if (from === to) out.push(source)
    else if (isThere({ source, from, to })) {
      out.push(...stored.slice(next, at), source)
      next = at + to - from
    } else {
      // What stands here now, up to the next piece that is still present.
      const after = pieces.slice(index + 1).find(isThere)
      const end = after ? (places[after.from] ?? next) : now.length
      out.push(...stored.slice(next, end))
      next = Math.max(next, end)
    }
  }
  out.push(...stored.slice(next))
  return now.every(
    (block) => bare(parsed(block).textContent ?? '') === '' && !/<(?:img|hr)\b|data-island/.test(block),
  )
    ? []
    : out
}

/** At most this many cells in the table that compares the blocks in the middle. */
const MOST_CELLS = 250_000

/**
 * Returns the present index of each former block: equal blocks at both ends, and the longest common
 * subsequence in between.
 * @param {readonly string[]} before
 * @param {readonly string[]} now
 * @returns {(number | undefined)[]}
 */
function matched(before, now) {
  /** @type {(number | undefined)[]} */
  const places = before.map(() => undefined)
  let start = 0
  while (start < before.length && before[start] === now[start]) {
    places[start] = start
    start += 1
  }
  let [a, b] = [before.length, now.length]
  while (a > start && b > start && before[a - 1] === now[b - 1]) {
    a -= 1
    b -= 1
    places[a] = b
  }
  const [rows, columns] = [a - start, b - start]
  if (rows * columns === 0 || rows * columns > MOST_CELLS) return places
  const lengths = Array.from({ length: rows + 1 }, () => new Uint32Array(columns + 1))
  const at = (/** @type {number} */ row, /** @type {number} */ column) => lengths[row]?.[column] ?? 0
  for (let row = rows - 1; row >= 0; row -= 1)
    for (let column = columns - 1; column >= 0; column -= 1) {
      const isSame = before[start + row] === now[start + column]
      const line = lengths[row]
      if (line)
        line[column] = isSame
          ? at(row + 1, column + 1) + 1
          : Math.max(at(row + 1, column), at(row, column + 1))
    }
  for (let row = 0, column = 0; row < rows && column < columns; )
    if (before[start + row] === now[start + column]) {
      places[start + row] = start + column
      row += 1
      column += 1
    } else if (at(row + 1, column) >= at(row, column + 1)) row += 1
    else column += 1
  return places
}

/**
 * Puts the caret where it was in the text area, after the same amount of text.
 * @param {import('squire-rte').default} squire
 * @param {HTMLTextAreaElement} area
 */
function keepCaret(squire, { value, selectionEnd }) {
  const within = [...value.matchAll(MARKUP)].find(
    ({ 0: sign, index }) => index < selectionEnd && selectionEnd < index + sign.length,
  )
  const before = value.slice(0, within ? within.index + within[0].length : selectionEnd)
  const isBegun = /[^\s>]$/.test(before)
  let left = (allowedIn(parsed(before), true).textContent ?? '').replaceAll(/\s/g, '').length
  const walker = document.createTreeWalker(squire.getRoot(), NodeFilter.SHOW_TEXT)
  while (walker.nextNode())
    for (const { index } of (walker.currentNode.nodeValue ?? '').matchAll(/\S/g)) {
      const isBehind = left === 1 && isBegun
      left -= 1
      if (left >= 0 && !isBehind) continue
      const caret = document.createRange()
      caret.setStart(walker.currentNode, isBehind ? index + 1 : index)
      squire.setSelection(caret)
      return
    }
  squire.moveCursorToEnd()
}

/**
 * Makes the toolbar one tab stop; arrow keys move between its buttons.
 * @param {HTMLElement} bar
 */
function moveByArrows(bar) {
  const all = () => [...bar.querySelectorAll('button')]
  for (const [at, button] of all().entries()) button.tabIndex = at === 0 ? 0 : -1
  bar.addEventListener('keydown', (event) => {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0
    const buttons = all()
    const at = buttons.findIndex((button) => button.isSameNode(document.activeElement))
    const next = buttons[(at + step + buttons.length) % buttons.length]
    if (step === 0 || at === -1 || !next) return
    event.preventDefault()
    for (const button of buttons) button.tabIndex = button === next ? 0 : -1
    next.focus()
  })
}

/** @param {import('squire-rte').default} squire @param {string} tag */
function makeBlocks(squire, tag) {
  squire.modifyBlocks((fragment) => {
    const blocks = document.createDocumentFragment()
    for (const block of [...fragment.children]) {
      const made = document.createElement(tag)
      made.append(...block.childNodes)
      blocks.append(made)
    }
    return blocks
  })
}

/** @param {import('squire-rte').default} squire @param {Record<string, string>} words */
function makeLink(squire, words) {
  const address = prompt(words['Address of the link'] ?? '', 'https://')
  if (address && /^(https?:|mailto:|tel:)/i.test(address)) squire.makeLink(address)
}

const TAGS = new Set(
  (
    'P,BR,B,STRONG,I,EM,U,S,A,UL,OL,LI,H1,H2,H3,H4,H5,H6,BLOCKQUOTE,CODE,PRE,HR,SUB,SUP,IMG,FIGURE,' +
    'FIGCAPTION,DIV,DL,DT,DD,TABLE,CAPTION,THEAD,TBODY,TFOOT,TR,TH,TD,ABBR,BDI,BDO,CITE,DEL,DFN,INS,KBD,Q,' +
    'SAMP,SMALL,TIME,VAR'
  ).split(','),
)
const STORED_TAGS = new Set(
  'SPAN,ADDRESS,ARTICLE,ASIDE,FOOTER,HEADER,SECTION,MAIN,NAV,MARK,RUBY,RT,RP,WBR,BIG,STRIKE,DATA'.split(','),
)
const VOID = new Set('br,hr,img,wbr,source,embed,input,area,col,track,link,meta'.split(','))
const KEPT = new Map([
  ['A', ['href', 'title', 'rel', 'target']],
  ['OL', ['start']],
  ['IMG', ['src', 'alt', 'width', 'height']],
  ['TH', ['colspan', 'rowspan', 'scope']],
  ['TD', ['colspan', 'rowspan']],
])

const BLOCKS =
  'address,article,aside,blockquote,center,details,div,dl,fieldset,figure,footer,h1,h2,h3,h4,h5,h6,' +
  'header,hr,main,nav,ol,p,pre,section,summary,table,ul'

const BLOCK_NAMES = new Set(BLOCKS.split(','))

/**
 * Puts loose text and inline markup into paragraphs, as the public pages do: a blank line begins a new
 * paragraph, and a single newline becomes a line break.
 * @param {DocumentFragment} stored
 */
function inParagraphs(stored) {
  const shown = document.createDocumentFragment()
  let line = document.createElement('p')
  const endLine = () => {
    breakLines(line)
    if (line.hasChildNodes()) shown.append(line)
    line = document.createElement('p')
  }
  for (const node of [...stored.childNodes]) {
    if (node instanceof Text) {
      const [head = '', ...rest] = node.data.split(/\n\s*\n/)
      line.append(head)
      for (const text of rest) {
        endLine()
        line.append(text)
      }
    } else if (node instanceof Element && (node.matches(BLOCKS) || node.querySelector(BLOCKS))) {
      endLine()
      if (!node.matches('p') || node.innerHTML.trim() !== '') shown.append(node)
    } else if (node instanceof Element) line.append(node)
  }
  endLine()
  return shown
}

/** Trims a line, and writes its newlines as line breaks. @param {Element} line */
function breakLines(line) {
  for (const [end, trimmed] of /** @type {const} */ ([
    ['firstChild', (/** @type {string} */ text) => text.trimStart()],
    ['lastChild', (/** @type {string} */ text) => text.trimEnd()],
  ]))
    for (let text = line[end]; text instanceof Text; text = line[end]) {
      text.data = trimmed(text.data)
      if (text.data !== '') break
      text.remove()
    }
  const walker = document.createTreeWalker(line, NodeFilter.SHOW_TEXT)
  const texts = []
  while (walker.nextNode()) texts.push(/** @type {Text} */ (walker.currentNode))
  for (const text of texts) {
    const isBroken = text.previousSibling?.nodeName === 'BR'
    const [head = '', ...rest] = text.data.split('\n')
    const pieces = rest.flatMap((one, at) => [
      at === 0 && head.trim() === '' && isBroken ? '' : brElement(),
      one,
    ])
    text.replaceWith(head, ...pieces)
  }
}

const brElement = () => document.createElement('br')

/** Tags, comments and entities as the service reads them. Any other `<` or `&` is text. */
const MARKUP = new RegExp(
  '<!--[\\s\\S]*?(?:-->|$)|<(?:!(?!--)|\\?)[^<>]*>' +
    `|</?[a-z][^\\s/>"'<]*(?=[\\s/>])(?:[^<>"']|"[^"]*"|'[^']*')*>` +
    '|&(?:[a-z][a-z\\d]{1,31}|#\\d{1,7}|#x[\\da-f]{1,6});',
  'gi',
)
const SIGNS = new RegExp(`${MARKUP.source}|[<&]`, 'gi')
const KEPT_NAME = 'data-kept-'

/**
 * Parses a text after renaming its attributes. Styles and event handlers would never work, but the
 * Content-Security-Policy would report each one, and ids and classes would collide with those of the desk.
 * @param {string} html
 */
function parsed(html) {
  const marked = html.replaceAll(SIGNS, (sign) => {
    if (sign === '<') return '&lt;'
    if (sign.startsWith('&')) return sign === '&' ? '&amp;' : sign
    if (/^<[!?]/.test(sign)) return ''
    return sign.replaceAll(/(?<=\s)([^\s=>"'/]+)(\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'>]+))?/g, `${KEPT_NAME}$1$2`)
  })
  return new DOMParser().parseFromString(marked.replaceAll(/<style\b[^<]*<\/style>/gi, ''), 'text/html').body
}

/**
 * Returns the tags in a text that have a look of their own in the public pages, to tell whether the editor
 * supports them all.
 * @param {Element} root
 */
function partsOf(root) {
  return [...root.querySelectorAll(':not(br, div, font, p, span, tt)')]
    .filter((element) => !(element instanceof HTMLUnknownElement))
    .map(({ localName }) => ALIKE.get(localName) ?? localName)
    .join()
}

const ALIKE = new Map([
  ['strong', 'b'],
  ['em', 'i'],
  ['ins', 'u'],
  ['strike', 's'],
])

/**
 * Returns the allowed part of a stored, pasted or dropped text, also from word processors. The service
 * sanitizes the text once more. A stored text keeps all its attributes; those that could have an effect are
 * renamed.
 * @param {HTMLElement} body
 * @param {boolean} isStored
 */
function allowedIn(body, isStored) {
  for (const element of [...body.querySelectorAll('script, style, meta, link, title, template')])
    element.remove()
  for (const element of [...body.querySelectorAll('*')].toReversed()) {
    if (!TAGS.has(element.tagName) && !(isStored && STORED_TAGS.has(element.tagName)))
      element.replaceWith(...(element.matches(BLOCKS) ? [divOf(element)] : element.childNodes))
    else
      for (const { name, value } of [...element.attributes]) {
        const known = name.slice(KEPT_NAME.length)
        const isAllowed =
          KEPT.get(element.tagName)?.includes(known) && !/^\s*(javascript|data|vbscript):/i.test(value)
        if (isAllowed) element.setAttribute(known, value)
        if (isAllowed || !isStored) element.removeAttribute(name)
      }
  }
  const fragment = document.createDocumentFragment()
  fragment.append(...body.childNodes)
  return document.importNode(fragment, true)
}

/**
 * Returns a `div` with the content of another block, so that its text does not merge with the text beside it.
 * @param {Element} element
 */
function divOf(element) {
  const div = document.createElement('div')
  div.append(...element.childNodes)
  return div
}
