import { checked, word } from './setting-kinds.ts'

// Maps: the service that leads to a venue, and the server of the tiles that a map is drawn from.

const LONGEST_TEMPLATE = 500

/** The address of a tile of a template, such as for its host; undefined for a text that is no template of an http address. */
export function tileAddress(template: string): URL | undefined {
  if (template.length > LONGEST_TEMPLATE || !['{z}', '{x}', '{y}'].every((part) => template.includes(part)))
    return undefined
  const url = URL.parse(template.replaceAll(/\{[zxyr]\}/g, '0'))
  const isPlain =
    url !== null && /^https?:$/.test(url.protocol) && url.username === '' && !/[{}\s"'<>\\;,]/.test(url.href)
  return isPlain && !template.slice(0, template.indexOf('/', 8)).includes('{') ? url : undefined
}

export const mapSettings = {
  directions: checked(
    word(
      'The address of directions to a venue, with {to} for its coordinates or its address. Empty: no links to directions.',
      'URL',
      'https://www.openstreetmap.org/directions?to={to}',
    ),
    'takes an address (http, https or geo) with {to} in it',
    (text) => text === '' || (/^(https?:\/\/[^\s"'<>\\]+|geo:[^\s"'<>\\]*)$/.test(text) && text.includes('{to}')),
  ),
  map_tiles: checked(
    word(
      'The address of the tiles of maps, with {z}, {x} and {y}, such as https://tiles.example.org/{z}/{x}/{y}.png. Browsers load tiles from there once somebody asks for a map. Empty: no maps.',
      'URL',
      '',
    ),
    'takes an http or https address with {z}, {x} and {y} behind its host',
    (text) => text === '' || tileAddress(text) !== undefined,
  ),
  map_attribution: word(
    'Whose data the tiles show, as it always stands on the map; links are written as in Markdown.',
    'TEXT',
    '[© OpenStreetMap contributors](https://www.openstreetmap.org/copyright)',
  ),
}
