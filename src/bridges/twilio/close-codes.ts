/**
 * Why a media socket is closed by this server, with the code it is closed with. Twilio writes the code into its
 * debugger and goes on with the `<Redirect>` after the `<Connect>`. Listed in `docs/reference/errors.md`.
 */
export const CLOSE_CODES = {
  done: { code: 1000, meaning: 'The call is over, or its owner hung up.' },
  'going-away': { code: 1001, meaning: 'The server shuts down.' },
  protocol: { code: 1002, meaning: 'Frames that are not WebSocket frames (RFC 6455).' },
  binary: { code: 1003, meaning: 'A binary frame; all messages are text.' },
  'bad-messages': { code: 1007, meaning: '10 messages within a second that are not what they should be.' },
  flood: {
    code: 1008,
    meaning:
      'Far more messages than a call has: above 60 a second beyond a burst of 250, or of 7,450 once it has begun.',
  },
  'too-large': { code: 1009, meaning: 'A message above 64 KiB.' },
  failed: { code: 1011, meaning: 'Something failed on our side; the call resumes on a new stream.' },
  restart: { code: 1012, meaning: 'The server is replaced; the call resumes at another one.' },
  full: { code: 1013, meaning: 'No more calls are taken at the moment.' },
  'bad-media': {
    code: 4400,
    meaning: '50 media messages before `start`, or more than 5 of 100 whose payload is not base64.',
  },
  unauthorized: {
    code: 4401,
    meaning: 'No token, or one that is wrong, used, expired or of another call than `start.callSid`.',
  },
  'call-ended': { code: 4404, meaning: 'The call of this stream has ended.' },
  'no-start': { code: 4408, meaning: 'No `start` within 5 seconds.' },
  replaced: { code: 4409, meaning: 'A newer stream of the same call took its place.' },
  'media-format': { code: 4415, meaning: 'Audio other than µ-law, 8000 Hz, mono.' },
} as const satisfies Record<string, { code: number; meaning: string }>

/** A row of the table. */
export type CloseCause = keyof typeof CLOSE_CODES
