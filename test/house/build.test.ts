import { deepEqual, equal, fail, match, ok } from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import packageJson from '../../package.json' with { type: 'json' }
import { pack, stagePackage } from '../../packaging/npm-package.ts'
import { temporaryFolder } from '../support/folder.ts'
import { assertNone } from '../support/lists.ts'
import { otherNodes, startProcess } from '../support/processes.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const folder = temporaryFolder()

await stagePackage(join(folder, 'staged'))
const packed = pack(join(folder, 'staged'), folder)
execFileSync('tar', ['-xzf', packed, '-C', folder])
const unpacked = join(folder, 'package')
const files = readdirSync(unpacked, { recursive: true, encoding: 'utf8', withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath, entry.name))
const textOf = (path: string) => readFileSync(join(unpacked, path), 'utf8')

test('the package serves the demo by itself in an empty folder, without a warning', async (t) => {
  symlinkSync(join(root, 'node_modules'), join(unpacked, 'node_modules'), 'junction')
  mkdirSync(join(folder, 'empty'))
  const flags = ['--demo', '--port', '0', '--log-level', 'warn']
  const there = `cd '${folder}/empty' && exec 2> '${folder}/said'`
  const { lines, end } = startProcess(join(unpacked, 'bin', 'kalends.js'), ['serve', ...flags], {}, there)
  t.after(() => end())
  for await (const line of lines) {
    const [, base] = line.match(/^Kalends answers at (\S+)$/) ?? []
    if (base === undefined) continue
    for (const path of ['/events', '/events?search=lantern', '/doc', '/venues?search=lantern'])
      equal((await fetch(base + path)).status, 200, path)
    const page = await (await fetch(new URL('/', base))).text()
    const [, style = ''] = page.match(/<link rel="stylesheet" href="([^"]+)"/) ?? []
    equal((await fetch(new URL(style, base))).status, 200, style)
    equal(readFileSync(join(folder, 'said'), 'utf8'), '')
    ok(existsSync(join(folder, 'empty', 'data')))
    return
  }
  fail('the service did not start')
})

test('the package has what is run and its licences, nothing of the repository or its machine', () => {
  const paths = files.map((path) => path.slice(unpacked.length + 1))
  assertNone(
    paths,
    (path) => !/^(bin|dist)\/|^(LICENSE|README\.md|package\.json|npm-shrinkwrap\.json)$/.test(path),
  )
  assertNone(paths, (path) => /(^|[/.])tests?[/.]|\.(ts|map)$|tsconfig/.test(path))
  const marks = [folder, root, '/work/', '/home/', '/Users/']
  assertNone(files, (path) => marks.some((mark) => readFileSync(path, 'utf8').includes(mark)))
  match(textOf('dist/THIRD-PARTY-NOTICES.txt'), /UNICODE LICENSE/i)
  match(textOf('LICENSE'), /MIT/)
})

test('the manifest of the package is package.json, less the repository’s part, with each version', () => {
  const { private: isPrivate, scripts, devDependencies, workspaces, allowScripts, ...kept } = packageJson
  deepEqual(JSON.parse(textOf('package.json')), { ...kept, files: [...kept.files, 'npm-shrinkwrap.json'] })
  equal(isPrivate, true, 'npm publish would publish the repository')
  const { packages }: { packages: Record<string, { version: string; resolved?: string }> } = JSON.parse(
    textOf('npm-shrinkwrap.json'),
  )
  for (const name of Object.keys(packageJson.dependencies))
    ok(packages[`node_modules/${name}`]?.version, name)
  for (const name of Object.keys(devDependencies)) equal(packages[`node_modules/${name}`], undefined, name)
  assertNone(Object.values(packages), ({ resolved }) => resolved !== undefined)
})

test('the same files are packed to the same bytes', () => {
  const again = join(folder, 'again')
  mkdirSync(again)
  deepEqual(readFileSync(pack(join(folder, 'staged'), again)), readFileSync(packed))
})

const run = (program: string, file: string, before: string[] = []) => {
  const { status, stdout, stderr } = spawnSync(program, [...before, file, 'serve'], { encoding: 'utf8' })
  return { status, stdout, stderr }
}
const pretending = (version: string) => [
  '--import',
  `data:text/javascript,Object.defineProperty(process.versions, 'node', { value: '${version}' })`,
]

for (const version of ['18.20.8', '20.20.2', '22.23.3', '24.6.0']) {
  test(`on Node ${version} the package says in one sentence which Node it needs`, () => {
    deepEqual(run(process.execPath, join(unpacked, 'bin/kalends.js'), pretending(version)), {
      status: 1,
      stdout: '',
      stderr:
        `Kalends needs Node 24.7 or newer, and this is ${version}; ` +
        'npx -p node@24 -p kalends kalends brings its own.\n',
    })
  })
}

test('a clone says that npm start brings the Node it needs', () => {
  const { stderr } = run(process.execPath, join(root, 'bin/kalends.js'), pretending('20.20.2'))
  equal(stderr, 'Kalends needs Node 24.7 or newer, and this is 20.20.2; npm start brings its own.\n')
})

test('a clone runs its bundle until a source or a package is newer, and its sources without one', () => {
  const clone = join(folder, 'clone')
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(clone, path)), { recursive: true })
    writeFileSync(join(clone, path), text)
  }
  const age = (path: string, seconds: number) => utimesSync(join(clone, path), seconds, seconds)
  const says = () => spawnSync(process.execPath, [join(clone, 'bin/kalends.js')], { encoding: 'utf8' }).stdout
  cpSync(join(root, 'bin'), join(clone, 'bin'), { recursive: true })
  write('package.json', '{ "type": "module" }')
  write('src/base/other.ts', '')
  write('src/main.ts', "console.log('sources')")
  const made = ['package.json', 'src/main.ts', 'src/base/other.ts', 'src/base', 'src']
  for (const path of made) age(path, 1000)
  equal(says(), 'sources\n')
  write('dist/src/main.js', "console.log('bundle')")
  age('dist/src/main.js', 2000)
  equal(says(), 'bundle\n')
  for (const path of made) {
    age(path, 3000)
    equal(says(), 'sources\n', path)
    age(path, 1000)
  }
  write('node_modules/.package-lock.json', '{}')
  equal(says(), 'sources\n')
})

const older = otherNodes().find((path) =>
  /^v(18|2[0-3])\./.test(spawnSync(path, ['-v'], { encoding: 'utf8' }).stdout ?? ''),
)

test('an older Node that is here says the same', {
  skip: older === undefined && 'needs an older node',
}, () => {
  const { status, stdout, stderr } = run(older ?? '', join(unpacked, 'bin/kalends.js'))
  deepEqual({ status, stdout }, { status: 1, stdout: '' })
  match(stderr, /^Kalends needs Node 24\.7 or newer, and this is [\d.]+; .* brings its own\.\n$/)
})
