/** With `--login`. */
export const IMPORT_PASSWORD = 'KALENDS_IMPORT_PASSWORD'
