import { deepEqual, doesNotMatch, equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { isCost, offerPrice, parseCost, presentCost } from '../../src/calendar/events/event-cost.ts'
import { fc, rounds } from '../support/rounds.ts'

const dollars = { symbol: '$', code: 'USD' }

function present(sent: unknown, currency = dollars, freeWord = 'Free') {
  return presentCost(parseCost(sent) ?? [], currency, freeWord)
}

// The sent value, and the display, symbol, position and values of the answer (rules 20.1 to 20.4).
const COSTS: readonly (readonly [unknown, string, string, string, readonly string[]])[] = [
  [10, '$10', '', '', ['10']],
  ['10', '$10', '', '', ['10']],
  ['$10', '$10', '$', 'prefix', ['10']],
  ['10$', '10$', '$', 'postfix', ['10']],
  ['€10', '€10', '€', 'prefix', ['10']],
  ['10 €', '10€', '€', 'postfix', ['10']],
  ['£7.50', '£7.50', '£', 'prefix', ['7.50']],
  ['$10.50', '$10.50', '$', 'prefix', ['10.50']],
  ['10,50', '$10,50', '', '', ['10.50']],
  ['10.999', '$10.999', '', '', ['10.999']],
  ['.50', '$.50', '', '', ['0.50']],
  ['10-20', '$10 – $20', '', '', ['10', '20']],
  ['10 – 25', '$10 – $25', '', '', ['10', '25']],
  [['10', '20'], '$10 – $20', '', '', ['10', '20']],
  [[20, 10], '$10 – $20', '', '', ['10', '20']],
  [['9', '10', '100'], '$9 – $100', '', '', ['9', '10', '100']],
  ['$10-$20', '$10 – $20', '$', 'prefix', ['10', '20']],
  ['$10 - $25', '$10 – $25', '$', 'prefix', ['10', '25']],
  [['$10', '$20'], '$10 – $20', '$', 'prefix', ['10', '20']],
  ['£5 to £15', '£5 – £15', '£', 'prefix', ['5', '15']],
  ['$10, $20', '$10 – $20', '$', 'prefix', ['10', '20']],
  ['$5, $10', '$5 – $10', '$', 'prefix', ['5', '10']],
  ['$10 to 5', '$5 – $10', '', '', ['5', '10']],
  ['10-20 €', '10€ – 20€', '', '', ['10', '20']],
  [['$10', '€20'], '$10 – $20', '', '', ['10', '20']],
  [['10', '10.00'], '$10', '', '', ['10']],
  ['Free', 'Free', '', '', ['free']],
  ['free', 'free', '', '', ['free']],
  ['$0', 'Free', '$', 'prefix', ['0']],
  ['0', 'Free', '', '', ['0']],
  [0, 'Free', '', '', ['0']],
  ['$10-Free', 'Free – $10', '$', 'prefix', ['0', '10']],
  [['Free', '$10'], 'Free – $10', '$', 'prefix', ['0', '10']],
  ['', '', '', '', []],
  ['  ', '', '', '', []],
  [null, '', '', '', []],
  [[], '', '', '', []],
  ['Donation', 'Donation', '', '', ['donation']],
  ['By donation', 'By donation', '', '', ['by-donation']],
  [['Donation', '$10', '$5'], '$5 – Donation', '$', 'prefix', ['5', '10', 'donation']],
  ['$1,000', '$1,000', '$', 'prefix', ['1000']],
  ['1,000.50', '$1,000.50', '', '', ['1000.50']],
  ['1.000,50', '$1.000,50', '', '', ['1000.50']],
  ['1 000 – 2 000 €', '1 000€ – 2 000€', '', '', ['1000', '2000']],
  ['1,234,567', '$1,234,567', '', '', ['1234567']],
  ['0,500', '$0,500', '', '', ['0.500']],
  ['USD 25', 'USD25', 'USD', 'prefix', ['25']],
  ['25 USD', '25USD', 'USD', 'postfix', ['25']],
  ['25 EUR', '25EUR', 'EUR', 'postfix', ['25']],
  ['Rs.500', 'Rs.500', 'Rs.', 'prefix', ['500']],
  ['R$ 30', 'R$30', 'R$', 'prefix', ['30']],
  ['-5', '-5', '-', 'prefix', ['5']],
  ['From $5', 'From $5', '', '', ['5']],
  ['Pay what you can from $5', 'Pay what you can from $5', '', '', ['5']],
  ['Adults $10, kids $5', 'Adults $10, kids $5', '', '', ['5', '10']],
  ['€25 EUR', '€25 EUR', '', '', ['25']],
  ['Soup & <b>bread</b>', 'Soup &amp; bread', '', '', ['soup-bread']],
  ['5 < 10', '5 &lt; 10', '', '', ['5', '10']],
]

for (const [sent, cost, symbol, position, values] of COSTS) {
  test(`the cost ${JSON.stringify(sent)} is shown as ${JSON.stringify(cost)}`, () => {
    deepEqual(present(sent), {
      cost,
      cost_details: { currency_symbol: symbol, currency_code: '', currency_position: position, values },
    })
  })

  test(`${JSON.stringify(cost)}, sent back as shown, is shown the same`, () => {
    equal(present(cost).cost, cost)
  })
}

test('entities and markup in a cost are read as what they stand for', () => {
  deepEqual(parseCost('&#036;8.00'), ['$8.00'])
  deepEqual(parseCost('&euro;5'), ['€5'])
  deepEqual(parseCost(' <b>$5</b>\n'), ['$5'])
  deepEqual(parseCost([' 5 ', '', null, 7]), ['5', '7'])
})

test('what is neither text nor number is no cost', () => {
  for (const value of [true, false, {}, { cost: 1 }, [['1']], [{}], [true], undefined]) {
    equal(parseCost(value), undefined)
    equal(isCost(value), false)
  }
  equal(isCost(null), true)
})

test('an amount without a currency takes the site its own, and the site its own word for free', () => {
  equal(present('10', { symbol: '€', code: 'EUR' }).cost, '€10')
  equal(present('0', dollars, 'Kostenlos').cost, 'Kostenlos')
  equal(present('0-5', dollars, 'Eintritt frei').cost, 'Eintritt frei – $5')
  equal(present('Eintritt frei – $5', dollars, 'Eintritt frei').cost, 'Eintritt frei – $5')
  equal(
    present(present('10', { symbol: 'kr ', code: 'SEK' }).cost, { symbol: 'kr ', code: 'SEK' }).cost,
    'kr 10',
  )
})

test('offers give the price as a number, nought when free, the ends of a range, nothing for words', () => {
  const offers: readonly (readonly [unknown, string])[] = [
    ['$12', '12'],
    ['1,000.50', '1000.50'],
    ['Free', '0'],
    ['Kostenlos', '0'],
    ['0.00', '0'],
    ['$10 - $5', '5 – 10'],
    ['Free – $20', '0 – 20'],
    ['Adults $10, kids $5', '5 – 10'],
    ['Donation', ''],
    ['', ''],
  ]
  for (const [sent, price] of offers) equal(offerPrice(parseCost(sent) ?? []), price, String(sent))
})

const amount = fc
  .tuple(
    fc.constantFrom('', '$', '€', 'USD ', 'Rs. '),
    fc.constantFrom('0', '5', '10', '7.50', '7,50', '1,000', '1.000,50', '1 000'),
    fc.constantFrom('', ' €', 'kr', ' EUR'),
  )
  .map(([before, figures, after]) => before + figures + (before === '' ? after : ''))
const price = fc.oneof(amount, fc.constantFrom('Free', 'Donation', 'From $5', 'Members 5 €', 'Soup & bread'))
const cost = fc.array(price, { maxLength: 4 })

test('any shown cost, sent back, is shown the same', () => {
  fc.assert(
    fc.property(
      cost,
      fc.constantFrom('', ' to ', '-', ' – ', ', '),
      fc.constantFrom('$', '€', 'kr '),
      (prices, by, symbol) => {
        for (const sent of [prices, prices.join(by)]) {
          const shown = present(sent, { symbol, code: 'USD' }).cost
          equal(present(shown, { symbol, code: 'USD' }).cost, shown)
        }
      },
    ),
    { numRuns: rounds(50) },
  )
})

test('any text at all can be read and shown as a cost', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary' }), { maxLength: 3 }), (texts) => {
      const { cost_details: details } = present(texts)
      ok(details.values.every((value) => typeof value === 'string' && value !== ''))
      doesNotMatch(present(texts).cost, /[<>"]/)
    }),
    { numRuns: rounds(75) },
  )
})
