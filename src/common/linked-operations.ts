import type { Asking } from '../declare/asking.ts'
import type { ListAnswer, Operations } from '../declare/operations.ts'
import { mayDelete } from '../people/caller.ts'
import { invalidParam, Problem } from '../problems.ts'
import type { Db } from '../storage/database.ts'
import { holdRecord } from '../storage/locks.ts'
import type { ImageRow } from '../storage/schema.ts'
import { parametersOf } from '../text/query-text.ts'
import { type GeoQuery, geoFilter } from './geoloc.ts'
import { findImages } from './images.ts'
import { changeLinked, createLinked, getLinked, type LinkedRules, prepareLinked, trashLinked } from './linked-change.ts'
import { findLinked, type LinkedQuery, type LinkedRow, listLinked } from './linked-store.ts'
import { recordRights, refuseUnreadable } from './record-present.ts'
import { pageRequest } from './record-store.ts'
import { statusLinks } from './status.ts'

/** How a linked kind is shown; with `single`, with its linked data. */
type Present<Row> = (asking: Asking, row: Row, image: ImageRow | undefined, single: boolean) => object

/** The operations of venues and of organizers, which differ by their rules and by how they are shown. */
export function linkedOperations<Row extends LinkedRow>(rules: LinkedRules, present: Present<Row>): Operations<Row> {
  const show = async (asking: Asking, row: Row, single: boolean) => {
    const images = await findImages(asking.db, row.image === null ? [] : [row.image])
    return present(asking, row, images.get(row.image ?? 0), single)
  }
  const showById = async (asking: Asking, id: number) => show(asking, await getLinked<Row>(asking.db, rules, id), false)
  return {
    list: (asking, query) => list(asking, rules, query, present),
    find: (asking, address) => findLinked<Row>(asking.db, rules, address),
    missing: async (_asking, address) => invalidParam('id' in address ? 'id' : 'slug'),
    read: async (asking, row) => {
      refuseUnreadable(asking, rules.kind, row)
      return show(asking, row, true)
    },
    create: async (asking, values) => {
      const prepared = await prepareLinked(values, asking)
      return showById(asking, await asking.write((tx) => createLinked(tx, rules, prepared, asking)))
    },
    update: async (asking, row, values) => {
      const prepared = await prepareLinked(values, asking)
      await asking.write(async (tx) => {
        await changeLinked(tx, rules, await getHeld(tx, rules, row.id), prepared, asking)
      })
      return showById(asking, row.id)
    },
    remove: async (asking, row) => {
      await asking.write(async (tx) => {
        const current = await getHeld(tx, rules, row.id)
        if (current.status === 'trash') throw new Problem(`${rules.kind}-is-in-trash`)
        await trashLinked(tx, rules, current, asking)
      })
      return showById(asking, row.id)
    },
    rights: {
      ...recordRights,
      remove: (asking, row) => (row ? mayDelete(asking.caller, row) : recordRights.create(asking)),
    },
  }
}

/** A record that nobody else changes until the end of the transaction. */
async function getHeld(tx: Db, rules: LinkedRules, id: number): Promise<LinkedRow> {
  const [, row] = await Promise.all([holdRecord(tx, rules.table, id), getLinked(tx, rules, id)])
  return row
}

async function list<Row extends LinkedRow>(
  asking: Asking,
  rules: LinkedRules,
  asked: LinkedQuery & GeoQuery,
  present: Present<Row>,
): Promise<ListAnswer> {
  const page = pageRequest(asked, asking)
  const { rows, total } = await listLinked<Row>(rules, { ...asked, ...(await geoFilter(asking, asked)) }, page, asking)
  const images = await findImages(
    asking.db,
    rows.flatMap((row) => row.image ?? []),
  )
  return {
    items: rows.map((row) => present(asking, row, images.get(row.image ?? 0), false)),
    total,
    ...page,
    ...effectiveParameters(asking, asked),
    pastEnd: `${rules.kind}-archive-page-not-found`,
  }
}

function effectiveParameters(
  asking: Asking,
  query: LinkedQuery & GeoQuery,
): Pick<ListAnswer, 'effective' | 'shownOnly'> {
  const { page: _page, per_page: _perPage, status: asked, only_with_upcoming, ...filters } = query
  const { status, shownOnly } = statusLinks(asking.caller, asked)
  return {
    effective: parametersOf({ ...filters, only_with_upcoming: only_with_upcoming || undefined, status }),
    shownOnly,
  }
}
