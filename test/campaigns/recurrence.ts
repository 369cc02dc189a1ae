// Compares the dates of random rules with other programs:
//   npm run recurrence [-- [--rules 10000] [--seed 1]]     needs python3-dateutil; libical-dev is optional
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { matchingDates, type Rule } from '../../src/base/recurrence/recurrence.ts'
import { calendarLines, ruleText } from '../../src/base/recurrence/recurrence-text.ts'
import { wallToUtc } from '../../src/base/text/zones.ts'
import { type Expanded, expandedRules } from '../recurrence/random-rules.ts'
import { campaignOptions } from '../support/campaign-options.ts'

const PYTHON = process.env.PYTHON ?? '/usr/bin/python3'
const MOST_SHOWN = 20
const OUTPUT = { encoding: 'utf8', maxBuffer: 1 << 30 } as const

const { rules, seed } = campaignOptions('Compares the dates of random rules with those of other programs.', {
  rules: { about: 'rules to make', value: 10_000 },
  seed: { about: 'the same seed makes the same rules', value: 1 },
})
const began = process.cpuUsage()
const cases = expandedRules(seed, rules)
const { user } = process.cpuUsage(began)
console.log(
  `${cases.length} rules, ${cases.reduce((sum, { starts }) => sum + starts.length, 0)} dates, ${Math.round(user / 1000)} ms`,
)
const isSame = [comparePython(cases), compareLibical(cases)].every(Boolean)
process.exitCode = isSame ? 0 : 1

function comparePython(expanded: readonly Expanded[]): boolean {
  const input = expanded.map((one) => JSON.stringify(caseOf(one))).join('\n')
  const script = fileURLToPath(new URL('recurrence-voices.py', import.meta.url))
  const { stdout, stderr, status } = spawnSync(PYTHON, [script], { ...OUTPUT, input })
  const lines = stdout.trim().split('\n')
  for (const line of lines.slice(-MOST_SHOWN - 1)) console.log(line)
  if (status !== 0) console.error(`${PYTHON} failed: ${stderr.slice(-500)}`)
  return status === 0 && lines.length === 1
}

function caseOf({ start, recurrence, horizon, starts }: Expanded) {
  return {
    zone: start.zone,
    allDay: start.allDay,
    start: start.local,
    horizon,
    lines: calendarLines(recurrence, start),
    instants: starts.map((wall) => (start.allDay ? wall : wallToUtc(wall, start.zone))).sort(),
  }
}

function endlessly({ count: _count, until: _until, ...rule }: Rule): Rule {
  return rule
}

function isWithinLibical({ frequency, interval, positions, months, monthdays }: Rule): boolean {
  if (frequency === 'weekly' && interval > 1 && months.length > 0) return false
  const isCountedOnce = positions.length === 0 || monthdays.every((day) => day > 0)
  if (frequency === 'yearly') return isCountedOnce && (monthdays.length === 0 || months.length > 0)
  if (frequency === 'monthly') return isCountedOnce
  return positions.length === 0 && !monthdays.some((day) => day < 0)
}

function compareLibical(expanded: readonly Expanded[]): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'recurrence-'))
  const [program, source] = [
    join(folder, 'voice'),
    fileURLToPath(new URL('recurrence-voice.c', import.meta.url)),
  ]
  const compiled = spawnSync('cc', ['-O1', '-o', program, source, '-lical'], OUTPUT)
  if (compiled.status !== 0) {
    console.log('libical is left out: no compiler, or no libical-dev')
    return true
  }
  const asked = expanded.flatMap(({ recurrence: { rule }, start, horizon }) =>
    rule && isWithinLibical(rule) ? [{ rule: endlessly(rule), start, horizon }] : [],
  )
  const compact = (wall: string) => wall.replace(' ', 'T').replace(/[-:]/g, '')
  const input = asked
    .map(({ rule, start, horizon }) =>
      [ruleText(rule, start), compact(start.local), compact(horizon)].join('\t'),
    )
    .join('\n')
  const { stdout } = spawnSync(program, { ...OUTPUT, input: `${input}\n` })
  rmSync(folder, { recursive: true })
  let differences = 0
  for (const [at, line] of stdout.trimEnd().split('\n').entries()) {
    const one = asked[at]
    if (!one) continue
    const ours = [...matchingDates(one.rule, one.start, one.horizon)]
    const theirs = line.split(',').filter((wall) => wall !== '')
    if (ours.join() === theirs.join()) continue
    differences += 1
    if (differences <= MOST_SHOWN)
      console.log(`libical: ${ruleText(one.rule, one.start)} from ${one.start.local}`)
  }
  console.log(`libical: ${asked.length} rules, ${differences} differences`)
  return differences === 0
}
