import type { Context } from '../declare/context.ts'
import type { Presentation } from '../declare/operations.ts'
import { showOrLeaveOut, showRecord } from '../storage/unshowable.ts'
import { showInTurn, showPrepared } from '../text/long-texts.ts'

/** Presents the records of a list in their order, without those that cannot be shown. */
export async function presentListed<Loaded>(
  context: Context,
  presentation: Presentation<Loaded>,
  loaded: readonly Loaded[],
): Promise<object[]> {
  return [...(await presentById(context, presentation, loaded)).values()]
}

/** Presents records as lists do, by id, without those that cannot be shown. */
export async function presentById<Loaded>(
  context: Context,
  presentation: Presentation<Loaded>,
  loaded: readonly Loaded[],
): Promise<Map<number, object>> {
  const { nameOf, textsOf, present } = presentation
  const shown = await showInTurn(
    loaded,
    (record) => textsOf(record, 'listed'),
    (record) => {
      const { kind, id } = nameOf(record)
      const shape = showOrLeaveOut(context, kind, id, () => present(context, record, 'listed'))
      return shape && ([id, shape] as const)
    },
  )
  return new Map(shown.filter((entry) => entry !== undefined))
}

/** Presents a record by itself. @throws UnshowableRecord */
export async function presentSingle<Loaded>(
  context: Context,
  { nameOf, textsOf, present }: Presentation<Loaded>,
  loaded: Loaded,
): Promise<object> {
  const { kind, id } = nameOf(loaded)
  return showPrepared(textsOf(loaded, 'single'), () => showRecord(kind, id, () => present(context, loaded, 'single')))
}
