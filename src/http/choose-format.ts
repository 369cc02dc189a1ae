import type { Kind } from '../base/fields/kinds.ts'
import type { Fields } from '../calendar/declare/resource.ts'
import type { MessageText } from '../calendar/locales/messages.ts'
import type { Format } from './format.ts'

export type Formats = readonly [Format, ...Format[]]

const ABOUT: MessageText = 'The name of the format of the answer; without it Accept chooses'

/** Returns the parameter `format`, which the index does not publish; nothing if there is only one format. */
export function formatField(offered: Formats): Fields {
  const names = offered.map(({ name }) => name)
  if (names.length < 2) return {}
  const kind: Kind<string> = {
    wire: { type: 'string', enum: names },
    valid: (value) => names.some((name) => name === value),
    read: (value) => (typeof value === 'string' ? value : undefined),
  }
  return { format: { kind, about: ABOUT, unlisted: true } }
}

/** Returns the format with this name. If none has it, `Accept` chooses (RFC 9110, 12.5.1). */
export function chooseFormat(offered: Formats, name: unknown, accept: string | undefined): Format {
  return offered.find((format) => format.name === name) ?? preferredFormat(offered, accept)
}

export function preferredFormat(offered: Formats, accept = ''): Format {
  const [json, ...others] = offered
  const sent = accept.toLowerCase()
  const isNamed = others.some(({ mediaType }) => sent.includes(mediaType))
  return (isNamed && mostWanted(offered, accept)) || json
}

/** Returns the format that `Accept` prefers; undefined if it accepts none. */
export function mostWanted(formats: readonly Format[], accept = ''): Format | undefined {
  let best: Format | undefined
  let bestRank = 0
  for (const format of formats) {
    const rank = rankOf(format, accept)
    if (rank > bestRank) {
      best = format
      bestRank = rank
    }
  }
  return best
}

export function namesOneOf(formats: readonly Format[]): (accept: string | undefined) => boolean {
  if (formats.length === 0) return () => false
  const named = new RegExp(formats.map(({ mediaType }) => RegExp.escape(mediaType)).join('|'), 'i')
  return (accept) => accept !== undefined && named.test(accept)
}

/**
 * Returns the rank of a format in `Accept`, 0 if it is not accepted. Quality counts first, then how exact the
 * media range is.
 */
export function rankOf({ mediaType }: Pick<Format, 'mediaType'>, accept: string): number {
  const [group = ''] = mediaType.split('/')
  const ranges = [mediaType, `${group}/*`, '*/*']
  let exactness = ranges.length
  let quality = 0
  for (const entry of accept.toLowerCase().split(',')) {
    const [range = '', ...parameters] = entry.split(';').map((part) => part.trim())
    const at = ranges.indexOf(range)
    if (at === -1 || at >= exactness) continue
    exactness = at
    quality = qualityOf(parameters)
  }
  return quality === 0 ? 0 : quality * 1000 + ranges.length - exactness
}

function qualityOf(parameters: readonly string[]): number {
  const given = parameters.find((parameter) => parameter.startsWith('q='))
  if (given === undefined) return 1
  const quality = Number(given.slice('q='.length))
  return quality >= 0 && quality <= 1 ? quality : 0
}
