import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'

/** Makes a folder that goes with the test, the suite or the file that asks for it. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'kalends-'))
  after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
