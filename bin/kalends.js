#!/usr/bin/env node
// Plain JavaScript, so that a Node too old to read TypeScript says so instead of failing on the first type.
const major = Number(process.versions.node.split('.')[0])
if (major < 24) {
  console.error(`Kalends needs Node 24 or newer, and this is ${process.versions.node}; npm start brings its own.`)
  process.exit(1)
}
// What was compiled at one start need not be compiled again at the next.
const { enableCompileCache } = await import('node:module')
enableCompileCache()
await import('../src/main.ts')
