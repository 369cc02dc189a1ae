import { deepEqual, equal } from 'node:assert/strict'
import type { TestService } from './service.ts'

export async function refusesEach(service: TestService, path: string, wrong: string): Promise<void> {
  const { status, body } = await service.get(`${path}?${wrong}`)
  equal(status, 400)
  const sent = wrong.split('&').map((pair) => pair.split('=')[0])
  deepEqual(Object.keys(body.data.params).sort(), sent.sort())
}
