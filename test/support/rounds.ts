/** So many rounds of what is drawn at random: as many as `npm test` has time for, and more with `npm run random`, which sets TEST_ROUNDS. */
export const rounds = (few: number): number => few * Number(process.env.TEST_ROUNDS ?? 1)
