import type { MessageText } from '../../calendar/locales/messages.ts'

/** The deeds that can be done to chosen events, by the value of the form. */
export const BULK_DEEDS = {
  publish: { ask: 'Publish {count} events?', press: 'Publish' },
  draft: { ask: 'Make drafts of {count} events?', press: 'Make drafts' },
  trash: { ask: 'Move {count} events to the trash?', press: 'Move to the trash' },
  restore: { ask: 'Restore {count} events?', press: 'Restore' },
  delete: { ask: 'Delete {count} events for good?', press: 'Delete for good' },
  categories: { ask: 'Change the categories of {count} events', press: 'Change categories' },
  tags: { ask: 'Change the tags of {count} events', press: 'Change tags' },
  venue: { ask: 'Give {count} events another venue', press: 'Change the venue' },
  organizer: { ask: 'Give {count} events another organizer', press: 'Change the organizer' },
  cancel: { ask: 'Cancel or postpone {count} events', press: 'Tell everybody' },
  move: { ask: 'Move {count} events', press: 'Move' },
} as const satisfies Record<string, { ask: MessageText; press: MessageText }>

export type BulkDeedName = keyof typeof BULK_DEEDS
