import type { TextIn } from '../../calendar/locales/texts.ts'
import { formsIn } from '../../calendar/locales/translate.ts'
import { pageTexts } from '../pages/page-texts.ts'
import { eventFormTexts } from './event-form/event-form-texts.ts'
import { listTexts } from './list-texts.ts'
import { lookTexts } from './look-texts.ts'
import { peopleTexts } from './people-texts.ts'
import { reviewTexts } from './review/review-texts.ts'
import { roomTexts } from './room-texts.ts'
import { setUpTexts } from './set-up-texts.ts'
import { signInTexts } from './sign-in/sign-in-texts.ts'

export const deskTexts = {
  ...pageTexts,
  ...roomTexts,
  ...listTexts,
  ...eventFormTexts,
  ...reviewTexts,
  ...peopleTexts,
  ...lookTexts,
  ...setUpTexts,
  ...signInTexts,
} as const

export type DeskText = TextIn<typeof deskTexts>

export const formsAtDesk = formsIn(deskTexts)
