import { decodedText, escapeHtml } from '../../base/text/html.ts'
import { slugify } from '../../base/text/slugs.ts'

interface Currency {
  symbol: string
  code: string
}

/** `currency_position` is `prefix`, `postfix` or `''` (rule 5.6). */
export interface CostDetails {
  currency_symbol: string
  currency_code: string
  currency_position: string
  values: string[]
}

/** An amount, a word for free, or other words, which may contain numbers. */
export interface Price {
  kind: 'amount' | 'free' | 'words'
  /** As written; for an amount, only its figures. */
  text: string
  /** The numbers in the text, with decimal points and without thousands separators. */
  numbers: string[]
  /** The currency's symbol, or `''`, on the side `position` of the figures. */
  symbol: string
  position: Position
}

type Position = 'prefix' | 'postfix' | ''

/** Figures (F), a currency mark (M), a separator of prices (C), or a word for free (W). */
interface CostToken {
  kind: 'F' | 'M' | 'C' | 'W'
  text: string
}

const CURRENCY_CODES = new Set(Intl.supportedValuesOf('currency'))
const CURRENCY_WORDS = new Set(
  (
    'eur usd gbp chf sek nok dkk pln czk huf ron cad aud ' +
    'nzd inr rub kr zł kč ft fr sfr rs rm r din lei tl kn лв ' +
    'руб р грн дин 元 円 원'
  ).split(' '),
)
/** Words that mean free of charge, alone or with words of `OF_ENTRY`. */
const FREE_WORDS = new Set(
  (
    'free gratis gratuit gratuite gratuits gratuites gratuito ' +
    'gratuita gratuiti grátis libre libero libera livre ' +
    'kostenlos kostenlose kostenloser kostenfrei kostenfreie ' +
    'kostenfreier frei freie freier umsonst fri fritt ' +
    'ingyenes zdarma bezpłatnie bezpłatny wolny ilmainen vapaa ücretsiz ' +
    'бесплатно бесплатный свободный безкоштовно безплатно δωρεάν 無料 免费 免費 무료'
  ).split(' '),
)
const CONNECTORS = new Set(
  (
    '- \u2010 \u2011 \u2012 \u2013 \u2014 ~ \u301c \uff5e ' +
    '/ | , ; & + to or and bis oder und à a au ou et o y e ' +
    'до или и'
  ).split(' '),
)

