export interface Fields {
  title: string
  excerpt: string
  venue: number
  categories: number
  status: string
}

export interface Times {
  start_date: string
  end_date: string
}

export interface Occurrence {
  id: number
  slug: string
  at: string
  own: Partial<Fields>
  times: (Times & { names: (keyof Times)[] }) | undefined
  isLive: boolean
}

export interface Series {
  id: number
  shared: Fields
  start: string
  minutes: number
  rule: string[]
  added: string[]
  left: string[]
  rows: Occurrence[]
  isLive: boolean
}

export interface Single extends Fields, Times {
  id: number
  slug: string
}

export interface Dates {
  step: number
  count: number
  added: string[]
  left: string[]
}

export interface Change {
  fields: Partial<Fields>
  times: Times | undefined
  dates: Dates | undefined
}

const MINUTE = 60_000
const DAY = 1440
const msOf = (wall: string) => Date.parse(`${wall.replace(' ', 'T')}Z`)

export const later = (wall: string, minutes: number): string =>
  new Date(msOf(wall) + minutes * MINUTE).toISOString().slice(0, 19).replace('T', ' ')
export const minutesBetween = (from: string, to: string): number => (msOf(to) - msOf(from)) / MINUTE

const inOrder = (walls: readonly string[]): string[] => [...new Set(walls)].sort()

export const datesOf = ({ rule, added, left }: Pick<Series, 'rule' | 'added' | 'left'>): string[] =>
  inOrder([...rule, ...added]).filter((wall) => !left.includes(wall))

export const liveRows = ({ rows }: Series): Occurrence[] => rows.filter(({ isLive }) => isLive)

export const fieldsOf = ({ shared }: Series, { own }: Occurrence): Fields => ({ ...shared, ...own })

export const timesOf = (series: Series, { at, times }: Occurrence): Times => times ?? usualTimes(series, at)

function usualTimes({ minutes }: Series, at: string): Times {
  return { start_date: at, end_date: later(at, minutes) }
}

const newRow = (at: string): Occurrence => ({ id: 0, slug: '', at, own: {}, times: undefined, isLive: true })

const listed = (start: string, { step, count }: Dates): string[] =>
  Array.from({ length: count }, (_, i) => later(start, i * step * DAY))

/** Makes a series, or undefined if it would have no dates. */
export function made(shared: Fields, { start_date, end_date }: Times, dates: Dates): Series | undefined {
  const lists = { rule: listed(start_date, dates), added: inOrder(dates.added), left: inOrder(dates.left) }
  const minutes = minutesBetween(start_date, end_date)
  const rows = datesOf(lists).map(newRow)
  return rows.length === 0
    ? undefined
    : { id: 0, shared, start: start_date, minutes, ...lists, rows, isLive: true }
}

export function changeOne(series: Series, row: Occurrence, { fields, times }: Change): void {
  for (const [name, value] of Object.entries(fields)) setOwn(series, row, name as keyof Fields, value)
  if (!times) return
  const usual = usualTimes(series, row.at)
  const names = (['end_date', 'start_date'] as const).filter((name) => times[name] !== usual[name])
  row.times = names.length > 0 ? { ...times, names } : undefined
}

export function takeSent(series: Series, row: Occurrence, was: Times, { fields, times }: Change): void {
  for (const name of Object.keys(fields)) delete row.own[name as keyof Fields]
  const isTimed = times && (times.start_date !== was.start_date || times.end_date !== was.end_date)
  if (row.times && isTimed) changeOne(series, row, { fields: {}, times, dates: undefined })
}

function setOwn(series: Series, row: Occurrence, name: keyof Fields, value: string | number): void {
  if (value === series.shared[name]) delete row.own[name]
  else Object.assign(row.own, { [name]: value })
}

export function changeAll(
  series: Series,
  place: string,
  was: Times,
  { fields, times, dates }: Change,
): boolean {
  const moved = times && times.start_date !== was.start_date ? minutesBetween(place, times.start_date) : 0
  const isTimed = times !== undefined && (moved !== 0 || times.end_date !== was.end_date)
  const move = (walls: readonly string[]) => walls.map((wall) => later(wall, moved))
  const next = {
    start: later(series.start, moved),
    rule: move(series.rule),
    added: move(series.added),
    left: move(series.left),
  }
  if (dates) {
    next.rule = listed(next.start, dates)
    next.added = inOrder(dates.added)
    if (dates.left.length > 0) next.left = inOrder(dates.left)
  }
  const wanted = datesOf(next)
  const isBack = !series.isLive && fields.status !== undefined
  if ((isTimed || dates || isBack) && wanted.length === 0) return false
  Object.assign(series, next)
  Object.assign(series.shared, fields)
  for (const row of series.rows) row.at = later(row.at, moved)
  if (times && isTimed) series.minutes = minutesBetween(times.start_date, times.end_date)
  if (isBack) series.isLive = true
  if (series.isLive) keepDates(series, wanted)
  return true
}

function keepDates(series: Series, wanted: readonly string[]): void {
  for (const row of series.rows) {
    const isWanted = wanted.includes(row.at)
    if (isWanted && !row.isLive) delete row.own.status
    row.isLive = isWanted
  }
  const known = series.rows.map(({ at }) => at)
  for (const at of wanted) if (!known.includes(at)) series.rows.push(newRow(at))
}

export function split(series: Series, row: Occurrence): Series {
  const { at } = row
  if (!liveRows(series).some((other) => other.at < at)) return series
  const after: Series = {
    ...series,
    id: 0,
    shared: { ...series.shared },
    start: at,
    rule: inOrder([at, ...series.rule.filter((wall) => wall > at)]),
    added: series.added.filter((wall) => wall > at),
    left: series.left.filter((wall) => wall >= at),
    rows: series.rows.filter((other) => other.at >= at),
  }
  endBefore(series, at)
  series.rows = series.rows.filter((other) => other.at < at)
  return after
}

function endBefore(series: Series, at: string): void {
  for (const name of ['rule', 'added', 'left'] as const)
    series[name] = series[name].filter((wall) => wall < at)
}

export function beginAt(series: Series, at: string): void {
  series.start = at
  series.rule = inOrder([at, ...series.rule.filter((wall) => wall > at)])
  series.added = series.added.filter((wall) => wall > at)
  series.left = series.left.filter((wall) => wall >= at)
}

export function removeOne(series: Series, row: Occurrence): void {
  row.isLive = false
  series.left = inOrder([...series.left, row.at])
  series.isLive = liveRows(series).length > 0
}

export function removeAll(series: Series): void {
  for (const row of series.rows) row.isLive = false
  series.isLive = false
}

export function removeFollowing(series: Series, row: Occurrence): void {
  const isFirst = !liveRows(series).some(({ at }) => at < row.at)
  for (const other of series.rows) if (isFirst || other.at >= row.at) other.isLive = false
  if (isFirst) series.isLive = false
  else endBefore(series, row.at)
}

export function restoreOne(series: Series, row: Occurrence, status: string): void {
  if (!series.isLive) {
    Object.assign(series, { start: row.at, rule: [row.at], added: [], left: [], isLive: true })
    series.shared.status = status
  }
  series.left = series.left.filter((wall) => wall !== row.at)
  if (!series.rule.includes(row.at)) series.added = inOrder([...series.added, row.at])
  row.isLive = true
  setOwn(series, row, 'status', status)
}

export function detach(series: Series, row: Occurrence): Single {
  const single = { id: row.id, slug: row.slug, ...fieldsOf(series, row), ...timesOf(series, row) }
  series.rows = series.rows.filter((other) => other !== row)
  removeAll(series)
  return single
}
