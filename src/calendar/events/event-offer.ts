import { type Currency, type Price, pricesOf } from './event-cost.ts'

/** The prices that a cost names beyond doubt: the lowest and the highest, `0` where it is free, and their currency as an ISO 4217 code. */
export interface OfferedPrice {
  lowest: string
  highest: string
  currency: string
}

/**
 * The prices that a stored cost offers in a currency that is known; undefined for a cost without numbers, with numbers among words, in several
 * currencies or in one whose mark has several meanings.
 */
export function offeredPrice(raw: readonly string[], own: Currency): OfferedPrice | undefined {
  const priced = pricesOf(raw, '').filter(({ numbers }) => numbers.length > 0)
  const [first, last] = [priced[0], priced.at(-1)]
  if (!first || !last || priced.some(({ kind }) => kind === 'words')) return undefined
  const currency = currencyOf(priced, own)
  return currency === undefined ? undefined : { lowest: amountOffered(first), highest: amountOffered(last), currency }
}

/** The code of the one currency that the amounts are in; undefined where that is not clear. Amounts without a mark are in the only one among the others. */
function currencyOf(prices: readonly Price[], own: Currency): string | undefined {
  const marks = new Set(prices.map(({ symbol }) => symbol).filter(Boolean))
  const [mark, another] = marks
  if (mark === undefined) return own.code
  return another === undefined ? currencyCode(mark, own) : undefined
}

const amountOffered = ({ numbers: [number = '0'] }: Price) => (Number(number) === 0 ? '0' : number)

const CODES = new Set(Intl.supportedValuesOf('currency'))

/** Marks of one currency alone, without points and in upper case. `$`, `KR` and the like are those of the site, or unclear. */
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
  return CODES.has(plain) ? plain : MARKS.get(plain)
}
