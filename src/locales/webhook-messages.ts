/** The texts of the codes of `WebhookReason`. */
export const webhookReasons = {
  administrator: 'By an administrator.',
  command: 'By command.',
  silent: 'Nothing has arrived for five days.',
  gone: 'The receiver answered that it is gone (410).',
  answered: 'The receiver answered {status}.',
  unreachable: 'The receiver could not be reached.',
  failed: 'The receiver could not be reached ({code}).',
  late: 'The receiver did not answer in time.',
  forbidden: 'The address may not be sent to.',
} as const

/** Why a webhook is disabled or a message has not arrived, as it is stored: a code, and the value that its text names, such as `answered 500`. */
export type WebhookReason = keyof typeof webhookReasons | `${keyof typeof webhookReasons} ${string}`
