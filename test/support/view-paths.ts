import { VIEWS, writeSpan } from '../../src/features/pages/spans.ts'

export function viewPathsAt(day: string | undefined): ReadonlyMap<string, string> {
  const month = day?.slice(0, 7)
  return new Map(
    Object.entries(VIEWS).map(([name, { at }]) => [name, `/events/${writeSpan(at(day, month))}`]),
  )
}

export const viewPaths: readonly string[] = [...viewPathsAt(undefined).values()]
