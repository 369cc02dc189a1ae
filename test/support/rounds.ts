/** Returns the number of rounds of a random test. `npm run random` multiplies it by TEST_ROUNDS. */
export const rounds = (few: number): number => few * Number(process.env.TEST_ROUNDS ?? 1)
