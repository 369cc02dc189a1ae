import type { Site } from '../../base/config.ts'
import type { Context } from '../../calendar/declare/context.ts'
import type { Feature, ServiceStart } from '../../feature.ts'
import type { Tx } from '../../store/storage/recording.ts'
import type { DeskPage, FeatureInbox, OtherSignIn, RoomGroup, RoomLink, ToldToUser } from './desk-page.ts'

/** An entry at the end of the navigation group `in`. Its `room` repeats `path`. */
export interface FeatureRoom extends Omit<RoomLink, 'text'> {
  in: RoomGroup
  text: (site: Site) => string
}

export interface DeskPart {
  pages: readonly DeskPage[]
  rooms?: readonly FeatureRoom[]
  /** Folder of browser files, with a final slash. Style sheets join the desk's; file names must be unique. */
  assets?: URL
  /** Sends a link to a user in the transaction that causes it; returns false if no message goes out. */
  tells?: (tx: Tx, told: ToldToUser, context: Pick<Context, 'site' | 'now'>) => Promise<boolean>
  signIn?: OtherSignIn
  inbox?: FeatureInbox
}

declare module '../../feature.ts' {
  interface Feature {
    /** Called when the service starts with a desk. */
    desk?: (start: ServiceStart) => Promise<DeskPart>
  }
}

export async function listDeskParts(start: ServiceStart): Promise<DeskPart[]> {
  const parts = await Promise.all(start.features.map((feature: Feature) => feature.desk?.(start)))
  return parts.filter((part) => part !== undefined)
}

export const tellBy =
  (parts: readonly DeskPart[]) =>
  async (tx: Tx, told: ToldToUser, context: Pick<Context, 'site' | 'now'>): Promise<boolean> => {
    for (const { tells } of parts) if (await tells?.(tx, told, context)) return true
    return false
  }
