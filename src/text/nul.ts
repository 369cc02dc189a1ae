/** PostgreSQL cannot hold the character NUL in a text; another one that stands for nothing takes its place, whatever the database is. */
export function withoutNul<Value>(value: Value): Value {
  return typeof value === 'string' && value.includes('\0')
    ? (value.replaceAll('\0', '\ufffd') as Value & string)
    : value
}
