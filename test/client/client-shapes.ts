import type { Kalends } from '../../client/src/kalends.ts'

export interface Shown {
  id: number
  title: string
  slug: string
  status: string
  venue: { venue: string }
  tags: { name: string }[]
  image: { id: number }
}

interface Shapes<Page, Read> {
  page: Page & { total: number; total_pages: number }
  record: Read
  fields: Record<string, unknown>
  changes: Record<string, unknown>
  query: Record<string, unknown>
}
interface Named {
  id: number
  venue: string
  organizer: string
  name: string
}

export type Client = Kalends<{
  events: Shapes<{ events: Shown[] }, Shown>
  venues: Shapes<{ venues: Named[] }, Named>
  organizers: Shapes<{ organizers: Named[] }, Named>
  categories: Shapes<{ categories: Named[] }, Named>
  tags: Shapes<{ tags: Named[] }, Named>
}>
