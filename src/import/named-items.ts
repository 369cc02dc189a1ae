import { fold } from '../text/fold.ts'
import type { ItemKind, SourceItem } from './source-item.ts'

/** The longest text that is taken for a name. */
const LONGEST_NAME = 190

/** A record that a source identifies only by its name; undefined for an empty name. */
export function linkedItem(
  kind: Exclude<ItemKind, 'event'>,
  written: string,
  details: Readonly<Record<string, string | number>>,
  at: string,
): SourceItem | undefined {
  const name = written.replace(/\s+/g, ' ').trim().slice(0, LONGEST_NAME).toWellFormed()
  if (name === '') return undefined
  const filled = Object.fromEntries(Object.entries(details).filter(([, value]) => value !== ''))
  const isTerm = kind === 'category' || kind === 'tag'
  const shown = isTerm ? name : name.replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  const identity = [fold(name), ...Object.entries(filled).map(([field, value]) => `${field} ${value}`)].join('\n')
  const values = { [isTerm ? 'name' : kind]: shown, ...filled, ...(isTerm ? {} : { status: 'publish' }) }
  return { kind, identity, occurrence: '', at, name, values, links: {}, image: undefined }
}

const NUMBERED = 'id\n'

/** The identity of a record that a source names by its number alone. */
export const numberedIdentity = (number: string) => `${NUMBERED}${number}`

/** The number in such an identity; undefined for any other. */
export function numberIn(identity: string): string | undefined {
  return identity.startsWith(NUMBERED) ? identity.slice(NUMBERED.length) : undefined
}

/** The place in a text, and the address of a web page in it, such as that of a meeting. */
export function partsOfPlace(text: string): { place: string; link: string } {
  const [link = ''] = /\bhttps?:\/\/[^\s,;<>()"]{1,1000}/i.exec(text) ?? []
  if (link === '') return { place: text, link }
  const parts = text.split(link).map((part) => part.replace(/^[\s,;:|)>-]{1,20}|[\s,;:|(<-]{1,20}$/g, ''))
  return { place: parts.filter(Boolean).join(', '), link }
}

/** A venue in a text such as `Harbour Hall, 1 Quay, Kilvara`: its name ends at the first comma or line end. */
export function placeItem(
  text: string,
  details: Readonly<Record<string, string | number>>,
  at: string,
): SourceItem | undefined {
  const [name = '', ...rest] = partsOfPlace(text)
    .place.split(/[,\n]/)
    .map((part) => part.trim())
  return linkedItem('venue', name, { address: rest.filter(Boolean).join(', ').slice(0, 500), ...details }, at)
}
