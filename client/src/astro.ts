import type { Options } from './connection.ts'
import { createKalends, type Event, type Service } from './index.ts'

/** The part of Astro's `LoaderContext` that is used. */
export interface LoaderContext {
  store: {
    keys(): string[]
    set(entry: {
      id: string
      data: Record<string, unknown>
      digest: string
      rendered: { html: string }
    }): boolean
    delete(id: string): void
  }
  parseData(entry: { id: string; data: Record<string, unknown> }): Promise<Record<string, unknown>>
  generateDigest(data: Record<string, unknown>): string
}

/**
 * Makes a loader for a content collection of Astro, with every event of a list by its id. Entries are
 * rendered as their description. Events that are no longer listed are removed. When the service cannot be
 * reached, the collection stays as it is and the build fails.
 * @param options the service, and in `query` the parameters of the list of events
 */
export function kalendsLoader({ query = {}, ...options }: Options & { query?: Service['events']['query'] }): {
  name: string
  load: (context: LoaderContext) => Promise<void>
} {
  return {
    name: 'kalends',
    load: async ({ store, parseData, generateDigest }) => {
      const events: Event[] = []
      for await (const event of createKalends(options).events.all(query)) events.push(event)
      const gone = new Set(store.keys())
      for (const event of events) {
        const id = String(event.id)
        gone.delete(id)
        const digest = generateDigest({ ...event })
        store.set({
          id,
          data: await parseData({ id, data: { ...event } }),
          digest,
          rendered: { html: event.description },
        })
      }
      for (const id of gone) store.delete(id)
    },
  }
}
