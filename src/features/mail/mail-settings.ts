import { discreet, type SettingGroup, wholeNumber, word } from '../../base/setting-kinds.ts'

const settings = {
  mail: discreet(
    word(
      'The relay of e-mail: smtp://USER@HOST:PORT, or smtps for TLS from the start. Empty: no e-mail.',
      'ADDRESS',
      '',
    ),
    'takes smtp://USER@HOST:PORT or smtps://…',
    (text) => text === '' || (/^smtps?:\/\/(?:[^\s@/?#]*@)?[^\s@/?#]+\/?$/.test(text) && URL.canParse(text)),
  ),
  mail_password_file: word('The file of the password for the relay.', 'FILE', ''),
  mail_from: word('The address that e-mail comes from. Empty: the user of the relay.', 'ADDRESS', ''),
  mail_per_hour: wholeNumber('E-mails an hour at the most.', 'NUMBER', 200, 1, 1_000_000),
}

type MailSettings = typeof settings

declare module '../../base/config.ts' {
  interface FeatureSettings extends MailSettings {}
}

export const mailSettings: SettingGroup = { heading: 'E-mail', settings }
