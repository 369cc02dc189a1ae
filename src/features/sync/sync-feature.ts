import type { Feature } from '../../feature.ts'

export const sync: Feature = {
  name: 'sync',
  table: async () => ({ routes: [(await import('./changes-rest.ts')).changesRoute()] }),
}
