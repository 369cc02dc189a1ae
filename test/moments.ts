// Runs the tests at moments that are hard on dates: the clock of all their processes is moved by Debian's libfaketime.
//   npm run moments [-- NAME ... [-- PATTERN ...]]   all moments, or those named; `random` draws one and says which
import { spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { globSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Moments in UTC, and the zone of the machine where it is another one. All are before the spring of 2027, in which fixtures lie. */
const MOMENTS: Readonly<Record<string, readonly [moment: string, zone?: string]>> = {
  monday: ['2026-12-07T12:00:00Z'],
  tuesday: ['2026-12-08T00:30:00Z'],
  wednesday: ['2026-12-09T23:30:00Z'],
  thursday: ['2026-12-10T12:00:00Z'],
  friday: ['2026-12-11T23:30:00Z'],
  saturday: ['2026-12-12T00:30:00Z'],
  sunday: ['2026-12-13T12:00:00Z'],
  december: ['2026-12-31T23:30:00Z'],
  february: ['2027-02-28T23:30:00Z'],
  spring: ['2027-03-14T06:30:00Z', 'America/New_York'],
  autumn: ['2026-11-01T05:30:00Z', 'America/New_York'],
  samoa: ['2026-12-16T10:45:00Z', 'Pacific/Pago_Pago'],
  kiribati: ['2026-12-16T10:15:00Z', 'Pacific/Kiritimati'],
}

const [library] = globSync('/usr/lib/*/faketime/libfaketimeMT.so.1')
if (library === undefined) throw new Error('libfaketime is not here: apt-get install faketime')

const words = process.argv.slice(2)
const split = words.includes('--') ? words.indexOf('--') : words.length
const names = Object.keys(MOMENTS)
const drawn = words[0] === 'random' ? names.slice(randomInt(names.length)).slice(0, 1) : words.slice(0, split)
for (const name of drawn.length > 0 ? drawn : names) {
  const [moment, zone = 'UTC'] = MOMENTS[name] ?? []
  if (moment === undefined) throw new Error(`No moment is called ${name}: ${names.join(', ')}`)
  console.log(`\n${name}: ${moment}, TZ=${zone}`)
  const env = {
    ...process.env,
    LD_PRELOAD: library,
    // An offset gives all processes the same clock, whenever they start. Timers go by the clock that is left alone.
    FAKETIME: `+${Math.round((Date.parse(moment) - Date.now()) / 1000)}`,
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
    TZ: zone,
  }
  const run = fileURLToPath(new URL('run.ts', import.meta.url))
  const child = spawn(process.execPath, [run, ...words.slice(split + 1)], { env, stdio: 'inherit' })
  const code = await new Promise((resolve) => child.once('exit', resolve))
  if (code !== 0) process.exitCode = 1
}
