/** Waiting work, in a line of its own for each client. The lines are served in turn, so that a long one holds up nobody else. */
export interface Lines<Waiting> {
  /** The number that wait in all lines. */
  size: number
  /** In the order in which they are served next; each in order of arrival, and none empty. */
  byClient: Map<string, Waiting[]>
}

export function noLines<Waiting>(): Lines<Waiting> {
  return { size: 0, byClient: new Map() }
}

/** Whether one more of this client may wait where `most` may: while there is room, or in place of one from a longer line. */
export function mayJoin(lines: Lines<unknown>, client: string, most: number): boolean {
  return lines.size < most || longerLine(lines, client) !== undefined
}

/** Adds one to the line of a client. Returns the one that gives way where `most` wait: the newest of the longest line, or else the new one. */
export function join<Waiting>(
  lines: Lines<Waiting>,
  client: string,
  waiting: Waiting,
  most: number,
): Waiting | undefined {
  const longest = lines.size < most ? undefined : longerLine(lines, client)
  if (lines.size >= most && !longest) return waiting
  const line = lines.byClient.get(client)
  if (line) line.push(waiting)
  else lines.byClient.set(client, [waiting])
  if (!longest) lines.size += 1
  return longest?.pop()
}

/** Takes the first of the line whose turn it is. That line is the last to be served again. */
export function takeNext<Waiting>(lines: Lines<Waiting>): Waiting | undefined {
  for (const [client, line] of lines.byClient) {
    const next = line.shift()
    lines.size -= 1
    if (line.length > 0 && lines.byClient.size === 1) return next
    lines.byClient.delete(client)
    if (line.length > 0) lines.byClient.set(client, line)
    return next
  }
  return undefined
}

/** Takes those at the front of each line that are late. */
export function takeLate<Waiting>(lines: Lines<Waiting>, isLate: (waiting: Waiting) => boolean): Waiting[] {
  return [...lines.byClient].flatMap(([client, line]) => {
    const still = line.findIndex((waiting) => !isLate(waiting))
    const late = line.splice(0, still === -1 ? line.length : still)
    lines.size -= late.length
    if (line.length === 0) lines.byClient.delete(client)
    return late
  })
}

/** Returns the longest line, if it would still be longer than this client's after one request had moved from it to the client's. */
function longerLine<Waiting>({ byClient, size }: Lines<Waiting>, client: string): Waiting[] | undefined {
  const own = byClient.get(client)?.length ?? 0
  // While every line may be as short as this one, none has to be looked for.
  if (size - byClient.size <= own) return undefined
  let longest: Waiting[] = []
  for (const line of byClient.values()) if (line.length > longest.length) longest = line
  return longest.length > own + 1 ? longest : undefined
}
