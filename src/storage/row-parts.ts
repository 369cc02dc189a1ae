/** Rows that are written with one statement. */
const MOST = 25
/** The remaining rows are written with a few statements of these sizes. A statement for every number of rows would be compiled for a single use. */
const SIZES = [16, 8, 4, 2, 1] as const

/** Rows in parts that are written with one statement each, in their order. */
export function* rowParts<Row>(rows: readonly Row[]): Generator<Row[]> {
  for (let at = 0; at < rows.length; ) {
    const size = sizeFor(rows.length - at)
    yield rows.slice(at, at + size)
    at += size
  }
}

function sizeFor(left: number): number {
  return left >= MOST ? MOST : (SIZES.find((size) => size <= left) ?? 1)
}
