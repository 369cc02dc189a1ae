// What may import what in `src`, types included: read by dependency-cruiser (`npm run lint`).

/**
 * The folders and loose files of `src`, the lowest layer first. A file may import from its own folder and from lower
 * layers, but not from others of its layer.
 */
const LAYERS = [
  ['base/cache.ts', 'base/errors.ts', 'base/foreign-json.ts', 'base/gzip.ts'],
  ['base/text', 'base/run-command.ts', 'base/files.ts', 'base/problems.ts'],
  ['base/setting-kinds.ts'],
  ['base/look-settings.ts'],
  ['base/config.ts', 'base/icalendar'],
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
  ['serve/formats', 'serve/sync'],
  ['serve/pages'],
  ['serve/webhooks'],
  ['serve/desk', 'serve/assistants'],
  ['serve/http'],
  ['exchange/transfer'],
  ['exchange/import'],
  ['exchange/push'],
  ['operate/demo', 'operate/doctor'],
  ['operate/watching'],
  ['app.ts'],
  ['commands.ts'],
  ['command-line.ts'],
  ['main.ts'],
]

/** The folders that may import a package, or a module of Node; any may import the others. */
const PACKAGES = {
  '@aws-sdk/client-s3': ['store/media'],
  '@fastify/busboy': ['serve/http'],
  kysely: ['store', 'calendar', 'exchange', 'serve/webhooks'],
  'node:sqlite': ['store/storage'],
  pg: ['store/storage'],
  sharp: ['store/media', 'operate/demo'],
}

/** What belongs to one resource, and who may import it: pages and the desk have a page or form for each kind of record. */
const RESOURCES = [
  'calendar/events',
  'calendar/series',
  'calendar/linked/(venue|organizer).ts',
  'calendar/terms/taxonomies.ts',
]
const JOINERS = [
  'app.ts',
  'calendar/editing/(merge-edits|merge-records|proposal-store).ts',
  'calendar/history/record-(history|states).ts',
  'calendar/locales/messages.ts',
  'calendar/resources.ts',
  'exchange/import/(import-batch|import-source|missing-items|plan-items|shown-records|source-item|write-item).ts',
  'exchange/push/push-(calendar|items).ts',
  'serve/assistants/assistant-(answers|tools).ts',
  'serve/desk',
  'serve/formats/(event-component|event-facts|feed|geojson|icalendar|json-ld|whole-series).ts',
  'serve/http/(history-rest|public-reads).ts',
  'serve/pages',
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
    {
      name: 'a folder without a place in the layers',
      severity: 'error',
      from: { path: '^src/', pathNot: at(LAYERS.flat()) },
      to: {},
    },
    {
      name: 'a circle',
      severity: 'error',
      from: { pathNot: '/assets/' },
      to: { circular: true },
    },
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
