// Addresses of a copy: they may contain passwords, and so do not belong on the command line.

export const COPY_FROM = 'KALENDS_COPY_FROM'
export const COPY_TO = 'KALENDS_COPY_TO'
