import { can } from '../../calendar/people/caller.ts'
import type { ServiceStart } from '../../feature.ts'
import type { DeskPart } from '../desk/desk-part.ts'
import { IMPORT_ROOM } from './address-view.ts'
import { importPages } from './import-room.ts'
import { sayImport } from './import-texts.ts'
import { importsPages } from './imports-room.ts'
import { stagedWorkOf } from './run-staged.ts'

export async function importPart(start: ServiceStart): Promise<DeskPart> {
  return {
    pages: [...importPages(stagedWorkOf(start)), ...importsPages(stagedWorkOf(start))],
    rooms: [
      {
        room: IMPORT_ROOM,
        path: IMPORT_ROOM,
        in: 'calendar',
        text: (site) => sayImport(site, 'Import'),
        isFor: (caller) => can(caller, 'edit'),
      },
    ],
    assets: new URL('./assets/', import.meta.url),
  }
}
