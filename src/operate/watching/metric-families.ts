/** One number with its labels. */
export interface Sample {
  /** The suffix of the name of the family, such as `_bucket`. */
  suffix: string
  labels: Readonly<Record<string, string>>
  value: number
}

/** Numbers of one name, in the terms of Prometheus. */
export interface Family {
  name: string
  help: string
  type: 'counter' | 'gauge' | 'histogram'
  samples: Sample[]
}

type Counted = 'counter' | 'gauge'

/** A family of numbers with labels. */
export function labelled(
  name: string,
  type: Counted,
  help: string,
  numbers: readonly (readonly [Sample['labels'], number])[],
): Family {
  return { name, help, type, samples: numbers.map(([labels, value]) => ({ suffix: '', labels, value })) }
}

/** A family of one number. */
export function single(name: string, type: Counted, help: string, value: number): Family {
  return labelled(name, type, help, [[{}, value]])
}

/** The families of several processes as one list; each sample has the number of its worker. */
export function mergeFamilies(workers: readonly { worker: string; families: readonly Family[] }[]): Family[] {
  const merged = new Map<string, Family>()
  for (const { worker, families } of workers) {
    for (const family of families) {
      const known = merged.get(family.name) ?? { ...family, samples: [] }
      merged.set(family.name, known)
      for (const sample of family.samples) known.samples.push({ ...sample, labels: { worker, ...sample.labels } })
    }
  }
  return [...merged.values()]
}

/** The text format of Prometheus, version 0.0.4. */
export function renderFamilies(families: readonly Family[]): string {
  return families.map(renderFamily).join('')
}

function renderFamily({ name, help, type, samples }: Family): string {
  const lines = samples.map(
    ({ suffix, labels, value }) => `${name}${suffix}${renderLabels(labels)} ${renderValue(value)}\n`,
  )
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`
}

function renderLabels(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`)
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}

function escaped(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
}

function renderValue(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return '+Inf'
  return Number.isNaN(value) ? 'NaN' : String(value)
}
