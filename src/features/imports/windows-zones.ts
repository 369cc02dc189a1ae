/** Each zone (by CLDR) with its Windows name, and names that Windows and Exchange have shown for it. */
const WINDOWS: readonly (readonly [zone: string, name: string, ...shown: string[]])[] = [
  ['Etc/GMT+12', 'Dateline Standard Time', 'International Date Line West', 'Eniwetok, Kwajalein'],
  ['Etc/GMT+11', 'UTC-11', 'Coordinated Universal Time-11', 'Midway Island, Samoa'],
  ['America/Adak', 'Aleutian Standard Time', 'Aleutian Islands'],
  ['Pacific/Honolulu', 'Hawaiian Standard Time', 'Hawaii'],
  ['Pacific/Marquesas', 'Marquesas Standard Time', 'Marquesas Islands'],
  ['America/Anchorage', 'Alaskan Standard Time', 'Alaska'],
  ['Etc/GMT+9', 'UTC-09', 'Coordinated Universal Time-09'],
  ['America/Tijuana', 'Pacific Standard Time (Mexico)', 'Baja California', 'Tijuana, Baja California'],
  ['Etc/GMT+8', 'UTC-08', 'Coordinated Universal Time-08'],
  [
    'America/Los_Angeles',
    'Pacific Standard Time',
    'Pacific Time (US & Canada)',
    'Pacific Time (US & Canada); Tijuana',
  ],
  ['America/Phoenix', 'US Mountain Standard Time', 'Arizona'],
  ['America/Mazatlan', 'Mountain Standard Time (Mexico)', 'La Paz, Mazatlan', 'Chihuahua, La Paz, Mazatlan'],
  ['America/Denver', 'Mountain Standard Time', 'Mountain Time (US & Canada)'],
  ['America/Whitehorse', 'Yukon Standard Time', 'Yukon'],
  ['America/Guatemala', 'Central America Standard Time', 'Central America'],
  ['America/Chicago', 'Central Standard Time', 'Central Time (US & Canada)'],
  ['Pacific/Easter', 'Easter Island Standard Time', 'Easter Island'],
  [
    'America/Mexico_City',
    'Central Standard Time (Mexico)',
    'Guadalajara, Mexico City, Monterrey',
    'Mexico City',
  ],
  ['America/Regina', 'Canada Central Standard Time', 'Saskatchewan'],
  ['America/Bogota', 'SA Pacific Standard Time', 'Bogota, Lima, Quito, Rio Branco', 'Bogota, Lima, Quito'],
  ['America/Cancun', 'Eastern Standard Time (Mexico)', 'Chetumal'],
  ['America/New_York', 'Eastern Standard Time', 'Eastern Time (US & Canada)'],
  ['America/Port-au-Prince', 'Haiti Standard Time', 'Haiti'],
  ['America/Havana', 'Cuba Standard Time', 'Havana'],
  ['America/Indiana/Indianapolis', 'US Eastern Standard Time', 'Indiana (East)'],
  ['America/Grand_Turk', 'Turks And Caicos Standard Time', 'Turks and Caicos'],
  ['America/Asuncion', 'Paraguay Standard Time', 'Asuncion'],
  ['America/Halifax', 'Atlantic Standard Time', 'Atlantic Time (Canada)'],
  ['America/Caracas', 'Venezuela Standard Time', 'Caracas'],
  ['America/Cuiaba', 'Central Brazilian Standard Time', 'Cuiaba'],
  [
    'America/La_Paz',
    'SA Western Standard Time',
    'Georgetown, La Paz, Manaus, San Juan',
    'Georgetown, La Paz, San Juan',
    'Caracas, La Paz',
    'La Paz',
  ],
  ['America/Santiago', 'Pacific SA Standard Time', 'Santiago'],
  ['America/St_Johns', 'Newfoundland Standard Time', 'Newfoundland'],
  ['America/Araguaina', 'Tocantins Standard Time', 'Araguaina'],
  ['America/Sao_Paulo', 'E. South America Standard Time', 'Brasilia'],
  ['America/Cayenne', 'SA Eastern Standard Time', 'Cayenne, Fortaleza'],
  ['America/Argentina/Buenos_Aires', 'Argentina Standard Time', 'City of Buenos Aires', 'Buenos Aires'],
  ['America/Nuuk', 'Greenland Standard Time', 'Greenland'],
  ['America/Montevideo', 'Montevideo Standard Time', 'Montevideo'],
  ['America/Punta_Arenas', 'Magallanes Standard Time', 'Punta Arenas'],
  ['America/Miquelon', 'Saint Pierre Standard Time', 'Saint Pierre and Miquelon'],
  ['America/Bahia', 'Bahia Standard Time', 'Salvador'],
  ['Etc/GMT+2', 'UTC-02', 'Coordinated Universal Time-02', 'Mid-Atlantic'],
  ['Atlantic/Azores', 'Azores Standard Time', 'Azores'],
  ['Atlantic/Cape_Verde', 'Cape Verde Standard Time', 'Cabo Verde Is.', 'Cape Verde Is.'],
  ['UTC', 'UTC', 'Coordinated Universal Time'],
  [
    'Europe/London',
    'GMT Standard Time',
    'Dublin, Edinburgh, Lisbon, London',
    'Greenwich Mean Time : Dublin, Edinburgh, Lisbon, London',
  ],
  ['Atlantic/Reykjavik', 'Greenwich Standard Time', 'Monrovia, Reykjavik', 'Casablanca, Monrovia'],
  ['Africa/Sao_Tome', 'Sao Tome Standard Time', 'Sao Tome'],
  ['Africa/Casablanca', 'Morocco Standard Time', 'Casablanca'],
  ['Europe/Berlin', 'W. Europe Standard Time', 'Amsterdam, Berlin, Bern, Rome, Stockholm, Vienna'],
  ['Europe/Budapest', 'Central Europe Standard Time', 'Belgrade, Bratislava, Budapest, Ljubljana, Prague'],
  ['Europe/Paris', 'Romance Standard Time', 'Brussels, Copenhagen, Madrid, Paris'],
  ['Europe/Warsaw', 'Central European Standard Time', 'Sarajevo, Skopje, Warsaw, Zagreb'],
  ['Africa/Lagos', 'W. Central Africa Standard Time', 'West Central Africa'],
  ['Asia/Amman', 'Jordan Standard Time', 'Amman'],
  [
    'Europe/Bucharest',
    'GTB Standard Time',
    'Athens, Bucharest',
    'Athens, Bucharest, Istanbul',
    'Athens, Istanbul, Minsk',
  ],
  ['Asia/Beirut', 'Middle East Standard Time', 'Beirut'],
  ['Africa/Cairo', 'Egypt Standard Time', 'Cairo'],
  ['Europe/Chisinau', 'E. Europe Standard Time', 'Chisinau'],
  ['Asia/Damascus', 'Syria Standard Time', 'Damascus'],
  ['Asia/Hebron', 'West Bank Standard Time', 'Gaza, Hebron'],
  ['Africa/Johannesburg', 'South Africa Standard Time', 'Harare, Pretoria'],
  [
    'Europe/Kyiv',
    'FLE Standard Time',
    'Helsinki, Kyiv, Riga, Sofia, Tallinn, Vilnius',
    'Helsinki, Kiev, Riga, Sofia, Tallinn, Vilnius',
  ],
  ['Asia/Jerusalem', 'Israel Standard Time', 'Jerusalem'],
  ['Africa/Juba', 'South Sudan Standard Time', 'Juba'],
  ['Europe/Kaliningrad', 'Kaliningrad Standard Time', 'Kaliningrad'],
  ['Africa/Khartoum', 'Sudan Standard Time', 'Khartoum'],
  ['Africa/Tripoli', 'Libya Standard Time', 'Tripoli'],
  ['Africa/Windhoek', 'Namibia Standard Time', 'Windhoek'],
  ['Asia/Baghdad', 'Arabic Standard Time', 'Baghdad'],
  ['Europe/Istanbul', 'Turkey Standard Time', 'Istanbul'],
  ['Asia/Riyadh', 'Arab Standard Time', 'Kuwait, Riyadh'],
  ['Europe/Minsk', 'Belarus Standard Time', 'Minsk'],
  ['Europe/Moscow', 'Russian Standard Time', 'Moscow, St. Petersburg', 'Moscow, St. Petersburg, Volgograd'],
  ['Africa/Nairobi', 'E. Africa Standard Time', 'Nairobi'],
  ['Asia/Tehran', 'Iran Standard Time', 'Tehran'],
  ['Asia/Dubai', 'Arabian Standard Time', 'Abu Dhabi, Muscat'],
  ['Europe/Astrakhan', 'Astrakhan Standard Time', 'Astrakhan, Ulyanovsk'],
  ['Asia/Baku', 'Azerbaijan Standard Time', 'Baku'],
  ['Europe/Samara', 'Russia Time Zone 3', 'Izhevsk, Samara'],
  ['Indian/Mauritius', 'Mauritius Standard Time', 'Port Louis'],
  ['Europe/Saratov', 'Saratov Standard Time', 'Saratov'],
  ['Asia/Tbilisi', 'Georgian Standard Time', 'Tbilisi'],
  ['Europe/Volgograd', 'Volgograd Standard Time', 'Volgograd'],
  ['Asia/Yerevan', 'Caucasus Standard Time', 'Yerevan'],
  ['Asia/Kabul', 'Afghanistan Standard Time', 'Kabul'],
  ['Asia/Tashkent', 'West Asia Standard Time', 'Ashgabat, Tashkent', 'Tashkent'],
  ['Asia/Yekaterinburg', 'Ekaterinburg Standard Time', 'Ekaterinburg'],
  ['Asia/Karachi', 'Pakistan Standard Time', 'Islamabad, Karachi'],
  ['Asia/Qyzylorda', 'Qyzylorda Standard Time', 'Astana', 'Qyzylorda'],
  [
    'Asia/Kolkata',
    'India Standard Time',
    'Chennai, Kolkata, Mumbai, New Delhi',
    'Calcutta, Chennai, Mumbai, New Delhi',
  ],
  ['Asia/Colombo', 'Sri Lanka Standard Time', 'Sri Jayawardenepura'],
  ['Asia/Kathmandu', 'Nepal Standard Time', 'Kathmandu'],
  ['Asia/Bishkek', 'Central Asia Standard Time', 'Bishkek'],
  ['Asia/Dhaka', 'Bangladesh Standard Time', 'Dhaka'],
  ['Asia/Omsk', 'Omsk Standard Time', 'Omsk'],
  ['Asia/Yangon', 'Myanmar Standard Time', 'Yangon (Rangoon)', 'Rangoon'],
  ['Asia/Bangkok', 'SE Asia Standard Time', 'Bangkok, Hanoi, Jakarta'],
  ['Asia/Barnaul', 'Altai Standard Time', 'Barnaul, Gorno-Altaysk'],
  ['Asia/Hovd', 'W. Mongolia Standard Time', 'Hovd'],
  ['Asia/Krasnoyarsk', 'North Asia Standard Time', 'Krasnoyarsk'],
  ['Asia/Novosibirsk', 'N. Central Asia Standard Time', 'Novosibirsk'],
  ['Asia/Tomsk', 'Tomsk Standard Time', 'Tomsk'],
  [
    'Asia/Shanghai',
    'China Standard Time',
    'Beijing, Chongqing, Hong Kong, Urumqi',
    'Beijing, Chongqing, Hong Kong SAR, Urumqi',
  ],
  ['Asia/Irkutsk', 'North Asia East Standard Time', 'Irkutsk', 'Irkutsk, Ulaan Bataar'],
  ['Asia/Singapore', 'Singapore Standard Time', 'Kuala Lumpur, Singapore'],
  ['Australia/Perth', 'W. Australia Standard Time', 'Perth'],
  ['Asia/Taipei', 'Taipei Standard Time', 'Taipei'],
  ['Asia/Ulaanbaatar', 'Ulaanbaatar Standard Time', 'Ulaanbaatar'],
  ['Australia/Eucla', 'Aus Central W. Standard Time', 'Eucla'],
  ['Asia/Chita', 'Transbaikal Standard Time', 'Chita'],
  ['Asia/Tokyo', 'Tokyo Standard Time', 'Osaka, Sapporo, Tokyo'],
  ['Asia/Pyongyang', 'North Korea Standard Time', 'Pyongyang'],
  ['Asia/Seoul', 'Korea Standard Time', 'Seoul'],
  ['Asia/Yakutsk', 'Yakutsk Standard Time', 'Yakutsk'],
  ['Australia/Adelaide', 'Cen. Australia Standard Time', 'Adelaide'],
  ['Australia/Darwin', 'AUS Central Standard Time', 'Darwin'],
  ['Australia/Brisbane', 'E. Australia Standard Time', 'Brisbane'],
  ['Australia/Sydney', 'AUS Eastern Standard Time', 'Canberra, Melbourne, Sydney'],
  ['Pacific/Port_Moresby', 'West Pacific Standard Time', 'Guam, Port Moresby'],
  ['Australia/Hobart', 'Tasmania Standard Time', 'Hobart'],
  ['Asia/Vladivostok', 'Vladivostok Standard Time', 'Vladivostok'],
  ['Australia/Lord_Howe', 'Lord Howe Standard Time', 'Lord Howe Island'],
  ['Pacific/Bougainville', 'Bougainville Standard Time', 'Bougainville Island'],
  ['Asia/Srednekolymsk', 'Russia Time Zone 10', 'Chokurdakh'],
  ['Asia/Magadan', 'Magadan Standard Time', 'Magadan'],
  ['Pacific/Norfolk', 'Norfolk Standard Time', 'Norfolk Island'],
  ['Asia/Sakhalin', 'Sakhalin Standard Time', 'Sakhalin'],
  [
    'Pacific/Guadalcanal',
    'Central Pacific Standard Time',
    'Solomon Is., New Caledonia',
    'Magadan, Solomon Is., New Caledonia',
  ],
  ['Asia/Kamchatka', 'Russia Time Zone 11', 'Anadyr, Petropavlovsk-Kamchatsky'],
  ['Pacific/Auckland', 'New Zealand Standard Time', 'Auckland, Wellington'],
  ['Etc/GMT-12', 'UTC+12', 'Coordinated Universal Time+12'],
  ['Pacific/Fiji', 'Fiji Standard Time', 'Fiji', 'Fiji, Kamchatka, Marshall Is.'],
  ['Pacific/Chatham', 'Chatham Islands Standard Time', 'Chatham Islands'],
  ['Etc/GMT-13', 'UTC+13', 'Coordinated Universal Time+13'],
  ['Pacific/Tongatapu', 'Tonga Standard Time', "Nuku'alofa"],
  ['Pacific/Apia', 'Samoa Standard Time', 'Samoa'],
  ['Pacific/Kiritimati', 'Line Islands Standard Time', 'Kiritimati Island'],
]

