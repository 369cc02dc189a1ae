// A module that programs preload with `--import`. It loads sources without types from one file: finding, reading and stripping hundreds of files takes half
// of a start. Everything else is loaded as usual.
import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { STRIPPED } from './environment.ts'

/** The start and end of each module in the file, in bytes, by its address. */
export type Places = Record<string, [from: number, to: number]>

export interface Stripped {
  places: Places
  /** The addresses of bundled packages by name. */
  packages: Record<string, string>
}

const stripped = process.env[STRIPPED]
if (stripped) {
  const { places, packages }: Stripped = JSON.parse(readFileSync(`${stripped}.json`, 'utf8'))
  const text = readFileSync(`${stripped}.js`)
  registerHooks({
    resolve: (specifier, context, next) => {
      const { parentURL } = context
      // Packages import each other as installed, not bundled.
      const url = parentURL?.endsWith('.ts') ? packages[specifier] : undefined
      if (url !== undefined) return { url, format: 'module', shortCircuit: true }
      if (!specifier.startsWith('.') || parentURL === undefined || !(parentURL in places))
        return next(specifier, context)
      const { href } = new URL(specifier, parentURL)
      return href in places ? { url: href, format: 'module', shortCircuit: true } : next(specifier, context)
    },
    load: (url, context, next) => {
      const place = places[url]
      if (place === undefined) return next(url, context)
      return { format: 'module', source: text.toString('utf8', ...place), shortCircuit: true }
    },
  })
}
