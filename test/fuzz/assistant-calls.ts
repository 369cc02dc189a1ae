import type { DescribedField, Operation, Schema } from './described-operations.ts'
import { exchange, type Line } from './http-exchange.ts'
import type { PlannedRequest } from './planned-request.ts'

// Makes calls of the tools of assistants, as `tools/list` describes them.

const MCP_PATH = '/mcp'

export const isAssistantPath = (path: string) => path === MCP_PATH

interface Tool {
  name: string
  inputSchema: { properties: Record<string, Schema>; required?: string[] }
}

export async function assistantOperations(line: Line): Promise<Operation[]> {
  const members = [
    ['jsonrpc', '2.0'],
    ['id', 1],
    ['method', 'tools/list'],
  ] as const
  const body = { kind: 'members', encoding: 'json', members } as const
  const { answer } = await exchange(line, {
    as: 'admin',
    method: 'POST',
    path: MCP_PATH,
    query: [],
    headers: {},
    body,
  })
  const { tools }: { tools: Tool[] } = JSON.parse(String(answer?.body)).result
  return tools.map(({ name, inputSchema: { properties, required = [] } }) => {
    const fields = Object.entries(properties).map(
      ([field, schema]): DescribedField => ({ name: field, schema, required: required.includes(field) }),
    )
    return { method: 'POST', template: `${MCP_PATH}#${name}`, query: [], body: fields }
  })
}

export function asCall(planned: PlannedRequest): PlannedRequest {
  if (!planned.path.startsWith(`${MCP_PATH}#`)) return planned
  const { body, path } = planned
  if (body.kind !== 'members') return { ...planned, path: MCP_PATH }
  const params = { name: path.slice(MCP_PATH.length + 1), arguments: Object.fromEntries(body.members) }
  const members = [
    ['jsonrpc', '2.0'],
    ['id', 1],
    ['method', 'tools/call'],
    ['params', params],
  ] as const
  return { ...planned, path: MCP_PATH, body: { kind: 'members', encoding: 'json', members } }
}
