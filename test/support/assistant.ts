import { type Answer, credentialsOf, type Reader, type TestService } from './service.ts'

const META = 'io.modelcontextprotocol/'

export const ENVELOPE = {
  [`${META}protocolVersion`]: '2026-07-28',
  [`${META}clientInfo`]: { name: 'test', version: '1' },
  [`${META}clientCapabilities`]: {},
}

export function ask(
  service: TestService,
  method: string,
  params: Record<string, unknown> = {},
  { as = 'anonymous', headers = {} }: { as?: Reader; headers?: Record<string, string> } = {},
): Promise<Answer> {
  const named: Record<string, string> = typeof params.name === 'string' ? { 'mcp-name': params.name } : {}
  const body = { jsonrpc: '2.0', id: 1, method, params: { _meta: ENVELOPE, ...params } }
  const standing = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': method, ...named }
  return service.request(as, 'POST', '~/mcp', body, { ...credentialsOf(as), ...standing, ...headers })
}

export async function call(
  service: TestService,
  name: string,
  args: object = {},
  as: Reader = 'anonymous',
): Promise<Answer['body']> {
  const { body, status } = await ask(service, 'tools/call', { name, arguments: args }, { as })
  if (!body.result) throw new Error(`${status} ${JSON.stringify(body)}`)
  return body.result
}
