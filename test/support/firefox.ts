import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect, socketAddress } from './browser-socket.ts'
import { type Browser, keyIn, type Sight, type Tab } from './browsers.ts'
import { MOVED_CLOCK } from './chromium.ts'

const PLACES = ['/usr/bin/firefox-esr', '/usr/bin/firefox', process.env.FIREFOX ?? '']

export function findFirefox(): string | undefined {
  return PLACES.find((place) => place !== '' && existsSync(place))
}

export async function startFirefox(program: string): Promise<Browser> {
  const processes = new Map<string, Promise<Running>>()
  const running = (sight: Sight) => {
    const preferences = preferencesOf(sight)
    const known = processes.get(preferences) ?? start(program, preferences)
    processes.set(preferences, known)
    return known
  }
  return {
    open: async () => openTab(running),
    close: async () => {
      for (const one of processes.values()) await (await one).close()
    },
  }
}

function preferencesOf({ scheme = 'light', forcedColors = false }: Sight): string {
  const preferences = {
    'layout.css.prefers-color-scheme.content-override': scheme === 'dark' ? 0 : 1,
    'browser.display.document_color_use': forcedColors ? 2 : 0,
    'ui.prefersReducedMotion': 1,
    'app.update.enabled': false,
    'browser.shell.checkDefaultBrowser': false,
    'datareporting.policy.dataSubmissionEnabled': false,
    'network.captive-portal-service.enabled': false,
    'network.connectivity-service.enabled': false,
    'toolkit.telemetry.enabled': false,
  }
  return Object.entries(preferences)
    .map(([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});\n`)
    .join('')
}

interface Running {
  send: (method: string, parameters: object) => Promise<Record<string, unknown>>
  context: string
  isScriptless: boolean
  requested: string[]
  complaints: string[]
  answers: string[]
  close: () => Promise<void>
}

interface Message {
  id?: number
  type?: 'success' | 'error' | 'event'
  method?: string
  params?: {
    request?: { request: string; url: string }
    level?: string
    text?: string
    isBlocked?: boolean
    type?: string
  }
  result?: Record<string, unknown>
  message?: string
}

async function start(program: string, preferences: string): Promise<Running> {
  const profile = await mkdtemp(join(tmpdir(), 'kalends-firefox-'))
  await writeFile(join(profile, 'user.js'), preferences)
  const flags = ['--headless', '--no-remote', '--remote-debugging-port=0', '--profile', profile]
  const child = spawn(program, flags, { stdio: ['ignore', 'ignore', 'pipe'] })
  const socket = await connect(
    `${await socketAddress(child, /WebDriver BiDi listening on (ws:\S+)/)}/session`,
  )
  const waiting = new Map<number, (message: Message) => void>()
  let last = 0
  const running: Running = {
    send: async (method, params) => {
      last += 1
      socket.send(JSON.stringify({ id: last, method, params }))
      const { type, result, message } = await new Promise<Message>((resolve) => waiting.set(last, resolve))
      if (type === 'error') throw new Error(`${method}: ${message}`)
      return result ?? {}
    },
    context: '',
    isScriptless: false,
    requested: [],
    complaints: [],
    answers: [],
    close: async () => {
      const ended = new Promise((resolve) => child.once('exit', resolve))
      child.kill()
      await ended
      await rm(profile, { recursive: true, force: true, maxRetries: 5 })
    },
  }
  socket.onmessage = ({ data }) => {
    const message: Message = JSON.parse(String(data))
    waiting.get(message.id ?? 0)?.(message)
    waiting.delete(message.id ?? 0)
    if (message.type === 'event') receive(running, message)
  }
  await running.send('session.new', {
    capabilities: { alwaysMatch: { unhandledPromptBehavior: { default: 'ignore' } } },
  })
  await running.send('session.subscribe', {
    events: ['network.beforeRequestSent', 'log.entryAdded', 'browsingContext.userPromptOpened'],
  })
  await running.send('script.addPreloadScript', { functionDeclaration: `() => ${MOVED_CLOCK}` })
  await running.send('network.addIntercept', { phases: ['beforeRequestSent'] })
  running.context = String((await running.send('browsingContext.create', { type: 'tab' })).context)
  return running
}

function receive(running: Running, { method, params = {} }: Message): void {
  const { request, level, text = '', isBlocked } = params
  if (method === 'log.entryAdded' && level === 'error') running.complaints.push(text)
  if (method === 'browsingContext.userPromptOpened') {
    const userText = params.type === 'prompt' ? { userText: running.answers.shift() ?? '' } : {}
    const answer = { context: running.context, accept: true, ...userText }
    // The page may be gone already.
    running.send('browsingContext.handleUserPrompt', answer).catch(() => undefined)
  }
  if (method !== 'network.beforeRequestSent' || !request) return
  running.requested.push(request.url)
  if (!isBlocked) return
  const isRefused = running.isScriptless && /\.js(?:\?|$)/.test(request.url)
  const answer = isRefused ? 'network.failRequest' : 'network.continueRequest'
  // The page may be gone already.
  running.send(answer, { request: request.request }).catch(() => undefined)
}

async function openTab(processFor: (sight: Sight) => Promise<Running>): Promise<Tab> {
  let running = await processFor({ width: 1280 })
  const tab: Tab = {
    look: async (sight) => {
      running = await processFor(sight)
      running.isScriptless = sight.scripts === false
      tab.requested = running.requested
      tab.complaints = running.complaints
      tab.answers = running.answers
      const { width, height = 900, zoom = 1 } = sight
      const viewport = { width: Math.round(width / zoom), height: Math.round(height / zoom) }
      const { context, send } = running
      await send('browsingContext.setViewport', { context, viewport, devicePixelRatio: zoom })
    },
    goTo: async (url) => {
      await running.send('browsingContext.navigate', { context: running.context, url, wait: 'complete' })
    },
    evaluate: async (expression) => {
      const { result, exceptionDetails } = await running.send('script.evaluate', {
        expression: `Promise.resolve(${expression}).then((value) => JSON.stringify(value) ?? 'null')`,
        target: { context: running.context },
        awaitPromise: true,
      })
      if (exceptionDetails !== undefined) throw new Error(JSON.stringify(exceptionDetails).slice(0, 2000))
      return JSON.parse((result as { value: string }).value)
    },
    picture: async () => {
      const { data } = await running.send('browsingContext.captureScreenshot', {
        context: running.context,
        origin: 'document',
      })
      return Buffer.from(String(data), 'base64')
    },
    key: async (name) => {
      const { key, held } = keyIn(name)
      const values = [...held, key].map((one) => KEYS.get(one) ?? one)
      const downs = values.map((value) => ({ type: 'keyDown', value }))
      const ups = values.toReversed().map((value) => ({ type: 'keyUp', value }))
      await act(running, { type: 'key', id: 'keys', actions: [...downs, ...ups] })
    },
    mouse: async (action, x, y) => {
      const move = { type: 'pointerMove', x: Math.round(x), y: Math.round(y) }
      const press = { type: action === 'down' ? 'pointerDown' : 'pointerUp', button: 0 }
      await act(running, {
        type: 'pointer',
        id: 'mouse',
        actions: action === 'move' ? [move] : [move, press],
      })
    },
    chooseFile: async (selector, path) => {
      const { context, send } = running
      const locator = { type: 'css', value: selector }
      const { nodes } = await send('browsingContext.locateNodes', { context, locator })
      const [element] = nodes as { sharedId: string }[]
      await send('input.setFiles', { context, element: { sharedId: element?.sharedId }, files: [path] })
    },
    answers: running.answers,
    requested: running.requested,
    complaints: running.complaints,
  }
  return tab
}

const KEYS = new Map([
  ['Tab', '\uE004'],
  ['Enter', '\uE007'],
  ['Shift', '\uE008'],
  ['Control', '\uE009'],
  ['Alt', '\uE00A'],
  ['Escape', '\uE00C'],
  ['End', '\uE010'],
  ['Home', '\uE011'],
  ['ArrowLeft', '\uE012'],
  ['ArrowUp', '\uE013'],
  ['ArrowRight', '\uE014'],
  ['ArrowDown', '\uE015'],
])

async function act({ send, context }: Running, source: object): Promise<void> {
  await send('input.performActions', { context, actions: [source] })
}
