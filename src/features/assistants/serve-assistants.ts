import type { Serving } from '../../feature.ts'
import { byHeader } from '../../http/respond.ts'
import type { Answering, RowGround } from '../../http/router.ts'

const MCP_PATH = '/mcp'

export const serving: Serving = {
  rows: (ground) => {
    const answer = onDemand(ground)
    return [
      {
        methods: 'all',
        signIn: byHeader(ground.service),
        find: ({ url }) => (url.path === MCP_PATH ? answer : undefined),
      },
    ]
  },
}

/** Loads the code at the first request, so that without assistants none is in memory. */
function onDemand({ service, entrance, routes }: RowGround): Answering {
  let loaded: Promise<Answering> | undefined
  const load = async (): Promise<Answering> => {
    const { makeAssistants } = await import('./assistants-route.ts')
    return makeAssistants(service, entrance, routes)
  }
  return async (exchange, signIn) => {
    loaded ??= load()
    await (await loaded)(exchange, signIn)
  }
}
