import type { Feature, ServiceStart } from '../../feature.ts'
import type { DeskPage, RoomGroup, RoomLink } from './desk-page.ts'

// What other features bring to the desk: pages, their entries in the rail, and files for browsers.

export interface DeskPart {
  pages: readonly DeskPage[]
  /** At the end of its group; `room` is the path of the page. */
  rooms?: readonly (RoomLink & { in: RoomGroup })[]
  /** A folder, with a slash at its end. Its style sheets join that of the desk; its names are unique. */
  assets?: URL
}

declare module '../../feature.ts' {
  interface Feature {
    /** Loaded when a desk is served. */
    desk?: (start: ServiceStart) => Promise<DeskPart>
  }
}

export async function listDeskParts(start: ServiceStart): Promise<DeskPart[]> {
  const parts = await Promise.all(start.features.map((feature: Feature) => feature.desk?.(start)))
  return parts.filter((part) => part !== undefined)
}
