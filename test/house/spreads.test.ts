import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { type Token, tokensOf } from '../support/source-tokens.ts'

// Arguments of a call are kept on the stack: spreading a list of 100,000 entries into them fails the request.

const root = fileURLToPath(new URL('../../src', import.meta.url))

const BOUNDED: Readonly<Record<string, string>> = {
  'features/demo/posters.ts Math.max(...words.map((text)=>text.length))': 'words of the demo itself',
  'http/openapi-schemas.ts anyOf(...empty)': 'written there',
  'http/openapi-schemas.ts anyOf(...entries)': 'written there',
  "http/openapi.ts headerRefs(...(isPaged?(['X-TEC-Total','X-TEC-TotalPages']asconst):[]))": 'written there',
  "http/openapi.ts headerRefs(...(isNew?(['Location']asconst):[]))": 'written there',
  "http/openapi.ts headerRefs(...(isNew||action.do==='batch'?(['Idempotency-Replayed']asconst):[]))":
    'written there',
  "http/openapi.ts headerRefs(...(isNew||action.do==='update'?(['Preference-Applied','X-Kalends-Ignored']asconst):[]))":
    'written there',
  "http/openapi.ts headerRefs(...(isRead?(['ETag']asconst):[]))": 'written there',
  'http/send.ts headers.push(...crossOrigin(answer,request))': 'headers of ours',
  'calendar/people/authenticate.ts Math.max(...names.map((name)=>noteGuess(failures,name,now)))':
    'the names one attempt is counted under',
  'features/desk/sign-in/desk-sign-in.ts Math.max(...names.map((name)=>noteGuess(guesses,name,now)))':
    'the names one attempt is counted under',
  'store/storage/backup-file.ts insert.run(...columns.map((column)=>row[column]asSQLInputValue))':
    'columns of a table',
  'store/storage/sqlite/sqlite-connection.ts distanceKm(...(pointsas[number,number,number,number]))':
    'a tuple',
  'store/storage/sqlite/sqlite-connection.ts statement.all(...(parametersasSQLInputValue[]))':
    'values of a statement, in which a list is one',
  'store/storage/sqlite/sqlite-connection.ts statement.run(...(parametersasSQLInputValue[]))':
    'values of a statement, in which a list is one',
  'store/storage/sqlite/sqlite-connection.ts statement.iterate(...(parametersasSQLInputValue[]))':
    'values of a statement, in which a list is one',
  'store/storage/tables.ts placed.push(...ready)': 'tables of the database',
  'store/storage/search/substring-search.ts get(...patterns)': 'words of a search, nine at the most',
}

interface Spread {
  file: string
  line: number
  text: string
}

const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => path.endsWith('.ts'))

const spreads = files.flatMap((file) => spreadsIn(file, tokensOf(readFileSync(`${root}/${file}`, 'utf8'))))

function spreadsIn(file: string, tokens: readonly Token[]): Spread[] {
  const found: Spread[] = []
  // The places of the open brackets.
  const open: number[] = []
  for (const [at, { kind, text, line }] of tokens.entries()) {
    if (kind !== 'sign') continue
    if (['(', '[', '{'].includes(text)) open.push(at)
    if ([')', ']', '}'].includes(text)) open.pop()
    const bracket = open.at(-1)
    if (text !== '...' || bracket === undefined || !isCall(tokens, bracket)) continue
    const callee = calleeOf(tokens, bracket)
    found.push({ file, line, text: `${callee}(...${listOf(tokens, at + 1)})` })
  }
  return found
}

function isCall(tokens: readonly Token[], bracket: number): boolean {
  if (tokens[bracket]?.text !== '(') return false
  const before = tokens[bracket - 1]
  const isCalled = before?.kind === 'word' || [')', ']', '>', '?.'].includes(before?.text ?? '')
  if (!isCalled || tokens[bracket - 2]?.text === 'function' || before?.text === 'function') return false
  const after = tokens[closing(tokens, bracket) + 1]?.text ?? ''
  return (
    after !== '=>' && after !== '{' && !(after === ':' && before?.text !== ')' && isTyped(tokens, bracket))
  )
}

function isTyped(tokens: readonly Token[], bracket: number): boolean {
  return tokens
    .slice(bracket, closing(tokens, bracket))
    .some(({ text }, at, inside) => text === '...' && inside[at + 2]?.text === ':')
}

function closing(tokens: readonly Token[], bracket: number): number {
  let depth = 0
  for (let at = bracket; at < tokens.length; at++) {
    const text = tokens[at]?.kind === 'sign' ? tokens[at]?.text : ''
    if (text === '(' || text === '[' || text === '{') depth += 1
    if ((text === ')' || text === ']' || text === '}') && --depth === 0) return at
  }
  return tokens.length
}

function calleeOf(tokens: readonly Token[], bracket: number): string {
  let start = bracket - 1
  while (tokens[start - 1]?.text === '.' && tokens[start - 2]?.kind === 'word') start -= 2
  return tokens
    .slice(start, bracket)
    .map(({ text }) => text)
    .join('')
}

function listOf(tokens: readonly Token[], start: number): string {
  let end = start
  while (end < tokens.length && ![',', ')'].includes(tokens[end]?.text ?? ')'))
    end = ['(', '[', '{'].includes(tokens[end]?.text ?? '') ? closing(tokens, end) + 1 : end + 1
  return tokens
    .slice(start, end)
    .map(({ text }) => text)
    .join('')
}

test('no list of any length is spread into the arguments of a call', () => {
  const unbounded = spreads.filter(({ file, text }) => !Object.hasOwn(BOUNDED, `${file} ${text}`))
  assert.deepEqual(
    unbounded.map(({ file, line, text }) => `${file}:${line} ${text}`),
    [],
    'loop over the list, or say in BOUNDED of this test why it is short',
  )
})

test('every spread that may be is still there', () => {
  const there = new Set(spreads.map(({ file, text }) => `${file} ${text}`))
  assert.deepEqual(
    Object.keys(BOUNDED).filter((known) => !there.has(known)),
    [],
  )
})

test('the sources are read as they are meant: spreads of calls are told from those of lists, records and parameters', () => {
  const source = `
    const a = [...list, ...f(...spread)]
    const b = { ...record }
    function c(...rest: number[]): void {}
    const d = (...rest) => g(1, ...more.map((x) => x + 1), /\\(...x/.exec('(...no)'))
    x.push(...list)
    return \`\${h(...inner)}\`
    const e = (first: string, ...others: string[]): void => {}
  `
  assert.deepEqual(
    spreadsIn('x.ts', tokensOf(source)).map(({ text }) => text),
    ['f(...spread)', 'g(...more.map((x)=>x+1))', 'x.push(...list)', 'h(...inner)'],
  )
})
