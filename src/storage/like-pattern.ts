/** What `like` finds everything by that contains a text, `\` being what escapes. */
export const likePattern = (text: string) => `%${text.replace(/[\\%_]/g, '\\$&')}%`
