// The addresses of a copy may hold passwords.

export const COPY_FROM = 'KALENDS_COPY_FROM'
export const COPY_TO = 'KALENDS_COPY_TO'
