// Moves `Date` so that a run of the tests begins at the same moment on every day; timers are left alone.
// Processes load this by NODE_OPTIONS, and pages of browsers as text. Times of files, of PostgreSQL and of
// cookies are not moved.
const { TEST_MOMENT = '2026-11-27T12:00:00Z' } = process.env
process.env.TEST_CLOCK_AHEAD ??= String(Date.parse(TEST_MOMENT) - Date.now())
const ahead = Number(process.env.TEST_CLOCK_AHEAD)
const read = Date.now
Date.now = () => read() + ahead
globalThis.Date = new Proxy(Date, {
  construct: (target, given, made) =>
    Reflect.construct(target, given.length > 0 ? given : [target.now()], made),
})
Date.prototype.constructor = Date
