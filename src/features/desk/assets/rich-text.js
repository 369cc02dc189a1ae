// A small editor in place of a text area with markup. The editor writes the text back only after a change, so
// an unchanged text keeps every byte.

/** @param {HTMLTextAreaElement} area */
export async function editRichly(area) {
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
  const squire = new Squire(editor, {
    blockTag: 'P',
    /** @param {string} html */
    sanitizeToDOMFragment: (html) => {
      const body = parsed(html)
      if (!isStored) return allowedIn(body, false)
      parts = partsOf(body)
      return inParagraphs(allowedIn(body, true))
    },
  })
  /** Shows the text. Returns false for one that the editor would change. */
  const show = () => {
    isStored = true
    squire.setHTML(area.value)
    isStored = false
    return partsOf(editor) === parts
  }
  if (!show()) {
    squire.destroy()
    frame.remove()
    return
  }
  // The editor drops comments of block editors, so they are lost only if somebody edits the text.
  squire.addEventListener('input', () => {
    area.value = asStored(squire.getHTML())
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
    button.textContent = face
    button.setAttribute('aria-label', words[name] ?? name)
    button.title = words[name] ?? name
    button.setAttribute('aria-pressed', 'false')
    // The press leaves the selection in the editor.
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
  area.hidden = true
  if (isWriting) editor.focus()
}

const REFUSED = 'The editor would lose parts of this text, so it stays as HTML.'

/**
 * Returns the text of the editor with its attributes as they were, without the blocks around rules and
 * pictures, and with ordinary spaces between words, where browsers write non-breaking ones beside tags.
 * @param {string} html
 */
function asStored(html) {
  return html
    .replaceAll(/\sdata-kept-(?=[^<>]*>)/g, ' ')
    .replaceAll(/<div>(<(?:hr|img)\b[^<>]*>)<br><\/div>/g, '$1')
    .replaceAll(/(?<=[^\s;>])&nbsp;(?=<\w)|(?<=<\/(?:a|b|i|em|strong)>)&nbsp;(?=[^\s&<])/gi, ' ')
}

/**
 * Puts the caret where it was in the text area: behind as much text.
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

/** Makes the bar one tab stop. @param {HTMLElement} bar */
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
    'P,BR,B,STRONG,I,EM,U,S,A,UL,OL,LI,H1,H2,H3,H4,H5,H6,BLOCKQUOTE,CODE,PRE,HR,SUB,SUP,IMG,FIGURE,FIGCAPTION,DIV,' +
    'DL,DT,DD,TABLE,CAPTION,THEAD,TBODY,TFOOT,TR,TH,TD,ABBR,BDI,BDO,CITE,DEL,DFN,INS,KBD,Q,SAMP,SMALL,TIME,VAR'
  ).split(','),
)
const STORED_TAGS = new Set('SPAN,ADDRESS,ARTICLE,ASIDE,FOOTER,HEADER,SECTION'.split(','))
const KEPT = new Map([
  ['A', ['href', 'title', 'rel', 'target']],
  ['OL', ['start']],
  ['IMG', ['src', 'alt', 'width', 'height']],
  ['TH', ['colspan', 'rowspan', 'scope']],
  ['TD', ['colspan', 'rowspan']],
])

const BLOCKS =
  'address,article,aside,blockquote,center,details,div,dl,fieldset,figure,footer,h1,h2,h3,h4,h5,h6,header,hr,main,nav,ol,p,pre,section,summary,table,ul'

/**
 * Sets text and markup within the line in paragraphs, as pages do: a blank line begins a new paragraph, and a
 * single newline becomes a line break.
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
const MARKUP =
  /<!--[\s\S]*?(?:-->|$)|<(?:!(?!--)|\?)[^<>]*>|<\/?[a-z][^\s/>"'<]*(?=[\s/>])(?:[^<>"']|"[^"]*"|'[^']*')*>|&(?:[a-z][a-z\d]{1,31}|#\d{1,7}|#x[\da-f]{1,6});/gi
const SIGNS = new RegExp(`${MARKUP.source}|[<&]`, 'gi')
const KEPT_NAME = 'data-kept-'

/**
 * Parses a text, with other names for its attributes: styles and handlers never work, but the policy of the
 * page would report each, and names and classes would meet those of the desk.
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
 * Returns the tags in a text that pages show in their own way, to tell whether the editor has them all.
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
 * Returns the allowed part of a stored, pasted or dropped text, from word processors as well. The service
 * cleans the text once more. A stored text keeps all its attributes, those that might do something under
 * other names.
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
 * Returns a plain block with the content of another, so that its text does not join the text beside it.
 * @param {Element} element
 */
function divOf(element) {
  const div = document.createElement('div')
  div.append(...element.childNodes)
  return div
}
