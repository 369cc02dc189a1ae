/** How the file of a SQLite database begins, and so that of a backup, in ASCII. */
export const DATABASE_FILE_START = 'SQLite format 3\0'
