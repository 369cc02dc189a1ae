import { sayCountIn, sayIn } from '../../calendar/locales/translate.ts'
import { senderTexts } from './sender-texts.ts'
import { suggestionRoomTexts } from './suggestion-room-texts.ts'

const submissionTexts = { ...senderTexts, ...suggestionRoomTexts } as const

export const saySubmission = sayIn(submissionTexts)
export const saySubmissionCount = sayCountIn(submissionTexts)
