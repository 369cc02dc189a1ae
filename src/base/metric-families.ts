export interface Sample {
  /** Appended to the name of the family, such as `_bucket`; usually empty. */
  suffix: string
  labels: Readonly<Record<string, string>>
  value: number
}

export interface Family {
  name: string
  help: string
  type: 'counter' | 'gauge' | 'histogram'
  samples: Sample[]
}

type Counted = 'counter' | 'gauge'

export function labelled(
  name: string,
  type: Counted,
  help: string,
  numbers: readonly (readonly [Sample['labels'], number])[],
): Family {
  return { name, help, type, samples: numbers.map(([labels, value]) => ({ suffix: '', labels, value })) }
}

export function single(name: string, type: Counted, help: string, value: number): Family {
  return labelled(name, type, help, [[{}, value]])
}
