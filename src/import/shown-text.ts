import { decodeEntities } from '../text/safe-html.ts'

const ENTITY = /&(#\d{1,7}|#x[\da-f]{1,6}|[a-z][a-z\d]{1,31});/gi
const KEPT = /^(?:lt|gt|#0*60|#0*62|#x0*3[ce])$/i
const BEGINS_ENTITY = /^(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z][a-z\d]{1,31});/i

/**
 * A title as an answer shows it, with its entities decoded once. Those that keep a sign from being read as markup or as another entity stay, so
 * the title reads the same when it is shown again.
 */
export function decodeTitle(shown: string): string {
  if (!shown.includes('&')) return shown
  return shown.replace(ENTITY, (entity: string, name: string, at: number) => {
    if (KEPT.test(name)) return entity
    const sign = decodeOne(entity, name)
    return sign === '&' && BEGINS_ENTITY.test(shown.slice(at + entity.length)) ? '&amp;' : sign
  })
}

/** A text that is no HTML where it is kept, such as the name of a term: every entity decoded once. */
export function decodeName(shown: string): string {
  return shown.replace(ENTITY, decodeOne)
}

function decodeOne(entity: string, name: string): string {
  if (!name.startsWith('#')) return decodeEntities(entity)
  const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1))
  const isCharacter = code > 31 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff)
  return isCharacter ? String.fromCodePoint(code) : entity
}
