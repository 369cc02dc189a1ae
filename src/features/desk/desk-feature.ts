import type { Feature } from '../../feature.ts'

export const desk: Feature = {
  name: 'desk',
  tables: async () => (await import('./desk-tables.ts')).deskTables,
  prunings: async () => (await import('./desk-rows.ts')).deskPrunings,
  serve: async (start) => (await import('./serve-desk.ts')).serveDesk(start),
}