/** Equal for city lists separated by commas and by slashes. */
const plain = (name: string) =>
  name
    .toLowerCase()
    .replace(/[^\p{L}\d+-]+/gu, ' ')
    .trim()

const zones = new Map(
  WINDOWS.flatMap(([zone, ...names]) => names.map((name) => [plain(name), zone] as const)),
)

const citiesOf = (shown: string) => shown.split(/[,;/]/).map(plain)

const cities = new Map<string, string | undefined>()
for (const [zone, , ...shown] of WINDOWS)
  for (const city of shown.flatMap(citiesOf))
    cities.set(city, cities.has(city) && cities.get(city) !== zone ? undefined : zone)

export const WINDOWS_ZONES: readonly string[] = [...new Set(WINDOWS.map(([zone]) => zone))]

/**
 * The tz zone of a name. Lotus Notes shortens `W. Europe Standard Time` to `W. Europe`; Exchange shows
 * `(UTC+01:00) Amsterdam, Berlin, …`, possibly with fewer cities.
 */
export function windowsZone(name: string): string | undefined {
  const shown = name.replace(/^\((?:UTC|GMT)[^)]*\)/i, '')
  const key = plain(shown)
  const known =
    zones.get(key) ??
    zones.get(`${key.replace(/ (?:(?:standard|daylight|summer) )?time$/, '')} standard time`)
  if (known !== undefined) return known
  const [zone, ...others] = new Set(citiesOf(shown).map((city) => cities.get(city)))
  return others.length === 0 ? zone : undefined
}
