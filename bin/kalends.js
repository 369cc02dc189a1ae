#!/usr/bin/env -S node --max-semi-space-size=4
// A small young generation, in MB: a large one makes nothing faster here, and takes a hundred megabytes (docs/decisions/0014).
// Plain JavaScript, so that a Node too old to read TypeScript says so instead of failing on the first type.
const major = Number(process.versions.node.split('.')[0])
if (major < 24) {
  console.error(`Kalends needs Node 24 or newer, and this is ${process.versions.node}; npm start brings its own.`)
  process.exit(1)
}
// The kernel keeps signals from the first process of a container unless it listens for them; the service does so once it is up.
if (process.pid === 1) {
  process.once('SIGINT', () => process.exit(130))
  process.once('SIGTERM', () => process.exit(143))
}
// What was compiled at one start need not be compiled again at the next.
const { enableCompileCache } = await import('node:module')
enableCompileCache()
// A package has what `npm run build` makes of the sources, since Node reads no TypeScript below node_modules.
const { existsSync } = await import('node:fs')
const hasSources = existsSync(new URL('../src/main.ts', import.meta.url))
await import(hasSources ? '../src/main.ts' : '../dist/src/main.js')
