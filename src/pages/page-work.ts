import type { EventRow } from '../storage/schema.ts'

/** The description of a record as its page shows it, to be prepared. */
export const pageWork = ({ description, trusted }: Pick<EventRow, 'description' | 'trusted'>) =>
  ({ work: trusted === 1 ? 'trustedPage' : 'page', raw: description }) as const
