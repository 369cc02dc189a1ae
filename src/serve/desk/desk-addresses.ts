import { accountPages } from './account-room.ts'
import { bulkPages } from './bulk-room.ts'
import { consentPages } from './consent-room.ts'
import type { DeskPage } from './desk-page.ts'
import { eventFormPages } from './event-form.ts'
import { eventHelpPages, eventPreviewPages } from './event-form-help.ts'
import { eventListPages } from './event-list.ts'
import { historyPages } from './history-room.ts'
import { inboxPages } from './inbox-room.ts'
import { lookPages } from './look-room.ts'
import { monthPages } from './month-room.ts'
import { peoplePages } from './people-room.ts'
import { quickPages } from './quick-room.ts'
import { recordPages, recordRemovalPages } from './record-room.ts'
import { searchPages } from './search-room.ts'
import { signedInPages } from './sign-in-room.ts'
import { todayPages } from './today-room.ts'

/** All addresses of the desk for those who have signed in. */
export const DESK_PAGES: readonly DeskPage[] = [
  ...accountPages,
  ...bulkPages,
  ...consentPages,
  ...eventFormPages,
  ...eventHelpPages,
  ...eventListPages,
  ...eventPreviewPages,
  ...historyPages,
  ...inboxPages,
  ...lookPages,
  ...monthPages,
  ...peoplePages,
  ...quickPages,
  ...recordPages,
  ...recordRemovalPages,
  ...searchPages,
  ...signedInPages,
  ...todayPages,
]
