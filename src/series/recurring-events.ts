import type { Context } from '../context/context.ts'
import type { Operations, WriteSteps } from '../declare/operations.ts'
import type { LoadedEvent } from '../events/event-filter.ts'
import { createEvent, type EventValues, type PreparedEvent, settleTimes } from '../events/event-rules.ts'
import { eventOperations, prepareNew, readBack } from '../events/events.ts'
import { invalidParam } from '../problems.ts'
import type { EventRow } from '../storage/schema.ts'
import { createSeries, type Planned } from './create-series.ts'
import { readSchedule, startsOf } from './series-schedule.ts'

/** A new event, and the dates it has when it repeats. */
interface PreparedNew {
  event: PreparedEvent
  planned: Planned | undefined
}

/** Without a recurrence it is a single event; with one, a series, whose first occurrence answers. */
const create: WriteSteps<EventValues, PreparedNew> = {
  prepare: async (context, values) => {
    const planned = plan(values, context)
    return { event: await prepareNew(context, values), planned }
  },
  write: (tx, { event, planned }, context) =>
    planned
      ? createSeries(tx, event, planned, context, readBack(context))
      : createEvent(tx, event, context, readBack(context)),
}

/** @throws Problem naming what is wrong with the recurrence */
function plan(values: EventValues, context: Context): Planned | undefined {
  if (values.recurrence === undefined) return undefined
  const schedule = readSchedule(values.recurrence, settleTimes(values, undefined, context))
  return schedule && { schedule, ...startsOf(schedule, context.now, context.site.seriesMonths) }
}

/** @throws Problem naming what cannot be changed */
const update: typeof eventOperations.update = {
  prepare: (context, asked) => {
    const { recurrence, recurrence_scope } = asked.values
    if (recurrence_scope !== undefined && recurrence_scope !== 'this') throw invalidParam('recurrence_scope')
    if (recurrence !== undefined && !isAsShown(recurrence)) throw invalidParam('recurrence')
    return eventOperations.update.prepare(context, asked)
  },
  write: eventOperations.update.write,
}

/** What answers show of how an event repeats, sent back. */
function isAsShown(recurrence: object | string): boolean {
  return typeof recurrence === 'object' && 'series' in recurrence
}

/** The operations on events, of which some repeat. */
export const recurringEventOperations: Operations<EventRow, LoadedEvent> = { ...eventOperations, create, update }
