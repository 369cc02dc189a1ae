import { ok } from 'node:assert/strict'
import type { Context } from '../../src/calendar/declare/context.ts'
import { resources, type ServedResource, series } from '../../src/calendar/resources.ts'
import { writerBy } from '../../src/store/storage/recording.ts'
import { publicContext } from './public-context.ts'
import type { Reader, TestService } from './service.ts'

export async function callerContext(
  { app, userIds }: TestService,
  login: Exclude<Reader, 'anonymous'>,
): Promise<Context> {
  const role = login === 'admin' ? 'administrator' : login
  const caller = { id: userIds[login] ?? 0, login, role } as const
  const { database } = app
  const write: Context['write'] = (work) =>
    database.write(work, { ...writerBy('test'), user: caller.id, login })
  return { ...(await publicContext(app)), db: database.read, write, caller }
}

export function servedAt(path: string): ServedResource {
  const served = [...resources, series].find(({ resource }) => resource.path === path)
  ok(served, path)
  return served
}
