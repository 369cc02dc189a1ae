import { deepEqual, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { RRuleTemporal } from 'rrule-temporal'
import { Temporal } from 'temporal-polyfill'
import { matchingDates, type Rule } from '../../src/base/recurrence/recurrence.ts'
import { ruleText } from '../../src/base/recurrence/recurrence-text.ts'
import { expandedRules } from './random-rules.ts'

const asUtc = (wall: string) => Temporal.PlainDateTime.from(wall.replace(' ', 'T')).toZonedDateTime('UTC')

function isMiscounted({ frequency, weekdays, months, monthdays, positions }: Rule): boolean {
  const isPlaced = weekdays.some((day) => day.length > 2)
  return frequency === 'yearly' && months.length === 0 && isPlaced && monthdays.length + positions.length > 0
}

test('rules have the dates that a library gives them', () => {
  let compared = 0
  for (const { recurrence, start, horizon } of expandedRules(3, 300)) {
    if (!recurrence.rule || isMiscounted(recurrence.rule)) continue
    const { count: _count, until: _until, ...rule } = recurrence.rule
    const text =
      `DTSTART:${start.local.replace(' ', 'T').replace(/[-:]/g, '')}` + `Z\nRRULE:${ruleText(rule, start)}`
    const library = new RRuleTemporal({ rruleString: text, temporal: Temporal, cache: false })
    const theirs = library
      .between(asUtc(start.local), asUtc(horizon), true)
      .map((date) => date.toPlainDateTime().toString().slice(0, 19).replace('T', ' '))
    const ours = [...matchingDates(rule, start, horizon)].filter((wall) => wall <= horizon)
    const whole = (walls: readonly string[]) =>
      walls.map((wall) => (wall.length === 16 ? `${wall}:00` : wall))
    deepEqual(whole(theirs), ours, text)
    compared += 1
  }
  ok(compared > 200)
})
