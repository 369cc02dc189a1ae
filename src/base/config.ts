import { isIP } from 'node:net'
import { resolve } from 'node:path'
import { CACHE_BYTES } from './cache.ts'
import { messageOf } from './errors.ts'
import {
  checked,
  choice,
  discreet,
  type HasSettings,
  hosts,
  isListenHost,
  list,
  type Setting,
  type SettingGroup,
  wholeNumber,
  word,
} from './setting-kinds.ts'
import { isTimezone } from './text/zones.ts'

/** True for the empty text, and for an http or https URL without login, query and fragment. */
function isAddressOfLinks(text: string): boolean {
  return text === '' || (/^https?:\/\/[^\s/?#@\\]+(?:\/[^\s?#\\]*)?$/i.test(text) && URL.canParse(text))
}

/** First path segments that the service itself uses, so `rest_root` must not begin with one. */
const OWN_PATHS = (
  'assets category date desk embed event events healthz mcp media organizer organizers readyz series tag ' +
  'tiles venue venues wp-admin wp-content'
).split(' ')

const RANGE_NAMES = new Set(['loopback', 'linklocal', 'uniquelocal'])

function isProxy(text: string): boolean {
  const [address = '', bits, ...more] = text.split('/')
  const version = isIP(address)
  if (version === 0) return RANGE_NAMES.has(text)
  return more.length === 0 && (bits === undefined || isMask(bits, version))
}

function isMask(bits: string, version: number): boolean {
  if (version === 4 && isIP(bits) === 4) return true
  return /^\d{1,3}$/.test(bits) && Number(bits) > 0 && Number(bits) <= (version === 4 ? 32 : 128)
}

export const LANGUAGES = ['en', 'de', 'fr', 'es'] as const
export type Language = (typeof LANGUAGES)[number]

/** Settings that owners can also change at the desk while the service runs. */
export const siteSettings = {
  timezone: checked(
    word(
      'The time zone of the site: a name such as Europe/Berlin, or an offset such as UTC+2.',
      'ZONE',
      'UTC',
    ),
    'takes a time zone such as Europe/Berlin or UTC+2',
    isTimezone,
  ),
  language: choice('The language of descriptions and messages.', LANGUAGES, 'en'),
  currency: checked(
    word('The currency of costs that name none, by its ISO 4217 code.', 'CODE', 'USD'),
    'takes a currency code of three letters',
    (text) => /^[A-Z]{3}$/.test(text),
  ),
}

/** Settings of the look that the kernel reads too. */
export const nameAndClock = {
  site_name: word('The name of the calendar.', 'TEXT', 'Kalends'),
  pages_clock: choice(
    'Whether times have 12 or 24 hours; auto: as is usual in the language.',
    ['auto', '12', '24'],
    'auto',
  ),
}

const LONGEST_TEMPLATE = 500

export function tileAddress(template: string): URL | undefined {
  if (template.length > LONGEST_TEMPLATE || !['{z}', '{x}', '{y}'].every((part) => template.includes(part)))
    return undefined
  const url = URL.parse(template.replaceAll(/\{[zxyr]\}/g, '0'))
  const isPlain =
    url !== null && /^https?:$/.test(url.protocol) && url.username === '' && !/[{}\s"'<>\\;,]/.test(url.href)
  return isPlain && !template.slice(0, template.indexOf('/', 8)).includes('{') ? url : undefined
}

const mapSettings = {
  directions: checked(
    word(
      'The address of directions to a venue, with {to} for its coordinates or its address. ' +
        'Empty: no links to directions.',
      'URL',
      'https://www.openstreetmap.org/directions?to={to}',
    ),
    'takes an address (http, https or geo) with {to} in it',
    (text) =>
      text === '' || (/^(https?:\/\/[^\s"'<>\\]+|geo:[^\s"'<>\\]*)$/.test(text) && text.includes('{to}')),
  ),
  map_tiles: checked(
    word(
      'The address of the tiles of maps, with {z}, {x} and {y}, such as ' +
        'https://tiles.example.org/{z}/{x}/{y}.png. ' +
        'Browsers load tiles from there once somebody asks for a map. Empty: no maps.',
      'URL',
      '',
    ),
    'takes an http or https address with {z}, {x} and {y} behind its host',
    (text) => text === '' || tileAddress(text) !== undefined,
  ),
  map_attribution: word(
    'Whom the map always names for the data of its tiles; links are written as in Markdown.',
    'TEXT',
    '[© OpenStreetMap contributors](https://www.openstreetmap.org/copyright)',
  ),
}

const settings = {
  vendor: checked(
    word('The first segment of the namespace, `<vendor>/events/v1`.', 'WORD', 'tribe'),
    'takes lower-case letters, digits and dashes',
    (text) => /^[a-z][a-z0-9-]*$/.test(text),
  ),
  rest_root: checked(
    word('The path below which the interface is served.', 'PATH', '/wp-json'),
    'takes a path that starts with a slash and leads to nothing else of the service',
    (text) => /^(\/[\w.~-]+)*\/?$/.test(text) && !OWN_PATHS.includes(text.toLowerCase().split('/')[1] ?? ''),
  ),
  site_url: discreet(
    word('The public address, which all links begin with. Empty: http://localhost and the port.', 'URL', ''),
    'takes an http or https address without login, query and fragment',
    isAddressOfLinks,
  ),
  ...siteSettings,
  languages: {
    ...list(
      'Languages that visitors may choose besides the one of the calendar. `none` offers no other.',
      'CODES|none',
      `none, or some of ${LANGUAGES.join(', ')}`,
      (code) => code === 'none' || LANGUAGES.some((language) => language === code),
    ),
    default: [...LANGUAGES],
  },
  pages: choice(
    'Pages for visitors; off leaves a small page at the address of the site.',
    ['on', 'off'],
    'on',
  ),
  ...nameAndClock,
  frame_ancestors: {
    ...list(
      'Sites that may frame `/embed/frame/`, such as https://*.example.org; * for all, none for no site.',
      'ORIGIN,…',
      'origins such as https://www.example.org, *, or none',
      (entry) =>
        entry === '*' ||
        entry === 'none' ||
        /^https?:\/\/(?:\*\.)?[a-z\d.-]{1,253}(?::\d{1,5})?$/.test(entry),
    ),
    default: ['*'],
  },
  desk: choice('The desk at /desk/, where people keep the calendar.', ['on', 'off'], 'on'),
  host: checked(
    word('The address to listen on; 0.0.0.0 for all.', 'HOST', '127.0.0.1'),
    'takes an IP address or the name of a host',
    isListenHost,
  ),
  port: wholeNumber('The port to listen on; 0 for any free one.', 'PORT', 8080, 0, 65535),
  database: discreet(
    word(
      'The database: sqlite:FILE or postgres://USER:PASSWORD@HOST/NAME. ' +
        'Empty: kalends.sqlite in the data folder.',
      'ADDRESS',
      '',
    ),
    'takes sqlite:FILE or postgres://…',
    (text) => text === '' || /^(sqlite:.+|postgres(ql)?:\/\/.+)$/.test(text),
  ),
  data: word('The folder of the SQLite file and of the images.', 'FOLDER', 'data'),
  media: discreet(
    word(
      'Where images are kept: file:FOLDER, or s3://BUCKET/PREFIX?endpoint=URL&region=NAME with ' +
        'AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY of the environment. Empty: media in the data folder.',
      'ADDRESS',
      '',
    ),
    'takes file:FOLDER or s3://BUCKET/PREFIX, which may end in ?endpoint=URL&region=NAME',
    (text) => /^($|file:.|s3:\/\/[^/?@]+([/?][^@]*)?$)/.test(text),
  ),
  media_url: discreet(
    word(
      'The public address of images, such as that of a bucket or CDN. Empty: /media of the site.',
      'URL',
      '',
    ),
    'takes an http or https address without login, query and fragment',
    isAddressOfLinks,
  ),
  page_size_cap: wholeNumber(
    'The maximum of per_page, to which larger ones are capped.',
    'NUMBER',
    50,
    1,
    1000,
  ),
  series_months: wholeNumber('How many months ahead dates of series become events.', 'MONTHS', 24, 1, 60),
  geoloc_radius: wholeNumber('The default of geoloc_radius, in kilometres.', 'KM', 25, 1, 20000),
  ...mapSettings,
  image_hosts: hosts(
    'The only hosts that images are fetched from, private ones included. Empty: all public hosts.',
  ),
  image_bytes: wholeNumber('The largest image, in bytes.', 'BYTES', 20_000_000, 1000, 500_000_000),
  body_bytes: wholeNumber(
    'The largest request body, uploads of images apart, in bytes.',
    'BYTES',
    2_000_000,
    1000,
    100_000_000,
  ),
  text_bytes: wholeNumber('The longest description or excerpt, in bytes.', 'BYTES', 200_000, 1000, 2_000_000),
  intake_bytes: wholeNumber(
    'Memory for bodies of all unfinished requests together, in bytes; more are 503. Uploads are on disk.',
    'BYTES',
    64_000_000,
    1_000_000,
    64_000_000_000,
  ),
  patience_ms: wholeNumber(
    'How long a client may take for the head of a request, pause in its body, ' +
      'and read nothing of the answer.',
    'MILLISECONDS',
    30_000,
    100,
    3_600_000,
  ),
  rate_limit: wholeNumber(
    'Requests a second of each address; more are 429. 0: any number.',
    'NUMBER',
    0,
    0,
    1_000_000,
  ),
  drain_ms: wholeNumber(
    'How long a process that is told to stop still takes connections, while /readyz is 503.',
    'MILLISECONDS',
    1000,
    0,
    600_000,
  ),
  stop_ms: wholeNumber(
    'How long it then waits for requests that it is answering.',
    'MILLISECONDS',
    10_000,
    0,
    600_000,
  ),
  cache_bytes: wholeNumber(
    'Memory for kept answers, events and rendered texts, in bytes.',
    'BYTES',
    CACHE_BYTES,
    0,
    64_000_000_000,
  ),
  trusted_proxy: list(
    'Proxies whose X-Forwarded-For is believed: addresses, networks such as 10.0.0.0/8, or loopback, ' +
      'linklocal or uniquelocal (private networks).',
    'ADDRESS,…',
    'IP addresses and networks',
    isProxy,
  ),
  history_days: wholeNumber(
    'Days that the history is kept: who wrote what, and the values from before. 0: for ever.',
    'DAYS',
    365,
    0,
    36_500,
  ),
  history_bytes: wholeNumber(
    'Room for values from before in the database, in bytes; the oldest are dropped first. 0: none are kept.',
    'BYTES',
    500_000_000,
    0,
    64_000_000_000,
  ),
  request_log: choice(
    'Which requests have a line in the log, at the level info.',
    ['all', 'writes', 'none'],
    'all',
  ),
  log_level: choice('How much is logged.', ['silent', 'error', 'warn', 'info', 'debug'], 'info'),
}

/** Features declare their settings here by `declare module`. */
// biome-ignore lint/suspicious/noEmptyInterface: features fill it
export interface FeatureSettings {}

export type KernelSettingName = keyof typeof settings

type Settings = typeof settings & FeatureSettings
export type SettingName = keyof Settings
/** The values of all settings. `given` tells which of them a flag or an environment variable set. */
export type Config = {
  [Name in SettingName]: Settings[Name] extends Setting<infer Value> ? Value : never
} & { given?: Readonly<Record<string, SettingSource>> }

export const environmentName = (name: string) => `KALENDS_${name.toUpperCase()}`
export const flagName = (name: string) => `--${name.replaceAll('_', '-')}`

/** For each removed setting, what to do instead. */
export const removedSettings: Readonly<Record<string, string>> = {
  database_read:
    'More nodes answer more readers, from their memory; ' +
    'a standby is for failover (docs/production-details.md).',
  workers:
    'Run several services on one database, each at a port of its own, behind a proxy (docs/production.md).',
}

/** All settings by name, with those of features. */
export function settingTable(features: readonly HasSettings[]): Readonly<Record<string, Setting<unknown>>> {
  const own: [string, Setting<unknown>][] = Object.entries(settings)
  const ofFeatures = features.flatMap((feature) => Object.entries(feature.settings?.settings ?? {}))
  return Object.fromEntries([...own, ...ofFeatures])
}

export const commandVariables = (features: readonly HasSettings[]): string[] =>
  features.flatMap(({ variables = [] }) => variables)

/**
 * Reads each setting from its flag, else its environment variable, else its default.
 * @throws Error with one sentence for each setting that is unknown, removed or wrong
 */
export function readConfig(
  flags: Readonly<Record<string, string>>,
  environment: NodeJS.ProcessEnv,
  features: readonly HasSettings[],
): Config {
  const table = settingTable(features)
  const removed = Object.keys(removedSettings)
  const names = [...Object.keys(table), ...removed].map(environmentName)
  const known = new Set<string>([...names, ...commandVariables(features)])
  const wrong = [
    ...Object.keys(environment)
      .filter((name) => name.startsWith('KALENDS_') && !known.has(name))
      .map((name) => `There is no setting ${name}; kalends serve --help lists them all.`),
    ...removed.flatMap((name) => removedSettingErrors(name, flags, environment)),
  ]
  const config = Object.entries(table).map(([name, setting]) => {
    const text = flags[name] ?? environment[environmentName(name)]
    const source = flags[name] === undefined ? environmentName(name) : flagName(name)
    return [name, text === undefined ? setting.default : readSetting(setting, text, source, wrong)]
  })
  if (wrong.length > 0) throw new Error(wrong.join('\n'))
  return { ...Object.fromEntries(config), given: settingSources(flags, environment, features) }
}

function removedSettingErrors(
  name: string,
  flags: Readonly<Record<string, string>>,
  environment: NodeJS.ProcessEnv,
): string[] {
  const given: [string, string | undefined][] = [
    [flagName(name), flags[name]],
    [environmentName(name), environment[environmentName(name)]],
  ]
  return given.flatMap(([place, value]) =>
    value ? [`${place} is no setting any more: leave it out. ${removedSettings[name]}`] : [],
  )
}

export type SettingSource = 'flag' | 'environment'

export function settingSources(
  flags: Readonly<Record<string, string>>,
  environment: NodeJS.ProcessEnv,
  features: readonly HasSettings[],
): Record<string, SettingSource> {
  const given = Object.keys(settingTable(features)).flatMap((name): [string, SettingSource][] => {
    if (flags[name] !== undefined) return [[name, 'flag']]
    return environment[environmentName(name)] === undefined ? [] : [[name, 'environment']]
  })
  return Object.fromEntries(given)
}

function readSetting(setting: Setting<unknown>, text: string, source: string, wrong: string[]): unknown {
  try {
    return setting.read(text)
  } catch (error) {
    wrong.push(`${source} ${messageOf(error)}.`)
    return setting.default
  }
}

const settingGroups: Readonly<Record<string, readonly string[]>> = {
  'Place and addresses': [
    ...['site_url', 'host', 'port', 'trusted_proxy', 'rest_root', 'vendor'],
    ...['data', 'database', 'media', 'media_url', 'image_hosts'],
  ],
  'The calendar': ['timezone', 'language', 'languages', 'currency', 'series_months', 'geoloc_radius'],
  'Pages and desk': [...['pages', 'desk', 'frame_ancestors'], ...Object.keys(mapSettings)],
  Limits: [
    ...[
      'page_size_cap',
      'text_bytes',
      'body_bytes',
      'image_bytes',
      'intake_bytes',
      'cache_bytes',
      'rate_limit',
    ],
    ...['patience_ms', 'drain_ms', 'stop_ms', 'history_days', 'history_bytes'],
  ],
  Log: ['log_level', 'request_log'],
}

function settingRow(name: string, { value, about, ...setting }: Setting<unknown>): string {
  const fallback = String(setting.default)
  const otherwise = fallback === '' ? '' : ` (\`${fallback}\`)`
  return `- \`${environmentName(name)}\`, \`${flagName(name)} ${value}\`${otherwise}: ${about}`
}

/** Setting groups for `--help` and `docs/configuration.md`: those of the kernel, then those of features. */
export function settingGroupsWith(features: readonly HasSettings[]): SettingGroup[] {
  const table: Readonly<Record<string, Setting<unknown>>> = settings
  const own = Object.entries(settingGroups).map(([heading, names]) => ({
    heading,
    settings: Object.fromEntries(names.flatMap((name) => (table[name] ? [[name, table[name]]] : []))),
  }))
  return [...own, ...features.flatMap((feature) => feature.settings ?? [])]
}

/** The content of `docs/configuration.md`, which `npm run docs` writes and a test compares. */
export function settingsPage(features: readonly HasSettings[]): string {
  const groups = settingGroupsWith(features).flatMap(({ heading, settings: rows }) => [
    '',
    `## ${heading}`,
    '',
    ...Object.entries(rows).map(([name, setting]) => settingRow(name, setting)),
  ])
  return [
    '# Settings',
    '',
    'Each setting is an environment variable and a flag of every command, which wins; ' +
      'in brackets its default.',
    '',
    'Zone, language, currency and clock can also be set [at the desk](desk.md), as name and ' +
      '[look](looks.md); a flag or variable wins. All other settings are read at the start alone.',
    ...groups,
    '',
  ].join('\n')
}

export interface Site {
  url: string
  /** The host without port, and the path of the site. Every `global_id` begins with it (rule 4.5). */
  globalHost: string
  name: string
  vendor: string
  namespace: string
  /** The path of the REST interface, such as `/wp-json`, without a slash at the end. */
  restRoot: string
  restUrl: string
  /** The URL of the namespace, without a slash at the end. */
  base: string
  timezone: string
  language: Language
  languages: readonly Language[]
  /** The language that the URL of the page names, if any; links on the page then name it too. */
  namedLanguage?: Language
  currency: { code: string; symbol: string }
  pageSizeCap: number
  /** Maximum bytes of a description or excerpt. */
  textBytes: number
  /** In km: the radius of a search around a place if the request gives none. */
  geolocRadius: number
  /**
   * `directions` and `tiles` are URL templates; an empty one turns its links or maps off. `attribution` is
   * shown on every map.
   */
  maps: { directions: string; tiles: string; attribution: string }
  seriesMonths: number
  hasDesk: boolean
  hasMail?: true
  /** Origins that may show the site in a frame (`frame-ancestors` of the Content-Security-Policy). */
  frameAncestors: readonly string[]
  /** Whether times have 12 or 24 hours; with `auto`, the language decides. */
  clock: Config['pages_clock']
}

/** `port` is for addresses where no `site_url` is set; `config.port` may be 0, for any free one. */
export function siteOf(config: Config, port: number): Site {
  const url = (config.site_url || `http://localhost:${port}`).replace(/(?<!\/)\/+$/, '')
  const { hostname, pathname } = new URL(url)
  const restRoot = config.rest_root.replace(/(?<!\/)\/+$/, '')
  const namespace = `${config.vendor}/events/v1`
  return {
    url,
    globalHost: hostname + pathname.replace(/(?<!\/)\/+$/, ''),
    name: config.site_name,
    vendor: config.vendor,
    namespace,
    restRoot,
    restUrl: url + restRoot,
    base: `${url}${restRoot}/${namespace}`,
    timezone: config.timezone,
    language: config.language,
    languages: [
      ...new Set([config.language, ...LANGUAGES.filter((code) => config.languages.includes(code))]),
    ],
    currency: { code: config.currency, symbol: currencySymbol(config.currency) },
    pageSizeCap: config.page_size_cap,
    textBytes: config.text_bytes,
    geolocRadius: config.geoloc_radius,
    maps: { directions: config.directions, tiles: config.map_tiles, attribution: config.map_attribution },
    seriesMonths: config.series_months,
    hasDesk: config.desk === 'on',
    frameAncestors: config.frame_ancestors.filter((source) => source !== 'none'),
    clock: config.pages_clock,
  }
}

function currencySymbol(code: string): string {
  const parts = new Intl.NumberFormat('en', {
    style: 'currency',
    currency: code,
    currencyDisplay: 'narrowSymbol',
  }).formatToParts(0)
  return parts.find((part) => part.type === 'currency')?.value ?? code
}

export function mediaAddress(config: Config): string {
  return config.media || `file:${resolve(config.data, 'media')}`
}

export function mediaUrl(config: Config, site: Site): string {
  return (config.media_url || `${site.url}/media`).replace(/(?<!\/)\/+$/, '')
}

export function databaseAddress(config: Config): string {
  return config.database || `sqlite:${resolve(config.data, 'kalends.sqlite')}`
}

/**
 * The absolute path of data that no setting places: the SQLite file, or the default folder if it has only
 * images. Undefined if settings place the folder, or both database and images.
 */
export function assumedPath({ data, database, media }: Config): string | undefined {
  if (data !== settings.data.default) return undefined
  if (database === '') return resolve(data, 'kalends.sqlite')
  return media === '' ? resolve(data) : undefined
}
