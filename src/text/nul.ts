/** PostgreSQL cannot store the character NUL in a text; on both databases the replacement character takes its place. */
export function withoutNul<Value>(value: Value): Value {
  return typeof value === 'string' && value.includes('\0')
    ? (value.replaceAll('\0', '\ufffd') as Value & string)
    : value
}
