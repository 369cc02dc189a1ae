import { listTroubles, type ServiceStart, type Serving } from '../../feature.ts'
import { signInAsStranger } from '../../http/respond.ts'
import { askOf } from '../../store/storage/examine.ts'
import { pagesOf } from '../pages/serve-pages.ts'
import { listDeskParts } from './desk-part.ts'
import { deskAt, makeDeskRoute } from './desk-route.ts'
import { makeDeskGate } from './sign-in/desk-sign-in.ts'

// Serves the desk.

export async function serveDesk(start: ServiceStart): Promise<Serving> {
  if (start.config.desk !== 'on') return {}
  const { look, publicPages } = await pagesOf(start)
  const parts = await listDeskParts(start)
  return {
    rows: (ground) => {
      const { service, front } = ground
      const gate = makeDeskGate(service.database, service.refused)
      const desk = makeDeskRoute(service, front, gate, {
        look,
        pages: publicPages(ground)?.pages,
        parts,
        listTroubles: (db) => listTroubles(start.features, askOf(db)),
      })
      // The desk finds out by itself who has signed in, by its cookie, which opens nothing else.
      return [
        {
          methods: 'all',
          signIn: signInAsStranger,
          isUnderPressure: false,
          find: ({ url }) => deskAt(desk, url.path),
        },
      ]
    },
  }
}
