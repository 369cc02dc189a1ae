import { deepEqual, equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { parsePosition } from '../../src/features/desk/positions.ts'

const GALWAY = { lat: 53.27, lng: -9.05 }

const SAME = [
  '53.27, -9.05',
  '53.27,-9.05',
  '  53.27 -9.05 ',
  '53,27; -9,05',
  '53,27, -9,05',
  '53,27,-9,05',
  '53.27 N, 9.05 W',
  '9.05 W 53.27 N',
  'N 53.27 W 9.05',
  '53°16′12″N 9°3′0″W',
  '53° 16\' 12" N, 9° 3\' 0" W',
  '(53.27, −9.05)',
  'geo:53.27,-9.05',
  'geo:53.27,-9.05;u=35?z=17',
  'geo:0,0?q=53.27,-9.05(The Blue Kettle)',
  'https://www.google.com/maps/place/The+Blue+Kettle/@53.1,-9.3,' +
    '17z/data=!3m1!4b1!4m6!3m5!1s0x0:0x0!8m2!3d53.27!4d-9.05!16s',
  'https://www.google.com/maps/@53.27,-9.05,15z',
  'https://maps.google.com/?q=53.27,-9.05',
  'https://www.google.com/maps/search/?api=1&query=53.27%2C-9.05',
  'https://www.google.com/maps/search/53.27,+-9.05',
  'https://www.google.com/maps/dir/?api=1&destination=53.27,-9.05',
  'https://www.openstreetmap.org/?mlat=53.27&mlon=-9.05#map=17/53.1/-9.3',
  'https://www.openstreetmap.org/#map=17/53.27/-9.05',
  'www.openstreetmap.org/node/1#map=19/53.27/-9.05&layers=N',
  'https://maps.apple.com/?ll=53.27,-9.05&q=The%20Blue%20Kettle',
  'https://maps.apple.com/place?coordinate=53.27,-9.05&name=Kettle',
  'https://www.bing.com/maps?cp=53.27~-9.05&lvl=16',
  'https://bing.com/maps/default.aspx?sp=point.53.27_-9.05_Kettle',
  'https://waze.com/ul?ll=53.27%2C-9.05&navigate=yes',
  'https://yandex.com/maps/?ll=-9.05%2C53.27&z=14',
]

for (const text of SAME)
  test(`a position is read from ${text.slice(0, 80)}`, () => deepEqual(parsePosition(text), GALWAY))

test('plus codes are read, short ones near a place alone', () => {
  const near = (text: string, place?: { lat: number; lng: number }) => {
    const found = parsePosition(text, place)
    ok(found, text)
    ok(Math.abs(found.lat - 53.27) < 0.001 && Math.abs(found.lng + 9.05) < 0.001, JSON.stringify(found))
  }
  near('9C5G7WCX+2X')
  near('9c5g7wcx+2x')
  near('7WCX+2X Galway', { lat: 53.1, lng: -9.4 })
  near('CX+2X', { lat: 53.28, lng: -9.04 })
  equal(parsePosition('7WCX+2X Galway'), undefined)
})

test('what says no position is none', () => {
  for (const text of [
    '',
    'Galway',
    '53.27',
    '91, 0',
    '53.27, 181',
    '1, 2, 3',
    '53.27 N, 9.05 S',
    '53°61′N 9°W',
    'https://maps.app.goo.gl/abcdef',
    'https://example.org/',
    'geo:',
    '+353 91 123 456',
    `${'1'.repeat(3000)}, 2`,
  ])
    equal(parsePosition(text), undefined, text.slice(0, 60))
})
