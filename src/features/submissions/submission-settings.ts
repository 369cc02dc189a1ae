import { checked, choice, type SettingGroup, wholeNumber, word } from '../../base/setting-kinds.ts'

const settings = {
  submissions: choice(
    'Whether anybody may suggest events: not at all; with an e-mail address that is confirmed (needs \
`KALENDS_MAIL`); or open to all, with a quarter of the limits.',
    ['off', 'confirmed', 'open'],
    'off',
  ),
  submissions_address: wholeNumber(
    'Suggestions a day of one e-mail address; more are 429.',
    'NUMBER',
    5,
    1,
    10_000,
  ),
  submissions_network: wholeNumber(
    'Suggestions an hour of one network (IPv4 /24, IPv6 /48); more are 429.',
    'NUMBER',
    20,
    1,
    10_000,
  ),
  submissions_hour: wholeNumber(
    'Suggestions an hour in all, half of them of one domain of e-mail; more are 429.',
    'NUMBER',
    200,
    1,
    10_000,
  ),
  submissions_proof: wholeNumber(
    'Suggestions in an hour above which browsers have to compute for a second. 0: never.',
    'NUMBER',
    60,
    0,
    10_000,
  ),
  submissions_months: wholeNumber(
    'Months after a decision for which name and address of the sender are kept.',
    'MONTHS',
    12,
    1,
    120,
  ),
  submissions_terms: checked(
    word(
      'The terms that senders agree to: an address, or the path of a page of this site. Empty: none.',
      'ADDRESS',
      '',
    ),
    'takes an http or https address, or a path such as /terms/',
    (text) => text === '' || /^\/[\w-]+\/?$/.test(text) || (/^https?:\/\//i.test(text) && URL.canParse(text)),
  ),
}

type SubmissionSettingTable = typeof settings

declare module '../../base/config.ts' {
  interface FeatureSettings extends SubmissionSettingTable {}
}

export const submissionSettingGroup: SettingGroup = { heading: 'Suggestions of events', settings }
