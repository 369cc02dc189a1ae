import { randomInt } from 'node:crypto'
import fc from 'fast-check'

const { TEST_ROUNDS, TEST_SEED, TEST_SHRINK } = process.env

/** Returns the number of rounds of a random test. `npm run random` multiplies it by TEST_ROUNDS. */
export const rounds = (few: number): number => few * Number(TEST_ROUNDS ?? 1)

/** What this process draws follows from this number: the same each time, but in `npm run random`. */
export const SEED = Number(TEST_SEED ?? (TEST_ROUNDS === undefined ? 20_261_128 : randomInt(1_000_000)))

/** Whether the shortest sequence of steps that fails is looked for. */
export const SHRINKS = TEST_SHRINK !== undefined

fc.configureGlobal({ seed: SEED })

export { fc }
