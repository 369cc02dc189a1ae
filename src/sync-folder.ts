import { open } from 'node:fs/promises'

/** Makes new names in a folder durable. Windows cannot. */
export async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return
  const handle = await open(folder)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
