import { deepEqual, equal } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { fold } from '../../src/base/text/characters.ts'
import { stemOf, stemsIn, wantedWords } from '../../src/base/text/stems.ts'
import { fc, rounds } from '../support/rounds.ts'

const FORMS = {
  English: `
    concert concerts
    class classes
    box boxes
    bus buses
    quiz quizzes
    tax taxes
    man men
    woman women
    child children
    mouse mice
    leaf leaves
    wolf wolves
    knife knives
    shelf shelves
    foot feet
    story stories
    city cities
    day days
    menu menus
    taxi taxis
    campus campuses
    dance dances dancing dancer
    swim swims swimming swimmer
    run runs running runner
    hike hikes hiking
    ride rides riding
    ski skis skiing
    sing sings singing singer
    read reading readings reader
    planner planners
    plane planes
    poster posters
    photo photos
    studio studios
    house houses
    horse horses
    course courses
    museum museums
    theatre theater theatres
    centre center centres centers`,
  German: `
    Kurs Kurse Kursen Kurses
    Mann Männer Männern Mannes
    Zug Züge Zügen Zuges
    Tag Tage Tagen Tages
    Weg Wege Wegen
    Rad Räder Rädern
    Fahrrad Fahrräder
    Künstler Künstlern Künstlers Künstlerin Künstlerinnen
    Freund Freunde Freunden Freundin Freundinnen
    Autor Autoren Autorin Autorinnen
    Student Studenten Studentin Studentinnen
    Haus Häuser Häusern Hauses
    Glas Gläser Gläsern
    Buch Bücher Büchern Buches
    Kind Kinder Kindern Kindes
    Konzert Konzerte Konzerten Konzerts Konzertes
    Bus Busse Bussen
    Fluss Flüsse Flüssen
    Ball Bälle Bällen
    Fest Feste Festen Festes
    Oper Opern
    Feier Feiern
    Vogel Vögel Vögeln
    Garten Gärten
    Blume Blumen
    Rose Rosen
    Dame Damen
    Kirche Kirchen
    Messe Messen
    Messer Messern
    Wand Wände Wänden
    Bank Bänke Banken
    Museum Museen
    Zentrum Zentren
    Thema Themen
    System Systeme Systemen
    Archiv Archive
    Führung Führungen`,
  French: `
    nouveau nouveaux nouvel nouvelle nouvelles
    beau beaux belle belles
    journal journaux
    château châteaux
    travail travaux
    jeu jeux
    bijou bijoux
    ami amis
    local locale locaux locales
    musicien musiciens musicienne musiciennes
    premier première premiers premières
    danseur danseurs danseuse danseuses
    heureux heureuse
    actif active actifs actives
    traditionnel traditionnelle traditionnels
    bon bonne bons bonnes
    guidé guidée guidés guidées
    soirée soirées
    cours
    fête fêtes
    tapis`,
  Spanish: `
    voz voces
    luz luces
    pez peces
    vez veces
    lápiz lápices
    actriz actrices
    niño niños niña niñas
    taller talleres
    canción canciones
    exposición exposiciones
    ciudad ciudades
    flor flores
    país países
    autor autores autora autoras
    concierto conciertos
    clásico clásica clásicos clásicas
    noche noches
    fiesta fiestas`,
} as const

const APART = (
  'past pasta paste|march marching|plan planner|Bank Banker|Leid leider|Wand wandern|Messe Messer|' +
  'found founder|new news|wed wedding|post poster|Kunst Künstler|mais Mai'
).split('|')

const finds = (wanted: string, text: string) => {
  const stems = stemsIn(fold(text))
  return wantedWords(wanted).every((word) => word.stems.every((stem) => stems.has(stem)))
}

describe('a search by words', () => {
  for (const [language, lines] of Object.entries(FORMS))
    test(`finds each form of a word by each other one in ${language}`, () => {
      const missed = lines.split('\n').flatMap((line) => {
        const forms = line.trim().split(' ')
        return forms.flatMap((one) =>
          forms.flatMap((other) => (finds(one, other) ? [] : [`${one} -> ${other}`])),
        )
      })
      deepEqual(missed, [])
    })

  test('does not take words for forms of each other that only look so', () => {
    const taken = APART.flatMap((line) => {
      const words = line.split(' ')
      return words.flatMap((one) =>
        words.flatMap((other) => (one < other && finds(one, other) ? [`${one} ${other}`] : [])),
      )
    })
    deepEqual(taken, [])
  })
})

test('the stem of a word is its own stem, and that of the word with a plural or a case', () => {
  const letter = fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz')
  const words = fc.string({ unit: letter, minLength: 5, maxLength: 9 })
  const alike = (word: string) => {
    equal(stemOf(stemOf(word)), stemOf(word), word)
    if (!word.endsWith('s')) equal(stemOf(`${word}s`), stemOf(word), `${word}s`)
    if (!/[aeiouy]$/.test(word))
      for (const end of ['e', 'en', 'ern']) equal(stemOf(word + end), stemOf(word), word + end)
  }
  fc.assert(fc.property(words, alike), { numRuns: rounds(500) })
})
