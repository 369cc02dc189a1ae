import { existsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/** @throws Error with one sentence when the folder of a file to write is not there */
export function requireFolderOf(file: string): void {
  if (!existsSync(dirname(file))) throw new Error(`There is no folder ${dirname(file)}: make it first.`)
}

/** Whether a path is that of a folder. */
export function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}
