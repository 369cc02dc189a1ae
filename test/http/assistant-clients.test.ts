import { deepEqual, equal, match } from 'node:assert/strict'
import { before, test } from 'node:test'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Client as EarlierClient } from '@modelcontextprotocol/sdk/client/index.js'
import * as earlier from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { knownFailures, runConformance } from '../support/assistant-conformance.ts'
import { credentialsOf, day, serviceForTests } from '../support/service.ts'

const service = serviceForTests({ mcp: 'write', mcp_rate_limit: '0' })
let address: URL
const headers = credentialsOf('editor')

before(async () => {
  await service.ready
  address = new URL(`${service.origin}/mcp`)
  await service.event({ title: 'Jazz', ...day })
})
async function use(client: Pick<Client, 'listTools' | 'callTool'>): Promise<void> {
  equal((await client.listTools()).tools.length, 8)
  const found = await client.callTool({ name: 'search_events', arguments: { start_date: '2027-01-01' } })
  match(JSON.stringify(found.structuredContent), /Jazz/)
  const written = await client.callTool({ name: 'create_event', arguments: { title: 'New', ...day } })
  match(JSON.stringify(written.content), /Nothing was written/)
}

test('the official client asks in the revision in which each request stands alone', async () => {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } })
  await client.connect(new StreamableHTTPClientTransport(address, { requestInit: { headers } }))
  equal(client.getNegotiatedProtocolVersion(), '2026-07-28')
  await use(client)
  await client.close()
})

test('the official client asks after a handshake, as it does unless it is told otherwise', async () => {
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(new StreamableHTTPClientTransport(address, { requestInit: { headers } }))
  await use(client)
  await client.close()
})

test('the official client of the first generation asks after a handshake', async () => {
  const client = new EarlierClient({ name: 'test', version: '1' })
  await client.connect(
    new earlier.StreamableHTTPClientTransport(address, { requestInit: { headers } }) as Parameters<
      typeof client.connect
    >[0],
  )
  match(client.getInstructions() ?? '', /The calendar of/)
  equal((await client.listTools()).tools.length, 8)
  const found = await client.callTool({ name: 'search_events', arguments: { start_date: '2027-01-01' } })
  match(JSON.stringify(found.structuredContent), /Jazz/)
  await client.close()
})

test('the official suite finds nothing that fails but what asks for tools of its own', async () => {
  const { '2026-07-28': known = {} } = await knownFailures()
  for (const scenario of ['http-header-validation', 'dns-rebinding-protection', 'server-stateless']) {
    const found = await runConformance(address, ['--scenario', scenario, '--spec-version', '2026-07-28'])
    deepEqual(found, { [scenario]: known[scenario] ?? [] })
  }
})
