import hooks from 'node:async_hooks'

// Node's test runner follows every promise, timer and socket to know which test an uncaught error belongs to, which takes a tenth of the processor time of a
// run. It needs that only while files are imported, to know the suite of a test. An uncaught error fails its file in any case.

const { createHook } = hooks
const made: hooks.AsyncHook[] = []

Object.assign(hooks, {
  createHook: (callbacks: hooks.HookCallbacks) => {
    const hook = createHook(callbacks)
    made.push(hook)
    return hook
  },
})

/** Disables all async hooks. Call it once all tests are registered. */
export function stopFollowing(): void {
  for (const hook of made) hook.disable()
}
