import { notEqual } from 'node:assert/strict'
import type { App } from '../../src/app.ts'
import { readKey, sealForm } from '../../src/features/submissions/form-token.ts'
import type { AtDesk } from './desk.ts'
import type { ReceivedMail, TestRelay } from './relay.ts'
import type { Answer, TestService } from './service.ts'

// Strangers who suggest events.

export const ADD = '/events/community/add/'

/** A form of some seconds ago, as nobody fills one in less. */
export async function formToken({ app }: { app: Pick<App, 'database'> }, age = 10_000): Promise<string> {
  return sealForm(await readKey(app.database), Date.now() - age)
}

export const concert = {
  title: 'Concert in the barn',
  start_time: '19:30',
  end_time: '21:00',
  venue_name: 'Miller’s barn, Low Lane 3',
  description: 'Songs & stories.\n\nSee https://example.org/barn.',
  sender_name: 'Ada Miller',
  address: 'ada@example.org',
}

let networks = 0

export interface Sending {
  token?: string
  /** Another network for each unless given. */
  from?: string
  file?: Blob
  language?: string
}

export async function suggest(
  service: TestService,
  fields: Readonly<Record<string, string>>,
  { token, from, file, language }: Sending = {},
): Promise<Answer> {
  networks += 1
  const known = token ?? (await formToken(service))
  const form = new FormData()
  // A day of its own, so that it is no double.
  const start_date = new Date(Date.UTC(2027, 3, 1 + 5 * (networks % 60))).toISOString().slice(0, 10)
  for (const [name, value] of Object.entries({ start_date, ...fields })) form.append(name, value)
  form.append('image', file ?? new Blob([]), file ? 'poster.png' : '')
  const client = from ?? `203.0.${networks % 250}.${1 + (networks >> 8)}`
  return service.request(
    'anonymous',
    'POST',
    `~${ADD}?form=${known}${language ? `&lang=${language}` : ''}`,
    form,
    { accept: 'text/html', 'x-forwarded-for': client },
  )
}

export async function postForm(
  service: TestService,
  path: string,
  fields: Readonly<Record<string, string>>,
): Promise<Answer> {
  return service.request('anonymous', 'POST', `~${path}`, new URLSearchParams(fields), {
    accept: 'text/html',
  })
}

/** The path and query that an answer leads to. */
export const leadsTo = ({ headers }: Answer): string => headers.get('location') ?? ''

/** An editor looks at a suggestion and publishes it, or what `fields` make of it. */
export async function publish(desk: AtDesk, id = 0, fields: Record<string, string> = {}): Promise<Answer> {
  const seen = await seenBy(desk, id)
  return desk.post(`/desk/suggestions/${id}`, { act: 'publish', seen, ...fields })
}

/** Names the wording that an editor sees; races begin after the look. */
export async function seenBy(desk: AtDesk, id = 0): Promise<string> {
  const { body } = await desk.get(`/desk/suggestions/${id}`)
  return /name="seen" value="([\w-]+)"/.exec(body)?.[1] ?? ''
}

/** The path of the first link in a message that leads to a page with a secret. */
export function linkIn({ mail }: ReceivedMail): string {
  const [, path = ''] =
    /https?:\/\/[^/\s]+(\/events\/community\/\w+\/\?token=[\w-]+(?:&lang=\w\w)?)/.exec(mail.text ?? '') ?? []
  notEqual(path, '', mail.text)
  return path
}

/** Where the sender of a title confirms it. */
export async function confirmLinkTo(relay: TestRelay, address: string, title: string): Promise<string> {
  const isOfTitle = ({ mail }: ReceivedMail) => mail.subject === `Please confirm: ${title}`
  return linkIn(await relay.mailTo(address, isOfTitle))
}
