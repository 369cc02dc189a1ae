// Runs the tests at moments that are hard on dates.
//   npm run moments [-- NAME ... [-- PATTERN ...]]   all moments, or those named; `random` draws one and says
// which
import { spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { fileURLToPath } from 'node:url'

/**
 * Moments in UTC, and the zone of the machine where it is another one: both ends of a day, ends of months,
 * nights in which a clock changes, zones -11 and +14, and each day of the week but Friday, on which `npm
 * test` begins. All are in 2026, since fixtures that must lie ahead are in 2027 and later.
 */
const MOMENTS: Readonly<Record<string, readonly [moment: string, zone?: string]>> = {
  monday: ['2026-12-07T00:30:00Z'],
  tuesday: ['2026-12-08T23:30:00Z'],
  samoa: ['2026-12-16T10:45:00Z', 'Pacific/Pago_Pago'],
  december: ['2026-12-31T23:30:00Z'],
  kiribati: ['2026-12-12T10:15:00Z', 'Pacific/Kiritimati'],
  february: ['2026-02-28T23:30:00Z'],
  spring: ['2026-03-08T06:30:00Z', 'America/New_York'],
  autumn: ['2026-11-01T05:30:00Z', 'America/New_York'],
}

const words = process.argv.slice(2)
const split = words.includes('--') ? words.indexOf('--') : words.length
const names = Object.keys(MOMENTS)
const drawn = words[0] === 'random' ? names.slice(randomInt(names.length)).slice(0, 1) : words.slice(0, split)
for (const name of drawn.length > 0 ? drawn : names) {
  const [moment, zone = 'UTC'] = MOMENTS[name] ?? []
  if (moment === undefined) throw new Error(`No moment is called ${name}: ${names.join(', ')}`)
  console.log(`\n${name}: ${moment}, TZ=${zone}`)
  const env = { ...process.env, TEST_MOMENT: moment, TZ: zone }
  const run = fileURLToPath(new URL('run.ts', import.meta.url))
  const child = spawn(process.execPath, [run, ...words.slice(split + 1)], { env, stdio: 'inherit' })
  const code = await new Promise((resolve) => child.once('exit', resolve))
  if (code !== 0) process.exitCode = 1
}
