import type { Db } from './database.ts'

/** Something that goes on failing until somebody sees to it: an import on a schedule, or a webhook. */
export interface Trouble {
  what: 'import' | 'webhook'
  /** The name of the schedule, or the address of the webhook. */
  name: string
  /** How it ended last, in English, or why the webhook is disabled, as a code; empty where nothing is known. */
  why: string
  /** Whether it is not tried any more. */
  isStopped: boolean
}

const MOST = 20

/** Reads the imports on schedules and the webhooks that fail. */
export async function listTroubles(db: Db): Promise<Trouble[]> {
  const [imports, webhooks] = await Promise.all([
    db
      .selectFrom('import_schedules')
      .select(['name', 'outcome', 'paused'])
      .where('failures', '>', 0)
      .orderBy('name')
      .limit(MOST)
      .execute(),
    db
      .selectFrom('webhooks')
      .select(['url', 'disabled_why', 'disabled_utc'])
      .where((webhook) => webhook.or([webhook('failing_since_utc', '<>', ''), webhook('disabled_utc', '<>', '')]))
      .orderBy('id')
      .limit(MOST)
      .execute(),
  ])
  return [
    ...imports.map(
      ({ name, outcome, paused }): Trouble => ({ what: 'import', name, why: outcome, isStopped: paused === 1 }),
    ),
    ...webhooks.map(
      ({ url, disabled_why, disabled_utc }): Trouble => ({
        what: 'webhook',
        name: url,
        why: disabled_why,
        isStopped: disabled_utc !== '',
      }),
    ),
  ]
}
