/** With `--login`. */
export const PUSH_PASSWORD = 'KALENDS_PUSH_PASSWORD'
