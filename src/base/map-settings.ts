import { checked, word } from './setting-kinds.ts'

// Maps: the service that leads to a venue.

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
}
