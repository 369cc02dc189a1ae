import { randomInt } from 'node:crypto'
import fc from 'fast-check'

const { TEST_ROUNDS, TEST_SEED, TEST_SHRINK } = process.env

export const rounds = (few: number): number => few * Number(TEST_ROUNDS ?? 1)

export const SEED = Number(TEST_SEED ?? (TEST_ROUNDS === undefined ? 20_261_128 : randomInt(1_000_000)))

/** Whether tables are gone through whole, as `npm run test:rest` does, or once for each behaviour. */
export const isWhole = process.env.PAGES_CHECK === 'all'

export const inRest = { skip: !isWhole && 'npm run test:rest does it' }

export const SHRINKS = TEST_SHRINK !== undefined

fc.configureGlobal({ seed: SEED })

export { fc }
