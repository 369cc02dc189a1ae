// What may import what in `src`, types included: read by dependency-cruiser (`npm run lint`).

const { readdirSync } = require('node:fs')
const { join } = require('node:path')

/**
 * The folders and loose files of the kernel, the lowest layer first. A file may import from its own folder
 * and from lower layers, but not from others of its layer.
 */
const LAYERS = [
  ['base/cache.ts', 'base/errors.ts', 'base/foreign-json.ts'],
  ['base/text', 'base/run-command.ts', 'base/files.ts', 'base/problems.ts'],
  ['base/setting-kinds.ts'],
  ['base/config.ts', 'base/metric-families.ts'],
  ['base/finding.ts'],
  ['base/recurrence'],
  ['base/fields'],
  ['store/storage', 'store/media'],
  ['store/memory'],
  ['calendar/people'],
  ['calendar/declare'],
  ['calendar/records'],
  ['calendar/images', 'calendar/terms'],
  ['calendar/linked'],
  ['calendar/events'],
  ['calendar/series'],
  ['calendar/resources.ts'],
  ['calendar/history'],
  ['calendar/editing'],
  ['calendar/locales'],
  ['calendar/ground.ts'],
  ['calendar/open-ground.ts'],
  ['http'],
  ['wordpress'],
  ['feature.ts'],
  ['features'],
  ['features.ts'],
  ['app.ts'],
  ['commands.ts'],
  ['command-line.ts'],
  ['main.ts'],
]

/**
 * The features that some may import beside the kernel, with those that these may import; others import the
 * kernel alone, and none is imported by it.
 */
const ARROWS = {
  pages: ['feeds'],
  desk: ['pages'],
  imports: ['sync', 'desk'],
  push: ['imports', 'transfer'],
  transfer: ['feeds'],
  mail: ['desk'],
  submissions: ['mail'],
  assistants: ['feeds'],
  'openid-connect': ['desk'],
}
const reachedFrom = (name) => (ARROWS[name] ?? []).flatMap((other) => [other, ...reachedFrom(other)])
const FEATURES = Object.fromEntries(
  readdirSync(join(__dirname, '../src/features')).map((name) => [name, [...new Set(reachedFrom(name))]]),
)

/** The folders that may import a package, or a module of Node; any may import the others. */
const PACKAGES = {
  '@aws-sdk/client-s3': ['store/media'],
  '@fastify/busboy': ['http'],
  kysely: ['store', 'calendar', 'wordpress/post-list.ts', 'features'],
  'node:sqlite': ['store/storage', 'features/transfer', 'features/doctor'],
  pg: ['store/storage'],
  sharp: ['store/media', 'features/demo', 'features/pages'],
}

/** What belongs to one resource, and who may import it: pages and the desk show each kind of record. */
const RESOURCES = [
  'calendar/events',
  'calendar/series',
  'calendar/linked/(venue|organizer).ts',
  'calendar/terms/taxonomies.ts',
]
const JOINERS = [
  'app.ts',
  'calendar/history/record-(history|states).ts',
  'calendar/locales/messages.ts',
  'calendar/resources.ts',
  'features/imports/(import-(batch|source)|missing-items|plan-items|shown-records|(source|write)-item).ts',
  'features/push/push-(calendar|items).ts',
  'features/assistants/assistant-(answers|tools).ts',
  'features/desk',
  'features/feeds/(event-(component|facts)|feed|geojson|icalendar|json-ld|postponed-store|whole-series).ts',
  'features/mail/(issue|plan-issues|subscribe-pages).ts',
  'features/pages',
  'features/submissions',
  'features/sync/changes-rest.ts',
  'http/public-reads.ts',
]

const at = (places) => `^src/(${places.join('|').replaceAll('.', '\\.')})(/|$)`

module.exports = {
  forbidden: [
    ...LAYERS.map((layer, i) => ({
      name: `from ${layer.join(', ')} to a layer that is not below`,
      severity: 'error',
      from: { path: at(layer) },
      to: { path: at(LAYERS.slice(i).flat()), pathNot: '^src/$1(/|$)' },
    })),
    ...Object.entries(FEATURES).map(([name, others]) => ({
      name: `from ${name} to another feature than ${others.join(', ') || 'none'}`,
      severity: 'error',
      from: { path: at([`features/${name}`]) },
      to: { path: '^src/features/', pathNot: at([name, ...others].map((one) => `features/${one}`)) },
    })),
    {
      name: 'a folder without a place in the layers',
      severity: 'error',
      from: { path: '^src/', pathNot: at(LAYERS.flat()) },
      to: {},
    },
    { name: 'a circle', severity: 'error', from: { pathNot: '/assets/' }, to: { circular: true } },
    {
      name: 'src is served without the rest of the repository',
      severity: 'error',
      from: {},
      to: { path: '^(bench|client|lint|openapi|packaging|test)/' },
    },
    {
      name: 'src is served without the packages of development',
      severity: 'error',
      from: {},
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg'], dependencyTypesNot: ['npm-peer'] },
    },
    ...Object.entries(PACKAGES).map(([name, places]) => ({
      name: `${name} elsewhere than in ${places.join(', ')}`,
      severity: 'error',
      from: { pathNot: at(places) },
      to: { path: `^${name}$|^node_modules/${name}/` },
    })),
    {
      name: 'a resource elsewhere than where resources are joined',
      severity: 'error',
      from: { pathNot: at([...RESOURCES, ...JOINERS]) },
      to: { path: at(RESOURCES) },
    },
    {
      name: 'a migration that leans on the sources of today',
      severity: 'error',
      from: { path: at(['store/storage/migrations']) },
      to: { path: '^src/', pathNot: at(['store/storage']) },
    },
  ],
  options: {
    parser: 'swc',
    tsPreCompilationDeps: true,
    doNotFollow: 'node_modules',
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'types'] },
  },
}
