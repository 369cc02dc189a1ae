import { VIEWS, writeSpan } from '../../src/features/pages/spans.ts'

/**
 * Returns the path of each view at a day, or at its month, by the name of the view. Views that have no date
 * in their path begin at the present.
 */
export function viewPathsAt(day: string | undefined): ReadonlyMap<string, string> {
  const month = day?.slice(0, 7)
  return new Map(
    Object.entries(VIEWS).map(([name, { at }]) => [name, `/events/${writeSpan(at(day, month))}`]),
  )
}

/** The present path of each view. */
export const viewPaths: readonly string[] = [...viewPathsAt(undefined).values()]
