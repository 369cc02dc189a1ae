import type { Site } from '../../base/config.ts'
import type { Context } from '../../calendar/declare/context.ts'
import type { Feature, ServiceStart } from '../../feature.ts'
import type { Tx } from '../../store/storage/recording.ts'
import type { DeskPage, FeatureInbox, OtherSignIn, RoomGroup, RoomLink, ToldToUser } from './desk-page.ts'

// What other features bring to the desk: pages, their entries in the rail, and files for browsers.

/** Stands at the end of its group; `room` is the path of the page. */
export interface FeatureRoom extends Omit<RoomLink, 'text'> {
  in: RoomGroup
  text: (site: Site) => string
}

export interface DeskPart {
  pages: readonly DeskPage[]
  rooms?: readonly FeatureRoom[]
  /** A folder, with a slash at its end. Its style sheets join that of the desk; its names are unique. */
  assets?: URL
  /** Tells a user, perhaps by e-mail, in the transaction of the cause. False if nothing goes to them. */
  tells?: (tx: Tx, told: ToldToUser, context: Pick<Context, 'site' | 'now'>) => Promise<boolean>
  signIn?: OtherSignIn
  inbox?: FeatureInbox
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

export const tellBy =
  (parts: readonly DeskPart[]) =>
  async (tx: Tx, told: ToldToUser, context: Pick<Context, 'site' | 'now'>): Promise<boolean> => {
    for (const { tells } of parts) if (await tells?.(tx, told, context)) return true
    return false
  }
