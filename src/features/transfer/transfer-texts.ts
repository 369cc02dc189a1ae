import type { Texts } from '../../calendar/locales/texts.ts'
import { sayIn } from '../../calendar/locales/translate.ts'

export const transferTexts = {
  Backups: { de: 'Sicherungen', fr: 'Sauvegardes', es: 'Copias de seguridad' },
  'The last one that is known was taken {count} days ago.': {
    de: 'Die letzte bekannte ist {count} Tage alt.',
    fr: 'La dernière connue date d’il y a {count} jours.',
    es: 'La última conocida es de hace {count} días.',
  },
} as const satisfies Texts

export const sayOfTransfer = sayIn(transferTexts)