// Digits in groups of three, perhaps with decimals behind another separator; or plain digits, perhaps with
// decimals; or decimals alone, as in `.50`.
const FIGURES =
  /\d{1,3}([ '’,.])\d{3}(?:\1\d{3})*(?!\d)(?:(?!\1)[.,]\d+)?|\d+(?:[.,]\d+)?|(?<![\p{L}\d])[.,]\d+/gu
const BETWEEN = /\p{Lu}{0,3}\p{Sc}|\p{L}[\p{L}\p{M}]*\.?|[^\s\p{L}]/gu
const PRICES = /^(?:W|(?:MF)+|(?:FM)+|F+)(?:C+(?:W|(?:MF)+|(?:FM)+|F+))*$/

export function isCost(value: unknown): boolean {
  return parseCost(value) !== undefined
}

/**
 * The prices of a cost as plain texts without tags, entities or repeated blanks. `''`, null and `[]` have no
 * prices; `0` is a price. Undefined if the value is no cost.
 */
export function parseCost(value: unknown): string[] | undefined {
  const texts: string[] = []
  for (const item of Array.isArray(value) ? value : [value]) {
    if (typeof item !== 'string' && typeof item !== 'number' && item !== null) return undefined
    const text = decodedText(String(item ?? ''))
      .replace(/\s+/g, ' ')
      .trim()
    if (text !== '') texts.push(text)
  }
  return texts
}

/** A price of zero in answers, in English whatever the language of the site (rule 10.7). */
export const FREE = 'Free'

/**
 * The members `cost` and `cost_details` (rules 20.1 to 20.4). `cost` is HTML, with `freeWord` for zero;
 * `cost_details` have the symbol and position that all amounts share, else `''`.
 */
export function presentCost(
  raw: readonly string[],
  currency: Currency,
  freeWord: string,
): { cost: string; cost_details: CostDetails } {
  const prices = pricesOf(raw, freeWord)
  const amounts = prices.filter((price) => price.kind === 'amount')
  const symbol = commonOf(amounts.map((price) => price.symbol))
  return {
    cost: escapeHtml(describePrices(prices, currency, freeWord)),
    cost_details: {
      currency_symbol: symbol,
      currency_code: '',
      currency_position: symbol === '' ? '' : commonOf(amounts.map((price) => price.position)),
      values: valuesOf(prices),
    },
  }
}

function priceRange(raw: readonly string[]): { lowest: string; highest: string } | undefined {
  const prices = pricesOf(raw, '').flatMap((price) => price.numbers)
  const numbers = ascending(prices.map((number) => (Number(number) === 0 ? '0' : number)))
  const [lowest, highest = lowest] = [numbers[0], numbers.at(-1)]
  return lowest === undefined || highest === undefined ? undefined : { lowest, highest }
}

/** The price in linked data (rule 9.4): `10`, `5 – 10` for a range, `0` when free, `''` without numbers. */
export function offerPrice(raw: readonly string[]): string {
  const { lowest, highest } = priceRange(raw) ?? { lowest: '', highest: '' }
  return lowest === highest ? lowest : `${lowest} – ${highest}`
}

const OF_ENTRY = new Set(
  (
    'entry entrance admission event of charge is for all everyone the der eintritt ist für alle zutritt ' +
    "l'entrée entrée entrées accès est entrada acceso la es " +
    "ingresso ingreso l'ingresso toegang entré adgang inträde " +
    'wstęp vstup belépés pääsy giriş вход вхід είσοδος'
  ).split(' '),
)
const NO_CHARGE = /^no (?:(?:entry|entrance|admission|cover) )?(?:charge|cover|fee)$/

/** Zero with or without a currency, also with a dash for decimals, as in `0,- €`. */
const NOUGHT = /^(?:\p{Sc}|\p{L}{1,4}\.?)? ?0+(?:[.,](?:0+|[-\u2013\u2014]+))? ?(?:\p{Sc}|\p{L}{1,4}\.?)?$/u

/** In characters. A longer text says more than that the event is free. */
const LONGEST_FREE = 40

/** True if there are texts and all say zero or free (rule 13.12). */
export function isFreeOfCharge(raw: readonly string[]): boolean {
  return raw.length > 0 && raw.every(isFreeText)
}

function isFreeText(text: string): boolean {
  if (text.length > LONGEST_FREE) return false
  const plain = text.normalize().trim().toLowerCase().replaceAll('\u2019', "'")
  const words = plain.split(/[\s:;,.!()\u2013-]+/).filter((word) => word !== '')
  const isPhrase = words.every((word) => FREE_WORDS.has(word) || OF_ENTRY.has(word))
  return (
    (isPhrase && words.some((word) => FREE_WORDS.has(word))) ||
    NO_CHARGE.test(words.join(' ')) ||
    NOUGHT.test(plain)
  )
}

/** The first texts of a cost that are shown, and the first characters of each. Old costs may have more. */
const MOST_SHOWN = { texts: 100, characters: 1000 }

/** In characters of JSON. A longer stored cost is cut between two texts before it is parsed. */
const MOST_READ = 120_000

/** The texts of a stored cost; of a long one, mostly only the first. @throws SyntaxError for damaged JSON */
export function storedCost(json: string): string[] {
  if (json.length <= MOST_READ) return JSON.parse(json)
  const end = json.lastIndexOf('","', MOST_READ)
  try {
    if (end !== -1) return JSON.parse(`${json.slice(0, end)}"]`)
  } catch {
    // Damaged, or the `","` found is part of a text.
  }
  return JSON.parse(json)
}

/** True if free; false for damaged JSON, so that its event can still be trashed. */
export function isStoredFree(json: string): boolean {
  try {
    return isFreeOfCharge(storedCost(json))
  } catch {
    return false
  }
}

/** The prices in ascending order, those without numbers last. */
export function pricesOf(raw: readonly string[], freeWord: string): Price[] {
  return raw
    .slice(0, MOST_SHOWN.texts)
    .map((text) => text.slice(0, MOST_SHOWN.characters))
    .flatMap((text) => readAmounts(text, freeWord) ?? readSigned(text) ?? [wordsOf(text)])
    .map((price) => ({ price, key: lowestNumber(price) }))
    .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
    .map(({ price }) => price)
}

function lowestNumber(price: Price): number {
  return price.numbers.reduce((lowest, number) => Math.min(lowest, Number(number)), Number.POSITIVE_INFINITY)
}

function describePrices(prices: readonly Price[], currency: Currency, freeWord: string): string {
  const [lowest, highest] = [prices[0], prices.at(-1)]
  if (!lowest || !highest) return ''
  const symbols = prices.filter((price) => price.symbol !== '')
  const isCommon = symbols.length > 0 && symbols.every((price) => price.symbol === symbols[0]?.symbol)
  // Without one common symbol, the site's is used (rule 20.2).
  const mark: Mark = isCommon && symbols[0] ? symbols[0] : { symbol: currency.symbol, position: 'prefix' }
  const describe = (price: Price) => describePrice(price, mark, currency.symbol, freeWord)
  const same =
    lowestNumber(lowest) === lowestNumber(highest) && lowest.kind !== 'words' && highest.kind !== 'words'
  return same ? describe(lowest) : [...new Set([describe(lowest), describe(highest)])].join(' – ')
}

type Mark = Pick<Price, 'symbol' | 'position'>

function describePrice(
  price: Price,
  { symbol, position }: Mark,
  siteSymbol: string,
  freeWord: string,
): string {
  if (price.kind !== 'amount') return price.text
  if (lowestNumber(price) === 0) return freeWord
  // The site's symbol may end in a blank, which clients strip.
  if (position === 'prefix' && symbol === siteSymbol.trim()) return siteSymbol + price.text
  return position === 'postfix' ? price.text + symbol : symbol + price.text
}

function valuesOf(prices: readonly Price[]): string[] {
  const wordsOnly = prices.every((price) => price.kind === 'free' || price.numbers.length === 0)
  const numbers = wordsOnly ? [] : ascending(prices.flatMap((price) => price.numbers))
  const words = prices.filter((price) => wordsOnly || price.numbers.length === 0)
  return [...numbers, ...new Set(words.map((price) => slugify(price.text) || price.text))]
}

function ascending(numbers: readonly string[]): string[] {
  const sorted = [...numbers].sort((a, b) => Number(a) - Number(b))
  return sorted.filter((number, at) => at === 0 || Number(number) !== Number(sorted[at - 1]))
}

function commonOf<T extends string>(words: readonly T[]): T | '' {
  const [first = ''] = words
  return words.every((word) => word === first) ? first : ''
}

/** Reads a text of prices only, such as `$5 to $10`. */
function readAmounts(text: string, freeWord: string): Price[] | undefined {
  const tokens = tokensOf(text, freeWord)
  const kinds = tokens?.map((token) => token.kind).join('') ?? ''
  if (!tokens || !PRICES.test(kinds) || (kinds !== 'W' && !kinds.includes('F'))) return undefined
  const prices: Price[] = []
  for (const { 0: group, index } of kinds.matchAll(/(?:MF)+|(?:FM)+|F+|W/g)) {
    const parts = tokens.slice(index, index + group.length)
    if (group === 'W')
      prices.push({ ...wordsOf(text), kind: 'free', text: parts[0]?.text ?? '', numbers: ['0'] })
    const marks = parts.filter((part) => part.kind === 'M')
    const figures = parts.filter((part) => part.kind === 'F')
    const position = marks.length === 0 ? '' : group.startsWith('M') ? 'prefix' : 'postfix'
    for (const [at, part] of figures.entries())
      prices.push(amountOf(part.text, marks[at]?.text ?? '', position))
  }
  return prices
}

function tokensOf(text: string, freeWord: string): CostToken[] | undefined {
  const tokens: CostToken[] = []
  let from = 0
  for (const { 0: figures, index } of text.matchAll(FIGURES)) {
    if (!addBetween(tokens, text.slice(from, index), freeWord)) return undefined
    tokens.push({ kind: 'F', text: figures })
    from = index + figures.length
  }
  return addBetween(tokens, text.slice(from), freeWord) ? tokens : undefined
}

function addBetween(tokens: CostToken[], text: string, freeWord: string): boolean {
  if (isFree(text.trim(), freeWord)) return tokens.push({ kind: 'W', text: text.trim() }) > 0
  return (text.match(BETWEEN) ?? []).every((word) => {
    const kind = isFree(word, freeWord)
      ? 'W'
      : isCurrency(word)
        ? 'M'
        : CONNECTORS.has(word.toLowerCase())
          ? 'C'
          : undefined
    if (kind) tokens.push({ kind, text: word })
    return kind !== undefined
  })
}

function isFree(word: string, freeWord: string): boolean {
  const lower = word.toLowerCase()
  return FREE_WORDS.has(lower) || (lower !== '' && lower === freeWord.toLowerCase())
}

function isCurrency(word: string): boolean {
  const plain = word.replace(/\.$/, '')
  return /\p{Sc}$/u.test(plain) || CURRENCY_CODES.has(plain) || CURRENCY_WORDS.has(plain.toLowerCase())
}

/** Reads one number with signs before or after it, such as `-5`; the signs count as its currency symbol. */
function readSigned(text: string): Price[] | undefined {
  const [figures, ...others] = text.match(FIGURES) ?? []
  if (figures === undefined || others.length > 0) return undefined
  const [before = '', after = ''] = text.split(figures)
  const signs = before + after
  if ((before !== '' && after !== '') || !/^[^\s\p{L}\p{N}]+$/u.test(signs)) return undefined
  return [amountOf(figures, signs, before === '' ? 'postfix' : 'prefix')]
}

function amountOf(figures: string, symbol: string, position: Position): Price {
  return { kind: 'amount', text: figures, numbers: [numberOf(figures)], symbol, position }
}

function wordsOf(text: string): Price {
  return { kind: 'words', text, numbers: (text.match(FIGURES) ?? []).map(numberOf), symbol: '', position: '' }
}

// Gives figures a decimal point. A single comma before three digits separates thousands, a single point does
// not.
function numberOf(figures: string): string {
  const separators = figures.match(/[^\d]/g) ?? []
  const [first, last] = [separators[0], separators.at(-1)]
  const thousands =
    separators.length > 1 ? first === last : first !== undefined && /^[1-9]\d*[ '’,]\d{3}$/.test(figures)
  const whole = thousands || last === undefined ? figures.length : figures.lastIndexOf(last)
  const decimals = figures.slice(whole + 1)
  const digits = figures.slice(0, whole).replace(/\D/g, '') || '0'
  return decimals === '' ? digits : `${digits}.${decimals}`
}

/** `0` means free; `currency` is an ISO 4217 code. */
export interface OfferedPrice {
  lowest: string
  highest: string
  currency: string
}

export function offeredPrice(raw: readonly string[], own: Currency): OfferedPrice | undefined {
  const priced = pricesOf(raw, '').filter(({ numbers }) => numbers.length > 0)
  const [first, last] = [priced[0], priced.at(-1)]
  if (!first || !last || priced.some(({ kind }) => kind === 'words')) return undefined
  const currency = currencyOf(priced, own)
  return currency === undefined
    ? undefined
    : { lowest: amountOffered(first), highest: amountOffered(last), currency }
}

/**
 * The currency code of all prices; undefined if marks differ or mean none. An amount without a mark has the
 * currency of the others, else the site's.
 */
function currencyOf(prices: readonly Price[], own: Currency): string | undefined {
  const marks = new Set(prices.map(({ symbol }) => symbol).filter(Boolean))
  const [mark, another] = marks
  if (mark === undefined) return own.code
  return another === undefined ? currencyCode(mark, own) : undefined
}

const amountOffered = ({ numbers: [number = '0'] }: Price) => (Number(number) === 0 ? '0' : number)

/**
 * Currency codes by mark, in upper case without a final point. `$` and `KR` are missing, since several
 * currencies have them.
 */
const MARKS = new Map(
  Object.entries({
    EUR: '€ EURO',
    GBP: '£',
    JPY: '¥ JP¥ 円',
    CNY: 'CN¥ RMB 元',
    USD: 'US$',
    CAD: 'CA$ C$',
    AUD: 'A$ AU$',
    NZD: 'NZ$',
    HKD: 'HK$',
    SGD: 'SG$ S$',
    TWD: 'NT$',
    MXN: 'MX$',
    BRL: 'R$',
    CHF: 'SFR',
    INR: '₹',
    KRW: '₩ 원',
    ILS: '₪',
    VND: '₫',
    PHP: '₱',
    NGN: '₦',
    RUB: '₽ РУБ',
    UAH: '₴ ГРН',
    TRY: '₺ TL',
    PLN: 'ZŁ',
    CZK: 'KČ',
    HUF: 'FT',
    BGN: 'ЛВ',
    RON: 'LEI',
    MYR: 'RM',
  }).flatMap(([code, marks]) => marks.split(' ').map((mark) => [mark, code] as const)),
)

function currencyCode(mark: string, own: Currency): string | undefined {
  const plain = mark.replace(/\.$/, '').toUpperCase()
  if (plain === own.symbol.trim().toUpperCase() || plain === own.code) return own.code
  return CURRENCY_CODES.has(plain) ? plain : MARKS.get(plain)
}
