import type { ValueContext } from '../declare/context.ts'
import { parseNew } from '../declare/parse.ts'
import { type SettledValues, settleValues } from '../events/create-events.ts'
import { event } from '../events/event.ts'
import { digestOf, fingerprintsOf } from './fingerprints.ts'
import { type AheadOfWriting, fieldsOf, type SourceItem } from './source-item.ts'

/** An item with data computed from it alone: its fingerprints, and the columns of an event that is probably new here. */
export function lookAhead(item: SourceItem, context: ValueContext, expectsNew: boolean): SourceItem {
  const settled = expectsNew && item.kind === 'event' ? settledIfValid(item, context) : undefined
  return { ...item, ahead: { ...comparedOf(item), settled } }
}

/** The fingerprints that are compared with those last written. */
export function comparedOf(item: SourceItem): Pick<AheadOfWriting, 'prints' | 'digest'> {
  const prints = fingerprintsOf(fieldsOf(item))
  return { prints, digest: digestOf(prints) }
}

/** The columns of an event, or of the first one of a series, as they would be made; undefined for values that are refused. */
export function settledOf(item: SourceItem, context: ValueContext): SettledValues | undefined {
  return item.ahead?.settled ?? settledIfValid(item, context)
}

/** Undefined for values that are refused: the write of the event reports the reason. */
function settledIfValid({ values }: SourceItem, context: ValueContext): SettledValues | undefined {
  try {
    return settleValues(parseNew(event.fields, values, context), context)
  } catch {
    return undefined
  }
}
