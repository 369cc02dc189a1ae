// Lists the size of each package of a production installation: npm run packages
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

/** An entry of the lock file. */
interface Locked {
  dev?: boolean
  link?: boolean
}

/**
 * Returns the packages that `npm install --omit=dev` installs here with their bytes, largest first. Packages
 * of other platforms are missing.
 */
export async function productionPackages(): Promise<[name: string, bytes: number][]> {
  const lock: { packages: Record<string, Locked> } = JSON.parse(
    await readFile(join(root, 'package-lock.json'), 'utf8'),
  )
  const folders = Object.entries(lock.packages)
    .filter(([folder, { dev, link }]) => folder.startsWith('node_modules/') && !dev && !link)
    .map(([folder]) => folder)
  const sizes = folders.map(
    async (folder): Promise<[string, number]> => [
      folder.slice('node_modules/'.length),
      await ownBytes(folder),
    ],
  )
  const here = (await Promise.all(sizes)).filter(([, bytes]) => bytes > 0)
  return here.sort(([, one], [, other]) => other - one)
}

/** Returns the bytes of a package without nested packages. */
async function ownBytes(folder: string): Promise<number> {
  const names = await readdir(join(root, folder), { recursive: true }).catch(() => [])
  const own = names
    .filter((name) => !/^node_modules[\\/]/.test(name))
    .map((name) => stat(join(root, folder, name)))
  return (await Promise.all(own)).reduce((sum, found) => sum + (found.isFile() ? found.size : 0), 0)
}

if (import.meta.main) {
  const all = await productionPackages()
  const line = (name: string, bytes: number) => `${(bytes / 1_000_000).toFixed(2).padStart(6)} MB  ${name}`
  for (const [name, bytes] of all) if (bytes >= 100_000) console.log(line(name, bytes))
  console.log(
    line(
      `${all.length} packages`,
      all.reduce((sum, [, bytes]) => sum + bytes, 0),
    ),
  )
}
