import type { Feature } from '../../feature.ts'

/** The feed of changes. */
export const sync: Feature = {
  name: 'sync',
  table: async () => ({ routes: [(await import('./changes-rest.ts')).changesRoute()] }),
}
