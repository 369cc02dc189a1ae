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

/** A venue in a text such as `Harbour Hall, 1 Quay, Kilvara`: its name ends at the first comma or line end. */
export function placeItem(
  text: string,
  details: Readonly<Record<string, string | number>>,
  at: string,
): SourceItem | undefined {
  const [name = '', ...rest] = text.split(/[,\n]/).map((part) => part.trim())
  return linkedItem('venue', name, { address: rest.filter(Boolean).join(', ').slice(0, 500), ...details }, at)
}
