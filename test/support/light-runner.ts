import hooks from 'node:async_hooks'

// Node's runner of tests follows every promise, timer and socket, to know which test an error belongs to that nobody catches: a tenth of the processor
// time of a run. It has to do so only while files are imported, when it asks which suite a test belongs to. It fails a file for such an error in any case.

const { createHook } = hooks
const made: hooks.AsyncHook[] = []

Object.assign(hooks, {
  createHook: (callbacks: hooks.HookCallbacks) => {
    const hook = createHook(callbacks)
    made.push(hook)
    return hook
  },
})

/** Has the runner follow nothing any more, once all tests are known. */
export function stopFollowing(): void {
  for (const hook of made) hook.disable()
}
