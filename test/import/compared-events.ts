import type { Calendar } from './calendar-command.ts'

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape; assertions say what they expect.
type Shown = any

const ALL = '/events?start_date=1990-01-01&end_date=2100-01-01&per_page=50'

export async function allEvents({ service }: Calendar): Promise<Shown[]> {
  const events: Shown[] = []
  for (let page = 1; ; page++) {
    const { body } = await service.get(`${ALL}&page=${page}`)
    for (const event of body.events ?? []) events.push(event)
    if (page >= (body.total_pages ?? 0)) return events
  }
}

export async function comparable(calendar: Calendar): Promise<unknown[]> {
  const { origin } = calendar.service
  return (await allEvents(calendar)).map((event) => {
    const text = JSON.stringify(event, (name, value) =>
      'id global_id global_id_lineage author series post_parent date modified modified_utc'
        .split(' ')
        .includes(name) && name !== 'recurrence'
        ? undefined
        : value,
    )
    return JSON.parse(
      text.replaceAll(origin, '').replace(/\/(events|venues|organizers|categories|tags)\/\d+/g, '/$1/n'),
    )
  })
}
