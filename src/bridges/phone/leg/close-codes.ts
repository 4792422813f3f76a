/**
 * Reasons for which the server closes a media socket, with their close codes. Twilio, for example, writes
 * the code into its debugger and continues with the `<Redirect>` after the `<Connect>`. Listed in `docs/reference/errors.md`.
 */
export const CLOSE_CODES = {
  done: { code: 1000, meaning: 'The call is over, or we hung up.' },
  'going-away': { code: 1001, meaning: 'The server is shutting down.' },
  protocol: { code: 1002, meaning: 'Invalid WebSocket frames (RFC 6455).' },
  binary: { code: 1003, meaning: 'A binary frame from a carrier whose messages are text, or the reverse.' },
  'bad-messages': { code: 1007, meaning: '10 invalid messages within one second.' },
  flood: {
    code: 1008,
    meaning:
      'Far more messages than a call needs: more than 60 a second beyond a burst of 250, or of 7,450 after `start`.',
  },
  'too-large': { code: 1009, meaning: 'A message exceeds 64 KiB.' },
  failed: { code: 1011, meaning: 'An error occurred on the server; the call resumes on a new stream.' },
  restart: { code: 1012, meaning: 'The server is being replaced; the call resumes on another one.' },
  full: { code: 1013, meaning: 'The server currently accepts no more calls.' },
  'bad-media': {
    code: 4400,
    meaning: 'More than 5 of 100 media messages have a payload that is not base64.',
  },
  unauthorized: {
    code: 4401,
    meaning: 'Token missing, wrong, used, expired, or issued for another call than that of `start`.',
  },
  'call-ended': { code: 4404, meaning: 'The call of this stream has ended.' },
  'no-start': { code: 4408, meaning: 'No `start` within 5 seconds.' },
  replaced: { code: 4409, meaning: 'A newer stream of the same call replaced this one.' },
  'media-format': {
    code: 4415,
    meaning: 'Audio in another format than requested, such as µ-law at 8,000 Hz, mono.',
  },
} as const satisfies Record<string, { code: number; meaning: string }>

/** A row of the table. */
export type CloseCause = keyof typeof CLOSE_CODES
