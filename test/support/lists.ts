import type { Body } from './service.ts'

/** Returns one member of each record. */
export const pluck = (records: Body, name: string): Body[] => records?.map((record: Body) => record[name])
