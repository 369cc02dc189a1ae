import { madeOnce } from '../../../base/cache.ts'
import { fold } from '../../../base/text/characters.ts'
import { DAY_MS } from '../../../base/text/zones.ts'

/** A number, word or other character, with its position in the text; letters are folded. */
export interface Token {
  text: string
  kind: 'number' | 'word' | 'sign'
  from: number
  to: number
  /** True if no space precedes this token. */
  isGlued: boolean
}

const LONGEST_SPOKEN = 300

const PIECE = /(\d+)|([\p{L}\p{M}]+(?:['’][\p{L}\p{M}]+)*)|\S/gu

/** Splits a text into tokens; a text longer than `LONGEST_SPOKEN` has none. */
export function tokensOf(text: string): Token[] {
  if (text.length > LONGEST_SPOKEN) return []
  const tokens: Token[] = []
  for (const { 0: piece, 1: digits, 2: letters, index } of text.matchAll(PIECE)) {
    const kind = digits !== undefined ? 'number' : letters !== undefined ? 'word' : 'sign'
    const isGlued = index > 0 && tokens.at(-1)?.to === index
    tokens.push({ text: fold(piece), kind, from: index, to: index + piece.length, isGlued })
  }
  return tokens
}

/** Phrases by their first word, longest first. */
type Phrases<Meaning> = ReadonlyMap<string, readonly { words: readonly string[]; meaning: Meaning }[]>

export interface Said<Meaning> {
  meaning: Meaning
  next: number
}

/** Finds the longest phrase that begins at token `at`, ignoring hyphens between its words. */
export function saidAt<Meaning>(
  tokens: readonly Token[],
  at: number,
  phrases: Phrases<Meaning>,
): Said<Meaning> | undefined {
  const first = tokens[at]
  for (const { words, meaning } of (first && phrases.get(first.text)) ?? []) {
    const next = endOfPhrase(tokens, at, words)
    if (next !== undefined) return { meaning, next }
  }
  return undefined
}

function endOfPhrase(tokens: readonly Token[], at: number, words: readonly string[]): number | undefined {
  let next = at
  for (const word of words) {
    if (next > at && tokens[next]?.text === '-' && tokens[next]?.isGlued) next += 1
    if (tokens[next]?.text !== word) return undefined
    next += 1
  }
  return next
}

/** `day` is 0 for Monday. `isShort`: an abbreviation that may be another word, such as `So` or `sun`. */
export interface SpokenWeekday {
  day: number
  isShort: boolean
}

interface TimeWords {
  /** Words for days, with the number of days from today. */
  days: Readonly<Record<string, number>>
  next: string
  this: string
  last: string
  nextWeek: string
  within: string
  /** Units of time, with their length in days. */
  units: Readonly<Record<string, number>>
  /** Words before a date or time that add nothing to its meaning. */
  fillers: string
  /** Words before an hour without a unit, such as `at`. */
  at: string
  to: string
  until: string
  hours: string
  noon: string
  midnight: string
  morning: string
  evening: string
  /** Words for a part of the day after a weekday, without a time. */
  dayParts: string
  allDay: string
  every: string
  /** Words before a number of days or weeks, such as `alle` in `alle 2 Wochen`. */
  everyFew: string
  daily: string
  weekly: string
  monthly: string
  yearly: string
  ofMonth: string
  /** Words for a weekday that repeats, from Monday to Sunday, such as `dienstags`. */
  weekdays: string
  /** Abbreviations and spellings that `Intl` does not know. */
  moreWeekdays: Readonly<Record<string, number>>
  ordinals: string
  /** Ordinals with their number; -1 means the last. */
  places: Readonly<Record<string, number>>
  and: string
}

const WORDS: Readonly<Record<string, TimeWords>> = {
  en: {
    days: { today: 0, tonight: 0, tomorrow: 1, 'day after tomorrow': 2, yesterday: -1 },
    next: 'next',
    this: 'this|coming|this coming',
    last: 'last|previous',
    nextWeek: 'next week',
    within: 'in',
    units: { day: 1, days: 1, week: 7, weeks: 7, fortnight: 14 },
    fillers: 'on|the|at|from|of',
    at: 'at',
    to: 'to|till|until|through',
    until: 'until|till',
    hours: "h|o'clock",
    noon: 'noon|midday',
    midnight: 'midnight',
    morning: 'am|a.m|in the morning',
    evening: 'pm|p.m|in the evening|in the afternoon',
    dayParts: 'morning|afternoon|evening|night',
    allDay: 'all day|all-day',
    every: 'every|each',
    everyFew: 'every',
    daily: 'daily|every day',
    weekly: 'weekly|every week',
    monthly: 'monthly|every month',
    yearly: 'yearly|annually|every year',
    ofMonth: 'of the month|of each month|of every month',
    weekdays: 'mondays|tuesdays|wednesdays|thursdays|fridays|saturdays|sundays',
    moreWeekdays: { tues: 1, weds: 2, thur: 3, thurs: 3 },
    ordinals: 'st|nd|rd|th',
    places: { first: 1, second: 2, other: 2, third: 3, fourth: 4, fifth: 5, last: -1 },
    and: 'and|&',
  },
  de: {
    days: {
      heute: 0,
      'heute abend': 0,
      morgen: 1,
      'morgen abend': 1,
      ubermorgen: 2,
      uebermorgen: 2,
      gestern: -1,
    },
    next: 'nachsten|nachster|nachste|nachstes|naechsten|naechster|naechste',
    this: 'diesen|dieser|diese|kommenden|kommender|kommende',
    last: 'letzten|letzter|letzte|vergangenen',
    nextWeek: 'nachste woche|nachster woche|naechste woche|kommende woche|kommender woche',
    within: 'in',
    units: { tag: 1, tage: 1, tagen: 1, woche: 7, wochen: 7 },
    fillers: 'am|den|der|dem|vom|von|um|ab|gegen|im',
    at: 'um|ab|gegen',
    to: 'bis|bis zum|bis um',
    until: 'bis|bis zum',
    hours: 'uhr|h',
    noon: 'mittag|mittags',
    midnight: 'mitternacht',
    morning: 'morgens|vormittags|fruh',
    evening: 'abends|nachmittags',
    dayParts: 'abend|nachmittag|vormittag|nacht|fruh|morgen',
    allDay: 'ganztagig|ganztaegig|den ganzen tag|ganzer tag',
    every: 'jeden|jede|jedes|jeder',
    everyFew: 'alle',
    daily: 'taglich|taeglich|jeden tag',
    weekly: 'wochentlich|woechentlich|jede woche',
    monthly: 'monatlich|jeden monat',
    yearly: 'jahrlich|jaehrlich|jedes jahr',
    ofMonth: 'im monat|des monats|eines monats|jeden monats',
    weekdays: 'montags|dienstags|mittwochs|donnerstags|freitags|samstags|sonntags',
    moreWeekdays: { sonnabend: 5 },
    ordinals: '.',
    places: {
      ersten: 1,
      erster: 1,
      zweiten: 2,
      zweiter: 2,
      zweite: 2,
      dritten: 3,
      dritter: 3,
      vierten: 4,
      vierter: 4,
      funften: 5,
      letzten: -1,
      letzter: -1,
    },
    and: 'und|&',
  },
  fr: {
    days: { "aujourd'hui": 0, 'ce soir': 0, demain: 1, 'demain soir': 1, 'apres demain': 2, hier: -1 },
    next: 'prochain|prochaine',
    this: 'ce|cette',
    last: 'dernier|derniere',
    nextWeek: 'semaine prochaine|la semaine prochaine',
    within: 'dans',
    units: { jour: 1, jours: 1, semaine: 7, semaines: 7, quinzaine: 14 },
    fillers: 'le|la|les|du|de|des|a|au|vers',
    at: 'a|vers',
    to: "a|au|jusqu'a|jusqu'au",
    until: "jusqu'au|jusqu'a",
    hours: 'h|heure|heures',
    noon: 'midi',
    midnight: 'minuit',
    morning: 'du matin',
    evening: "du soir|de l'apres midi",
    dayParts: 'matin|soir|apres midi',
    allDay: 'toute la journee|journee entiere',
    every: 'tous les|toutes les|chaque',
    everyFew: 'toutes les',
    daily: 'quotidien|tous les jours|chaque jour',
    weekly: 'hebdomadaire|toutes les semaines|chaque semaine',
    monthly: 'mensuel|tous les mois|chaque mois',
    yearly: 'annuel|tous les ans|chaque annee',
    ofMonth: 'du mois|de chaque mois',
    weekdays: 'lundis|mardis|mercredis|jeudis|vendredis|samedis|dimanches',
    moreWeekdays: {},
    ordinals: 'er|e',
    places: {
      premier: 1,
      premiers: 1,
      deuxieme: 2,
      troisieme: 3,
      quatrieme: 4,
      cinquieme: 5,
      dernier: -1,
      derniers: -1,
    },
    and: 'et|&',
  },
  es: {
    days: { hoy: 0, 'esta noche': 0, manana: 1, 'manana por la noche': 1, 'pasado manana': 2, ayer: -1 },
    next: 'proximo|proxima|que viene',
    this: 'este|esta',
    last: 'pasado|pasada',
    nextWeek: 'proxima semana|semana que viene|semana proxima',
    within: 'en|dentro de',
    units: { dia: 1, dias: 1, semana: 7, semanas: 7 },
    fillers: 'el|la|los|las|del|de|desde|a|sobre',
    at: 'a las|sobre las|desde las',
    to: 'a|al|hasta|hasta el',
    until: 'hasta|hasta el',
    hours: 'h|hora|horas|hs',
    noon: 'mediodia',
    midnight: 'medianoche',
    morning: 'de la manana',
    evening: 'de la tarde|de la noche',
    dayParts: 'por la manana|por la tarde|por la noche',
    allDay: 'todo el dia|dia completo',
    every: 'cada|todos los|todas las',
    everyFew: 'cada',
    daily: 'a diario|todos los dias|cada dia',
    weekly: 'semanal|semanalmente|todas las semanas|cada semana',
    monthly: 'mensual|mensualmente|todos los meses|cada mes',
    yearly: 'anual|anualmente|todos los anos|cada ano',
    ofMonth: 'del mes|de cada mes',
    weekdays: 'los lunes|los martes|los miercoles|los jueves|los viernes|los sabados|los domingos',
    moreWeekdays: { sabados: 5, domingos: 6 },
    ordinals: 'o|º|ª',
    places: { primer: 1, primero: 1, segundo: 2, tercer: 3, tercero: 3, cuarto: 4, quinto: 5, ultimo: -1 },
    and: 'y|e|&',
  },
}

/** Phrases of the language and of English; where they mean different things, the language's own. */
export interface Vocabulary {
  isMonthFirst: boolean
  months: Phrases<number>
  weekdays: Phrases<SpokenWeekday>
  days: Phrases<number>
  toward: Phrases<'next' | 'this' | 'last'>
  nextWeek: Phrases<true>
  within: Phrases<true>
  units: Phrases<number>
  fillers: Phrases<true>
  at: Phrases<true>
  to: Phrases<true>
  until: Phrases<true>
  hours: Phrases<true>
  noons: Phrases<number>
  halves: Phrases<'am' | 'pm'>
  dayParts: Phrases<true>
  allDay: Phrases<true>
  every: Phrases<true>
  everyFew: Phrases<true>
  frequencies: Phrases<'daily' | 'weekly' | 'monthly' | 'yearly'>
  ofMonth: Phrases<true>
  repeated: Phrases<number>
  ordinals: Phrases<true>
  places: Phrases<number>
  and: Phrases<true>
}

export const vocabularyOf = madeOnce((language: string): Vocabulary => {
  const { en: english = {} as TimeWords } = WORDS
  const [base = ''] = language.split('-', 1)
  const both = [WORDS[base] ?? english, english]
  const all = (list: (words: TimeWords) => string) =>
    phrasesOf(both.flatMap((words) => same(list(words), true as const)))
  const record = <Meaning>(table: (words: TimeWords) => Readonly<Record<string, Meaning>>) =>
    phrasesOf(both.flatMap((words) => Object.entries(table(words))))
  const several = <Meaning>(lists: (words: TimeWords) => readonly (readonly [string, Meaning])[]) =>
    phrasesOf(both.flatMap((words) => lists(words).flatMap(([list, meaning]) => same(list, meaning))))
  return {
    isMonthFirst: language === 'en' || language === 'en-US',
    months: phrasesOf([...monthNames(language), ...monthNames('en')]),
    weekdays: phrasesOf([...weekdayNames(language), ...weekdayNames('en')]),
    days: record(({ days }) => days),
    toward: several((words) => [
      [words.next, 'next'],
      [words.this, 'this'],
      [words.last, 'last'],
    ]),
    nextWeek: all(({ nextWeek }) => nextWeek),
    within: all(({ within }) => within),
    units: record(({ units }) => units),
    fillers: all(({ fillers }) => fillers),
    at: all(({ at }) => at),
    to: all(({ to }) => `${to}|-`),
    until: all(({ until }) => until),
    hours: all(({ hours }) => hours),
    noons: several((words) => [
      [words.noon, 12],
      [words.midnight, 0],
    ]),
    halves: several((words) => [
      [words.morning, 'am'],
      [words.evening, 'pm'],
    ]),
    dayParts: all(({ dayParts }) => dayParts),
    allDay: all(({ allDay }) => allDay),
    every: all(({ every }) => every),
    everyFew: all(({ everyFew }) => everyFew),
    frequencies: several((words) => [
      [words.daily, 'daily'],
      [words.weekly, 'weekly'],
      [words.monthly, 'monthly'],
      [words.yearly, 'yearly'],
    ]),
    ofMonth: all(({ ofMonth }) => ofMonth),
    repeated: phrasesOf(both.flatMap(({ weekdays }) => weekdays.split('|').map((name, day) => [name, day]))),
    ordinals: all(({ ordinals }) => ordinals),
    places: record(({ places }) => places),
    and: all(({ and }) => `${and}|,`),
  }
})

const same = <Meaning>(list: string, meaning: Meaning): [string, Meaning][] =>
  list.split('|').map((phrase) => [phrase, meaning])

function phrasesOf<Meaning>(entries: readonly (readonly [string, Meaning])[]): Phrases<Meaning> {
  const known = new Set<string>()
  const phrases = entries.flatMap(([text, meaning]) => {
    const words = text === '-' ? [text] : wordsIn(text)
    const key = words.join(' ')
    if (known.has(key)) return []
    known.add(key)
    return [{ words, meaning }]
  })
  phrases.sort((one, other) => other.words.length - one.words.length)
  return Map.groupBy(phrases, ({ words }) => words[0] ?? '')
}

/** Hyphens are left out, as `saidAt` ignores them. */
const wordsIn = (phrase: string) =>
  tokensOf(phrase)
    .map(({ text }) => text)
    .filter((text) => text !== '-')

const MONDAY = Date.UTC(2024, 0, 1)
const SHORTEST_MONTH = 3

function monthNames(language: string): [string, number][] {
  const months = Array.from({ length: 12 }, (_, at) => at + 1)
  const names = months.flatMap((month) =>
    namesOf(language, Date.UTC(2024, month - 1, 1), { month: 'long' }, { month: 'short' }).map(
      (name): [string, number] => [name, month],
    ),
  )
  const beginnings = names.flatMap(([name, month]) =>
    Array.from({ length: Math.max(name.length - SHORTEST_MONTH, 0) }, (_, at): [string, number] => [
      name.slice(0, SHORTEST_MONTH + at),
      month,
    ]),
  )
  const isClear = ([text, month]: [string, number]) =>
    names.every(([name, other]) => other === month || !name.startsWith(text))
  return [...names, ...beginnings.filter(isClear)]
}

function weekdayNames(language: string): [string, SpokenWeekday][] {
  const days = Array.from({ length: 7 }, (_, day) => day)
  const named = (style: 'long' | 'short') =>
    days.flatMap((day) =>
      namesOf(language, MONDAY + day * DAY_MS, { weekday: style }).map((name): [string, SpokenWeekday] => [
        name,
        { day, isShort: style === 'short' },
      ]),
    )
  const more = Object.entries(WORDS[language]?.moreWeekdays ?? {}).map(
    ([name, day]): [string, SpokenWeekday] => [name, { day, isShort: name.length < 6 }],
  )
  return [...named('long'), ...more, ...compounds(language, named('long')), ...named('short')]
}

/** Weekdays and parts of the day in one word, such as `Freitagabend`. */
function compounds(
  language: string,
  weekdays: readonly [string, SpokenWeekday][],
): [string, SpokenWeekday][] {
  const parts = (WORDS[language]?.dayParts ?? '')
    .split('|')
    .filter((part) => part !== '' && !part.includes(' '))
  return weekdays.flatMap(([name, weekday]) =>
    parts.map((part): [string, SpokenWeekday] => [`${name}${part}`, weekday]),
  )
}

/** Formats the date at `ms`, without dots, and also with `ae`, `oe` and `ue` for umlauts. */
function namesOf(language: string, ms: number, ...formats: Intl.DateTimeFormatOptions[]): string[] {
  return formats.flatMap((format) => {
    const name = new Intl.DateTimeFormat(language, { ...format, timeZone: 'UTC' })
      .format(ms)
      .replaceAll('.', '')
    const plain = name.toLowerCase().replaceAll('ä', 'ae').replaceAll('ö', 'oe').replaceAll('ü', 'ue')
    return [fold(name), fold(plain)]
  })
}
