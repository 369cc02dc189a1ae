import { deepEqual } from 'node:assert/strict'
import type { Body } from './service.ts'

/** One member of each record, or a list of several. */
export const pluck = (records: Body, ...names: [string, ...string[]]): Body[] =>
  records?.map((record: Body) => (names.length === 1 ? record[names[0]] : names.map((name) => record[name])))

export const assertNone = <T>(list: readonly T[], isWrong: (each: T) => unknown, told?: string): void =>
  deepEqual(list.filter(isWrong), [], told)
