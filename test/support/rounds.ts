import { randomInt } from 'node:crypto'

/** Returns the number of rounds of a random test. `npm run random` multiplies it by TEST_ROUNDS. */
export const rounds = (few: number): number => few * Number(process.env.TEST_ROUNDS ?? 1)

/** What this process draws at random follows from this number, so the same TEST_SEED draws it again. */
export const SEED = Number(process.env.TEST_SEED ?? randomInt(1_000_000))

/** Whether the shortest sequence of steps that fails is looked for. */
export const SHRINKS = process.env.TEST_SHRINK !== undefined
