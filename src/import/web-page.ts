/** The most characters of a page that are looked at. */
const MOST_LOOKED_AT = 500_000

/** What a text is that is markup and no calendar, for sentences such as "It is …"; undefined for any other text. */
export function describeMarkup(text: string, address = ''): string | undefined {
  const head = text.slice(0, MOST_LOOKED_AT).replace(/^\ufeff?\s*/, '')
  if (/^(?:<!--.{0,2000}?-->\s*)?<(?:!doctype html|html|head|body|script|title)\b/is.test(head))
    return isLogin(head, address) ? 'a login page (HTML)' : 'a web page (HTML)'
  return /^<(?:\?xml|rss|feed)\b/i.test(head) ? 'a document in XML, such as an RSS feed' : undefined
}

/** By the place of a page, or by its field for a password. */
function isLogin(page: string, address: string): boolean {
  const { hostname = '', pathname = '' } = URL.parse(address) ?? {}
  return (
    /(?:^|[^a-z])(?:log-?in|sign-?in|servicelogin|sso|oauth2?)(?:[^a-z]|$)/i.test(`${hostname}${pathname}`) ||
    /<input\b[^>]{0,500}?\btype\s*=\s*["']?password\b/i.test(page)
  )
}
