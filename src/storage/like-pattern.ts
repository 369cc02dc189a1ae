/** The `like` pattern for values that contain a text, with `\` as the escape character. */
export const likePattern = (text: string) => `%${text.replace(/[\\%_]/g, '\\$&')}%`
