import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import type { AddressInfo, Socket } from 'node:net'
import { type ParsedMail, simpleParser } from 'mailparser'
import { SMTPServer } from 'smtp-server'
import { until } from './waiting.ts'

export interface ReceivedMail {
  to: string
  from: string
  raw: string
  mail: ParsedMail
}

/** What the relay does with a message, by recipient; undefined to take it. */
export type Fault =
  | { at: 'recipient' | 'data'; status: number }
  | { at: 'cut after data' }
  | { at: 'unanswered' | 'silent' }

export interface TestRelay {
  address: string
  received: ReceivedMail[]
  /** Each attempt by recipient. */
  tried: string[]
  fault: (recipient: string) => Fault | undefined
  connections: () => number
  /** The first message to `to` of which `is` holds. */
  mailTo: (to: string, is?: (mail: ReceivedMail) => boolean) => Promise<ReceivedMail>
  close: () => Promise<void>
}

const refusal = (responseCode: number, text: string) => Object.assign(new Error(text), { responseCode })

/** A relay that listens on this machine. */
export async function startRelay(port = 0): Promise<TestRelay> {
  let connections = 0
  const sockets = new Set<Socket>()
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS', 'AUTH'],
    onConnect: (_session, done) => {
      connections += 1
      done()
    },
    onRcptTo: ({ address }, _session, done) => {
      relay.tried.push(address)
      const fault = relay.fault(address)
      if (fault?.at === 'recipient') return done(refusal(fault.status, `no mail for <${address}>`))
      done()
    },
    onData: (stream, { envelope }, done) => {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', async () => {
        const raw = Buffer.concat(chunks)
        const to = envelope.rcptTo[0]?.address ?? ''
        const fault = relay.fault(to)
        if (fault?.at === 'silent') return
        if (fault?.at === 'data') return done(refusal(fault.status, 'not now'))
        const from = envelope.mailFrom ? envelope.mailFrom.address : ''
        relay.received.push({ to, from, raw: raw.toString('latin1'), mail: await simpleParser(raw) })
        if (fault?.at === 'unanswered') return
        if (fault?.at === 'cut after data') for (const socket of sockets) socket.destroy()
        else done()
      })
    },
  })
  server.on('error', () => undefined)
  server.server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  server.listen(port, '127.0.0.1')
  await once(server.server, 'listening')
  const relay: TestRelay = {
    address: `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`,
    received: [],
    tried: [],
    fault: () => undefined,
    connections: () => connections,
    mailTo: async (to, is = () => true) => {
      const find = () => relay.received.find((one) => one.to === to && is(one))
      await until(() => find() !== undefined, `no message to ${to} arrives`)
      return find() as ReceivedMail
    },
    close: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
  return relay
}

export interface ReadMail {
  headers: Record<string, string>
  defects: string[]
  parts: { type: string; text: string }[]
}

const READ = `
import email, email.policy, json, sys
m = email.message_from_bytes(sys.stdin.buffer.read(), policy=email.policy.default)
parts = [{'type': p.get_content_type(), 'text': str(p.get_content()).replace('\\r\\n',
  '\\n')} for p in m.walk() if not p.is_multipart()]
defects = [str(d) for p in m.walk() for d in p.defects]
print(json.dumps({'headers': {k.lower(): str(v) for k, v in m.items()}, 'defects': defects, 'parts': parts}))
`

/** As python's `email` reads a message; without python as `mailparser` does, which finds no defects. */
export function readMessage({ raw, mail }: Pick<ReceivedMail, 'raw' | 'mail'>): ReadMail {
  const { status, stdout } = spawnSync('python3', ['-c', READ], { input: Buffer.from(raw, 'latin1') })
  if (status === 0) return JSON.parse(stdout.toString('utf8'))
  const headers = mail.headerLines.map(({ key, line }) => {
    const value = mail.headers.get(key)
    return [key, typeof value === 'string' ? value : line.slice(key.length + 1).trim()]
  })
  const attached = mail.attachments.map(({ contentType, content }) => [contentType, content.toString('utf8')])
  const all = [['text/plain', mail.text], ['text/html', mail.html || undefined], ...attached]
  const parts = all.flatMap(([type = '', text]) => (text === undefined ? [] : [{ type, text }]))
  return { headers: Object.fromEntries(headers), defects: [], parts }
}
