import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before } from 'node:test'
import { connect, socketAddress } from './browser-socket.ts'
import { type Browser, keyIn, type Sight, type Tab } from './browsers.ts'
import { until } from './waiting.ts'

export interface Chromium extends Browser {
  open: () => Promise<ChromiumTab>
  [Symbol.asyncDispose]: () => Promise<void>
}

export interface ChromiumTab extends Tab {
  send: (method: string, parameters?: object) => Promise<Record<string, unknown>>
}

const PLACES = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  process.env.CHROMIUM ?? '',
]

export function findChromium(): string | undefined {
  return PLACES.find((place) => place !== '' && existsSync(place))
}

/**
 * Environment variable with the socket of a Chromium that all processes of a run share, since starting one
 * takes two seconds of a core.
 */
export const SHARED_CHROMIUM = 'TEST_CHROMIUM'

export async function launchChromium(
  program: string,
): Promise<{ address: string; close: () => Promise<void> }> {
  const profile = await mkdtemp(join(tmpdir(), 'kalends-chromium-'))
  const flags = [
    '--headless=new',
    '--no-sandbox',
    '--disable-gpu',
    '--hide-scrollbars',
    '--remote-debugging-port=0',
  ]
  const child = spawn(program, [...flags, ...AWAKE, `--user-data-dir=${profile}`, 'about:blank'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  // The browser ends with this process, even after an error.
  const leave = () => child.kill()
  process.once('exit', leave)
  return {
    address: await socketAddress(child, /DevTools listening on (ws:\S+)/),
    close: async () => {
      const ended = new Promise((resolve) => child.once('exit', resolve))
      process.off('exit', leave)
      child.kill()
      await ended
      await rm(profile, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

/** A script for pages, which then have the clock of the run. */
export const MOVED_CLOCK = `{
const process = { env: { TEST_CLOCK_AHEAD: ${process.env.TEST_CLOCK_AHEAD ?? 0} } }
${readFileSync(new URL('clock.js', import.meta.url), 'utf8')}}`

const AWAKE = [
  '--disable-background-timer-throttling',
  '--disable-backgrounding-occluded-windows',
  '--disable-renderer-backgrounding',
]

export const noChromium = { skip: findChromium() === undefined && 'no Chromium is installed' }

/** A browser for the tests of this file or suite. It is there once their first `before` runs. */
export function startChromiumHere(): Chromium {
  let browser: Chromium
  before(async () => {
    browser = await startChromium()
  })
  after(() => browser?.close())
  return {
    open: () => browser.open(),
    close: async () => undefined,
    [Symbol.asyncDispose]: async () => undefined,
  }
}

export async function startChromium(program = findChromium() ?? ''): Promise<Chromium> {
  const shared = process.env[SHARED_CHROMIUM]
  if (shared !== undefined) return drive(shared, async () => undefined)
  const { address, close } = await launchChromium(program)
  return drive(address, close)
}

async function drive(address: string, end: () => Promise<void>): Promise<Chromium> {
  const socket = await connect(address)
  const session: Session = { socket, waiting: new Map(), tabs: new Map(), last: 0 }
  socket.onmessage = ({ data }) => receive(session, JSON.parse(String(data)))
  const { browserContextId } = await send(session, 'Target.createBrowserContext', {})
  const close = async () => {
    await send(session, 'Target.disposeBrowserContext', { browserContextId })
    socket.close()
    await end()
  }
  return { open: () => openTab(session, String(browserContextId)), close, [Symbol.asyncDispose]: close }
}

interface Waiter {
  resolve: (result: Record<string, unknown>) => void
  reject: (error: Error) => void
}

interface Session {
  socket: WebSocket
  waiting: Map<number, Waiter>
  tabs: Map<string, Tab>
  last: number
}

interface Message {
  id?: number
  method?: string
  sessionId?: string
  params?: Record<string, unknown>
  result?: Record<string, unknown>
  error?: { message: string }
}

function receive(session: Session, { id, method, sessionId = '', params, result, error }: Message): void {
  const { waiting, tabs } = session
  const waiter = waiting.get(id ?? 0)
  if (id !== undefined && waiter) {
    waiting.delete(id)
    if (error) waiter.reject(new Error(error.message))
    else waiter.resolve(result ?? {})
    return
  }
  const tab = tabs.get(sessionId)
  if (!tab) return
  if (method === 'Network.requestWillBeSent') tab.requested.push(memberOf(params?.request, 'url'))
  if (method === 'Log.entryAdded') tab.complaints.push(memberOf(params?.entry, 'text'))
  if (method === 'Page.javascriptDialogOpening') {
    const promptText = params?.type === 'prompt' ? (tab.answers.shift() ?? '') : ''
    // The page may be gone already.
    send(session, 'Page.handleJavaScriptDialog', { accept: true, promptText }, sessionId).catch(
      () => undefined,
    )
  }
  if (method === 'Runtime.exceptionThrown') tab.complaints.push(JSON.stringify(params))
}

const memberOf = (value: unknown, name: string) =>
  typeof value === 'object' && value !== null
    ? String(Object.entries(value).find(([own]) => own === name)?.[1])
    : ''

function send(
  session: Session,
  method: string,
  params: object,
  sessionId?: string,
): Promise<Record<string, unknown>> {
  session.last += 1
  const id = session.last
  session.socket.send(JSON.stringify({ id, method, params, ...(sessionId ? { sessionId } : {}) }))
  return new Promise((resolve, reject) => session.waiting.set(id, { resolve, reject }))
}

async function openTab(session: Session, browserContextId: string): Promise<ChromiumTab> {
  const { targetId } = await send(session, 'Target.createTarget', { url: 'about:blank', browserContextId })
  const { sessionId } = await send(session, 'Target.attachToTarget', { targetId, flatten: true })
  const call: ChromiumTab['send'] = (method, parameters = {}) =>
    // Permissions are granted to this browser context only.
    send(
      session,
      method,
      method.startsWith('Browser.') ? { ...parameters, browserContextId } : parameters,
      String(sessionId),
    )
  const tab: ChromiumTab = {
    send: call,
    look: (sight) => look(call, sight),
    goTo: (address) => goTo(call, address),
    evaluate: (expression) => evaluate(call, expression),
    showPrinted: async (isPrinted) =>
      void (await call('Emulation.setEmulatedMedia', { media: isPrinted ? 'print' : '' })),
    picture: async () => {
      const { data } = await call('Page.captureScreenshot', { captureBeyondViewport: true, format: 'png' })
      return Buffer.from(String(data), 'base64')
    },
    key: (name) => pressKey(call, name),
    mouse: (action, x, y) => useMouse(call, action, x, y),
    chooseFile: (selector, path) => chooseFile(call, selector, path),
    answers: [],
    requested: [],
    complaints: [],
  }
  session.tabs.set(String(sessionId), tab)
  for (const domain of ['Page', 'Network', 'Log', 'Runtime']) await call(`${domain}.enable`)
  await call('Page.addScriptToEvaluateOnNewDocument', { source: MOVED_CLOCK })
  await call('Emulation.setFocusEmulationEnabled', { enabled: true })
  return tab
}

async function look(call: ChromiumTab['send'], sight: Sight): Promise<void> {
  const { width, height = 900, scheme = 'light', scripts = true, zoom = 1, forcedColors = false } = sight
  const [w, h] = [Math.round(width / zoom), Math.round(height / zoom)]
  await call('Emulation.setDeviceMetricsOverride', {
    width: w,
    height: h,
    deviceScaleFactor: zoom,
    mobile: false,
  })
  const features = [
    { name: 'prefers-color-scheme', value: scheme },
    { name: 'prefers-reduced-motion', value: 'reduce' },
    { name: 'forced-colors', value: forcedColors ? 'active' : 'none' },
  ]
  await call('Emulation.setEmulatedMedia', { features })
  await call('Network.setBlockedURLs', { urls: scripts ? [] : ['*.js'] })
}

const CODES = {
  Tab: 9,
  Enter: 13,
  Escape: 27,
  ' ': 32,
  End: 35,
  Home: 36,
  ArrowLeft: 37,
  ArrowUp: 38,
  ArrowRight: 39,
  ArrowDown: 40,
} as const
const MODIFIERS = new Map([
  ['Alt', 1],
  ['Control', 2],
  ['Shift', 8],
])

async function pressKey(call: ChromiumTab['send'], name: string): Promise<void> {
  const { key, held } = keyIn(name)
  const modifiers = held.reduce((sum, one) => sum + (MODIFIERS.get(one) ?? 0), 0)
  const known = Object.entries(CODES).find(([one]) => one === key)?.[1]
  const windowsVirtualKeyCode = known ?? (/[a-z\d]/i.test(key) ? key.toUpperCase().charCodeAt(0) : 0)
  const text = key === 'Enter' ? '\r' : [...key].length === 1 ? key : undefined
  const code = known !== undefined && key !== ' ' ? { code: key } : {}
  const pressed = { key, modifiers, windowsVirtualKeyCode, ...code }
  const isTyped = text !== undefined && !held.some((one) => one !== 'Shift')
  const typed = text === undefined ? {} : { unmodifiedText: text, ...(isTyped && { text }) }
  await call('Input.dispatchKeyEvent', { type: 'keyDown', ...pressed, ...typed })
  await call('Input.dispatchKeyEvent', { type: 'keyUp', ...pressed })
}

const pressing = new WeakSet<ChromiumTab['send']>()

async function useMouse(
  call: ChromiumTab['send'],
  action: 'move' | 'down' | 'up',
  x: number,
  y: number,
): Promise<void> {
  if (action === 'down') pressing.add(call)
  if (action === 'up') pressing.delete(call)
  const held = pressing.has(call) ? { button: 'left', buttons: 1 } : { button: 'none' }
  if (action === 'move') await call('Input.dispatchMouseEvent', { type: 'mouseMoved', x, y, ...held })
  else
    await call('Input.dispatchMouseEvent', {
      type: action === 'down' ? 'mousePressed' : 'mouseReleased',
      x,
      y,
      button: 'left',
      clickCount: 1,
    })
}

async function chooseFile(call: ChromiumTab['send'], selector: string, path: string): Promise<void> {
  const expression = `document.querySelector(${JSON.stringify(selector)})`
  const { result } = await call('Runtime.evaluate', { expression })
  await call('DOM.setFileInputFiles', { files: [path], objectId: memberOf(result, 'objectId') })
}

async function goTo(call: ChromiumTab['send'], address: string): Promise<void> {
  const { errorText } = await call('Page.navigate', { url: address })
  if (errorText !== undefined) throw new Error(`${address}: ${String(errorText)}`)
  const isLoaded = async () => {
    const state = await evaluate<string>(call, `document.readyState + ' ' + location.href`)
    return state.startsWith('complete') && !state.endsWith('about:blank')
  }
  await until(isLoaded, `${address} has not been loaded.`, 15)
}

async function evaluate<Value>(call: ChromiumTab['send'], expression: string): Promise<Value> {
  const parameters = { expression, awaitPromise: true, returnByValue: true }
  const { result, exceptionDetails } = await call('Runtime.evaluate', parameters)
  if (exceptionDetails !== undefined) throw new Error(JSON.stringify(exceptionDetails))
  return (result as { value: Value }).value
}
