import { settingGroupsWith } from '../../base/config.ts'
import { listTroubles, type ServiceStart, type Serving, type Work } from '../../feature.ts'
import { signInAsStranger } from '../../http/respond.ts'
import { askOf } from '../../store/storage/ask.ts'
import type { Database } from '../../store/storage/database.ts'
import { pagesOf } from '../pages/serve-pages.ts'
import { listDeskParts } from './desk-part.ts'
import { deskAt, makeDeskRoute } from './desk-route.ts'
import { makeDeskGate } from './sign-in/desk-sign-in.ts'
import { moveZone } from './zone-change.ts'

export async function serveDesk(start: ServiceStart): Promise<Serving> {
  if (start.config.desk !== 'on') return {}
  const { look, publicPages } = await pagesOf(start)
  const parts = await listDeskParts(start)
  return {
    works: ({ database }) => [zoneWork(database, start.report)],
    rows: (ground) => {
      const { service, entrance } = ground
      const gate = makeDeskGate(service.database, service.refused)
      const desk = makeDeskRoute(service, entrance, gate, {
        look,
        pages: publicPages(ground)?.pages,
        parts,
        settingGroups: settingGroupsWith(start.features),
        listTroubles: (db, now) => listTroubles(start.features, askOf(db), now),
      })
      // The desk identifies the user by its own cookie, which is not valid elsewhere.
      return [
        {
          methods: 'all',
          signIn: signInAsStranger,
          find: ({ url }) => deskAt(desk, url.path),
        },
      ]
    },
  }
}

/** In ms: how often the desk continues a time zone change that another process has not finished. */
const ZONE_EVERY = 30_000

function zoneWork(database: Database, report: ServiceStart['report']): Work {
  let isLooking = false
  const look = async () => {
    if (isLooking) return
    isLooking = true
    await moveZone(database, () => Date.now()).catch(report)
    isLooking = false
  }
  return { every: ZONE_EVERY, isAtOnce: true, look }
}
