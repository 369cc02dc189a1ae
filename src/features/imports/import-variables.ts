/** `--login` uses it. */
export const IMPORT_PASSWORD = 'KALENDS_IMPORT_PASSWORD'
