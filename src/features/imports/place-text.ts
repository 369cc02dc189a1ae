import { linkedItem, type SourceItem } from './source-item.ts'

// Splits a place into name, address and link; recognises meeting programs.

/** Words that some languages put before a meeting program. */
const MEETING =
  '(?:(?:réunion|reunión|riunione|reunião|reunió|spotkanie|schůzka|întâlnire|собрание|нарада' +
  '|σύσκεψη)(?: (?:de|di|do|del|in|en|în|w aplikacji))? )?'

/** Microsoft Teams, as Outlook writes it in each language. */
const TEAMS =
  `${MEETING}(?:microsoft|ms) teams(?: ?[ -](?:meeting|besprechung|vergadering|möte|møde|møte|kokous` +
  '|értekezlet|toplantısı|会議|会议|會議|모임|live event|liveereignis|webinar|call))?'

/** Meeting programs that may also name places. */
const BRANDS =
  `${MEETING}(?:zoom|teams|google meet|google hangouts|(?:cisco )?webex|skype(?: for business)?` +
  '|gotomeeting|jitsi(?: meet)?|bigbluebutton)' +
  '(?:[ -]?(?:meeting|webinar|call|konferenz|videokonferenz|besprechung))?'

/** Words in place of a venue for online events. */
const WORDS =
  '(?:(?:nur |rein )?online(?:[ -]?(?:event|only|meeting|veranstaltung|termin|treffen|seminar|kurs' +
  '|workshop))?' +
  '|(?:virtual|remote|digital)(?: (?:event|meeting))?|webinar|live[ -]?stream|video[ -]?(?:call' +
  '|konferenz|conference)' +
  '|virtuell|(?:virtuelle|digitale) veranstaltung|virtuel(?:le)?|visio(?:conférence)?|à distance' +
  '|en distanciel' +
  '|(?:(?:év[éè]nement|réunion) )?en ligne|(?:év[éè]nement|réunion) virtuel(?:le)?' +
  '|(?:(?:evento|reunión) )?en l[íi]nea|(?:evento|reunión) (?:virtual|online)|videoconferencia|por internet)'

const BY = '(?:via|per|über|mit|with|on|auf|par|sur|por)'
const IS_BRAND = new RegExp(`^${BRANDS}$`, 'iu')
const IS_ONLINE = new RegExp(`^(?:(?:${WORDS} )?(?:${BY} )?(?:${TEAMS}|${BRANDS})|${WORDS})$`, 'iu')
const ENDS_ONLINE = new RegExp(`^(.{1,500}?)(?: ${TEAMS}| ?\\((?:${TEAMS}|${WORDS}|${BRANDS})\\))$`, 'isu')

const UNKNOWN = new RegExp(
  '^(?:[-–—?.*/]{1,5}|tb[acd]|n/a|k\\. ?a|to be (?:announced|confirmed|determined)|(?:noch )?unbekannt' +
    '|unknown|noch offen|ort folgt' +
    '|(?:(?:ort )?wird )?(?:noch )?bekannt ?gegeben|steht noch nicht fest|(?:lieu )?à (?:annoncer' +
    '|confirmer|définir|déterminer|préciser|venir)' +
    '|(?:lugar )?(?:por|a) (?:anunciar|confirmar|definir|determinar)|inconnu|desconocido)\\.?$',
  'iu',
)

const DIVIDER =
  /(\s{0,9}[;|\n,]\s{0,9}|\s{1,9}[/+&–—-]\s{1,9}|\s{1,9}(?:and|or|und|oder|sowie|et|ou|y|o)\s{1,9})/iu

/** Splits a place into name and web address, without meeting programs and words such as `online`. */
export function partsOfPlace(text: string): { place: string; link: string; isOnline: boolean } {
  const [link = ''] = /\bhttps?:\/\/[^\s,;<>()"]{1,1000}/i.exec(text) ?? []
  const parts = link === '' ? [text] : text.split(link).map(withoutEdges)
  const written = parts.filter(Boolean).join(', ').normalize().trim()
  const { place, isOnline } = withoutPrograms(written)
  return { place: UNKNOWN.test(place) ? '' : place, link, isOnline }
}

const withoutEdges = (part: string) => part.replace(/^[\s,;:|)>-]{1,20}|[\s,;:|(<-]{1,20}$/g, '')

function withoutPrograms(text: string): { place: string; isOnline: boolean } {
  const [, before] = ENDS_ONLINE.exec(text) ?? []
  if (IS_ONLINE.test(text)) return { place: '', isOnline: true }
  if (before !== undefined) return { place: withoutPrograms(withoutEdges(before)).place, isOnline: true }
  // `split` returns names at even indexes, dividers at odd ones.
  const parts = text.split(DIVIDER)
  const names = parts.filter((_, at) => at % 2 === 0)
  if (names.every((name) => IS_ONLINE.test(name))) return { place: '', isOnline: true }
  // A meeting program before a comma may be a venue, followed by its address.
  const isFirstPlace = parts[1]?.trim() === ',' && IS_BRAND.test(parts[0] ?? '')
  const isKept = (name: string, at: number) => (at === 0 && isFirstPlace) || !IS_ONLINE.test(name)
  const kept = names.flatMap((name, at) => (isKept(name, at) ? [at] : []))
  if (kept.length === names.length) return { place: text, isOnline: false }
  const place = kept.map((at, index) => (index === 0 ? '' : parts[at * 2 - 1]) + (names[at] ?? '')).join('')
  return { place, isOnline: true }
}

/** Reads a venue; its name ends at the first comma or line end: `Harbour Hall, 1 Quay, Kilvara`. */
export function placeItem(
  text: string,
  details: Readonly<Record<string, unknown>>,
  at: string,
): SourceItem | undefined {
  const [name = '', ...rest] = partsOfPlace(text)
    .place.split(/[,\n]/)
    .map((part) => part.trim())
  return linkedItem('venue', name, { address: rest.filter(Boolean).join(', ').slice(0, 500), ...details }, at)
}
