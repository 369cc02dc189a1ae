const MAIL_URL = /^mailto:[^\s@]+@[^\s@]+$/i
const HOST_URL = /^(?:https?|ftp):\/\/[^\s/?#]+([/?#][^\s]*)?$/i

/**
 * True for the absolute URL of a web page or of a file to fetch, with an ASCII host, and for a mail address (rule 2.8). Other schemes
 * act on the machine of the person who follows them: `file:`, `javascript:`, `intent:`.
 */
export function isUrl(text: string): boolean {
  if (MAIL_URL.test(text)) return true
  if (!HOST_URL.test(text)) return false
  const authority = text.slice(text.indexOf('://') + 3).split(/[/?#]/, 1)[0] ?? ''
  return URL.canParse(text) && /^[\x21-\x7e]+$/.test(authority)
}

const UNSAFE = /["<>\0-\x20\x7f]/g

/** A URL with the signs encoded that would end the attribute or the script that a page puts it in. */
export function encodeUrl(url: string): string {
  return url.replace(UNSAFE, encodeURIComponent)
}

/** A stored URL as answers show it; `''` for a scheme that would be refused today. */
export function shownUrl(url: string): string {
  return HOST_URL.test(url) || MAIL_URL.test(url) ? encodeUrl(url) : ''
}

const HOST = /\b(https?:\/\/)(?:[^\s/?#]*@)?([^\s/?#]+)([/?#]\S*)?/gi

/** A text whose web addresses are cut off behind their host, for logs and messages: what follows may open something to whoever has it. */
export function withoutPaths(text: string): string {
  return text.replace(HOST, (_, scheme: string, host: string, path = '') =>
    path.length > 1 ? `${scheme}${host}/***` : scheme + host + path,
  )
}
