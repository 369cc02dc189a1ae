import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Context } from '../../calendar/declare/context.ts'
import { readStates } from '../../calendar/history/record-states.ts'
import { can } from '../../calendar/people/caller.ts'
import { resourceNamed } from '../../calendar/resources.ts'
import { movedEnd } from '../desk/event-lengths.ts'
import { nameKey } from './check-rows.ts'
import { saveItems, sourceNumber } from './import-store.ts'
import { findTermsHere } from './row-matches.ts'
import { fingerprintsOf, linkedItem, type Source, type SourceItem, standsAlone } from './source-item.ts'
import type { RowChoices, StagedRow } from './staged-import.ts'

/**
 * Yields the rows of a table to import, giving way to requests, without what the caller may not create over
 * REST.
 */
export async function stagedSource(
  context: Context,
  address: string,
  rows: readonly StagedRow[],
  choices: RowChoices,
  giveWay: () => Promise<void>,
): Promise<Source> {
  const comingIn = rows.filter(({ fate }) => fate === 'new' || fate === 'update')
  const may = await makeAllowing(context, comingIn, choices)
  let done = 0
  return {
    address,
    total: () => comingIn.length,
    progress: () => done,
    isWhole: () => true,
    entries: async function* () {
      for (const row of comingIn) {
        await nextTurn()
        await giveWay()
        yield* itemsOf(row, choices, may)
        done += 1
      }
    },
  }
}

/**
 * Links rows to the events they update. The present state counts as last seen: every difference is a change
 * in the source.
 */
export async function adoptUpdated(
  { db, write }: Context,
  address: string,
  rows: readonly StagedRow[],
): Promise<void> {
  const updated = rows.flatMap(({ identity, fate, here }) =>
    fate === 'update' && here ? [{ identity, here }] : [],
  )
  const states = await readStates(
    db,
    'event',
    updated.map(({ here }) => here.id),
  )
  if (updated.length === 0) return
  await write(async (tx) => {
    const source = await sourceNumber(tx, address)
    const items = updated.flatMap(({ identity, here: { id } }) => {
      const kept = JSON.stringify(fingerprintsOf(states.get(id) ?? {}))
      const known = { identity, occurrence: '', record: id }
      return [{ ...known, source, kind: 'event', sequence: 0, digest: '', written: '{}', kept, page: '' }]
    })
    await saveItems(tx, items, [])
  })
}

interface Allowing {
  item: (item: SourceItem) => boolean
  pictures: boolean
}

async function makeAllowing(
  context: Context,
  rows: readonly StagedRow[],
  choices: RowChoices,
): Promise<Allowing> {
  const known = new Map<string, Set<string>>()
  for (const kind of ['category', 'tag'] as const) {
    if (resourceNamed(kind).operations.rights.create(context)) continue
    const names = rows.flatMap(({ items }) =>
      items.flatMap((item) => (item.kind === kind ? [item.name] : [])),
    )
    const ofAll = kind === 'category' ? namesIn(choices.categories) : []
    known.set(kind, await findTermsHere(context, kind, [...new Set([...names, ...ofAll])]))
  }
  return {
    item: ({ kind, name }) => known.get(kind)?.has(nameKey(name)) ?? true,
    pictures: can(context.caller, 'upload'),
  }
}

export const namesIn = (text: string) =>
  text
    .split(/[,;|]/)
    .map((name) => name.trim())
    .filter((name) => name !== '')

function itemsOf({ items, fate, here, when }: StagedRow, choices: RowChoices, may: Allowing): SourceItem[] {
  const linked = items.filter(({ kind }) => !standsAlone(kind))
  const [event, ...beside] = items.filter(({ kind }) => standsAlone(kind))
  if (!event) return []
  if (fate === 'update' && here && when) {
    const allowed = linked.filter(may.item)
    return [
      ...allowed,
      { ...withLinks(event, allowed), ...asUpdate(event, here, when), ...pictured(event, may) },
    ]
  }
  const ofAll = [
    ...namesIn(choices.categories).map((name) => linkedItem('category', name, {}, event.at)),
    ...namesIn(choices.organizers).map((name) => linkedItem('organizer', name, {}, event.at)),
  ].filter((item) => item !== undefined)
  const allowed = [...linked, ...ofAll].filter(may.item)
  // An event private in its source is not published.
  const status =
    event.values.status === 'private' && choices.status === 'publish' ? 'private' : choices.status
  const { image = '' } = pictured(event, may)
  const ofRows = choices.image > 0 ? String(choices.image) : undefined
  const own = withLinks(event, [...linked, ...ofAll].filter(may.item), true)
  const main = { ...own, values: { ...event.values, status }, image: image === '' ? ofRows : image }
  return [
    ...allowed,
    main,
    ...beside.map((date) => ({ ...withLinks(date, linked.filter(may.item)), ...pictured(date, may) })),
  ]
}

/**
 * Links the event to the records imported with it. A kind for which its row has no column counts only with
 * `isAll`.
 */
function withLinks(event: SourceItem, allowed: readonly SourceItem[], isAll = false): SourceItem {
  const of = (kind: SourceItem['kind']) => [
    ...new Set(allowed.flatMap((item) => (item.kind === kind ? [item.identity] : []))),
  ]
  const [categories, organizer, tags] = [of('category'), of('organizer'), of('tag')]
  const { links } = event
  return {
    ...event,
    links: {
      ...links,
      ...((links.categories || (isAll && categories.length > 0)) && { categories }),
      ...((links.organizer || (isAll && organizer.length > 0)) && { organizer }),
      ...(links.tags && { tags }),
    },
  }
}

const pictured = ({ image }: SourceItem, { pictures }: Allowing) => ({
  image: pictures && image !== '' ? image : undefined,
})

/** Without an end in the row, the event keeps its duration. */
function asUpdate(
  { values }: SourceItem,
  here: NonNullable<StagedRow['here']>,
  when: NonNullable<StagedRow['when']>,
): Pick<SourceItem, 'values'> {
  const { timezone: _timezone, ...others } = values
  if (when.hasEnd) return { values: others }
  const end_date = movedEnd(here.start, here.end, when.start)
  return { values: { ...others, ...(end_date !== undefined && { end_date }) } }
}
