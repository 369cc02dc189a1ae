const APART = new Set([
  ...'id global_id global_id_lineage author url rest_url modified modified_utc urls count'.split(' '),
  ...['series', 'post_parent', '_links', 'json_ld', 'parent', 'term_taxonomy_id', 'date'],
])

export function comparable(value: unknown, origin: string): unknown {
  if (typeof value === 'string') return value.replaceAll(origin, '').replace(/&p=\d+$/, '')
  if (value === null || typeof value !== 'object') return value
  if (Array.isArray(value)) return value.map((one) => comparable(one, origin))
  const members = Object.entries(value).filter(([name]) => !APART.has(name))
  return Object.fromEntries(members.map(([name, member]) => [name, comparable(member, origin)]))
}

export function differingPaths(a: unknown, b: unknown, path = ''): Set<string> {
  if (JSON.stringify(a) === JSON.stringify(b)) return new Set()
  const [mine, other] = [membersOf(a), membersOf(b)]
  if (!mine || !other) return new Set([path])
  const names = new Set([...Object.keys(mine), ...Object.keys(other)])
  const isList = Array.isArray(a) && Array.isArray(b)
  if (isList && a.length !== b.length) return new Set([path])
  const found = new Set<string>()
  for (const name of names) {
    const inner = isList ? path : path === '' ? name : `${path}.${name}`
    for (const one of differingPaths(mine[name], other[name], inner)) found.add(one)
  }
  return found
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return value !== null && typeof value === 'object' ? { ...value } : undefined
}
