import type { Site } from '../../base/config.ts'
import { decodeEntities } from '../../base/text/safe-html.ts'
import { FREE, type Price, presentCost, pricesOf } from '../../calendar/events/event-cost.ts'
import type { MessageText } from '../../calendar/locales/messages.ts'
import { translate } from '../../calendar/locales/translate.ts'
import { localeOf } from './page-dates.ts'

// What events cost, as the language of the page writes it.

const FREE_WORD: MessageText = FREE

/**
 * The stored cost of an event as plain text, the lowest and the highest price as the language writes money: `12,50 €`, `10–20 €`. A text that says more than
 * amounts in one currency, or whose figures can be read in two ways, stays as it was written.
 */
export function writtenCost(site: Site, raw: readonly string[]): string {
  const free = translate(site.language, FREE_WORD)
  const prices = pricesOf(raw, FREE)
  const [lowest, highest] = [prices[0], prices.at(-1)]
  if (!lowest || !highest) return ''
  const mark = markOf(prices, site.currency.symbol.trim())
  const figures = [lowest, highest].map(amountIn)
  const [low, high] = figures
  if (mark === undefined || low === undefined || high === undefined) return asWritten(site, raw, free)
  if (Number(high) === 0) return free
  const write = moneyWriter(localeOf(site), mark, figures.some((figure) => figure?.includes('.')) ? 2 : 0)
  if (Number(low) === 0) return `${free} – ${write(high, high)}`
  return write(low, high)
}

const asWritten = (site: Site, raw: readonly string[], free: string) =>
  decodeEntities(presentCost(raw, site.currency, free).cost)

/** A sign of currency, with letters of a country before it or without; or a code or word in Latin letters. */
const MARK = /^(?:\p{Lu}{0,3}\p{Sc}|\p{Script=Latin}+\.?)$/u

/** The currency mark that all prices share, or that of the site where no price has one; undefined for several marks, or prices with other words. */
function markOf(prices: readonly Price[], own: string): string | undefined {
  if (prices.some(({ kind }) => kind === 'words')) return undefined
  const marks = new Set(prices.map(({ symbol }) => symbol).filter((symbol) => symbol !== ''))
  const [mark = own] = marks
  return marks.size <= 1 && MARK.test(mark) ? mark : undefined
}

/** A number of at most two decimals. Three are as likely to be thousands. */
const CLEAR = /^\d{1,12}(?:\.\d{1,2})?$/

function amountIn({ numbers }: Price): string | undefined {
  const [number = ''] = numbers
  return CLEAR.test(number) ? number : undefined
}

const formats = new Map<string, Intl.NumberFormat>()

/** Writes a range of amounts with a mark as the language places those of its kind. */
function moneyWriter(locale: string, mark: string, decimals: 0 | 2): (low: string, high: string) => string {
  const currencyDisplay = /\p{Sc}$/u.test(mark) ? 'symbol' : 'code'
  const key = `${locale} ${currencyDisplay} ${decimals}`
  const digits = { minimumFractionDigits: decimals, maximumFractionDigits: decimals }
  const format =
    formats.get(key) ??
    new Intl.NumberFormat(locale, { style: 'currency', currency: 'EUR', currencyDisplay, ...digits })
  formats.set(key, format)
  return (low, high) => {
    const parts =
      low === high ? format.formatToParts(Number(low)) : format.formatRangeToParts(Number(low), Number(high))
    return parts.map(({ type, value }) => (type === 'currency' ? mark : value)).join('')
  }
}
