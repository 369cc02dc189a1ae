import type { Context } from '../context/context.ts'
import type { Presentation } from '../declare/operations.ts'
import { showOrLeaveOut, showRecord } from '../storage/unshowable.ts'
import { showInTurn, showPrepared } from '../text/long-texts.ts'

/** Presents the records of a list in their order, without those that cannot be shown. */
export async function presentListed<Loaded>(
  context: Context,
  { nameOf, textsOf, present }: Presentation<Loaded>,
  loaded: readonly Loaded[],
): Promise<object[]> {
  const shown = await showInTurn(
    loaded,
    (record) => textsOf(record, 'listed'),
    (record) => {
      const { kind, id } = nameOf(record)
      return showOrLeaveOut(context, kind, id, () => present(context, record, 'listed'))
    },
  )
  return shown.filter((record) => record !== undefined)
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
