import { existsSync, mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Makes a folder with those above it, for this user alone, where it is missing. Node's own way never ends where the system makes no
 * folders, such as in `/proc`.
 * @throws Error with one sentence when it cannot be made, or something else has its place
 */
export function makeFolder(folder: string): void {
  if (existsSync(folder)) {
    if (fileAt(folder) !== undefined) throw new Error(`${folder} is a file, and has to be a folder`)
    return
  }
  const above = dirname(folder)
  if (above !== folder) makeFolder(above)
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    // Another process may have been faster.
    if (!existsSync(folder))
      throw new Error(`the folder ${folder} cannot be made (${error instanceof Error ? error.message : String(error)})`)
  }
}

/** The file that stands in the place of a folder or of one above it, if one does. */
export function fileAt(folder: string): string | undefined {
  const found = statSync(folder, { throwIfNoEntry: false })
  if (found) return found.isDirectory() ? undefined : folder
  const above = dirname(folder)
  return above === folder ? undefined : fileAt(above)
}
