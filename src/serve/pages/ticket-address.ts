// Tells whether the website of an event sells tickets.

/** Parts of the names of hosts that sell tickets, and words for tickets in addresses, in lower case. */
const TICKETS = new RegExp(
  'ticket|billet|entrada|eintrittskarte|karten(?:shop|verkauf)|eventbrite\\.|eventim\\.|weezevent\\.|dice\\.fm|seetickets\\.|' +
    'universe\\.com|pretix\\.|helloasso\\.|skiddle\\.|ra\\.co/events|bilheteria|biglietti',
)

/** Whether the website of an event sells its tickets: its host or its path says so. Words behind a question mark do not count. */
export function sellsTickets(website: string): boolean {
  const address = URL.parse(website)
  return address !== null && TICKETS.test(`${address.host}${address.pathname}`.toLowerCase())
}
