// Declares the families of metrics, as Prometheus reads them.

/** A number with its labels. */
export interface Sample {
  /** The text behind the name of the family, such as `_bucket`. */
  suffix: string
  labels: Readonly<Record<string, string>>
  value: number
}

/** The samples of one name; a metric family in the terms of Prometheus. */
export interface Family {
  name: string
  help: string
  type: 'counter' | 'gauge' | 'histogram'
  samples: Sample[]
}

type Counted = 'counter' | 'gauge'

/** Returns a family of numbers with labels. */
export function labelled(
  name: string,
  type: Counted,
  help: string,
  numbers: readonly (readonly [Sample['labels'], number])[],
): Family {
  return { name, help, type, samples: numbers.map(([labels, value]) => ({ suffix: '', labels, value })) }
}

/** Returns a family of one number without labels. */
export function single(name: string, type: Counted, help: string, value: number): Family {
  return labelled(name, type, help, [[{}, value]])
}
