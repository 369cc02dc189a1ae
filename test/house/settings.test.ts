import { deepEqual, equal, match, notDeepEqual, notEqual, ok, throws } from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import {
  environmentName,
  flagName,
  readConfig,
  type SettingName,
  settingsPage,
  settingTable,
} from '../../src/base/config.ts'
import type { Setting } from '../../src/base/setting-kinds.ts'
import { features } from '../../src/features.ts'

const file = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url))
const settings = settingTable(features) as Readonly<Record<SettingName, Setting<unknown>>>
const names = Object.keys(settings) as SettingName[]

test('docs/configuration.md is what the table of settings says; npm run docs writes it', () => {
  equal(readFileSync(file('docs/configuration.md'), 'utf8'), settingsPage(features))
})

test('the page of settings has each of them once', () => {
  const rows = settingsPage(features).match(/(?<=^- `)KALENDS_\w+/gm) ?? []
  deepEqual(rows.sort(), names.map(environmentName).sort())
})

test('kalends serve --help lists every setting with its meaning', () => {
  const help = execFileSync(process.execPath, [file('bin/kalends.js'), 'serve', '--help'], {
    encoding: 'utf8',
    env: { ...process.env, COLUMNS: '400' },
  })
  for (const name of names) {
    ok(help.includes(`${flagName(name)} `), `--help does not list ${flagName(name)}`)
    ok(help.includes(environmentName(name)), `--help does not list ${environmentName(name)}`)
  }
})

for (const name of names) {
  test(`the setting ${name} says what it means in a sentence, and its default is a value it takes`, () => {
    const { about, value, default: fallback, read } = settings[name]
    match(about, /^[A-Z].{15,}\.$/s)
    notEqual(value, '')
    deepEqual(read(String(fallback)), fallback)
  })

  test(`the setting ${name} is read from its variable and its flag, and the flag wins`, () => {
    const example = examples[name]
    ok(example, `examples of this test lack ${name}`)
    const [plain, other] = [read(name, example[0]), read(name, example[1])]
    notDeepEqual(plain, other)
    deepEqual(readConfig({}, { [environmentName(name)]: example[0] }, features)[name], plain)
    deepEqual(
      readConfig({ [name]: example[1] }, { [environmentName(name)]: example[0] }, features)[name],
      other,
    )
  })
}

test('addresses that links cannot begin with are refused, without a word of their passwords', () => {
  const wrong = ['ftp://a.example', 'https://a.example/?a=1#x', 'https://a.example?', 'https://a.example/#x']
  const logins = [
    'https://user:secret@a.example',
    'https://user@a.example/',
    'https://@a.example',
    'https:a.example',
  ]
  for (const name of ['site_url', 'media_url'] as const) {
    for (const text of [...wrong, ...logins, 'https://', 'https://a b/', 'https:\\\\a.example'])
      throws(() => read(name, text), /^Error: takes an http or https address(?!.*secret)/, text)
    for (const text of [
      'https://a.example/@town/',
      'http://[::1]:8080',
      'HTTPS://A.example',
      'https://müller.example',
    ])
      equal(read(name, text), text)
  }
  for (const text of ['/desk', '/Desk/', '/desk/x', '/events', '/media', '/mcp', '/healthz', 'api', '/a?b'])
    throws(() => read('rest_root', text), /takes a path/, text)
  for (const text of ['/', '', '/desks', '/calendar/wp-json/']) equal(read('rest_root', text), text)
})

function read(name: SettingName, text: string): unknown {
  return settings[name].read(text)
}

const examples: Record<SettingName, readonly [string, string]> = {
  vendor: ['town', 'tribe'],
  rest_root: ['/api', '/wp-json'],
  site_url: ['https://example.org', 'https://example.net/calendar'],
  site_name: ['Town calendar', 'Village calendar'],
  timezone: ['Europe/Berlin', 'UTC+2'],
  language: ['de', 'fr'],
  languages: ['none', 'de,fr'],
  frame_ancestors: ['none', 'https://www.example.org,https://*.example.net'],
  currency: ['EUR', 'CHF'],
  pages: ['off', 'on'],
  desk: ['off', 'on'],
  mcp: ['read', 'write'],
  mcp_rate_limit: ['0', '50'],
  pages_sentence: ['What is on in town', 'All we play'],
  pages_accent: ['#a03', '#8a2be2'],
  pages_scheme: ['dark', 'light'],
  pages_header: ['band', 'masthead'],
  pages_corner: ['square', 'slight'],
  pages_density: ['compact', 'spacious'],
  pages_typeface: ['serif', 'mono'],
  pages_links: ['Town hall https://example.org/', 'Home /\nTickets https://example.com/t'],
  pages_imprint: ['https://example.org/imprint', '/imprint/'],
  pages_privacy: ['https://example.org/privacy', '/privacy/'],
  pages_accessibility: ['https://example.org/access', '/access/'],
  pages_contact: ['mailto:town@example.org', '/contact/'],
  pages_intro: ['*Welcome*', 'Hello'],
  pages_texts: ['/srv/texts', 'texts'],
  pages_first_view: ['month', 'list'],
  pages_clock: ['12', '24'],
  pages_presses: ['families,music', 'jazz'],
  pages_css: ['/srv/calendar.css', 'other.css'],
  pages_logo: ['/srv/logo.svg', 'logo.png'],
  pages_logo_dark: ['/srv/dark.svg', 'dark.png'],
  pages_logo_name: ['hidden', 'beside'],
  pages_icon: ['/srv/icon.svg', 'icon.png'],
  pages_picture: ['/srv/picture.webp', 'picture.png'],
  pages_font: ['/srv/font.woff2', 'font.woff2'],
  week_start: ['monday', 'sunday'],
  host: ['0.0.0.0', '::1'],
  port: ['8081', '0'],
  database: ['sqlite:/srv/calendar.sqlite', 'postgres://calendar@localhost/calendar'],
  data: ['/srv/calendar', 'elsewhere'],
  media: ['file:/srv/images', 's3://images/calendar?endpoint=http://localhost:9000&region=eu-1'],
  media_url: ['https://images.example.org', 'http://localhost:9000/images/'],
  page_size_cap: ['20', '100'],
  geoloc_radius: ['5', '50'],
  map_tiles: ['https://tiles.example.org/{z}/{x}/{y}.png', 'http://localhost:9000/{z}/{x}/{y}{r}.png?key=a'],
  map_attribution: ['© Example', '[© Example](https://example.org/)'],
  directions: ['https://maps.example.org/?to={to}', 'geo:0,0?q={to}'],
  series_months: ['12', '36'],
  webhook_hosts: ['example.org,example.net', 'example.com'],
  mail: ['smtp://calendar@mail.example.org:587', 'smtps://mail.example.org'],
  oidc_issuer: ['https://sso.example.org/realms/staff', 'http://localhost:8085/'],
  oidc_client_id: ['kalends', 'calendar'],
  oidc_client_secret_file: ['/srv/secret', 'secret'],
  oidc_name: ['Riverside University', 'SSO'],
  oidc_roles: ['groups staff=author', 'hd example.org=editor'],
  oidc_default_role: ['subscriber', 'author'],
  passwords: ['off', 'on'],
  mail_password_file: ['/srv/password', 'password'],
  mail_from: ['calendar@example.org', 'events@example.org'],
  mail_per_hour: ['20', '1000'],
  submissions: ['confirmed', 'open'],
  submissions_address: ['1', '50'],
  submissions_network: ['2', '100'],
  submissions_hour: ['10', '1000'],
  submissions_proof: ['0', '500'],
  submissions_months: ['1', '24'],
  submissions_terms: ['/terms/', 'https://example.org/terms'],
  image_hosts: ['example.org,example.net', 'example.com'],
  image_bytes: ['1000000', '2000000'],
  body_bytes: ['100000', '200000'],
  text_bytes: ['100000', '300000'],
  intake_bytes: ['10000000', '20000000'],
  patience_ms: ['5000', '10000'],
  rate_limit: ['10', '20'],
  drain_ms: ['5000', '10000'],
  stop_ms: ['5000', '20000'],
  history_days: ['0', '30'],
  history_bytes: ['0', '1000000'],
  trusted_proxy: ['127.0.0.1', '10.0.0.1,10.0.0.2'],
  metrics: ['127.0.0.1:9464', '[::1]:0'],
  request_log: ['writes', 'none'],
  log_level: ['warn', 'silent'],
  cache_bytes: ['1000000', '2000000'],
}

test('a refused place for images is not repeated, since it may hold a secret', () => {
  throws(
    () => readConfig({}, { KALENDS_MEDIA: 's3://name:word@images' }, features),
    (error: Error) => /^KALENDS_MEDIA takes /.test(error.message) && !error.message.includes('word'),
  )
})
