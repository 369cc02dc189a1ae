import { type ImportRun, remember } from './import-run.ts'
import { findItems, findNumbered } from './import-store.ts'
import { numberedIdentity, numberIn } from './named-items.ts'
import { type RecordState, readStates } from './record-states.ts'
import { type ItemKind, keyOf, type SourceItem } from './source-item.ts'
import { referencesOf } from './write-item.ts'

/** Looks up the records that the items refer to, unless the run remembers them. */
export async function lookUpLinks(run: ImportRun, items: readonly SourceItem[]): Promise<void> {
  const { source } = run
  if (source === undefined) return
  const unknown = new Map<ItemKind, Set<string>>()
  for (const item of items) {
    for (const { kind, identity } of referencesOf(item)) {
      if (run.links.has(keyOf(kind, identity))) continue
      const identities = unknown.get(kind) ?? new Set()
      unknown.set(kind, identities.add(identity))
    }
  }
  for (const [kind, identities] of unknown) {
    const numbers = [...identities].flatMap((identity) => numberIn(identity) ?? [])
    const numbered = await findNumbered(run.context.db, source, kind, numbers)
    const rows = [
      ...(await findItems(run.context.db, source, kind, [...identities])),
      ...numbered.map(({ number, record }) => ({ identity: numberedIdentity(number), record })),
    ]
    const states = await readStates(
      run.context.db,
      kind,
      rows.map(({ record }) => record),
    )
    // A record in the trash cannot be linked to.
    for (const { identity, record } of rows)
      if ((states.get(record)?.status ?? 'trash') !== 'trash' || isTerm(kind, states.get(record)))
        remember(run.links, keyOf(kind, identity), record)
  }
}

const isTerm = (kind: ItemKind, state: RecordState | undefined) =>
  state !== undefined && (kind === 'category' || kind === 'tag')
