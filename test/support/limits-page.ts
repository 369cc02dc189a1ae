import { environmentName } from '../../src/base/config.ts'
import {
  type Bounds,
  LINK_BYTES,
  limits,
  MOST_LEVELS,
  MOST_MEMBERS,
  MOST_PAIRS,
  ROW_BYTES,
} from '../../src/base/fields/limits.ts'
import { LONGEST_MARK_RUN } from '../../src/base/text/characters.ts'
import type { Field, Fields } from '../../src/calendar/declare/resource.ts'
import { resources } from '../../src/calendar/resources.ts'
import { MOST_PICTURES } from '../../src/features/submissions/submission-store.ts'
import { MOST_STORED } from '../../src/store/storage/stored-answers.ts'

export function limitsPage(): string {
  const general = [
    ['Characters of the header `Idempotency-Key`', String(limits.idempotencyKey.characters)],
    ['Combining marks on one letter, in any text', String(LONGEST_MARK_RUN)],
    ['Levels that lists and records nest in one value', String(MOST_LEVELS)],
    ['Members and entries of one value on all levels', inThousands(MOST_MEMBERS)],
    ['Requests of a batch', String(limits.batch.entries)],
    ['Pairs of a name and a value in a query or form', inThousands(MOST_PAIRS)],
  ]
  const products = [
    [
      'Texts and links of a series × its dates × requests of a batch',
      `${inThousands(limits.seriesDates.bytes)} bytes, a date as ${inThousands(ROW_BYTES)} ` +
        `besides and a link as ${LINK_BYTES}; the disk has texts twice, once for searches`,
    ],
    ['Texts of single events × requests of a batch', `one body, \`${environmentName('body_bytes')}\``],
    ['New terms, venues, organizers × requests of one transaction', inThousands(limits.batchMade.entries)],
    ['Answers × requests of a batch', `${inThousands(limits.batchAnswers.bytes)} bytes, then ids alone`],
    ['Texts × records on a page of changes', `${inThousands(limits.changesPage.bytes)} bytes, or one record`],
    [
      'Rows × columns of a table at the desk × imports of a person',
      '10,000 × 60 in 2,000,000 bytes, of a file 5,000,000 (kept: 20,000,000); 10 looked at, 3 under way',
    ],
    ['Former texts × changes', `\`${environmentName('history_bytes')}\`; a text that many had is kept once`],
    ['Kept answers × keys of a user', `16,384 bytes, then the id alone, × ${inThousands(MOST_STORED)}`],
    ['Forms of strangers × suggestions that wait', '64 kB × 5,000, and 2,000 kept as spam'],
    ['Private pictures × suggestions', `1,600 pixels as WebP × ${MOST_PICTURES}`],
    ['Subscriptions × addresses', '20 of one address; 1,000 unconfirmed in all, for 48 hours'],
    [
      'Messages × subscribers',
      `\`${environmentName('mail_per_hour')}\` an hour; 60 events and 20 new ones each`,
    ],
    ['Answers of a sign-in provider × sign-ins at once', '256,000 bytes each, within 5 s, × 16'],
    ['Texts of linked records × events of a list', 'not bounded: it is sent in turns'],
  ]
  const sections = resources.flatMap(({ resource, filters }) => [
    `## ${resource.title}: fields`,
    '',
    ...table(['Field', 'At the most'], rowsOf(resource.fields)),
    '',
    `## ${resource.title}: parameters of lists`,
    '',
    ...table(['Parameter', 'At the most'], rowsOf(filters)),
    '',
  ])
  return [
    '# Limits',
    '',
    'Every text and list has a limit, which is checked first, also within an event: beyond ' +
      'it the answer is 400 `rest_invalid_param`, whose text names field and limit, ' +
      'beyond that of a body 413. OpenAPI has them as `maxLength` and `maxItems`.',
    '',
    `What is not named takes ${WORD}. An entity such as \`&amp;\` is one character, bytes ` +
      `are those of UTF-8. Settings: \`${environmentName('text_bytes')}\` for descriptions and ` +
      `excerpts, \`${environmentName('body_bytes')}\`, \`${environmentName('image_bytes')}\`.`,
    '',
    ...table(['Of every request', 'At the most'], general),
    '',
    ...table(['Limits that multiply', 'Together at the most'], products),
    '',
    ...sections,
  ].join('\n')
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)]
}

const WORD = `${limits.word.characters} characters`

function rowsOf(fields: Fields): string[][] {
  const byLimit = Map.groupBy(Object.entries(fields), ([, field]) => describe(field))
  byLimit.delete(WORD)
  return [...byLimit].map(([limit, same]) => [same.map(([name]) => `\`${name}\``).join(', '), limit])
}

function describe(field: Field): string {
  const { characters, bytes, words, entries }: Bounds = field.within ?? field.kind.within ?? limits.line
  const each = field.kind.list ? ' each' : ''
  const parts = [
    entries === undefined ? undefined : `${entries} entries`,
    characters === undefined ? undefined : `${inThousands(characters)} characters${each}`,
    bytes === undefined ? undefined : bytes === 'setting' ? 'bytes as set' : `${inThousands(bytes)} bytes`,
    words === undefined ? undefined : `${words} words`,
  ]
  return parts.filter((part) => part !== undefined).join(', ')
}

const inThousands = (number: number) => number.toLocaleString('en')
