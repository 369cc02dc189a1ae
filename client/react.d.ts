// Types of <kalends-events> for React 19: import type {} from '@kalends/client/react'
import type { DetailedHTMLProps, HTMLAttributes } from 'react'

/** The attributes of the element, which docs/embed.md of Kalends describes. */
export interface KalendsEventsAttributes extends DetailedHTMLProps<HTMLAttributes<HTMLElement>, HTMLElement> {
  view?: 'list' | 'month' | 'day' | undefined
  category?: string | undefined
  tag?: string | undefined
  venue?: string | number | undefined
  organizer?: string | number | undefined
  search?: string | undefined
  when?: 'now' | 'today' | 'tonight' | 'tomorrow' | 'weekend' | 'week' | 'month' | undefined
  time?: string | undefined
  free?: 'true' | 'false' | undefined
  attendance?: string | undefined
  access?: string | undefined
  geoloc?: 'true' | 'false' | undefined
  bbox?: string | undefined
  featured?: 'true' | 'false' | undefined
  event_status?: string | undefined
  hide_subsequent_recurrences?: 'true' | 'false' | undefined
  include?: string | number | undefined
  post_parent?: string | number | undefined
  modified_after?: string | undefined
  show?: string | undefined
  limit?: number | undefined
  date?: string | undefined
  until?: string | undefined
  level?: 1 | 2 | 3 | 4 | 5 | 6 | undefined
}

declare module 'react' {
  // biome-ignore lint/style/noNamespace: React names the elements that JSX knows in one.
  namespace JSX {
    interface IntrinsicElements {
      'kalends-events': KalendsEventsAttributes
    }
  }
}
