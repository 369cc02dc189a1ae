export interface Token {
  kind: 'word' | 'sign' | 'text' | 'expression'
  text: string
  line: number
}

const WORD = /[\p{ID_Start}$_#][\p{ID_Continue}$]*|\d[\w.]*/uy
const SIGN = /\.\.\.|=>|\?\.|[^\s]/y
const EXPRESSION = /\/(?:[^\\/[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/y
const SKIPPED = /\s+|\/\/[^\n]*|\/\*[\s\S]*?\*\//y
const TEXT = /'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"/y

const BEFORE_VALUES = new Set([
  'return',
  'typeof',
  'case',
  'in',
  'of',
  'yield',
  'await',
  'else',
  'do',
  'void',
  'new',
])

export function tokensOf(source: string): Token[] {
  const tokens: Token[] = []
  // The number of open braces in the code of each open template.
  const templates: number[] = []
  let at = 0
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at
    const found = pattern.exec(source)?.[0]
    if (found !== undefined) at += found.length
    return found
  }
  let counted = 0
  let line = 1
  const lineOf = (place: number) => {
    for (; counted < place; counted++) if (source[counted] === '\n') line++
    return line
  }
  const add = (kind: Token['kind'], text: string) =>
    tokens.push({ kind, text, line: lineOf(at - text.length) })
  const addTemplate = () => {
    const start = at
    while (at < source.length && source[at] !== '`' && !source.startsWith('${', at))
      at += source[at] === '\\' ? 2 : 1
    add('text', source.slice(start, at))
    if (source[at] === '`') at += 1
    else {
      at += 2
      templates.push(0)
    }
  }
  while (at < source.length) {
    if (take(SKIPPED) !== undefined) continue
    if (source[at] === '`') {
      at += 1
      addTemplate()
      continue
    }
    const depth = templates.at(-1)
    if (depth === 0 && source[at] === '}') {
      at += 1
      templates.pop()
      addTemplate()
      continue
    }
    const text = take(TEXT)
    if (text !== undefined) {
      add('text', text)
      continue
    }
    const word = take(WORD)
    if (word !== undefined) {
      add('word', word)
      continue
    }
    if (source[at] === '/' && mayBeginValue(tokens.at(-1))) {
      const expression = take(EXPRESSION)
      if (expression !== undefined) {
        add('expression', expression)
        continue
      }
    }
    const sign = take(SIGN) ?? ''
    if (depth !== undefined && (sign === '{' || sign === '}'))
      templates[templates.length - 1] = depth + (sign === '{' ? 1 : -1)
    add('sign', sign)
  }
  return tokens
}

function mayBeginValue(last: Token | undefined): boolean {
  if (last === undefined) return true
  if (last.kind === 'word') return BEFORE_VALUES.has(last.text)
  return last.kind === 'sign' && last.text !== ')' && last.text !== ']' && last.text !== '}'
}
