#!/usr/bin/env -S node --max-semi-space-size=4
// A small young generation, in MB: a large one makes nothing faster here, and takes a hundred megabytes
// (docs/decisions/0014). Plain JavaScript, so that a Node too old to read TypeScript says so instead of
// failing on the first type.
const [major, minor] = process.versions.node.split('.').map(Number)
if (major < 24 || (major === 24 && minor < 7)) {
  const command = (await hasSources()) ? 'npm start' : 'npx -p node@24 -p kalends kalends'
  console.error(
    `Kalends needs Node 24.7 or newer, and this is ${process.versions.node}; ${command} brings its own.`,
  )
  process.exit(1)
}
// The kernel keeps signals from the first process of a container unless it listens for them; the service does
// so once it is up.
if (process.pid === 1) {
  process.once('SIGINT', () => process.exit(130))
  process.once('SIGTERM', () => process.exit(143))
}
// Some releases of Node 24 call node:sqlite experimental; nobody who runs Kalends can do anything about it.
const { emitWarning } = process
process.emitWarning = (warning, ...more) => {
  if (!String(warning).startsWith('SQLite is an experimental feature'))
    emitWarning.call(process, warning, ...more)
}
const { enableCompileCache } = await import('node:module')
const { lstatSync, mkdirSync } = await import('node:fs')
const { homedir } = await import('node:os')
const { fileURLToPath } = await import('node:url')
// What was compiled at one start need not be compiled again at the next.
const cache = process.env.NODE_COMPILE_CACHE ?? ownCacheFolder()
if (cache !== undefined) {
  enableCompileCache(cache)
  // Threads look here: without it each would load the compiler of TypeScript, which takes a tenth of a second
  // and 17 MB.
  process.env.NODE_COMPILE_CACHE = cache
}
try {
  await import((await isBuilt()) ? '../dist/src/main.js' : '../src/main.ts')
} catch (error) {
  // Only what comes from elsewhere has a bare name.
  const [, name] = /^Cannot find package '([^']+)'/.exec(error.message) ?? []
  if (error.code !== 'ERR_MODULE_NOT_FOUND' || name === undefined) throw error
  const folder = fileURLToPath(new URL('..', import.meta.url))
  console.error(
    `The package ${name}, which Kalends needs, is not installed: run npm install in ${folder} first.`,
  )
  process.exit(1)
}

/** Whether this is a clone; a package has what `npm run build` makes of the sources. */
async function hasSources() {
  const { existsSync } = await import('node:fs')
  return existsSync(new URL('../src/main.ts', import.meta.url))
}

/**
 * Whether what `npm run build` made is there, and nothing that it is made of has changed since: it starts in
 * half the time.
 */
async function isBuilt() {
  const { readdirSync, statSync } = await import('node:fs')
  const root = fileURLToPath(new URL('..', import.meta.url))
  const timeOf = (path) => statSync(`${root}${path}`, { throwIfNoEntry: false })?.mtimeMs ?? 0
  const built = timeOf('dist/src/main.js')
  if (built === 0 || !(await hasSources())) return built > 0
  const sources = readdirSync(`${root}src`, { recursive: true }).map((path) => `src/${path}`)
  return ['package.json', 'node_modules/.package-lock.json', 'src', ...sources].every(
    (path) => timeOf(path) <= built,
  )
}

/**
 * A folder that nobody else can write into: what is kept there is run. Undefined where there is none; Node's
 * own choice is shared by all users.
 */
function ownCacheFolder() {
  const folder = `${process.env.XDG_CACHE_HOME || `${homedir()}/.cache`}/kalends`
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const { mode, uid } = lstatSync(folder)
    const isOwn = process.getuid === undefined || (uid === process.getuid() && (mode & 0o022) === 0)
    return isOwn ? folder : undefined
  } catch {
    return undefined
  }
}
