import type { Feature } from '../../feature.ts'
import type {} from '../desk/desk-part.ts'
import type {} from '../mail/people-part.ts'
import type {} from '../pages/pages-part.ts'
import { submissionSettingGroup } from './submission-settings.ts'

export const submissions: Feature = {
  name: 'submissions',
  settings: submissionSettingGroup,
  tables: async () => (await import('./submission-tables.ts')).submissionTables,
  prunings: async () => (await import('./submission-store.ts')).submissionPrunings,
  serve: async (start) => (await import('./serve-submissions.ts')).serveSubmissions(start),
  pages: async ({ config }) => (await import('./serve-submissions.ts')).suggestLinks(config),
  keeps: async () => {
    const { exportSender, forgetSender } = await import('./submission-store.ts')
    return { export: exportSender, forget: forgetSender }
  },
  topics: [
    {
      type: 'submission.received',
      present: async (context, id) => (await import('./received.ts')).presentReceived(context, id),
    },
  ],
  desk: async (start) => (await import('./submissions-room.ts')).submissionsPart(start),
}
