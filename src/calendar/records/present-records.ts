import { showInTurn, showPrepared, type WantedText } from '../../base/text/long-texts.ts'
import type { TermRow } from '../../store/storage/schema.ts'
import { showOrLeaveOut, showRecord } from '../../store/storage/unshowable.ts'
import type { Context } from '../declare/context.ts'
import type { Presentation } from '../declare/operations.ts'

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

/** The long texts of a record, and whether their author may write unfiltered HTML. */
interface LongTexts {
  description: string
  excerpt: string
  trusted: number
}

/** The texts that a record is shown with: in lists, or `single` with its linked data. */
export function textsOfRecord({ description, excerpt, trusted }: LongTexts, extent: 'listed' | 'single'): WantedText[] {
  const texts: WantedText[] = []
  for (const raw of [description, excerpt]) {
    if (raw === '') continue
    texts.push({ work: 'html', raw, trusted: trusted === 1 })
    if (extent === 'single') texts.push({ work: 'plain', raw, trusted: trusted === 1 })
  }
  return texts
}

/** The texts of a record about to be written, for answers and for searches. */
export function textsToWrite(texts: LongTexts): WantedText[] {
  const folded = [texts.description, texts.excerpt].map((raw): WantedText => ({ work: 'folded', raw }))
  return [...textsOfRecord(texts, 'single'), ...folded]
}

export function textsOfTerm({ description }: Pick<TermRow, 'description'>): WantedText[] {
  return description === '' ? [] : [{ work: 'safe', raw: description }]
}
