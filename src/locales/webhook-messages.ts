/** English texts that are stored of webhooks and messages, with their values in place: why one is disabled, or has not arrived. */
export const webhookMessages = [
  'By an administrator.',
  'By command.',
  'Nothing has arrived for five days.',
  'The receiver answered that it is gone (410).',
  'The receiver answered {status}.',
  'The receiver could not be reached.',
  'The receiver could not be reached ({code}).',
  'The receiver did not answer in time.',
  'The address may not be sent to.',
] as const

/** A text that says why a webhook is disabled, or a message has not arrived. */
export type WebhookMessage = (typeof webhookMessages)[number]
