import { ifError } from 'node:assert/strict'
import type { App } from '../../src/app.ts'
import type { Context } from '../../src/calendar/declare/context.ts'
import { anonymous } from '../../src/calendar/people/caller.ts'
import { openMediaStore } from '../../src/store/media/open-media-store.ts'

export async function publicContext({ database, site }: App): Promise<Context> {
  const { readInLane, write, findMatching } = database
  const store = await openMediaStore('file:unused', ifError)
  const images = { store, hosts: [], maxBytes: 0, mediaUrl: `${site.url}/media` }
  const now = Date.now()
  return {
    db: database.read,
    readInLane,
    write,
    findMatching,
    images,
    say: (text) => text,
    report: ifError,
    site,
    caller: anonymous,
    now,
  }
}
