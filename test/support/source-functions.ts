import { type Token, tokensOf } from './source-tokens.ts'

/** A function that is not inside another one. Its lines include the functions inside it. */
export interface SourceFunction {
  /** Its name, or that of the variable or property that holds it. */
  name: string
  lines: number
}

const CLOSING: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' }
const isOpening = ({ kind, text }: Token) => kind === 'sign' && text in CLOSING
const isClosing = ({ kind, text }: Token) => kind === 'sign' && /^[)\]}]$/.test(text)

/** Words before a bracket that is not the parameter list of a method. */
const BEFORE_CONDITIONS = new Set(['if', 'for', 'while', 'switch', 'catch', 'function', 'return', 'await', 'typeof'])
/** Tokens after which a brace begins a type, not a function body. */
const BEFORE_TYPES = new Set([':', '|', '&', '<', ',', '(', '[', '=>', 'is', 'keyof', 'extends'])

/** Finds the functions of a formatted source file. */
export function functionsOf(source: string): SourceFunction[] {
  const tokens = tokensOf(source)
  const lines = source.split('\n')
  const indentOf = ({ line }: Token) => lines[line - 1]?.search(/\S/) ?? 0
  const functions: SourceFunction[] = []
  for (let at = 0; at < tokens.length; at++) {
    at = skipType(tokens, at, indentOf)
    const found = functionAt(tokens, at, indentOf)
    if (!found) continue
    const [first, last] = [tokens[found.start], tokens[found.end]]
    if (first && last) functions.push({ name: nameBefore(tokens, found.start), lines: last.line - first.line + 1 })
    at = found.end
  }
  return functions
}

type IndentOf = (token: Token) => number

/** Skips the type that begins here: returns the place of the last token of an interface or alias, or of the `=` behind the type of a constant. */
function skipType(tokens: readonly Token[], at: number, indentOf: IndentOf): number {
  const [token, next] = [tokens[at], tokens[at + 1]]
  if (token?.kind !== 'word' || next?.kind !== 'word') return at
  if (token.text === 'interface') return closing(tokens, tokens.indexOf(braceAfter(tokens, at), at))
  if (token.text === 'type' && tokens[at - 1]?.text !== 'import') return endOfExpression(tokens, at, indentOf)
  if (token.text !== 'const' || tokens[at + 2]?.text !== ':') return at
  return tokens.findIndex(({ kind, text }, i) => i > at && kind === 'sign' && text === '=')
}

function braceAfter(tokens: readonly Token[], at: number): Token {
  const brace = tokens.find(({ kind, text }, i) => i > at && kind === 'sign' && text === '{')
  if (!brace) throw new Error(`no brace after line ${tokens[at]?.line}`)
  return brace
}

function functionAt(
  tokens: readonly Token[],
  at: number,
  indentOf: IndentOf,
): { start: number; end: number } | undefined {
  const [token, next] = [tokens[at], tokens[at + 1]]
  if (!token || !next) return undefined
  if (token.kind === 'sign' && token.text === '=>') {
    const start = tokens[at - 1]?.text === ')' ? opening(tokens, at - 1) : at - 1
    const end = next.text === '{' ? closing(tokens, at + 1) : endOfExpression(tokens, at, indentOf)
    return { start, end }
  }
  if (token.kind !== 'word') return undefined
  const isMethod = next.text === '(' && !BEFORE_CONDITIONS.has(token.text)
  if (token.text !== 'function' && !isMethod) return undefined
  const parameters = tokens.findIndex(({ kind, text }, i) => i > at && kind === 'sign' && text === '(')
  const body = bodyAfter(tokens, closing(tokens, parameters), isMethod)
  return body === undefined ? undefined : { start: at, end: closing(tokens, body) }
}

/** Finds the brace that begins a function body after the parameters. A call has none. */
function bodyAfter(tokens: readonly Token[], end: number, isMethod: boolean): number | undefined {
  if (isMethod && tokens[end + 1]?.text !== '{') return undefined
  for (let i = end + 1; i < tokens.length; i++) {
    const [token, before] = [tokens[i], tokens[i - 1]]
    if (token?.text !== '{') continue
    if (!before || !BEFORE_TYPES.has(before.text)) return i
    i = closing(tokens, i)
  }
  return undefined
}

/** Finds the bracket that closes the one at a place. */
function closing(tokens: readonly Token[], at: number): number {
  let depth = 0
  for (let i = at; i < tokens.length; i++) {
    const token = tokens[i]
    if (token && isOpening(token)) depth++
    if (token && isClosing(token) && --depth === 0) return i
  }
  throw new Error(`nothing closes line ${tokens[at]?.line}`)
}

/** Finds the bracket that the one at a place closes. */
function opening(tokens: readonly Token[], at: number): number {
  let depth = 0
  for (let i = at; i >= 0; i--) {
    const token = tokens[i]
    if (token && isClosing(token)) depth++
    if (token && isOpening(token) && --depth === 0) return i
  }
  throw new Error(`nothing opens line ${tokens[at]?.line}`)
}

/** Finds the last token of an expression or type: before a comma, a closing bracket, or a line that is not indented further. */
function endOfExpression(tokens: readonly Token[], at: number, indentOf: IndentOf): number {
  const start = tokens[at]
  if (!start) return at
  for (let i = at + 1; i < tokens.length; i++) {
    const token = tokens[i]
    if (!token || isClosing(token) || token.text === ',') return i - 1
    const isNewLine = token.line !== tokens[i - 1]?.line
    if (isNewLine && indentOf(token) <= indentOf(start)) return i - 1
    if (isOpening(token)) i = closing(tokens, i)
  }
  return tokens.length - 1
}

function nameBefore(tokens: readonly Token[], start: number): string {
  const isDeclared = tokens[start]?.text === 'function'
  const isMethod = tokens[start]?.kind === 'word' && tokens[start + 1]?.text === '('
  const words = tokens.slice(0, start + (isDeclared ? 3 : isMethod ? 1 : 0)).filter(({ kind }) => kind === 'word')
  return words.at(-1)?.text ?? ''
}
